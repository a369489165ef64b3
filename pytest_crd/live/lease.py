"""Labels and leases of the objects that runs create on a server, to tell them from others and to know when they are abandoned."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

from pytest_crd.engine.jsonvalue import JSONValue

SUFFIX: Final = ".pytest-crd.example.com"
LABEL: Final = "pytest-crd.example.com/run"
ANNOTATION: Final = "pytest-crd.example.com/lease"
PREFIX: Final = "pytest-crd-"
RENEWED_EVERY: Final = 180.0
_LASTS: Final = timedelta(minutes=10)
# The time after the end of its lease in which an object is still left to its run.
_GRACE: Final = timedelta(hours=1)


class Remnant(NamedTuple):
    """
    An object on the server that a run has created, or that looks like one.

    Attributes:
        kind: `customresourcedefinition`, `namespace`, or the kind of a policy or a binding.
        name: Its name.
        run: The label with the id of the run; empty without one.
        lease: The annotation with the end of the lease; empty without one.
        uid: The uid, which tells it from another object with the name.
    """

    kind: str
    name: str
    run: str
    lease: str
    uid: str

    @property
    def is_ours(self) -> bool:
        """Whether both its label and its name mark it as a run's object."""
        has_name = self.name.endswith(SUFFIX) if self.kind == CRD else self.name.startswith(PREFIX)
        return bool(self.run) and has_name

    def is_left(self, now: datetime) -> bool:
        """Return whether the object is abandoned: its lease ended more than an hour ago."""
        return self.is_ours and (expiry := _read(self.lease)) is not None and expiry + _GRACE < now

    def __str__(self) -> str:
        """Return kubectl's name of the object, and the end of its lease."""
        return f"{self.kind}/{self.name}" + (f" (lease until {self.lease})" if self.lease else "")


CRD: Final = "customresourcedefinition"
NAMESPACE: Final = "namespace"
POLICIES: Final = {
    "validatingadmissionpolicy": "validatingadmissionpolicies",
    "validatingadmissionpolicybinding": "validatingadmissionpolicybindings",
    "mutatingadmissionpolicy": "mutatingadmissionpolicies",
    "mutatingadmissionpolicybinding": "mutatingadmissionpolicybindings",
}
"""The kinds of admission policies and their bindings, with their plurals."""


def until(now: datetime) -> str:
    """Return the annotation of a lease that begins *now*."""
    return f"{now + _LASTS:%Y-%m-%dT%H:%M:%SZ}"


def marks(run: str, now: datetime) -> dict[str, JSONValue]:
    """Return the metadata of an object that *run* creates."""
    return {"labels": {LABEL: run}, "annotations": {ANNOTATION: until(now)}}


def remnant(kind: str, metadata: Mapping[str, JSONValue]) -> Remnant:
    """Return the remnant with the *metadata* of an object."""
    labels, annotations = metadata.get("labels") or {}, metadata.get("annotations") or {}
    return Remnant(kind, metadata["name"], labels.get(LABEL, ""), annotations.get(ANNOTATION, ""), metadata["uid"])


def _read(text: str) -> datetime | None:
    try:
        return datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    except ValueError:
        return None
