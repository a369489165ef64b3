"""Expectations that several cases share by an anchor: written once where all have the same answer, else a mistake."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from pytest_crd.casefiles.yamlspans import Span
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
        value: What it says.
        place: Where it stands.
        root: The root of its document.
        line: The 1-based line where it begins.
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
        """The case, and where it stands."""
        return f'{self.section} case "{self.name}" (line {self.line})'


class Group(NamedTuple):
    """
    Cases that are written together, or not at all.

    Attributes:
        names: Their names.
        problem: Why they cannot be written; empty where nothing speaks against it.
    """

    names: tuple[str, ...]
    problem: str = ""


class Settled(NamedTuple):
    """
    What is written once for several cases.

    Attributes:
        aliases: The ids of the places of aliases that stay.
        targets: Anchored places outside of cases, each with what is read there and what is to be.
    """

    aliases: frozenset[int]
    targets: tuple[tuple[Span, JSONValue, JSONValue], ...]


class _Claim(NamedTuple):
    """An expectation of a case that others may share: where it stands in the case."""

    found: LocatedCase
    key: str
    place: Span


def groups(found: Mapping[str, LocatedCase], new: Mapping[str, Mapping[str, JSONValue]]) -> Iterator[Group]:
    """
    Yield the cases to write, with those that share an expectation together.

    Args:
        found: All cases of a file, by name.
        new: What those that are written are to say.
    """
    together = {name: {name} for name in new}
    problems: dict[str, str] = {}
    for claims in _changed(found, new):
        names = {claim.found.name for claim in claims}
        values = [_wanted(claim, new) for claim in claims]
        if not all(jsonvalue.equal(value, values[0]) for value in values):
            titles = " and ".join(claim.found.title for claim in claims)
            problem = f"{titles} share one '{claims[0].key}' by the anchor &{claims[0].place.meant.anchor}, but their answers differ: give each its own"
            problems |= dict.fromkeys(names & new.keys(), problem)
            continue
        for name in names:
            together[name] |= names
    seen: set[str] = set()
    for name in new:
        if name not in seen:
            names = _closed(name, together)
            seen |= names
            problem = next((problems[one] for one in sorted(names) if one in problems), "")
            yield Group(tuple(one for one in new if one in names), problem)


def settled(found: Mapping[str, LocatedCase], new: Mapping[str, Mapping[str, JSONValue]]) -> Settled:
    """Return what is written where several cases refer to it, as all of them say the same."""
    aliases: set[int] = set()
    targets: list[tuple[Span, JSONValue, JSONValue]] = []
    for claims in _changed(found, new):
        target, root = claims[0].place.meant, claims[0].found.root
        own = {id(claim.place) for claim in claims}
        used = {id(one) for one in root.walk() if one.target is target}
        is_free = any(value is target and key.key.startswith(FREE_PREFIX) for key, value in root.pairs)
        if used <= own and (is_free or id(target) in own):
            aliases |= used
            if is_free:
                targets.append((target, claims[0].found.value.get(claims[0].key), _wanted(claims[0], new)))
    return Settled(frozenset(aliases), tuple(targets))


def anchor_around(found: LocatedCase) -> str:
    """Return the name of an anchor of, in or around a case; empty where there is none."""
    places = (one for one in found.root.walk() if one.start <= found.place.end and found.place.start <= one.end)
    return next((one.anchor for one in places if one.anchor), "")


def _changed(found: Mapping[str, LocatedCase], new: Mapping[str, Mapping[str, JSONValue]]) -> Iterator[list[_Claim]]:
    """Yield the claims on each anchored place that several expectations refer to, or an alias, and of which one changes."""
    claims: dict[int, list[_Claim]] = {}
    for one in found.values():
        for key, declared in CASE_KEYS.items():
            pair = one.place.own(key) if declared.expects and one.place.kind == "mapping" else None
            if pair is not None and pair[1].meant.anchor:
                claims.setdefault(id(pair[1].meant), []).append(_Claim(one, key, pair[1]))
    for group in claims.values():
        if any(not jsonvalue.equal(_wanted(claim, new), claim.found.value.get(claim.key)) for claim in group):
            yield group


def _wanted(claim: _Claim, new: Mapping[str, Mapping[str, JSONValue]]) -> JSONValue:
    return new.get(claim.found.name, claim.found.value).get(claim.key)


def _closed(name: str, together: Mapping[str, set[str]]) -> set[str]:
    """Return *name* with all that are written with it, and with these."""
    closed: set[str] = set()
    waiting = [name]
    while waiting:
        one = waiting.pop()
        if one not in closed:
            closed.add(one)
            waiting.extend(together[one])
    return closed
