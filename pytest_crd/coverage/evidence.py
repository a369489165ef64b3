"""Evidence: by what a request has reached a point, from which follows what a case must state of it."""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.schema.schemamap import Place

# Keys and indices, from the root of an object.
Path: TypeAlias = "tuple[str | int, ...]"


class Kept(NamedTuple):
    """
    A value is in the object that results.

    Attributes:
        path: Where.
    """

    path: Path


class KeptSomewhere(NamedTuple):
    """
    Values at a place are in the object that results; it is not known which of them counts.

    Attributes:
        place: Where objects have them.
    """

    place: Place


class PutIn(NamedTuple):
    """
    A default is put in.

    Attributes:
        path: Where.
    """

    path: Path


class Unknown(NamedTuple):
    """
    An unknown field is dropped, or the request refused for it.

    Attributes:
        path: Where.
    """

    path: Path


class NullDropped(NamedTuple):
    """
    A null is dropped.

    Attributes:
        path: Where.
    """

    path: Path


class ValueRefused(NamedTuple):
    """
    A value is refused.

    Attributes:
        error: With this.
    """

    error: FieldError


class Worded(NamedTuple):
    """
    The message of an error was made.

    Attributes:
        error: The error.
    """

    error: FieldError


Evidence: TypeAlias = "Kept | KeptSomewhere | PutIn | Unknown | NullDropped | ValueRefused | Worded"


class ReachedPoints(dict[str, list[Evidence]]):
    """What a request has reached: the ids of points, each with its evidence."""

    def see(self, id_: str, evidence: Evidence) -> None:
        """Note that a point was reached."""
        self.setdefault(id_, []).append(evidence)


ROOT: Final[Path] = ()
