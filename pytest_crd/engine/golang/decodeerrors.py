"""What a decoder finds while it goes through a value: errors, and what a strict one says of fields that are unknown or there twice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

from pytest_crd.engine import fieldpath
from pytest_crd.engine.fieldpath import SpelledPath
from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONValue

# The strict decoder stops collecting there.
_MAX_PROBLEMS: Final = 100

# A place in the value: the place around it, the key or index there, and the name of the struct whose field it is ("" for an
# entry of a map or list), behind a dot the names of what is embedded there on the way. None is the root. Linked, because
# building whole paths for every value is what takes time.
Place: TypeAlias = "tuple[Place, str | int, str] | None"


class Repeating(dict[str, JSONValue]):
    """
    An object in which a key is there twice: of each such key the last value.

    Attributes:
        pairs: What was sent.
    """

    def __init__(self, pairs: Sequence[tuple[str, JSONValue]]) -> None:
        """Take what was sent."""
        super().__init__(pairs)
        self.pairs = pairs


class SentNumber(float):
    """
    A number that was sent otherwise than Go writes it.

    Attributes:
        spelled: What was sent: `1.0`.
    """

    __slots__ = ("spelled",)
    spelled: str


class SavedError(NamedTuple):
    """An error and where it is; a *mismatch* of types also prints the struct and the fields that lead there."""

    at: Place
    message: str
    mismatch: str = ""
    struct: str = ""

    def text(self) -> str:
        """Return what Go says."""
        if not self.mismatch:
            return self.message
        struct, names = self.struct or owner(self.at), []
        place = self.at
        while place is not None:
            place, key, of_struct = place
            if of_struct:
                names += [str(key), *reversed(of_struct.split(".")[1:])]
        into = f"struct field {struct}.{'.'.join(reversed(names))}" if struct else "value"
        return f"json: cannot unmarshal {self.message} into Go {into} of type {self.mismatch}"


@dataclass(slots=True)
class Findings:
    """What one decoder found: errors that it saves while it goes on, errors that end it, unknown fields, and repeated ones."""

    sort_keys: bool
    whole_paths: bool
    unknown: list[Place] = field(default_factory=list)
    repeated: list[tuple[int, Place]] = field(default_factory=list)
    saved: list[SavedError] = field(default_factory=list)
    fatal: list[SavedError] = field(default_factory=list)

    def first_error(self) -> SavedError | None:
        """Return the error that is reported."""
        errors = self.fatal or self.saved
        if not errors:
            return None
        return min(errors, key=lambda error: _segments(error.at)) if self.sort_keys else errors[0]

    def spelled(self) -> tuple[SpelledPath, ...]:
        """Return the paths of the unknown fields."""
        places = sorted(self.unknown, key=_segments) if self.sort_keys else self.unknown
        return tuple(dict.fromkeys(fieldpath.unknown_field(_segments(place)) for place in places))[:_MAX_PROBLEMS]

    def problems(self) -> tuple[str, ...]:
        """Return what a strict decoder says of unknown and repeated fields, in their order."""
        unknown = [("unknown", place) for place in self.unknown]
        if self.sort_keys:
            unknown.sort(key=lambda one: _segments(one[1]))
        for before, place in reversed(self.repeated):
            unknown.insert(before, ("duplicate", place))
        said = (f"{what} field {printing.quote(fieldpath.unknown_field(_segments(at)))}" for what, at in unknown)
        return tuple(dict.fromkeys(said))[:_MAX_PROBLEMS]

    def of_repeating(
        self, value: Repeating, at: Place, of_struct: str = "", known: Mapping[str, object] | None = None
    ) -> Iterator[tuple[str, JSONValue]]:
        """Yield the pairs of an object, and note those whose key was there before; of a struct, if it is *known*."""
        seen: set[str] = set()
        for key, item in value.pairs:
            if key in seen and (known is None or key in known):
                self.repeated.append((len(self.unknown), (at, key, of_struct)))
            seen.add(key)
            yield key, item

    def mismatch(self, value: JSONValue, at: Place, go: str) -> JSONValue:
        """Save that a value is of another type."""
        self.saved.append(SavedError(at, described(value), go))
        return value


def owner(place: Place) -> str:
    """Return the name of the struct around *place*."""
    while place is not None:
        place, _, of_struct = place
        if of_struct:
            return of_struct.partition(".")[0]
    return ""


def described(value: JSONValue) -> str:
    """Return what Go calls a value of a type that it does not want."""
    return _DESCRIBED[type(value)]


def spelled(number: float) -> str:
    """Return a number as it was sent, where that is known, else as Go writes it."""
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
