"""The case file of a CRD version: what it does today, proposed by its schema, answered by the engine, checked by the runner."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from pytest_crd import coverage, engine, synthesis
from pytest_crd.casefiles import yamltext
from pytest_crd.engine.schema.schemamap import Place
from pytest_crd.generation import reach, words
from pytest_crd.generation.constraints import Constraints
from pytest_crd.generation.drafts import Drafts, Size
from pytest_crd.generation.layout import Layout, StatedCase, group_of
from pytest_crd.generation.order import CaseOrder
from pytest_crd.generation.reach import Reach
from pytest_crd.generation.scope import FileScope, NothingToStateError, Wanted
from pytest_crd.progress import Progress, Tell, each, silent

MOST_LINES: Final = 600
"""How long a file gets, if not all of a CRD is wanted: what would make it longer is left out, and named."""
# What the ends of a file need at the most.
_LINES_OF_ENDS: Final = 50
_LONGEST_CASE: Final = 40
_LONGEST_CASE_OF_WHOLE: Final = 200
_MOST_LEFT_OUT: Final = 24
_MOST_MISSED: Final = 8
_MOST_IN_A_ROW: Final = 5
ALL_THAT_PROTECTS: Final = Wanted()
"""What a file holds where nothing else is asked for."""


@dataclass(frozen=True, slots=True)
class Stated:
    """
    What there is to say of a CRD version.

    Attributes:
        layout: How cases are written.
        statements: The cases, in the order of the schema.
        left_out: What nothing is said of, and why.
    """

    layout: Layout
    statements: tuple[StatedCase, ...]
    left_out: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Generated:
    """
    A case file.

    Attributes:
        text: The file.
        cases: How many cases were written.
        points: How many points of the schema there are.
        missed: What of them no case of the file reaches, in words.
        left_out: What it says nothing of, and why.
    """

    text: str
    cases: int
    points: int
    missed: tuple[str, ...]
    left_out: tuple[str, ...]


def generate(
    versions: Sequence[engine.Version],
    wanted: Wanted = ALL_THAT_PROTECTS,
    *,
    most_lines: int = MOST_LINES,
    progress: Progress = silent,
) -> Generated:
    """
    Return the case file of a CRD version.

    Args:
        versions: The version under each Kubernetes version for which the cases have to hold; at least one.
        wanted: What it has to hold.
        most_lines: How long the file gets at the most, where not all is wanted.
        progress: Who is told meanwhile.

    Raises:
        NothingToStateError: No object of the version was found that a server accepts, or nothing is there that is wanted.
        UnsupportedExpressionError: A rule uses what the server knows and the engine does not.
    """
    version = versions[0]
    stated = state(versions, wanted, most_lines=most_lines, progress=progress)
    if not stated.statements:
        raise NothingToStateError(
            f"{version.crd.name} {version.name} has nothing to state at {', '.join(wanted.paths)}"
        )
    text = written(versions, stated)
    cases = tuple(reach.cases_of(text))
    reached = [Reach(version) for version in versions]
    with progress(f"running cases of {version.crd.kind} {version.name}") as tell:
        for case in each(cases, tell, lambda one: one.name):
            for one in reached:
                one.check(case)
    missed = tuple(point.text for point in reached[0].missed)
    count = len(coverage.points(version))
    generated = Generated(text, len(cases), count, missed, stated.left_out)
    foot = _foot(version, generated, is_whole=wanted.is_whole)
    return replace(generated, text="\n".join([text.rstrip("\n"), *foot, ""]))


def state(
    versions: Sequence[engine.Version], wanted: Wanted, *, most_lines: int = MOST_LINES, progress: Progress = silent
) -> Stated:
    """
    Return what there is to say of a version; as `generate`, but not yet as a text.

    Raises:
        NothingToStateError: As `generate`.
        UnsupportedExpressionError: As `generate`.
    """
    version = versions[0]
    scope = FileScope(version, wanted)
    try:
        constraints = Constraints(version, scope.excluded)
    except synthesis.NoExampleError as error:
        raise NothingToStateError(str(error)) from None
    layout = Layout(constraints.smallest)
    room = max(most_lines - _LINES_OF_ENDS - len(layout.anchor()), 0)
    size = Size(math.inf, _LONGEST_CASE_OF_WHOLE) if wanted.is_whole else Size(room, _LONGEST_CASE)
    drafts = Drafts(versions, layout, size)
    order = CaseOrder(version, constraints, scope, drafts.set_places)
    with progress(f"trying fields of {version.crd.kind} {version.name}") as tell:
        no_room = tuple(_draft(drafts, order, tell))
    groups = dict.fromkeys(group_of(place) for place, _ in constraints.finder.places())
    rank = {group: index for index, group in enumerate(groups)}
    # Below each heading what protects most comes first, as it was drafted.
    statements = sorted(drafts.statements, key=lambda one: rank.get(group_of(one.proposal.place), len(rank)))
    return Stated(layout, tuple(statements), (*scope.left_out, *constraints.left_out, *no_room, *drafts.left_out))


def _draft(drafts: Drafts, order: CaseOrder, tell: Tell) -> Iterator[str]:
    """Take the cases, until there is no room; yield what there is none for."""
    without: dict[str, dict[Place, None]] = {}
    for step in order.steps():
        drafts.begin(step.noun)
        for place, node in each(step.places, tell, lambda one: words.of_place(one[0])):
            if drafts.is_full:
                without.setdefault(step.noun, {})[place] = None
            else:
                drafts.take(step.find(place, node))
    for statement in drafts.fill():
        without.setdefault(statement.noun, {})[statement.proposal.place] = None
    for noun, places in without.items():
        yield f"{noun} of {words.listed([words.of_place(one) for one in places], _MOST_IN_A_ROW)}: would make it too long"


def written(versions: Sequence[engine.Version], stated: Stated) -> str:
    """Return the text of a file with all that is *stated*."""
    return "\n".join([*_head(versions), *stated.layout.anchor(), *stated.layout.sections(stated.statements), ""])


def _head(versions: Sequence[engine.Version]) -> Iterator[str]:
    version = versions[0]
    crd = version.crd
    known = ", ".join(one.crd.kubernetes_version for one in versions)
    yield f"# What {crd.name} {version.name} does under Kubernetes {known}, as `pytest --crd-generate {crd.name}/{version.name}` found it."
    yield "# A case that fails tells that this has changed: if it was meant, `pytest --crd-update` writes down what is so now."
    yield f"crd: {yamltext.flow(crd.name)}"
    yield f"version: {yamltext.flow(version.name)}"
    yield ""


def _foot(version: engine.Version, generated: Generated, *, is_whole: bool) -> Iterator[str]:
    """Yield what the file holds and leaves out, and how to get the rest."""
    command = f"pytest --crd-generate {version.crd.kind}"
    yield from _listed("Left out when this was generated:", generated.left_out, _MOST_LEFT_OUT)
    if generated.left_out and not is_whole:
        yield f"# `{command} --crd-generate-path PATH` adds what lies at a path and below, `--crd-generate-all` all there is."
    held = generated.points - len(generated.missed)
    heading = f"{held:,} of {generated.points:,} points of the schema are held; no case holds:"
    unheld = [f"a new field that may be left out; `{command}` adds its cases", *generated.missed]
    yield from _listed(heading, unheld, _MOST_MISSED)


def _listed(heading: str, found: Sequence[str], most: int) -> Iterator[str]:
    if found:
        yield ""
        yield f"# {heading}"
        yield from (f"# - {words.fit(one)}" for one in found[:most])
        if len(found) > most:
            yield f"# - and {len(found) - most:,} more"
