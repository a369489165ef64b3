"""Expectations that several cases share by an anchor: written once if all cases have the same answer, else a problem."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from pytest_crd.casefiles.yamlspans import Span
from pytest_crd.cases.builder import EXPECTATIONS
from pytest_crd.cases.caseformat import FREE_PREFIX
from pytest_crd.cases.casekeys import CASE_KEYS
from pytest_crd.cases.sections import Section
from pytest_crd.engine import jsonvalue
from pytest_crd.engine.jsonvalue import JSONValue


class LocatedCase(NamedTuple):
    """
    A case and its place.

    Attributes:
        document: The number of its document, from 0.
        section: Its section.
        number: Its number there, from 0.
        value: The case as declared.
        place: Its span.
        root: The root of its document.
        line: Its 1-based line.
    """

    document: int
    section: Section
    number: int
    value: Mapping[str, JSONValue]
    place: Span
    root: Span
    line: int

    @property
    def name(self) -> str:
        """The name of the case."""
        return str(self.value["name"])

    @property
    def title(self) -> str:
        """The title of the case, with its line."""
        return f'{self.section} case "{self.name}" (line {self.line})'


class Group(NamedTuple):
    """
    Cases that can only be written together.

    Attributes:
        names: Their names.
        problem: The reason why they cannot be written; empty if they can.
    """

    names: tuple[str, ...]
    problem: str = ""


class Settled(NamedTuple):
    """
    Values that are written once for several cases.

    Attributes:
        aliases: The ids of the spans of aliases that stay.
        targets: Anchored spans outside of cases, each with its old and new value.
    """

    aliases: frozenset[int]
    targets: tuple[tuple[Span, JSONValue, JSONValue], ...]


class _Claim(NamedTuple):
    """An expectation of a case that others may share, with its span."""

    case: LocatedCase
    key: str
    place: Span


def find_groups(cases: Mapping[str, LocatedCase], new: Mapping[str, Mapping[str, JSONValue]]) -> Iterator[Group]:
    """
    Yield the cases to write; cases that share an expectation form a group.

    Args:
        cases: All cases of a file, by name.
        new: The new values of the cases to write.
    """
    together = {name: {name} for name in new}
    problems: dict[str, str] = {}
    for claims in _find_changed(cases, new):
        names = {claim.case.name for claim in claims}
        values = [_wanted(claim, new) for claim in claims]
        if not all(jsonvalue.equal(value, values[0]) for value in values):
            titles = " and ".join(claim.case.title for claim in claims)
            problem = f"{titles} share one '{claims[0].key}' by the anchor &{claims[0].place.resolved.anchor}, but their answers differ: give each its own"
            problems |= dict.fromkeys(names & new.keys(), problem)
            continue
        for name in names:
            together[name] |= names
    grouped: set[str] = set()
    for name in new:
        if name not in grouped:
            names = _close(name, together)
            grouped |= names
            problem = next(
                (problems[name_in_group] for name_in_group in sorted(names) if name_in_group in problems), ""
            )
            yield Group(tuple(name_in_group for name_in_group in new if name_in_group in names), problem)


def find_settled(cases: Mapping[str, LocatedCase], new: Mapping[str, Mapping[str, JSONValue]]) -> Settled:
    """Return the values to write once for several cases that agree."""
    aliases: set[int] = set()
    targets: list[tuple[Span, JSONValue, JSONValue]] = []
    for claims in _find_changed(cases, new):
        target, root = claims[0].place.resolved, claims[0].case.root
        own = {id(claim.place) for claim in claims}
        used = {id(span) for span in root.walk() if span.target is target}
        is_free = any(value is target and key.key.startswith(FREE_PREFIX) for key, value in root.pairs)
        if used <= own and (is_free or id(target) in own):
            aliases |= used
            if is_free:
                targets.append((target, claims[0].case.value.get(claims[0].key), _wanted(claims[0], new)))
    return Settled(frozenset(aliases), tuple(targets))


def find_anchor(case: LocatedCase) -> str:
    """Return the name of an anchor at, in or around a case; may be empty."""
    places = (span for span in case.root.walk() if span.start <= case.place.end and case.place.start <= span.end)
    return next((span.anchor for span in places if span.anchor), "")


def _find_changed(
    cases: Mapping[str, LocatedCase], new: Mapping[str, Mapping[str, JSONValue]]
) -> Iterator[list[_Claim]]:
    """Yield the claims on each changed value that has an anchor."""
    claims: dict[int, list[_Claim]] = {}
    for case in cases.values():
        for key in CASE_KEYS:
            pair = case.place.own(key) if key in EXPECTATIONS and case.place.kind == "mapping" else None
            if pair is not None and pair[1].resolved.anchor:
                claims.setdefault(id(pair[1].resolved), []).append(_Claim(case, key, pair[1]))
    for group in claims.values():
        if any(not jsonvalue.equal(_wanted(claim, new), claim.case.value.get(claim.key)) for claim in group):
            yield group


def _wanted(claim: _Claim, new: Mapping[str, Mapping[str, JSONValue]]) -> JSONValue:
    return new.get(claim.case.name, claim.case.value).get(claim.key)


def _close(name: str, together: Mapping[str, set[str]]) -> set[str]:
    """Return *name* with all names that are written together with it, directly or indirectly."""
    closed: set[str] = set()
    waiting = [name]
    while waiting:
        next_name = waiting.pop()
        if next_name not in closed:
            closed.add(next_name)
            waiting.extend(together[next_name])
    return closed
