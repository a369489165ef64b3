"""
Suggestions: objects that reach missing points.

Objects are made from the schema and sent to the engine; an object is suggested only if it reaches the point.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, Final, NamedTuple

from pytest_crd.coverage import keywordpoints, meter, nodes
from pytest_crd.coverage.nodes import LEFT_OUT
from pytest_crd.coverage.points import Point
from pytest_crd.engine import CrdVersion, InputError, UnsupportedExpressionError
from pytest_crd.engine.errors.origin import Steps
from pytest_crd.engine.observer import Observer
from pytest_crd.engine.schema.schemamap import RULES, Place
from pytest_crd.synthesis import Boundaries, NoExampleError, boundaryvalues, objectplaces, patternvariants
from pytest_crd.synthesis.demands import Demand
from pytest_crd.synthesis.placement import Placer
from pytest_crd.synthesis.textsearch import Lengths

# The number of values to try for an enum value or a branch of a junctor.
_MOST_VALUES: Final = 12
# Point kinds with keywords that limit values.
_LIMITS: Final = frozenset({"enum", "bound", "pattern", "format"})


class Suggestion(NamedTuple):
    """
    An object that reaches a point.

    Attributes:
        sent: The object.
        subresource: The subresource of the request: `status`, or empty for the main resource.
        old: The object that *sent* replaces; None if it is created, or its status is updated.
    """

    sent: Mapping[str, Any]
    subresource: str = ""
    old: Mapping[str, Any] | None = None


class Suggestions:
    """A source of suggestions for one version."""

    def __init__(self, version: CrdVersion) -> None:
        """Create the suggestions for *version*; objects are made on demand."""
        self._version = version
        self._meter = meter.find_meter(version)

    def suggest(self, point: Point) -> Suggestion | None:
        """Return an object that reaches *point*; None if none was found."""
        try:
            return next((item for item in self._candidates(point) if self._reaches(item, point)), None)
        except (NoExampleError, InputError, UnsupportedExpressionError):
            return None

    def _reaches(self, suggestion: Suggestion, point: Point) -> bool:
        reached: set[str] = set()
        old = self._placer.start if suggestion.subresource and suggestion.old is None else suggestion.old
        stored = None if old is None else self._stored(old, suggestion.subresource)
        version = self._version.observed_by(Observer(lambda _, request: reached.update(self._meter.read(request))))
        if stored is None:
            version.create(suggestion.sent)
        elif suggestion.subresource:
            version.update_status(suggestion.sent, old=stored)
        else:
            version.update(suggestion.sent, old=stored)
        return point.id in reached

    def _stored(self, resource: Mapping[str, Any], subresource: str) -> Mapping[str, Any]:
        stored: Mapping[str, Any] = self._version.create(resource).stored
        if subresource:
            stored = self._version.update_status(resource, old=stored).stored
        return stored

    def _candidates(self, point: Point) -> Iterator[Suggestion]:
        place = point.place
        if point.kind == "conversion" and point.side not in _FROM_OBJECTS:
            return  # only a case of `convert` reaches it
        if point.side in _FROM_OBJECTS:
            # A field is left out of the object that could have it.
            subresource = self._placer.subresource(place[:-1] if point.side == LEFT_OUT else place)
            yield from (Suggestion(resource, subresource) for resource in self._objects(place, point))
            return
        if point.side.startswith((keywordpoints.UNLIKE, nodes.OPERAND)):
            yield from self._suggest_for_variant(place, point)
            return
        if "allOf" in point.steps and point.kind in _LIMITS:
            yield from self._suggest_for_part(place, point)
            return
        boundary = self._boundaries.find_boundary(place, self._keyword(point))
        if point.side in {"held", "true"}:
            yield from _suggest_if_any(boundary.inside, boundary.subresource)
            yield from _suggest_if_any(
                boundary.old, boundary.subresource, boundary.old
            )  # the unchanged update of a transition rule
        else:
            yield from _suggest_if_any(boundary.outside, boundary.subresource, boundary.old)

    def _suggest_for_variant(self, place: Place, point: Point) -> Iterator[Suggestion]:
        """Yield objects for a variant of a pattern or a rule."""
        subresource = self._placer.subresource(place)
        if point.kind == "rule":
            variant = int(point.side.removeprefix(nodes.OPERAND))
            write = self._boundaries.find_deciding_write(place, int(point.steps[-1]), variant)
            yield from () if write is None else (Suggestion(write.new, subresource, write.old),)
            return
        node, placed = self._placer.node(place), self._placer.existing(place)
        lengths = Lengths(node.least("minLength"), node.most("maxLength"))
        text = patternvariants.find_text(
            self._declared(point.steps), point.side.removeprefix(keywordpoints.UNLIKE), lengths
        )
        if placed is not None and text is not None:
            yield Suggestion(objectplaces.replace_value(*placed, text), subresource)

    def _suggest_for_part(self, place: Place, point: Point) -> Iterator[Suggestion]:
        """Yield objects for a keyword in `allOf`, which shares its value with other keywords."""
        placed = self._placer.existing(place)
        if placed is None:
            return
        resource, steps = placed
        alternative = next(self._placer.node(place).alternatives())
        sides = boundaryvalues.find_sides(alternative, str(point.steps[-1]), self._placer.maker)
        for value in sides.inside if point.side == "held" else sides.outside:
            yield Suggestion(objectplaces.replace_value(resource, steps, value), self._placer.subresource(place))

    def _keyword(self, point: Point) -> str:
        """Return the keyword of a point, spelled as in boundaries."""
        if point.side == keywordpoints.NULL_REFUSED:
            return "nullable"
        if point.kind == "required":
            return f"required {self._declared(point.steps)}"
        if point.kind in {"rule", "message"}:
            index = point.steps[-1] if point.kind == "rule" else point.steps[-2]
            return f"{RULES}[{index}]"
        return str(point.steps[-1])

    def _objects(self, place: Place, point: Point) -> Iterator[Mapping[str, Any]]:
        """Yield objects for points of fields, enum values and branches of junctors."""
        outer = self._placer.existing(place[:-1]) if point.side in {"applied", LEFT_OUT} else None
        if outer is not None:
            yield outer[0]
        if (placed := self._placer.existing(place)) is None:
            return
        resource, steps = placed
        if point.side in {"used", "taken"}:
            node = self._placer.node(place)
            wanted = [self._declared(point.steps)] if point.side == "used" else self._placer.maker.find_values(node)
            attempts = (self._placer.place_value(place, value) for value in itertools.islice(wanted, _MOST_VALUES))
            yield from (attempt[0] for attempt in attempts if attempt is not None)
        elif point.side == "null-kept":
            yield objectplaces.replace_value(resource, steps, None)
        elif point.side in _ADDED:
            fields = _ADDED[point.side](self._placer.node(place))
            yield from (
                objectplaces.replace_value(resource, steps, {**objectplaces.get_value(resource, steps), **added})
                for added in fields
            )
        else:
            yield resource

    def _declared(self, steps: Steps) -> Any:
        """Return the value at *steps* in the schema."""
        declared: Any = self._version.schema_map.schema
        for step in steps:
            declared = declared[step]
        return declared

    @cached_property
    def _boundaries(self) -> Boundaries:
        return Boundaries(self._version)

    @property
    def _placer(self) -> Placer:
        return self._boundaries.placer


def _nulls(node: Demand) -> Iterator[Mapping[str, Any]]:
    names = [*node.properties, *(["key"] if node.values else [])]
    return ({name: None} for name in names)


_ADDED: Final[Mapping[str, Callable[[Demand], Iterable[Mapping[str, Any]]]]] = {
    "unknown-dropped": lambda _: ({"unknown": 1},),
    "unknown-kept": lambda _: ({"unknown": 1},),
    "null-dropped": _nulls,
}
_FROM_OBJECTS: Final = frozenset({"set", "applied", LEFT_OUT, "stored", "used", "taken", "null-kept", *_ADDED})


def _suggest_if_any(
    sent: Mapping[str, Any] | None, subresource: str, old: Mapping[str, Any] | None = None
) -> Iterator[Suggestion]:
    if sent is not None:
        yield Suggestion(sent, subresource, old)
