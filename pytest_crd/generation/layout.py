"""The text of a case file: its head, its sections in the order of a request, and their cases, grouped by field."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pytest_crd.casefiles import yamltext
from pytest_crd.cases.model import APPLIES, UPDATES
from pytest_crd.cases.sections import Section
from pytest_crd.engine import jsonvalue
from pytest_crd.engine.schema.schemamap import Place
from pytest_crd.generation import objectpatch, words
from pytest_crd.generation.appliers import FIRST, SECOND
from pytest_crd.generation.proposedcases import Proposal

# Deep enough to tell parts of a CRD apart, and not a heading for each field.
_DEPTH_OF_GROUP: Final = 2
# What is generated is looked up more than it is read, so that lines may be long.
_WIDTH: Final = 140
_WIDTH_OF_ERROR: Final = 200
SMALLEST: Final = "smallest"
ANCHOR_KEY: Final = f"x-{SMALLEST}"


@dataclass(frozen=True, slots=True)
class StatedCase:
    """
    A case with what is expected of it.

    Attributes:
        proposal: The case.
        name: Its name, unique in the file.
        stated: What is expected, by the keys of a case.
        noun: What it is about, for those that are left out together.
    """

    proposal: Proposal
    name: str
    stated: Mapping[str, Any]
    noun: str = ""


# The keys that tell of what is stored, or dropped.
_HOLDING: Final = frozenset({"absent", "accepted", "contains", "expected", "lost", "nullsDropped", "pruned"})
# Where the object from which others are made is meant.
_ALIAS: Final = object()


class Layout:
    """
    Writes cases that are made from one object.

    Attributes:
        smallest: The object, which has an anchor; None where there is none, and each case has its own whole.
    """

    def __init__(self, smallest: Mapping[str, Any] | None) -> None:
        self.smallest = smallest

    def case(self, statement: StatedCase) -> list[str]:
        """Return the lines of a case."""
        proposal = statement.proposal
        keys: dict[str, Any] = {"name": statement.name}
        if proposal.section in UPDATES - APPLIES or proposal.old is not None:
            keys |= self._object(proposal.old or {}, "old", "oldPatch")
        sent = self._object(proposal.input, "input", "patch") if proposal.is_request else {"input": proposal.input}
        keys |= sent if proposal.second is None else {"steps": _steps(sent, proposal.second)}
        keys |= self._stated(statement)
        # What is accepted reads as a table; what is refused wants its lines.
        if (
            proposal.second is None
            and statement.stated.keys() <= _HOLDING
            and len(line := f"- {_in_one_line(keys)}") <= _WIDTH
        ):
            return [line]
        lines = [line for key, value in keys.items() for line in _ENTRIES.get(key, _entry)(key, value)]
        return [f"- {lines[0].removeprefix('  ')}", *lines[1:]]

    def _stated(self, statement: StatedCase) -> Mapping[str, Any]:
        """Return what is expected, the object from which others are made by its name."""
        expected = statement.stated.get("expected")
        if self.smallest and expected is not None and jsonvalue.equal(expected, dict(self.smallest)):
            return {**statement.stated, "expected": _ALIAS}
        return statement.stated

    def _object(self, resource: Mapping[str, Any], key: str, patch: str) -> dict[str, Any]:
        changes = objectpatch.between(self.smallest or {}, resource)
        if self.smallest is not None and changes is None:
            return {key: _ALIAS}
        if isinstance(changes, list) and any("times" in one for one in changes):
            return {key: _ALIAS if self.smallest else {}, patch: changes}
        if not self.smallest or len(yamltext.flow(changes)) > len(yamltext.flow(dict(resource))):
            return {key: resource}
        return {key: _ALIAS, patch: changes}

    def anchor(self) -> list[str]:
        """Return the lines that give the object its anchor."""
        first, *others = yamltext.entry(ANCHOR_KEY, dict(self.smallest or {}), width=_WIDTH)
        key, rest = first[: len(ANCHOR_KEY) + 1], first[len(ANCHOR_KEY) + 1 :]
        return [f"{key} &{SMALLEST}{rest}", *others]

    def sections(self, statements: Sequence[StatedCase]) -> Iterator[str]:
        """Yield the lines of all sections, an empty one before each."""
        for section in Section:
            found = [one for one in statements if one.proposal.section is section]
            if found:
                yield ""
                yield f"{section.value}:"
                yield from self.cases(found)

    def cases(self, statements: Sequence[StatedCase]) -> Iterator[str]:
        """Yield the lines of cases, with a heading for each group."""
        group: Place = ()
        for index, statement in enumerate(statements):
            found = group_of(statement.proposal.place)
            if found != group:
                yield from ([""] if index else [])
                yield f"# {words.of_place(found)}"
            group = found
            yield from self.case(statement)


def group_of(place: Place) -> Place:
    """Return the place whose heading stands above the cases about *place*."""
    return place[:_DEPTH_OF_GROUP]


def _in_one_line(keys: Mapping[str, Any]) -> str:
    return "{" + ", ".join(f"{key}: {_flow(value)}" for key, value in keys.items()) + "}"


def _flow(value: Any) -> str:
    return f"*{SMALLEST}" if value is _ALIAS else yamltext.flow(value)


def _steps(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return two applies: what the first manager sends may be said by an alias."""
    return [{"manager": FIRST, **first}, {"manager": SECOND, "input": second}]


def _lines_of_steps(key: str, steps: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the applies, one a line."""
    return [f"  {key}:", *(f"  - {_in_one_line(step)}" for step in steps)]


def _errors(_: str, errors: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the errors, one a line; the words of the server are not broken."""
    lines = [yamltext.flow(dict(error)) for error in errors]
    if len(lines) == 1 and len(lines[0]) <= _WIDTH_OF_ERROR:
        return [f"  errors: [{lines[0]}]"]
    return ["  errors:", *(f"  - {line}" for line in lines)]


def _entry(key: str, value: Any) -> list[str]:
    return [f"  {key}: {_flow(value)}"] if value is _ALIAS else yamltext.entry(key, value, 2, width=_WIDTH)


_ENTRIES: Final[Mapping[str, Callable[[str, Any], list[str]]]] = {"errors": _errors, "steps": _lines_of_steps}
