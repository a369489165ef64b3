"""The case file of a CRD version: what it does today, proposed by its schema, answered by the engine, checked by the runner."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from pytest_crd import coverage, engine, examples
from pytest_crd.engine.schema.schemamap import Place
from pytest_crd.examples.boundaries import keywords
from pytest_crd.examples.demands import Demand
from pytest_crd.generation import objects, reach, words
from pytest_crd.generation.constraints import Constraints
from pytest_crd.generation.drafts import Drafts
from pytest_crd.generation.layout import Layout, StatedCase
from pytest_crd.generation.passes import PassCases
from pytest_crd.generation.reach import Reach
from pytest_crd.progress import Progress, Tell, each, silent
from pytest_crd.writing import yamltext

MOST_LINES: Final = 2000
"""How long a file gets: what would make it longer is left out, and named."""
_MOST_NAMED: Final = 40


class NothingToStateError(ValueError):
    """A CRD version about which no case can be stated; the message says why."""


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
    versions: Sequence[engine.Version], *, most_lines: int = MOST_LINES, progress: Progress = silent
) -> Generated:
    """
    Return the case file of a CRD version.

    Args:
        versions: The version under each Kubernetes version for which the cases have to hold; at least one.
        most_lines: How long the file gets at the most, less its head and its foot.
        progress: Who is told meanwhile.

    Raises:
        NothingToStateError: No object of the version was found that a server accepts.
        UnsupportedExpressionError: A rule uses what the server knows and the engine does not.
    """
    version = versions[0]
    stated = state(versions, most_lines=most_lines, progress=progress)
    text = written(versions, stated)
    cases = tuple(reach.cases_of(text))
    reached = [Reach(version) for version in versions]
    with progress(f"running cases of {version.crd.kind} {version.name}") as tell:
        for case in each(cases, tell, lambda one: one.name):
            for one in reached:
                one.check(case)
    missed = tuple(point.text for point in reached[0].missed)
    unheld = [
        f"a new field that may be left out; `pytest --crd-generate {version.crd.kind}` adds its cases",
        *missed,
    ]
    foot = [*_listed("Left out:", stated.left_out), *_listed("What no case holds:", unheld)]
    count = len(coverage.points(version))
    return Generated("\n".join([text.rstrip("\n"), *foot, ""]), len(cases), count, missed, stated.left_out)


def state(versions: Sequence[engine.Version], *, most_lines: int, progress: Progress = silent) -> Stated:
    """
    Return what there is to say of a version; as `generate`, but not yet as a text.

    Raises:
        NothingToStateError: As `generate`.
        UnsupportedExpressionError: As `generate`.
    """
    version = versions[0]
    try:
        constraints = Constraints(version)
    except examples.NoExampleError as error:
        raise NothingToStateError(str(error)) from None
    layout = Layout(constraints.smallest)
    drafts = Drafts(versions, layout, most_lines)
    places = dict(constraints.finder.places())
    with progress(f"trying fields of {version.crd.kind} {version.name}") as tell:
        not_tried = tuple(_draft(drafts, version, constraints, places, tell))
    rank = {place: index for index, place in enumerate(places)}
    statements = sorted(drafts.statements, key=lambda one: rank.get(one.proposal.place, len(rank)))
    return Stated(layout, tuple(statements), (*drafts.left_out, *constraints.left_out, *not_tried))


def written(versions: Sequence[engine.Version], stated: Stated) -> str:
    """Return the text of a file with all that is *stated*."""
    return "\n".join([*_head(versions), *stated.layout.anchor(), *stated.layout.sections(stated.statements), ""])


def _draft(
    drafts: Drafts, version: engine.Version, constraints: Constraints, places: dict[Place, Demand], tell: Tell
) -> Iterator[str]:
    """Take all cases, outer places first, until there is no room; yield what was not even tried."""
    finder = constraints.finder
    drafts.take(objects.find(version, finder, constraints.smallest))
    passes = PassCases(version)
    drafts.take(passes.pruning())
    for place in each(sorted(places, key=len), tell, words.of_place):
        node = places[place]
        if drafts.is_full:
            count = len(list(keywords(node)))
            yield f"{words.of_place(place)}: {count} constraint{'' if count == 1 else 's'}"
            continue
        drafts.take(passes.defaulting(place, node))
        drafts.take(constraints.find(place, node))
        if place not in drafts.set_places:
            drafts.take(constraints.set(place))


def _head(versions: Sequence[engine.Version]) -> Iterator[str]:
    version = versions[0]
    crd = version.crd
    known = ", ".join(one.crd.kubernetes_version for one in versions)
    yield f"# What {crd.name} {version.name} does under Kubernetes {known}, as `pytest --crd-generate {crd.name}/{version.name}` found it."
    yield "# A case that fails tells that this has changed: if it was meant, `pytest --crd-update` writes down what is so now."
    yield f"crd: {yamltext.flow(crd.name)}"
    yield f"version: {yamltext.flow(version.name)}"
    yield ""


def _listed(heading: str, found: Sequence[str]) -> Iterator[str]:
    if found:
        yield ""
        yield f"# {heading}"
        yield from (f"# - {words.fit(one)}" for one in found[:_MOST_NAMED])
        if len(found) > _MOST_NAMED:
            yield f"# - and {len(found) - _MOST_NAMED} more"
