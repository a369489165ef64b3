"""What an upgrade does to objects, and what shows it."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeAlias

from pytest_crd.engine import CustomResourceDefinition, Response
from pytest_crd.engine.errors.failedrule import Steps
from pytest_crd.engine.schema import schemamap
from pytest_crd.engine.schema.schemamap import Place

Resource: TypeAlias = Mapping[str, Any]


class Kind(enum.StrEnum):
    """What an upgrade does to an object that was accepted before, or to one that was not."""

    REFUSED = "refused"
    DATA_LOSS = "data loss"
    CHANGED = "changed"
    WARNED = "warned"
    WIDENED = "widened"


BREAKING: Final = frozenset({Kind.REFUSED, Kind.DATA_LOSS, Kind.CHANGED})


@dataclass(frozen=True, slots=True)
class Effect:
    """
    What an upgrade does to one place of one object.

    Attributes:
        kind: What it is.
        place: Where in the schema; empty for the whole object.
        words: What the server says, or what is there before and after.
        cause: What tells it from other effects at the place: the words without the value.
    """

    kind: Kind
    place: Place
    words: str
    cause: str = ""


class Line(NamedTuple):
    """
    A line of a CRD.

    Attributes:
        where: `file:line`; empty where the CRD was not read from a file.
        text: What is declared there; empty where nothing is.
    """

    where: str
    text: str

    @classmethod
    def at(cls, crd: CustomResourceDefinition, steps: Steps, text: str = "") -> Line:
        """Return the line of what stands at *steps* in a CRD, or of what is nearest around it."""
        return cls("" if crd.locate is None else crd.locate(steps, None), text)


class ManagerApply(NamedTuple):
    """
    One server-side apply.

    Attributes:
        manager: Who applies.
        resource: What.
    """

    manager: str
    resource: Any


@dataclass(frozen=True, slots=True)
class Witness:
    """
    An object that shows an effect, and the answers to it under both CRDs.

    Attributes:
        resource: The object as it is sent.
        before: The answer under the old CRD.
        after: The answer under the new one.
        note: What becomes of an object that is stored already; may be empty.
        source: Where the object stands, `file:line`; empty for one that was made.
        stored: What the object replaces; None where it is created.
        applied: What is applied, one after the other, of which the answers are to the last; empty where the object is written.
    """

    resource: Resource
    before: Response
    after: Response
    note: str = ""
    source: str = ""
    stored: Resource | None = None
    applied: tuple[ManagerApply, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """
    What an upgrade does, once for all objects that show it.

    Attributes:
        kind: What it is.
        path: Where: `spec.items[*].name` of the objects, or a field of the CRD, as `spec.scope`.
        words: What the server says, or what is there before and after.
        versions: The versions of the CRD that it is found in; empty where it is about the CRD.
        lines: What the two CRDs declare there, the old before the new.
        witness: What shows it; None where the CRD itself does.
        others: Where other objects stand that show it, too.
    """

    kind: Kind
    path: str
    words: str
    versions: tuple[str, ...] = ()
    lines: tuple[tuple[Line, Line], ...] = ()
    witness: Witness | None = None
    others: tuple[str, ...] = ()

    @property
    def is_breaking(self) -> bool:
        """Whether it fails an upgrade."""
        return self.kind in BREAKING


def path_of(place: Place) -> str:
    """Return a place as a finding names it: `.` for the whole object."""
    return schemamap.spelled(place) or "."
