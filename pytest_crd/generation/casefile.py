"""The case file of a CRD version: what it does today, proposed by its schema, answered by the engine, checked by the runner."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pytest_crd import engine, examples
from pytest_crd.cases import loader, runner
from pytest_crd.cases.sources import resolved
from pytest_crd.cases.subject import Subject
from pytest_crd.examples.borders import keywords
from pytest_crd.examples.places import SchemaPlace
from pytest_crd.examples.schemas import Node
from pytest_crd.generation import objects, words, yamltext
from pytest_crd.generation.constraints import Constraints
from pytest_crd.generation.drafts import Drafts
from pytest_crd.generation.layout import Layout
from pytest_crd.generation.passes import Passes

MOST_LINES: Final = 2000
"""How long a file gets: what would make it longer is left out, and named."""
_MOST_NAMED: Final = 40


class NothingToStateError(ValueError):
    """A CRD version about which no case can be stated; the message says why."""


@dataclass(frozen=True, slots=True)
class Generated:
    """
    A case file.

    Attributes:
        text: The file.
        cases: How many cases it has.
        left_out: What it says nothing of, and why.
    """

    text: str
    cases: int
    left_out: tuple[str, ...]


def generate(versions: Sequence[engine.Version], *, most_lines: int = MOST_LINES) -> Generated:
    """
    Return the case file of a CRD version.

    Args:
        versions: The version under each Kubernetes version for which the cases have to hold; at least one.
        most_lines: How long the file gets at the most, less its head and its foot.

    Raises:
        NothingToStateError: No object of the version was found that a server accepts.
        UnsupportedExpressionError: A rule uses what the server knows and the engine does not.
    """
    version = versions[0]
    try:
        constraints = Constraints(version)
    except examples.NoExampleError as error:
        raise NothingToStateError(str(error)) from None
    layout = Layout(constraints.smallest)
    drafts = Drafts(versions, layout, constraints.finder.root, most_lines)
    places = dict(constraints.finder.places())
    not_tried = _draft(drafts, version, constraints, places)
    rank = {place: index for index, place in enumerate(places)}
    statements = sorted(drafts.statements, key=lambda one: rank.get(one.proposal.place, len(rank)))
    left_out = (*drafts.left_out, *constraints.left_out, *not_tried)
    lines = [*_head(versions), *layout.anchor(), *layout.sections(statements), *_foot(left_out)]
    text = "\n".join(lines) + "\n"
    _check(text, versions)
    return Generated(text, len(statements), left_out)


def _draft(
    drafts: Drafts, version: engine.Version, constraints: Constraints, places: dict[SchemaPlace, Node]
) -> Iterator[str]:
    """Take all cases, outer places first, until there is no room; return what was not even tried."""
    finder = constraints.finder
    drafts.take(objects.find(version, finder, constraints.smallest))
    passes = Passes(version, finder.root)
    drafts.take(passes.pruning())
    not_tried: list[str] = []
    for place in sorted(places, key=len):
        node = places[place]
        if drafts.is_full:
            count = len(list(keywords(node)))
            not_tried.append(f"{words.of_place(place)}: {count} constraint{'' if count == 1 else 's'}")
            continue
        drafts.take(passes.defaulting(place, node))
        drafts.take(constraints.find(place, node))
        if place not in drafts.set_places:
            drafts.take(constraints.set(place))
    return iter(not_tried)


def _head(versions: Sequence[engine.Version]) -> Iterator[str]:
    version = versions[0]
    crd = version.crd
    known = ", ".join(one.crd.kubernetes_version for one in versions)
    yield f"# What {crd.name} {version.name} does under Kubernetes {known}, as `pytest --crd-generate {crd.name}/{version.name}` found it."
    yield "# A case that fails tells that this has changed: if it was meant, `pytest --crd-update` writes down what is so now."
    yield f"crd: {yamltext.flow(crd.name)}"
    yield f"version: {yamltext.flow(version.name)}"
    yield ""


def _foot(left_out: Sequence[str]) -> Iterator[str]:
    if left_out:
        yield ""
        yield "# Left out:"
        yield from (f"# - {one}" for one in left_out[:_MOST_NAMED])
        if len(left_out) > _MOST_NAMED:
            yield f"# - and {len(left_out) - _MOST_NAMED} more"


def _check(text: str, versions: Sequence[engine.Version]) -> None:
    """
    Run the file that is about to be written.

    Raises:
        RuntimeError: A case does not hold, which is a mistake here.
    """
    for version in versions:
        subject = Subject(version)
        for case_file in loader.load(text, source="the generated file"):
            for case in case_file.cases:
                result = runner.run(resolved(case, Path()), subject)
                if result.mismatches:
                    raise RuntimeError(f"{version.crd.name} {version.name}: {case.title}: {result.mismatches}")
