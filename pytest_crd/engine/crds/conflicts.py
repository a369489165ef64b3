"""
Names that several CustomResourceDefinitions of one group claim: which CRD gets them, and what the others are told.

It decides by the order in which the CRDs are created; the names themselves are taken to be valid.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from pytest_crd.engine.golang import goformat
from pytest_crd.engine.jsonvalue import JSONValue

Names: TypeAlias = Mapping[str, JSONValue]

_RESOURCES: Final = ("plural", "singular", "shortNames")
_KINDS: Final = ("kind", "listKind")


@dataclass(frozen=True, slots=True)
class Naming:
    """
    What became of the names that one CRD asked for.

    Attributes:
        accepted: The names that it got, as in `status.acceptedNames`.
        reason: The reason of its condition NamesAccepted: `NoConflicts`, `PluralConflict`, `ShortNamesConflict` …
        message: The message of that condition: of several conflicts the last one.
    """

    accepted: Names
    reason: str = "NoConflicts"
    message: str = "no conflicts found"

    @property
    def is_accepted(self) -> bool:
        """Whether it got all of them."""
        return self.reason == "NoConflicts"


def find(crds: Iterable[Mapping[str, JSONValue]]) -> tuple[Naming, ...]:
    """
    Return what becomes of the names of CRDs that are created one after the other.

    Args:
        crds: The CRDs, defaulted, in that order.

    Returns:
        One naming for each, in the same order.

    Errors:
        None.

    Reference:
        apiextensions-apiserver controller/status/naming_controller.go, calculateNamesAndConditions.
    """
    groups: dict[str, list[_Claim]] = {}
    claims = []
    for crd in crds:
        spec = crd.get("spec") or {}
        claim = _Claim(spec.get("names") or {})
        claims.append(claim)
        group = groups.setdefault(spec.get("group", ""), [])
        group.append(claim)
        # What one CRD gets another may have waited to be refused: the server looks at all of them again.
        while any(claim.settle(group) for claim in group):
            pass
    return tuple(claim.naming for claim in claims)


class _Claim:
    """What one CRD asks for, and what it has got so far."""

    def __init__(self, asked: Names) -> None:
        self._asked = asked
        self.naming = Naming({}, reason="")

    def settle(self, group: list[_Claim]) -> bool:
        """Claim what no CRD of *group* has, this one included; return whether that changed anything."""
        if self.naming.is_accepted:
            return False
        conflicts = dict(self._conflicts(group))
        kept = {field: self.naming.accepted[field] for field in conflicts if field in self.naming.accepted}
        free = {field: value for field, value in self._asked.items() if field not in conflicts}
        before = self.naming
        self.naming = Naming({**free, **kept})
        if conflicts:
            field, message = conflicts.popitem()
            reason = f"{field[0].upper()}{field[1:]}Conflict"
            self.naming = Naming({**free, **kept}, reason, message)
        return self.naming != before

    def _conflicts(self, group: list[_Claim]) -> Iterator[tuple[str, str]]:
        """Yield the fields whose names are in use, with the server's words for it, in its order."""
        resources = {name for claim in group for name in claim.held(*_RESOURCES)}
        kinds = {name for claim in group for name in claim.held(*_KINDS)}
        yield from self._taken(("plural", "singular"), resources)
        if "shortNames" not in self.naming.accepted:
            short_names = dict.fromkeys(self._asked.get("shortNames") or ())
            taken = [_in_use(name) for name in short_names if name in resources]
            if taken:
                yield "shortNames", taken[0] if len(taken) == 1 else f"[{', '.join(taken)}]"
        yield from self._taken(_KINDS, kinds)

    def _taken(self, fields: tuple[str, ...], used: set[str]) -> Iterator[tuple[str, str]]:
        for field in fields:
            name = self._asked.get(field, "")
            if name in used and name != self.naming.accepted.get(field):
                yield field, _in_use(name)

    def held(self, *fields: str) -> Iterator[str]:
        """Yield the names that the CRD has got in *fields*."""
        for field in fields:
            held = self.naming.accepted.get(field) or ()
            yield from [held] if isinstance(held, str) else held


def _in_use(name: str) -> str:
    return f"{goformat.quote(name)} is already in use"
