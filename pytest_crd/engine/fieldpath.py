"""
Field paths and their two spellings.

Schemas in a CRD have linked steps, which become a field path only for an error. Field errors spell a path `spec.labels[team]`, warnings about unknown fields spell it `spec.labels.team`.
"""

from __future__ import annotations

from typing import Self, TypeAlias

# A root; or the place of the parent, a keyword, and the name or index below it (None for keywords such as `items`).
# A tuple because every schema of a CRD gets a place, and nearly all places are never converted.
LinkedPath: TypeAlias = "FieldPath | tuple[LinkedPath, str, str | int | None]"


class Key:
    """A map key as a path segment; field errors print it in brackets."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        """Create it for a key."""
        self.name = name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Key) and self.name == other.name

    def __hash__(self) -> int:
        return hash(("key", self.name))

    def __repr__(self) -> str:
        return f"Key({self.name!r})"


# str: a named field. SpelledPath: several fields, spelled as one. Key: a map key. int: a list index.
Segment: TypeAlias = "str | Key | int"


class FieldPath:
    """
    A path from a root to a field, as immutable segments.

    Reference:
        apimachinery util/validation/field/path.go, Path.
    """

    __slots__ = ("segments",)

    def __init__(self, segments: tuple[Segment, ...] = ()) -> None:
        """Create it from segments."""
        self.segments = segments

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FieldPath) and self.segments == other.segments

    def __hash__(self) -> int:
        return hash(self.segments)

    def __repr__(self) -> str:
        return f"FieldPath({self.segments!r})"

    @property
    def steps(self) -> tuple[str | int, ...]:
        """The keys and indices that lead to the field in a JSON value."""
        return tuple(step for segment in self.segments for step in _steps(segment))

    def child(self, *names: str) -> FieldPath:
        """Return the path of the nested field *names* below this path."""
        return FieldPath((*self.segments, *names))

    def key(self, name: str) -> FieldPath:
        """Return the path of the entry *name* of the map at this path."""
        return FieldPath((*self.segments, Key(name)))

    def index(self, position: int) -> FieldPath:
        """Return the path of the item at 0-based *position* of the list at this path."""
        return FieldPath((*self.segments, position))

    def __str__(self) -> str:
        """Return the spelling of field errors; the empty path is `<nil>`, as the server prints it."""
        if not self.segments:
            return "<nil>"
        parts: list[str] = []
        for segment in self.segments:
            if isinstance(segment, str) and segment:  # an empty name is printed as Go prints an empty key
                parts.append(f".{segment}" if parts else segment)
            else:
                parts.append(f"[{segment.name if isinstance(segment, Key) else segment}]")
        return "".join(parts)


class SpelledPath(str):
    """
    Path as the server spells it, together with its steps.

    Attributes:
        steps: Keys and indices, from the root.
    """

    __slots__ = ("steps",)

    steps: tuple[str | int, ...]

    def __new__(cls, text: str, steps: tuple[str | int, ...]) -> Self:
        """Create the path to *steps*, spelled as *text*."""
        path = super().__new__(cls, text)
        path.steps = steps
        return path

    def __reduce__(self) -> tuple[object, ...]:
        """Return the arguments to unpickle an equal path."""
        return SpelledPath, (str(self), self.steps)


class OwnedPath(str):
    """
    Path of a field in managed fields, such as `spec.listeners[name="a"].port`, together with its elements.

    Attributes:
        elements: `.spec`, `.listeners`, `[name="a"]`, `.port`.
    """

    __slots__ = ("elements",)

    elements: tuple[str, ...]

    def __new__(cls, elements: tuple[str, ...]) -> Self:
        """Create the path that joins *elements*."""
        path = super().__new__(cls, "".join(elements).removeprefix("."))
        path.elements = elements
        return path

    def __reduce__(self) -> tuple[object, ...]:
        """Return the arguments to unpickle an equal path."""
        return OwnedPath, (self.elements,)

    @property
    def above(self) -> tuple[OwnedPath, ...]:
        """The paths of the values around the field, innermost first, without the root object."""
        return tuple(OwnedPath(self.elements[:count]) for count in range(len(self.elements) - 1, 0, -1))

    @property
    def is_item(self) -> bool:
        """Whether the path ends at an item of a list."""
        return any(element.startswith("[") for element in self.elements[-1:])


def unknown_field(segments: tuple[str | int, ...]) -> SpelledPath:
    """
    Return the path of an unknown field as its warnings spell it: keys joined by dots, indices in brackets.

    Args:
        segments: Object keys (str) and 0-based list indices (int), from the root.

    Reference:
        apiextensions-apiserver schema/options.go, UnknownFieldPathOptions.
    """
    spelled = "".join([f"[{segment}]" if isinstance(segment, int) else f".{segment}" for segment in segments])
    return SpelledPath(spelled.removeprefix("."), segments)


def leads_to(above: str, path: str) -> bool:
    """Return whether *path* equals *above* or lies below it, in either spelling; `spec.ab` is not below `spec.a`."""
    return path == above or path.startswith((f"{above}.", f"{above}["))


def _steps(segment: Segment) -> tuple[str | int, ...]:
    if isinstance(segment, SpelledPath):
        return segment.steps
    return (segment.name if isinstance(segment, Key) else segment,)


def resolve(place: LinkedPath) -> FieldPath:
    """Return the field path of *place*."""
    segments: list[str | Key | int] = []
    while isinstance(place, tuple):
        place, keyword, below = place
        if below is not None:
            segments.append(Key(below) if isinstance(below, str) else below)
        segments.append(keyword)
    return FieldPath((*place.segments, *reversed(segments)))
