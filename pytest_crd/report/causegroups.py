"""Groups of causes with the same origin in a CRD."""

from __future__ import annotations

from typing import Final, Generic, NamedTuple, TypeVar

from pytest_crd import lazyre
from pytest_crd.report.testfacts import About, Cause, VerdictKind

OwnerT = TypeVar("OwnerT")
_ORDER: Final = (
    VerdictKind.COLLECTION,
    VerdictKind.SESSION,
    VerdictKind.UPGRADE,
    VerdictKind.CHECK,
    VerdictKind.PARITY,
    VerdictKind.CASE,
    VerdictKind.PYTHON,
)
_INDEX: Final = lazyre.compile(r"\[[^\[\]]*\]")


class CauseId(NamedTuple):
    """
    The identity of a cause among the causes of a session.

    Attributes:
        key: The key of its origin and its decision; empty if it has no origin in a CRD.
        field: Its CRD and field, without indices and keys; empty if it has no field, and for refusals, which only their own keyword causes.
        change: The kind of change of the field by an upgrade; empty for another cause.
    """

    key: str
    field: str
    change: str


def rank(kind: VerdictKind) -> int:
    """Return the place of a kind of tests in the order of reports: mistakes, upgrades, checks, classes, cases, tests in Python."""
    return _ORDER.index(kind)


def identify(about: About, cause: Cause) -> CauseId:
    """Return the identity of a cause of a test."""
    field = f"{about.crd} {without_indices(cause.field)}" if cause.field and not cause.decision else ""
    return CauseId(
        f"{cause.key} {cause.decision}" if cause.key else "",
        field,
        cause.rule if about.kind is VerdictKind.UPGRADE else "",
    )


def without_indices(field: str) -> str:
    """Return a field without the indices and keys in it."""
    return _INDEX.sub("[]", field)


class CauseGroups(Generic[OwnerT]):
    """The owners of causes: tests or findings that show them."""

    def __init__(self) -> None:
        """Create it without causes."""
        self._by_key: dict[str, OwnerT] = {}
        self._by_changed_field: dict[str, OwnerT] = {}
        self._by_change: dict[CauseId, OwnerT] = {}

    def find(self, cause: CauseId) -> OwnerT | None:
        """
        Return the first owner of the origin, else the owner of an upgrade's change of the field; None without an owner.

        Different changes of one field are different causes.
        """
        if cause.change:
            return self._by_change.get(cause) if cause.key else None
        owner = self._by_key.get(cause.key) if cause.key else None
        return self._by_changed_field.get(cause.field) if owner is None else owner

    def add(self, cause: CauseId, owner: OwnerT) -> None:
        """Add the owner of a cause, unless the cause has one."""
        if cause.key:
            self._by_key.setdefault(cause.key, owner)
        if cause.change:
            self._by_change.setdefault(cause, owner)
        if cause.change and cause.field:
            self._by_changed_field.setdefault(cause.field, owner)
