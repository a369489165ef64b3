"""Merged cases: values of several fields in one object, for files without room for a case of each."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from pytest_crd import engine
from pytest_crd.casefiles import yamltext
from pytest_crd.cases.sections import Section
from pytest_crd.engine import jsonvalue
from pytest_crd.engine.schema.schemamap import Each, Place
from pytest_crd.generation import expectedanswers, objectpatch, words
from pytest_crd.generation.layout import ExpectedCase
from pytest_crd.generation.passes import DEFAULTS
from pytest_crd.generation.proposedcases import Proposal

_MOST_NAMED: Final = 3
MOST_OPEN: Final = 4
"""The number of merged cases of one kind to which another case may be added."""
_ABSENT: Final = object()
# The words for a merged case by the key of its expectation.
_OUTCOMES: Final = {
    "contains": "are accepted together",
    "errors": "are refused together",
    "pruned": "drop unknown fields together",
    "nullsDropped": "drop null together",
}
_DEFAULTED: Final = "have their defaults together"
# The keys of cases about defaults; `expected` if a default is an object.
_DEFAULTING: Final = frozenset({"contains", "expected"})
_SECTIONS: Final = frozenset({Section.CREATE, Section.UPDATE_STATUS, Section.PRUNING, Section.DEFAULTING})


class _ConflictError(Exception):
    """Two objects change the same value."""


class CaseMerger:
    """A merger of the cases of one version."""

    def __init__(
        self, version: engine.CrdVersion, base: Mapping[str, Any], fits: Callable[[ExpectedCase], bool]
    ) -> None:
        """
        Create a merger.

        Args:
            version: The version.
            base: The base object of all cases.
            fits: Returns True if a case is short enough.
        """
        self._version = version
        self._type_meta = {"apiVersion": f"{version.crd.group}/{version.name}", "kind": version.crd.kind}
        self._base = base
        self._fits = fits

    def merge(
        self, statements: Sequence[ExpectedCase], most_open: int = MOST_OPEN
    ) -> Iterator[tuple[ExpectedCase, ExpectedCase]]:
        """
        Yield the first part of each merged case and the case; cases that fit to no others stay as they are.

        Args:
            statements: The cases.
            most_open: The number of merged cases of one kind to which another case may be added.
        """
        groups: dict[tuple[Section, str, str], list[list[ExpectedCase]]] = {}
        merged: dict[int, tuple[ExpectedCase, list[ExpectedCase]]] = {}
        for statement in statements:
            key = _key(statement)
            candidates = groups.setdefault(key, []) if key else []
            for group in candidates[-most_open:]:
                first = id(group[0])
                with contextlib.suppress(_ConflictError):
                    joined = self._join(merged[first][0], statement, [*group, statement])
                    if joined is None:
                        continue
                    group.append(statement)
                    merged[first] = joined, group
                    break
            else:
                group = [statement]
                candidates.append(group)
                merged[id(statement)] = statement, group
        yield from ((group[0], statement) for statement, group in merged.values())

    def _join(self, first: ExpectedCase, second: ExpectedCase, parts: Sequence[ExpectedCase]) -> ExpectedCase | None:
        """
        Return the case with the changes of two cases; None if the answers differ, or it is too long.

        Raises:
            _ConflictError: The objects or the expectations conflict.
        """
        subjects = _Subjects([part.proposal.place for part in parts[:-1]], [second.proposal.place])
        base = self._base if first.proposal.is_request else {}
        sent = _merge(base, first.proposal.input, second.proposal.input, subjects)
        proposal = replace(
            first.proposal,
            input=sent,
            place=_common_place(first.proposal.place, second.proposal.place),
            shown_fields=(),
        )
        # Writing a case costs less than asking the engine. A merged expectation is no shorter, but `contains` may be an alias.
        shortest = {"accepted": True} if "contains" in first.expectation else first.expectation
        if not self._fits(replace(first, proposal=proposal, expectation=shortest)):
            return None
        expectation = self._expect(proposal, first.expectation, second.expectation)
        if expectation is None:
            return None
        joined = ExpectedCase(
            proposal, _name(proposal.place, parts, next(iter(expectation))), expectation, first.noun, len(parts)
        )
        return joined if self._fits(joined) else None

    def _expect(
        self, proposal: Proposal, first: Mapping[str, Any], second: Mapping[str, Any]
    ) -> Mapping[str, Any] | None:
        """Return the expectation of a merged case; None if it lacks a result of the *first* or *second* case."""
        [key] = first
        if proposal.section is Section.DEFAULTING and key in _DEFAULTING:
            return self._expect_defaults(proposal, key, first[key], second[key])
        if key == "contains":
            return self._expect_stored(proposal, first[key], second[key])
        if not proposal.is_request:
            sent = {**self._type_meta, **proposal.input}
            is_pruning = proposal.section is Section.PRUNING
            listed: list[Any] = [
                *(self._version.prune(sent).paths if is_pruning else self._version.default(sent).nulls)
            ]
        else:
            listed = expectedanswers.expect_answer(replace(proposal, expectation={}), self._version).get(key, [])
        wanted = Counter(yamltext.flow(item) for item in (*first[key], *second[key]))
        return {key: listed} if Counter(map(yamltext.flow, listed)) == wanted else None

    def _expect_defaults(self, proposal: Proposal, key: str, first: Any, second: Any) -> Mapping[str, Any] | None:
        """Return the expectation of merged cases about defaults: both parts, or the whole object."""
        value = self._version.default({**self._type_meta, **proposal.input}).value
        whole = {name: field for name, field in value.items() if name not in self._type_meta}
        parts = _merge({}, first, second)
        return {key: whole if key == "expected" else parts} if _has(whole, parts) else None

    def _expect_stored(self, proposal: Proposal, first: Any, second: Any) -> Mapping[str, Any] | None:
        answer = expectedanswers.answer_of(proposal, self._version)
        wanted = _merge({}, first, second)
        # The changes themselves are written once, if they contain all that is wanted.
        changes = objectpatch.create_patch(self._base, proposal.input)
        if isinstance(changes, dict) and _has(changes, wanted):
            wanted = changes
        is_plain = answer.accepted and not (answer.pruned or answer.nulls or answer.lost)
        return {"contains": wanted} if is_plain and _has(answer.stored, wanted) else None


def _key(statement: ExpectedCase) -> tuple[Section, str, str] | None:
    """Return the key of the cases with which a case may be merged; None if it stays alone."""
    proposal, keys = statement.proposal, [*statement.expectation]
    if proposal.section not in _SECTIONS or len(keys) != 1 or proposal.second is not None:
        return None
    is_of_defaults = proposal.section is Section.DEFAULTING and keys[0] in _DEFAULTING
    if not (statement.noun == DEFAULTS if is_of_defaults else keys[0] in _OUTCOMES):
        return None
    # A long text is written with `times` in operations, which would make the patch of other cases longer.
    length = "long" if objectpatch.is_long(dict(proposal.input)) else ""
    return (
        proposal.section,
        keys[0],
        length if proposal.old is None else f"{length} {yamltext.flow(dict(proposal.old))}",
    )


class _Subjects(NamedTuple):
    """
    The places that two merged objects are about; their other values only complete them.

    Attributes:
        first: The places of the first object.
        second: The places of the second object.
    """

    first: Sequence[Place]
    second: Sequence[Place]

    def choose(self, position: Place, first: Any, second: Any) -> Any:
        """
        Return the value at *position* of the object that is about it.

        Raises:
            _ConflictError: Both are.
        """
        if not any(_is_on(position, place) for place in self.second):
            return first
        if not any(_is_on(position, place) for place in self.first):
            return second
        raise _ConflictError


# Both objects are about all of their values.
_ALL: Final = _Subjects([()], [()])


def _is_on(position: Place, place: Place) -> bool:
    """Return True if *position*, with the keys of maps, is at *place*, around it or inside."""
    return all(step == wanted or wanted is Each.VALUE for step, wanted in zip(position, place, strict=False))


def _merge(base: Any, first: Any, second: Any, subjects: _Subjects = _ALL, position: Place = ()) -> Any:
    """
    Return a value with the changes to *base* of two values.

    Raises:
        _ConflictError: Both change a part at which both have a subject.
    """
    for value, other in ((first, second), (second, first)):
        if _is_same(value, base) or _is_same(value, other):
            return other
    if isinstance(first, dict) and isinstance(second, dict):
        around = base if isinstance(base, dict) else {}
        merged = {
            key: _merge(
                around.get(key, _ABSENT),
                first.get(key, _ABSENT),
                second.get(key, _ABSENT),
                subjects,
                (*position, key),
            )
            for key in dict.fromkeys((*around, *first, *second))
        }
        return {key: value for key, value in merged.items() if value is not _ABSENT}
    if isinstance(first, list) and isinstance(second, list) and len(first) == len(second) == 1:
        item = base[0] if isinstance(base, list) and base else _ABSENT
        return [_merge(item, first[0], second[0], subjects, (*position, Each.ITEM))]
    return subjects.choose(position, first, second)


def _is_same(value: Any, other: Any) -> bool:
    if value is _ABSENT or other is _ABSENT:
        return value is other
    return jsonvalue.equal(value, other)


def _has(value: Any, wanted: Any) -> bool:
    """Return True if *value* contains *wanted*: objects may have further fields."""
    if isinstance(value, dict) and isinstance(wanted, dict):
        return all(key in value and _has(value[key], item) for key, item in wanted.items())
    if isinstance(value, list) and isinstance(wanted, list):
        return len(value) == len(wanted) and all(map(_has, value, wanted))
    return _is_same(value, wanted)


def _common_place(first: Place, second: Place) -> Place:
    common = 0
    while common < min(len(first), len(second)) and first[common] == second[common]:
        common += 1
    return first[:common]


def _name(place: Place, parts: Sequence[ExpectedCase], key: str) -> str:
    names = [words.format_place(part.proposal.place[len(place) :] or place) for part in parts]
    outcome = _DEFAULTED if parts[0].noun == DEFAULTS else _OUTCOMES[key]
    return f"{words.format_place(place)}: {words.join_names(list(dict.fromkeys(names)), _MOST_NAMED)} {outcome}"
