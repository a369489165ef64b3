"""
Names that several CustomResourceDefinitions of one group claim: which CRD gets them, and what the others are told.

It decides by the order in which the CRDs are created; the names themselves are taken to be valid.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONValue

ClaimedNames: TypeAlias = Mapping[str, JSONValue]

_RESOURCES: Final = ("plural", "singular", "shortNames")
_KINDS: Final = ("kind", "listKind")


class Naming(NamedTuple):
    """
    What became of the names that one CRD asked for.

    Attributes:
        accepted: The names that it got, as in `status.acceptedNames`.
        reason: The reason of its condition NamesAccepted: `NoConflicts`, `PluralConflict`, `ShortNamesConflict` …
        message: The message of that condition: of several conflicts the last one.
    """

    accepted: ClaimedNames
    reason: str = "NoConflicts"
    message: str = "no conflicts found"

    @property
    def is_accepted(self) -> bool:
        """Whether it got all of them."""
        return self.reason == "NoConflicts"


NO_CONFLICTS: Final = Naming({})


def find(asked: Iterable[tuple[str, ClaimedNames]]) -> tuple[Naming, ...]:
    """
    Return which names are accepted of CRDs that are created one after the other.

    Args:
        asked: Group and defaulted names of each CRD, in that order.

    Returns:
        One naming for each, in the same order.

    Reference:
        apiextensions-apiserver controller/status/naming_controller.go, calculateNamesAndConditions.
    """
    groups: dict[str, _Held] = {}
    claims = []
    for group, names in asked:
        claims.append(_Claim(names, groups.setdefault(group, _Held())))
    # The server looks at all of a group again whenever one of them gets names. As nobody ever loses a name, only what a
    # refused one is told changes then, and what it is told in the end depends on what all of them have in the end.
    return tuple(claim.settled() for claim in claims)


@dataclass(slots=True)
class _Held:
    """The names that the CRDs of one group have got so far."""

    resources: set[str] = field(default_factory=set)
    kinds: set[str] = field(default_factory=set)


class _Claim:
    """What one CRD asks for, and what it gets."""

    def __init__(self, asked: ClaimedNames, held: _Held) -> None:
        """Claim what no CRD before this one has got."""
        self._asked = asked
        self._held = held
        self._accepted: ClaimedNames = {}
        conflicts = dict(self._conflicts())
        self._is_refused = bool(conflicts)
        self._accepted = {name: value for name, value in asked.items() if name not in conflicts}
        held.resources.update(self._got(_RESOURCES))
        held.kinds.update(self._got(_KINDS))

    def settled(self) -> Naming:
        """Return what became of the names, once all CRDs have claimed theirs."""
        if not self._is_refused:
            return Naming(self._accepted)
        last, message = list(self._conflicts())[-1]
        return Naming(self._accepted, f"{last[0].upper()}{last[1:]}Conflict", message)

    def _conflicts(self) -> Iterator[tuple[str, str]]:
        """Yield the fields whose names are in use, with the server's words for it, in its order."""
        resources = self._held.resources
        yield from self._taken(("plural", "singular"), resources)
        if "shortNames" not in self._accepted:
            short_names = dict.fromkeys(self._asked.get("shortNames") or ())
            taken = [_in_use(name) for name in short_names if name in resources]
            if taken:
                yield "shortNames", taken[0] if len(taken) == 1 else f"[{', '.join(taken)}]"
        yield from self._taken(_KINDS, self._held.kinds)

    def _taken(self, fields: tuple[str, ...], used: set[str]) -> Iterator[tuple[str, str]]:
        for name in fields:
            asked = self._asked.get(name, "")
            if asked in used and asked != self._accepted.get(name):
                yield name, _in_use(asked)

    def _got(self, fields: tuple[str, ...]) -> Iterator[str]:
        for name in fields:
            got = self._accepted.get(name) or ()
            yield from [got] if isinstance(got, str) else got


def _in_use(name: str) -> str:
    return f"{printing.quote(name)} is already in use"
