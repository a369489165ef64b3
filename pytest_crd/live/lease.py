"""What tells our objects on a server from those of others, and how long somebody is there to remove them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple

JSONValue = Any

SUFFIX: Final = ".pytest-crd.example.com"
LABEL: Final = "pytest-crd.example.com/run"
ANNOTATION: Final = "pytest-crd.example.com/lease"
PREFIX: Final = "pytest-crd-"
RENEWED_EVERY: Final = 180.0
_LASTS: Final = timedelta(minutes=10)
# How long after its lease an object is still left to who has made it.
_GRACE: Final = timedelta(hours=1)


class Remnant(NamedTuple):
    """
    Something on the server that a run has made, or that looks so.

    Attributes:
        kind: `customresourcedefinition` or `namespace`.
        name: Its name.
        run: The label; empty without one.
        lease: The annotation; empty without one.
        uid: What tells it from another object of that name.
    """

    kind: str
    name: str
    run: str
    lease: str
    uid: str

    @property
    def is_ours(self) -> bool:
        """Whether both its label and its name are those of objects that runs make."""
        of_runs = self.name.endswith(SUFFIX) if self.kind == CRD else self.name.startswith(PREFIX)
        return bool(self.run) and of_runs

    def is_left(self, now: datetime) -> bool:
        """Return whether nobody is there any more to remove it: its lease has expired an hour ago."""
        return self.is_ours and (expiry := _read(self.lease)) is not None and expiry + _GRACE < now

    def __str__(self) -> str:
        """Return what kubectl calls it, and until when somebody has it."""
        return f"{self.kind}/{self.name}" + (f" (lease until {self.lease})" if self.lease else "")


CRD: Final = "customresourcedefinition"
NAMESPACE: Final = "namespace"


def until(now: datetime) -> str:
    """Return the annotation of an object that somebody takes care of *now*."""
    return f"{now + _LASTS:%Y-%m-%dT%H:%M:%SZ}"


def marks(run: str, now: datetime) -> dict[str, JSONValue]:
    """Return the metadata of an object that *run* makes."""
    return {"labels": {LABEL: run}, "annotations": {ANNOTATION: until(now)}}


def remnant(kind: str, metadata: Mapping[str, JSONValue]) -> Remnant:
    """Return what the *metadata* of an object say."""
    labels, annotations = metadata.get("labels") or {}, metadata.get("annotations") or {}
    return Remnant(kind, metadata["name"], labels.get(LABEL, ""), annotations.get(ANNOTATION, ""), metadata["uid"])


def _read(text: str) -> datetime | None:
    try:
        return datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    except ValueError:
        return None
