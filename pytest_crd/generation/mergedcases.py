"""Merged cases: values of several fields in one object, for files without room for a case of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from pytest_crd import engine
from pytest_crd.casefiles import yamltext
from pytest_crd.cases.sections import Section
from pytest_crd.engine import jsonvalue
from pytest_crd.engine.schema.schemamap import Place
from pytest_crd.generation import expectedanswers, objectpatch, words
from pytest_crd.generation.layout import ExpectedCase
from pytest_crd.generation.proposedcases import Proposal

_MOST_NAMED: Final = 3
# The number of merged cases of one kind to which another case may be added.
_MOST_OPEN: Final = 4
_ABSENT: Final = object()
# The words for a merged case by the key of its expectation.
_OUTCOMES: Final = {
    "contains": "are accepted together",
    "errors": "are refused together",
    "pruned": "drop unknown fields together",
    "nullsDropped": "drop null together",
}
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
        self._base = base
        self._fits = fits

    def merge(self, statements: Sequence[ExpectedCase]) -> Iterator[tuple[ExpectedCase, ExpectedCase]]:
        """Yield the first part of each merged case and the case; cases that fit to no others stay as they are."""
        groups: dict[tuple[Section, str, str], list[list[ExpectedCase]]] = {}
        merged: dict[int, tuple[ExpectedCase, list[ExpectedCase]]] = {}
        for statement in statements:
            key = _key(statement)
            candidates = groups.setdefault(key, []) if key else []
            for group in candidates[-_MOST_OPEN:]:
                first = id(group[0])
                joined = self._join(merged[first][0], statement, [*group, statement])
                if joined is not None:
                    group.append(statement)
                    merged[first] = joined, group
                    break
            else:
                group = [statement]
                candidates.append(group)
                merged[id(statement)] = statement, group
        yield from ((group[0], statement) for statement, group in merged.values())

    def _join(self, first: ExpectedCase, second: ExpectedCase, parts: Sequence[ExpectedCase]) -> ExpectedCase | None:
        """Return the case with the changes of two cases; None if they conflict, the answers differ, or it is too long."""
        is_request = first.proposal.is_request
        try:
            sent = _merge(self._base if is_request else {}, first.proposal.input, second.proposal.input)
        except _ConflictError:
            return None
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
        if key == "contains":
            return self._expect_stored(proposal, first[key], second[key])
        if not proposal.is_request:
            body = {"apiVersion": f"{self._version.crd.group}/{self._version.name}", "kind": self._version.crd.kind}
            sent = {**body, **proposal.input}
            is_pruning = proposal.section is Section.PRUNING
            listed: list[Any] = [
                *(self._version.prune(sent).paths if is_pruning else self._version.default(sent).nulls)
            ]
        else:
            listed = expectedanswers.expect_answer(replace(proposal, expectation={}), self._version).get(key, [])
        wanted = Counter(yamltext.flow(item) for item in (*first[key], *second[key]))
        return {key: listed} if Counter(map(yamltext.flow, listed)) == wanted else None

    def _expect_stored(self, proposal: Proposal, first: Any, second: Any) -> Mapping[str, Any] | None:
        if not proposal.is_request:
            return None
        answer = expectedanswers.answer_of(proposal, self._version)
        try:
            wanted = _merge({}, first, second)
        except _ConflictError:
            return None
        # The changes themselves are written once, if they contain all that is wanted.
        changes = objectpatch.create_patch(self._base, proposal.input)
        if isinstance(changes, dict) and _has(changes, wanted):
            wanted = changes
        is_plain = answer.accepted and not (answer.pruned or answer.nulls or answer.lost)
        return {"contains": wanted} if is_plain and _has(answer.stored, wanted) else None


def _key(statement: ExpectedCase) -> tuple[Section, str, str] | None:
    """Return the key of the cases with which a case may be merged; None if it stays alone."""
    proposal, keys = statement.proposal, [*statement.expectation]
    if proposal.section not in _SECTIONS or len(keys) != 1 or keys[0] not in _OUTCOMES or proposal.second is not None:
        return None
    if objectpatch.is_long(dict(proposal.input)):
        return None  # a long text is written with `times` in a patch of its own
    return proposal.section, keys[0], "" if proposal.old is None else yamltext.flow(dict(proposal.old))


def _merge(base: Any, first: Any, second: Any) -> Any:
    """
    Return a value with the changes to *base* of two values.

    Raises:
        _ConflictError: Both change the same part.
    """
    for value, other in ((first, second), (second, first)):
        if _is_same(value, base) or _is_same(value, other):
            return other
    if isinstance(first, dict) and isinstance(second, dict):
        around = base if isinstance(base, dict) else {}
        merged = {
            key: _merge(around.get(key, _ABSENT), first.get(key, _ABSENT), second.get(key, _ABSENT))
            for key in dict.fromkeys((*around, *first, *second))
        }
        return {key: value for key, value in merged.items() if value is not _ABSENT}
    if isinstance(first, list) and isinstance(second, list) and len(first) == len(second) == 1:
        return [_merge(base[0] if isinstance(base, list) and base else _ABSENT, first[0], second[0])]
    raise _ConflictError


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
    return f"{words.format_place(place)}: {words.join_names(list(dict.fromkeys(names)), _MOST_NAMED)} {_OUTCOMES[key]}"
