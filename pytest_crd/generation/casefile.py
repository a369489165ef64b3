"""The case file of a CRD version: cases proposed by its schema, answered by the engine and checked by the runner."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from pytest_crd import engine, synthesis
from pytest_crd.casefiles import yamltext
from pytest_crd.cases import caseformat
from pytest_crd.cases.sections import Section
from pytest_crd.engine.schema.schemamap import Place
from pytest_crd.generation import expectedanswers, reach, words
from pytest_crd.generation.constraints import Constraints
from pytest_crd.generation.drafts import Drafts, Size
from pytest_crd.generation.layout import ExpectedCase, Layout, group_of
from pytest_crd.generation.order import CaseOrder
from pytest_crd.generation.proposedcases import Proposal, bare
from pytest_crd.generation.reach import Reach, parse_cases
from pytest_crd.generation.scope import FileScope, NothingToStateError, Wanted
from pytest_crd.progress import Progress, Tell, each, silent

MOST_LINES: Final = 600
"""The length limit of a file, unless all of a CRD is wanted; left-out cases are named in the file."""
# The further lines for enums, bounds and defaults; large CRDs have hundreds.
_MOST_FURTHER_LINES: Final = 1_800
# The maximum length of the head and foot of a file.
_LINES_OF_ENDS: Final = 50
_LONGEST_CASE: Final = 40
_LONGEST_CASE_OF_WHOLE: Final = 200
_MOST_LEFT_OUT: Final = 24
_MOST_MISSED: Final = 8
_MOST_IN_A_ROW: Final = 5
ALL_THAT_PROTECTS: Final = Wanted()
"""The default coverage of a file."""
_LONGEST: Final = 40
# The keys for fields that an accepted object loses.
_LISTED: Final = frozenset({"pruned", "nullsDropped", "lost"})


@dataclass(frozen=True, slots=True)
class CollectedCases:
    """
    The generated cases of a CRD version.

    Attributes:
        layout: The layout of the cases.
        statements: The cases, in the order of the schema.
        left_out: The places without cases, and the reasons.
    """

    layout: Layout
    statements: tuple[ExpectedCase, ...]
    left_out: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Generated:
    """
    A generated case file.

    Attributes:
        text: The file.
        cases: The number of cases.
        points: The number of points of the schema, without those inside of Kubernetes types that the file leaves out.
        missed: The points that no case reaches, in words.
        left_out: The places without cases, and the reasons.
    """

    text: str
    cases: int
    points: int
    missed: tuple[str, ...]
    left_out: tuple[str, ...]


def generate(
    versions: Sequence[engine.CrdVersion],
    wanted: Wanted = ALL_THAT_PROTECTS,
    *,
    most_lines: int = MOST_LINES,
    progress: Progress = silent,
) -> Generated:
    """
    Return the case file of a CRD version.

    Args:
        versions: The version under each Kubernetes version for which the cases must pass; at least one.
        wanted: The requested coverage.
        most_lines: The length limit of the file, unless all is wanted.
        progress: The progress reporter.

    Raises:
        NothingToStateError: No accepted object of the version was found, or nothing matches *wanted*.
        UnsupportedExpressionError: A rule uses a function that the engine does not support.
    """
    version = versions[0]
    collected = collect_cases(versions, wanted, most_lines=most_lines, progress=progress)
    if not collected.statements:
        raise NothingToStateError(
            f"no case was found for {', '.join(wanted.paths)} of {version.crd.name} {version.name}"
        )
    text = write(versions, collected)
    cases = tuple(reach.parse_cases(text))
    reached = [Reach(version, is_whole=wanted.is_whole) for version in versions]
    with progress(f"running cases of {version.crd.kind} {version.name}") as report:
        for case in each(cases, report, lambda case: case.name):
            for reach_of_version in reached:
                reach_of_version.check(case)
    documents = [] if wanted.paths else [*_write_versions(versions)]
    text = "\n".join([text, *documents])
    missed = tuple(point.text for point in reached[0].missed)
    generated = Generated(text, len(cases) + len(documents), reached[0].points, missed, collected.left_out)
    foot = _foot(version, generated, is_whole=wanted.is_whole)
    return replace(generated, text="\n".join([text.rstrip("\n"), *foot, ""]))


def collect_cases(
    versions: Sequence[engine.CrdVersion], wanted: Wanted, *, most_lines: int = MOST_LINES, progress: Progress = silent
) -> CollectedCases:
    """
    Return the cases of a version before they are written; arguments as in `generate`.

    Raises:
        NothingToStateError: As in `generate`.
        UnsupportedExpressionError: As in `generate`.
    """
    version = versions[0]
    scope = FileScope(version, wanted)
    try:
        constraints = Constraints(version, scope.excluded)
    except synthesis.NoExampleError as error:
        raise NothingToStateError(str(error)) from None
    layout = Layout(constraints.smallest)
    room = max(most_lines - _LINES_OF_ENDS - len(layout.anchor()), 0)
    size = Size(math.inf, _LONGEST_CASE_OF_WHOLE) if wanted.is_whole else Size(room, _LONGEST_CASE, _MOST_FURTHER_LINES)
    drafts = Drafts(versions, layout, size)
    order = CaseOrder(version, constraints, scope, drafts.set_places)
    with progress(f"trying fields of {version.crd.kind} {version.name}") as report:
        no_room = tuple(_draft(drafts, order, report))
    groups = dict.fromkeys(group_of(place) for place, _ in constraints.finder.places())
    rank = {group: index for index, group in enumerate(groups)}
    # Below each heading the cases stay in the order of their value, in which they were drafted.
    statements = sorted(drafts.statements, key=lambda item: rank.get(group_of(item.proposal.place), len(rank)))
    return CollectedCases(
        layout, tuple(statements), (*scope.left_out, *constraints.left_out, *no_room, *drafts.left_out)
    )


def _draft(drafts: Drafts, order: CaseOrder, report: Tell) -> Iterator[str]:
    """Draft the cases until the file is full; yield the places of the omitted cases."""
    without: dict[str, dict[Place, None]] = {}
    is_protecting = False
    for step in order.steps():
        if is_protecting and not step.protects:
            drafts.protect()
        is_protecting = step.protects
        drafts.begin(step.noun, protects=step.protects)
        for place, node in each(step.places, report, lambda item: words.format_place(item[0])):
            if drafts.is_full:
                without.setdefault(step.noun, {})[place] = None
            else:
                drafts.take(step.propose(place, node))
    for statement in drafts.fill():
        without.setdefault(statement.noun, {})[statement.proposal.place] = None
    for noun, places in without.items():
        yield f"{noun} of {words.join_names([words.format_place(place) for place in places], _MOST_IN_A_ROW)}: would make it too long"


def write(versions: Sequence[engine.CrdVersion], collected: CollectedCases) -> str:
    """Return the text of a file with the *collected* cases, without its foot."""
    return "\n".join(
        [*_head(versions), *collected.layout.anchor(), *collected.layout.sections(collected.statements), ""]
    )


def _head(versions: Sequence[engine.CrdVersion]) -> Iterator[str]:
    version = versions[0]
    crd = version.crd
    kubernetes_versions = ", ".join(item.crd.kubernetes_version for item in versions)
    yield f"# yaml-language-server: $schema={caseformat.SCHEMA_ID}"
    yield f"# What {crd.name} {version.name} does under Kubernetes {kubernetes_versions}, as `pytest --crd-generate {crd.name}/{version.name}` found it."
    yield "# A case that fails tells that this has changed: if it was meant, `pytest --crd-update` writes down what is so now."
    yield f"crd: {yamltext.flow(crd.name)}"
    yield f"version: {yamltext.flow(version.name)}"
    yield ""


def _foot(version: engine.CrdVersion, generated: Generated, *, is_whole: bool) -> Iterator[str]:
    """Yield the foot of the file: reached points, omitted places, and the commands that add them."""
    command = f"pytest --crd-generate {version.crd.kind}"
    yield from _list_lines("Left out when this was generated:", generated.left_out, _MOST_LEFT_OUT)
    if generated.left_out and not is_whole:
        yield f"# `{command} --crd-generate-path PATH` adds what lies at a path and below, `--crd-generate-all` all there is."
    reached = generated.points - len(generated.missed)
    heading = f"{reached:,} of {generated.points:,} points of the schema are held; no case holds:"
    unreached = [f"a new field that may be left out; `{command}` adds its cases", *generated.missed]
    yield from _list_lines(heading, unreached, _MOST_MISSED)


def _list_lines(heading: str, lines: Sequence[str], most: int) -> Iterator[str]:
    if lines:
        yield ""
        yield f"# {heading}"
        yield from (f"# - {words.fit(line)}" for line in lines[:most])
        if len(lines) > most:
            yield f"# - and {len(lines) - most:,} more"


def _write_versions(versions: Sequence[engine.CrdVersion]) -> Iterator[str]:
    """
    Yield the text of a document for each other served version of a CRD, without versions that have no short object.

    Args:
        versions: The version of a file under each Kubernetes version for which the cases must pass.
    """
    for version in versions[0].crd.versions:
        candidates = [item.crd.version(version.name).unobserved for item in versions]
        if version.name != versions[0].name and version.served:
            try:
                smallest = bare(synthesis.example(candidates[0]))
                name = f"the smallest object of {version.name} is accepted"
                proposal = Proposal(Section.CREATE, name, (), smallest)
                answers = [expectedanswers.expect_answer(proposal, candidate) for candidate in candidates]
            except (synthesis.NoExampleError, engine.UnsupportedExpressionError, engine.UnsupportedConstructError):
                continue
            expectation = {key: value for key, value in answers[0].items() if key in _LISTED} or {"accepted": True}
            lines = [*Layout(None).sections([ExpectedCase(proposal, name, expectation)])]
            if (
                "errors" not in answers[0]
                and all(answer == answers[0] for answer in answers)
                and len(lines) <= _LONGEST
            ):
                head = ["---", f"crd: {yamltext.flow(version.crd.name)}", f"version: {yamltext.flow(version.name)}"]
                text = "\n".join([*head, *lines, ""])
                for candidate in candidates:
                    Reach(candidate).check(*parse_cases(text))
                yield text
