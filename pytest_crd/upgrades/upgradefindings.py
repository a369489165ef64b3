"""Findings of an upgrade: its effects on objects, with the witnesses that show them."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeAlias

from pytest_crd.engine import CustomResourceDefinition, Response
from pytest_crd.engine.errors.origin import Steps
from pytest_crd.engine.schema import schemamap
from pytest_crd.engine.schema.schemamap import Place

Resource: TypeAlias = Mapping[str, Any]


class Kind(enum.StrEnum):
    """Kinds of effects on an object that the old CRD accepts, and `WIDENED` for an object that only the new CRD accepts."""

    REFUSED = "refused"
    DATA_LOSS = "data loss"
    CHANGED = "changed"
    WARNED = "warned"
    WIDENED = "widened"


BREAKING: Final = frozenset({Kind.REFUSED, Kind.DATA_LOSS, Kind.CHANGED})


@dataclass(frozen=True, slots=True)
class Effect:
    """
    An effect of an upgrade on one place of one object.

    Attributes:
        kind: The kind of effect.
        place: The place in the schema; empty for the whole object.
        words: The server's message, or the values before and after.
        cause: The words without the value, to tell effects at one place apart.
        origin: The place of the rule that refuses the object; None for another cause.
    """

    kind: Kind
    place: Place
    words: str
    cause: str = ""
    origin: Place | None = None


class Line(NamedTuple):
    """
    A line of a CRD.

    Attributes:
        where: `file:line`; empty if the CRD was not read from a file.
        text: The declaration on the line; empty if nothing is declared.
    """

    where: str
    text: str

    @classmethod
    def at(cls, crd: CustomResourceDefinition, steps: Steps, text: str = "") -> Line:
        """Return the line of the value at *steps* in a CRD, or of the nearest parent."""
        return cls("" if crd.locate is None else crd.locate(steps, None), text)


class ManagerApply(NamedTuple):
    """
    A server-side apply.

    Attributes:
        manager: The field manager.
        resource: The applied object.
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
        after: The answer under the new CRD.
        note: The effect on an object that is stored already; may be empty.
        source: The place of the object, `file:line`; empty for a synthesized one.
        stored: The object that *resource* replaces; None if *resource* is created.
        applied: The applies in order, the last of which is answered; empty if the object is written otherwise.
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
    An effect of an upgrade, reported once for all objects that show it.

    Attributes:
        kind: The kind of effect.
        path: `spec.items[*].name` of the objects, or a field of the CRD, such as `spec.scope`.
        words: The server's message, or the values before and after.
        versions: The affected versions of the CRD; empty if the finding is about the CRD itself.
        lines: The declarations in the two CRDs, the old before the new.
        witness: The object that shows the effect; None if the CRD itself does.
        others: The places of further objects that show the effect.
        releases: The releases from which an upgrade has the effect, if the baseline has several.
        remedy: A setting other than an allowance that corrects the finding; empty for none.
        is_allowable: Whether an allowance may cover the finding.
        decision: The reason of a refusal without values, `FieldError.decision`; empty for another effect.
        name: The cause in one line, which tells findings with the same kind and path apart; empty if only the words do.
    """

    kind: Kind
    path: str
    words: str
    versions: tuple[str, ...] = ()
    lines: tuple[tuple[Line, Line], ...] = ()
    witness: Witness | None = None
    others: tuple[str, ...] = ()
    releases: tuple[str, ...] = ()
    remedy: str = ""
    is_allowable: bool = True
    decision: str = ""
    name: str = ""

    @property
    def cause(self) -> str:
        """The cause in one line with single blanks: the text of a rule, a keyword of the schema, or the words."""
        return " ".join((self.name or self.words).split())

    @property
    def is_breaking(self) -> bool:
        """Whether the finding fails an upgrade."""
        return self.kind in BREAKING


def path_of(place: Place) -> str:
    """Return the path of a place as findings spell it: `.` for the whole object."""
    return schemamap.spelled(place) or "."
