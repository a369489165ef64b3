"""The text of a case file: sections in the order of requests, with their cases grouped by field."""

from __future__ import annotations

import re
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

# Deep enough to group the parts of a CRD without a heading for each field.
_DEPTH_OF_GROUP: Final = 2
# Generated files are searched more than read, so lines may be long.
_WIDTH: Final = 140
_WIDTH_OF_ERROR: Final = 200
SMALLEST: Final = "smallest"
ANCHOR_KEY: Final = f"x-{SMALLEST}"


@dataclass(frozen=True, slots=True)
class ExpectedCase:
    """
    A case with its expectation.

    Attributes:
        proposal: The proposed case.
        name: The name, unique in the file.
        expectation: The expectation, by the keys of a case.
        noun: The kind of the case, for reports about omitted cases.
        parts: The number of cases that were merged to this one.
    """

    proposal: Proposal
    name: str
    expectation: Mapping[str, Any]
    noun: str = ""
    parts: int = 1


# The keys that expect accepted, stored or dropped values.
_HOLDING: Final = frozenset({"absent", "accepted", "contains", "expected", "lost", "nullsDropped", "pruned"})
_UNFIT_FOR_ANCHOR: Final = re.compile(r"[^a-z0-9]+")
# The placeholder for an alias of the base object.
_ALIAS: Final = object()


class Layout:
    """
    A writer of cases based on one object.

    Attributes:
        smallest: The base object, which gets an anchor; None if there is none and each case has its whole object.
    """

    def __init__(self, smallest: Mapping[str, Any] | None) -> None:
        self.smallest = smallest

    def case(self, statement: ExpectedCase) -> list[str]:
        """Return the lines of a case."""
        proposal = statement.proposal
        keys: dict[str, Any] = {"name": statement.name}
        if proposal.section in UPDATES - APPLIES or proposal.old is not None:
            keys |= self._object(proposal.old or {}, "old", "oldPatch")
        if self._is_stored_as_sent(statement):
            return self._write_stored_as_sent(statement)
        request = self._object(proposal.input, "input", "patch") if proposal.is_request else {"input": proposal.input}
        keys |= request if proposal.second is None else {"steps": _steps(request, proposal.second)}
        keys |= self._expectation(statement)
        # Accepted cases are written as one line each, so that they read as a table.
        if (
            proposal.second is None
            and statement.expectation.keys() <= _HOLDING
            and len(line := f"- {_in_one_line(keys)}") <= _WIDTH
        ):
            return [line]
        written = {key: _ENTRIES.get(key, _entry)(key, value) for key, value in keys.items()}
        if _has_same_lines(written, "patch", "contains"):
            anchor = _anchor(statement)
            written["patch"] = _with_anchor(written["patch"], anchor)
            written["contains"] = [f"  contains: *{anchor}"]
        lines = [line for entry in written.values() for line in entry]
        return [f"- {lines[0].removeprefix('  ')}", *lines[1:]]

    def _is_stored_as_sent(self, statement: ExpectedCase) -> bool:
        """Return True if a case creates a large object and expects it unchanged, so that it is better written once."""
        sent, expected = dict(statement.proposal.input), statement.expectation.get("expected")
        is_large = len(yamltext.flow(sent)) > _WIDTH / 2 and not jsonvalue.equal(sent, dict(self.smallest or {}))
        return statement.proposal.section is Section.CREATE and is_large and jsonvalue.equal(sent, expected)

    def _write_stored_as_sent(self, statement: ExpectedCase) -> list[str]:
        """Return the lines of a case whose `expected` is an alias of its `input`."""
        anchor = _anchor(statement)
        keys = {key: value for key, value in statement.expectation.items() if key != "expected"}
        name, *_ = _entry("name", statement.name)
        return [
            f"- {name.removeprefix('  ')}",
            *_with_anchor(_entry("input", dict(statement.proposal.input)), anchor),
            f"  expected: *{anchor}",
            *(line for key, value in keys.items() for line in _entry(key, value)),
        ]

    def _expectation(self, statement: ExpectedCase) -> Mapping[str, Any]:
        """Return the expectation, with the base object replaced by its alias."""
        expected = statement.expectation.get("expected")
        if self.smallest and expected is not None and jsonvalue.equal(expected, dict(self.smallest)):
            return {**statement.expectation, "expected": _ALIAS}
        return statement.expectation

    def _object(self, resource: Mapping[str, Any], key: str, patch: str) -> dict[str, Any]:
        changes = objectpatch.create_patch(self.smallest or {}, resource)
        if self.smallest is not None and changes is None:
            return {key: _ALIAS}
        if isinstance(changes, list) and any("times" in change for change in changes):
            return {key: _ALIAS if self.smallest else {}, patch: changes}
        if not self.smallest or len(yamltext.flow(changes)) > len(yamltext.flow(dict(resource))):
            return {key: resource}
        return {key: _ALIAS, patch: changes}

    def anchor(self) -> list[str]:
        """Return the lines that define the anchor of the base object."""
        first, *following = yamltext.entry(ANCHOR_KEY, dict(self.smallest or {}), width=_WIDTH)
        key, rest = first[: len(ANCHOR_KEY) + 1], first[len(ANCHOR_KEY) + 1 :]
        return [f"{key} &{SMALLEST}{rest}", *following]

    def sections(self, statements: Sequence[ExpectedCase]) -> Iterator[str]:
        """Yield the lines of all sections, with an empty line before each."""
        for section in Section:
            cases = [statement for statement in statements if statement.proposal.section is section]
            if cases:
                yield ""
                yield f"{section.value}:"
                yield from self.cases(cases)

    def cases(self, statements: Sequence[ExpectedCase]) -> Iterator[str]:
        """Yield the lines of cases, with a heading for each group."""
        group: Place = ()
        for index, statement in enumerate(statements):
            next_group = group_of(statement.proposal.place)
            if next_group != group:
                yield from ([""] if index else [])
                yield f"# {words.format_place(next_group)}"
            group = next_group
            yield from self.case(statement)


def group_of(place: Place) -> Place:
    """Return the place in the heading above the cases about *place*."""
    return place[:_DEPTH_OF_GROUP]


def _anchor(statement: ExpectedCase) -> str:
    """Return the name of the anchor in a case."""
    return _UNFIT_FOR_ANCHOR.sub("-", statement.name.lower()).strip("-")


def _with_anchor(lines: Sequence[str], anchor: str) -> list[str]:
    """Return the *lines* of a key with an anchor before its value."""
    head, colon, rest = lines[0].partition(":")
    return [f"{head}{colon} &{anchor}{rest}", *lines[1:]]


def _has_same_lines(written: Mapping[str, Sequence[str]], first: str, second: str) -> bool:
    """Return True if two keys have the same value of several lines."""
    if first not in written or second not in written:
        return False
    return len(written[first]) > 1 and written[first][1:] == written[second][1:]


def _in_one_line(keys: Mapping[str, Any]) -> str:
    return "{" + ", ".join(f"{key}: {_flow(value)}" for key, value in keys.items()) + "}"


def _flow(value: Any) -> str:
    return f"*{SMALLEST}" if value is _ALIAS else yamltext.flow(value)


def _steps(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the `steps` of two applies; the first may use an alias."""
    return [{"manager": FIRST, **first}, {"manager": SECOND, "input": second}]


def _lines_of_steps(key: str, steps: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the lines of the steps, one step a line."""
    return [f"  {key}:", *(f"  - {_in_one_line(step)}" for step in steps)]


def _errors(_: str, errors: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the lines of the errors, one error a line without line breaks."""
    lines = [yamltext.flow(dict(error)) for error in errors]
    if len(lines) == 1 and len(lines[0]) <= _WIDTH_OF_ERROR:
        return [f"  errors: [{lines[0]}]"]
    return ["  errors:", *(f"  - {line}" for line in lines)]


def _packed(key: str, values: Sequence[Any]) -> list[str]:
    """Return the lines of a list, as many items a line as fit."""
    return yamltext.packed(f"  {key}:", values, width=_WIDTH) if values else _entry(key, values)


def _entry(key: str, value: Any) -> list[str]:
    return [f"  {key}: {_flow(value)}"] if value is _ALIAS else yamltext.entry(key, value, 2, width=_WIDTH)


_ENTRIES: Final[Mapping[str, Callable[[str, Any], list[str]]]] = {
    "errors": _errors,
    "steps": _lines_of_steps,
    "pruned": _packed,
    "nullsDropped": _packed,
}
