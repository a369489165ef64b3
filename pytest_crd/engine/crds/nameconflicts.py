"""
Conflicts of names between the CustomResourceDefinitions of a group.

Names go to the CRD that is created first. The names themselves are assumed to be valid.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, TypeAlias

from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.records import NamedTuple, dataclass, field

ClaimedNames: TypeAlias = Mapping[str, JSONValue]

_RESOURCES: Final = ("plural", "singular", "shortNames")
_KINDS: Final = ("kind", "listKind")


class Naming(NamedTuple):
    """
    Accepted names of a CRD.

    Attributes:
        accepted: The names that it got, as in `status.acceptedNames`.
        reason: The reason of its condition NamesAccepted: `NoConflicts`, `PluralConflict`, `ShortNamesConflict` …
        message: The message of that condition; with several conflicts, that of the last one.
    """

    accepted: ClaimedNames
    reason: str = "NoConflicts"
    message: str = "no conflicts found"

    @property
    def is_accepted(self) -> bool:
        """Whether all names were accepted."""
        return self.reason == "NoConflicts"


NO_CONFLICTS: Final = Naming({})


def resolve(claims: Iterable[tuple[str, ClaimedNames]]) -> tuple[Naming, ...]:
    """
    Return the accepted names of CRDs that are created one after the other.

    Args:
        claims: Group and defaulted names of each CRD, in order of creation.

    Returns:
        One naming for each CRD, in the same order.

    Reference:
        apiextensions-apiserver controller/status/naming_controller.go, calculateNamesAndConditions.
    """
    groups: dict[str, _Held] = {}
    pending = []
    for group, names in claims:
        pending.append(_Claim(names, groups.setdefault(group, _Held())))
    # The server checks all CRDs of a group again whenever a CRD gets names. A CRD never loses a name, so only the
    # message of a refused CRD changes, and the final message depends on the final names alone.
    return tuple(claim.settled() for claim in pending)


@dataclass()
class _Held:
    """Names that the CRDs of one group have so far."""

    resources: set[str] = field(default_factory=set)
    kinds: set[str] = field(default_factory=set)


class _Claim:
    """Claimed and accepted names of one CRD."""

    def __init__(self, claimed: ClaimedNames, taken: _Held) -> None:
        """Claim the names that no earlier CRD has."""
        self._claimed = claimed
        self._taken_names = taken
        self._accepted: ClaimedNames = {}
        conflicts = dict(self._conflicts())
        self._is_refused = bool(conflicts)
        self._accepted = {name: value for name, value in claimed.items() if name not in conflicts}
        taken.resources.update(self._got(_RESOURCES))
        taken.kinds.update(self._got(_KINDS))

    def settled(self) -> Naming:
        """Return the naming after all CRDs have claimed their names."""
        if not self._is_refused:
            return Naming(self._accepted)
        last, message = list(self._conflicts())[-1]
        return Naming(self._accepted, f"{last[0].upper()}{last[1:]}Conflict", message)

    def _conflicts(self) -> Iterator[tuple[str, str]]:
        """Yield each field with a name in use and the server's message, in the server's order."""
        resources = self._taken_names.resources
        yield from self._find_taken(("plural", "singular"), resources)
        if "shortNames" not in self._accepted:
            short_names = dict.fromkeys(self._claimed.get("shortNames") or ())
            messages = [_in_use(name) for name in short_names if name in resources]
            if messages:
                yield "shortNames", messages[0] if len(messages) == 1 else f"[{', '.join(messages)}]"
        yield from self._find_taken(_KINDS, self._taken_names.kinds)

    def _find_taken(self, fields: tuple[str, ...], used: set[str]) -> Iterator[tuple[str, str]]:
        for name in fields:
            claimed = self._claimed.get(name, "")
            if claimed in used and claimed != self._accepted.get(name):
                yield name, _in_use(claimed)

    def _got(self, fields: tuple[str, ...]) -> Iterator[str]:
        for name in fields:
            names = self._accepted.get(name) or ()
            yield from [names] if isinstance(names, str) else names


def _in_use(name: str) -> str:
    return f"{printing.quote(name)} is already in use"
