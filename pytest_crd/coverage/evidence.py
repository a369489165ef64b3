"""Evidence of coverage: how a request reached a point, and thus which expectations of a case hold it."""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.schema.schemamap import Place

# Keys and indices from the root of an object.
Path: TypeAlias = "tuple[str | int, ...]"


class Kept(NamedTuple):
    """
    A value is in the resulting object.

    Attributes:
        path: The path of the value.
    """

    path: Path


class KeptSomewhere(NamedTuple):
    """
    Some value at a place is in the resulting object; the path is unknown.

    Attributes:
        place: The place in the schema.
    """

    place: Place


class LeftOut(NamedTuple):
    """
    An optional field is left out of an accepted object, and is not in the resulting object.

    Attributes:
        path: The path of the field.
    """

    path: Path


class PutIn(NamedTuple):
    """
    A default is set.

    Attributes:
        path: The path of the default.
    """

    path: Path


class Unknown(NamedTuple):
    """
    An unknown field is dropped, or causes a refusal.

    Attributes:
        path: The path of the field.
    """

    path: Path


class NullDropped(NamedTuple):
    """
    A null is dropped.

    Attributes:
        path: The path of the null.
    """

    path: Path


class ValueRefused(NamedTuple):
    """
    A value is refused.

    Attributes:
        error: The error of the refusal.
    """

    error: FieldError


class Worded(NamedTuple):
    """
    The message of an error was computed by a `messageExpression`.

    Attributes:
        error: The error.
    """

    error: FieldError


Evidence: TypeAlias = "Kept | KeptSomewhere | LeftOut | PutIn | Unknown | NullDropped | ValueRefused | Worded"


class ReachedPoints(dict[str, list[Evidence]]):
    """The ids of the points that a request has reached, each with its evidence."""

    def see(self, id_: str, evidence: Evidence) -> None:
        """Record that a point was reached."""
        self.setdefault(id_, []).append(evidence)


ROOT: Final[Path] = ()
