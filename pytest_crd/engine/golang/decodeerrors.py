"""Findings of a JSON decoder: type errors, unknown fields and repeated fields."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from pytest_crd.engine import fieldpath
from pytest_crd.engine.fieldpath import SpelledPath
from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.records import NamedTuple

# The strict decoder collects at most this many.
_MAX_PROBLEMS: Final = 100

# Place in a JSON value: parent place, key or index, and name of the struct that declares the field ("" for map entries and
# list items). Names of embedded structs follow the struct name after a dot. None is the root. Places are linked because
# building a whole path for every value would be slow.
Place: TypeAlias = "tuple[Place, str | int, str] | None"


class Repeating(dict[str, JSONValue]):
    """
    JSON object with repeated keys; as a dict it holds the last value of each key.

    Attributes:
        pairs: All keys and values in the order of the request.
    """

    def __init__(self, pairs: Sequence[tuple[str, JSONValue]]) -> None:
        """Create from the keys and values of the request."""
        super().__init__(pairs)
        self.pairs = pairs


class SentNumber(float):
    """
    Number with a literal in the request that differs from Go's notation.

    Attributes:
        spelled: The literal of the request: `1.0`.
    """

    __slots__ = ("spelled",)
    spelled: str


class SavedError(NamedTuple):
    """Decoding error with its place; an error with a *mismatch* also prints the struct and the field names."""

    at: Place
    message: str
    mismatch: str = ""
    struct: str = ""

    def text(self) -> str:
        """Return Go's error message."""
        if not self.mismatch:
            return self.message
        struct, names = self.struct or find_owner(self.at), []
        place = self.at
        while place is not None:
            place, key, struct_name = place
            if struct_name:
                names += [str(key), *reversed(struct_name.split(".")[1:])]
        into = f"struct field {struct}.{'.'.join(reversed(names))}" if struct else "value"
        return f"json: cannot unmarshal {self.message} into Go {into} of type {self.mismatch}"


class Findings:
    """Findings of one decoder: saved errors, fatal errors, unknown fields and repeated fields."""

    __slots__ = ("fatal", "repeated", "saved", "sort_keys", "unknown", "whole_paths")

    def __init__(self, sort_keys: bool, whole_paths: bool) -> None:  # noqa: FBT001 - as decoders have them
        """Create it without findings."""
        self.sort_keys = sort_keys
        self.whole_paths = whole_paths
        self.unknown: list[Place] = []
        self.repeated: list[tuple[int, Place]] = []
        self.saved: list[SavedError] = []
        self.fatal: list[SavedError] = []

    def first_error(self) -> SavedError | None:
        """Return the error that Go reports, or None."""
        errors = self.fatal or self.saved
        if not errors:
            return None
        return min(errors, key=lambda error: _segments(error.at)) if self.sort_keys else errors[0]

    def unknown_paths(self) -> tuple[SpelledPath, ...]:
        """Return the paths of the unknown fields."""
        places = sorted(self.unknown, key=_segments) if self.sort_keys else self.unknown
        return tuple(dict.fromkeys(fieldpath.unknown_field(_segments(place)) for place in places))[:_MAX_PROBLEMS]

    def problems(self) -> tuple[str, ...]:
        """Return a strict decoder's messages about unknown and repeated fields, in its order."""
        fields = [("unknown", place) for place in self.unknown]
        if self.sort_keys:
            fields.sort(key=lambda field: _segments(field[1]))
        for before, place in reversed(self.repeated):
            fields.insert(before, ("duplicate", place))
        messages = (f"{kind} field {printing.quote(fieldpath.unknown_field(_segments(at)))}" for kind, at in fields)
        return tuple(dict.fromkeys(messages))[:_MAX_PROBLEMS]

    def iterate_repeating(
        self, value: Repeating, at: Place, struct_name: str = "", fields: Mapping[str, object] | None = None
    ) -> Iterator[tuple[str, JSONValue]]:
        """
        Yield the keys and values of *value* and record the repeated keys.

        Args:
            value: The object.
            at: Its place.
            struct_name: Name of the struct it decodes into; empty for a map.
            fields: Fields of the struct, whose unknown keys are not recorded as repeated. None for a map.
        """
        previous: set[str] = set()
        for key, item in value.pairs:
            if key in previous and (fields is None or key in fields):
                self.repeated.append((len(self.unknown), (at, key, struct_name)))
            previous.add(key)
            yield key, item

    def mismatch(self, value: JSONValue, at: Place, go: str) -> JSONValue:
        """Record that *value* is not of the Go type *go*, and return *value*."""
        self.saved.append(SavedError(at, describe(value), go))
        return value


def find_owner(place: Place) -> str:
    """Return the name of the innermost struct around *place*, or an empty string."""
    while place is not None:
        place, _, struct_name = place
        if struct_name:
            return struct_name.partition(".")[0]
    return ""


def describe(value: JSONValue) -> str:
    """Return Go's word for the JSON type of *value* in type errors."""
    return _DESCRIBED[type(value)]


def spell(number: float) -> str:
    """Return *number* as the request spelled it, else in Go's notation."""
    return number.spelled if isinstance(number, SentNumber) else printing.marshal(number)


def _segments(place: Place) -> tuple[str | int, ...]:
    segments: list[str | int] = []
    while place is not None:
        place, key, _ = place
        segments.append(key)
    return tuple(reversed(segments))


_DESCRIBED: Final[dict[type, str]] = {
    bool: "bool",
    int: "number",
    float: "number",
    SentNumber: "number",
    str: "string",
    list: "array",
    dict: "object",
    Repeating: "object",
}
