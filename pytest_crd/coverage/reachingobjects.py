"""
Suggestions: for a point that nobody has reached, an object that reaches it.

Objects are made from the schema, sent to the engine, and kept only where the point was reached then.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, Final, NamedTuple

from pytest_crd.coverage import meter
from pytest_crd.coverage.points import Point
from pytest_crd.engine import InputError, UnsupportedExpressionError, Version
from pytest_crd.engine.errors.failedrule import Steps
from pytest_crd.engine.observer import Observer
from pytest_crd.engine.schema.schemamap import RULES, Place
from pytest_crd.synthesis import Boundaries, NoExampleError, boundaryvalues, objectplaces
from pytest_crd.synthesis.demands import Demand
from pytest_crd.synthesis.placement import Placer

# How many values are tried for a branch of a junctor.
_MOST_VALUES: Final = 12
# Whose keywords draw a boundary around values.
_LIMITS: Final = frozenset({"enum", "bound", "pattern", "format"})


class Suggestion(NamedTuple):
    """
    An object that reaches a point.

    Attributes:
        sent: The object.
        subresource: Where it is sent: `status`, or empty for the object itself.
        old: What it replaces; None where it is created, or its status is updated.
    """

    sent: Mapping[str, Any]
    subresource: str = ""
    old: Mapping[str, Any] | None = None


class Suggestions:
    """Makes objects for one version."""

    def __init__(self, version: Version) -> None:
        """Take the version."""
        self._version = version
        self._meter = meter.of(version)

    def find(self, point: Point) -> Suggestion | None:
        """Return an object that reaches *point*; None where none was found."""
        try:
            return next((one for one in self._candidates(point) if self._reaches(one, point)), None)
        except (NoExampleError, InputError, UnsupportedExpressionError):
            return None

    def _reaches(self, one: Suggestion, point: Point) -> bool:
        reached: set[str] = set()
        old = self._placer.start if one.subresource and one.old is None else one.old
        stored = None if old is None else self._stored(old, one.subresource)
        version = self._version.observed_by(Observer(lambda _, request: reached.update(self._meter.read(request))))
        if stored is None:
            version.create(one.sent)
        elif one.subresource:
            version.update_status(one.sent, old=stored)
        else:
            version.update(one.sent, old=stored)
        return point.id in reached

    def _stored(self, resource: Mapping[str, Any], subresource: str) -> Mapping[str, Any]:
        stored: Mapping[str, Any] = self._version.create(resource).stored
        if subresource:
            stored = self._version.update_status(resource, old=stored).stored
        return stored

    def _candidates(self, point: Point) -> Iterator[Suggestion]:
        place = point.place
        if point.side in _FROM_OBJECTS:
            subresource = self._placer.subresource(place)
            yield from (Suggestion(one, subresource) for one in self._objects(place, point))
            return
        if "allOf" in point.steps and point.kind in _LIMITS:
            yield from self._of_part(place, point)
            return
        boundary = self._boundaries.find_boundary(place, self._keyword(point))
        if point.side in {"held", "true"}:
            yield from _given(boundary.inside, boundary.subresource)
            yield from _given(boundary.old, boundary.subresource, boundary.old)  # of a change that may be
        else:
            yield from _given(boundary.outside, boundary.subresource, boundary.old)

    def _of_part(self, place: Place, point: Point) -> Iterator[Suggestion]:
        """Yield objects for a keyword in `allOf`, beside which others speak of the same value."""
        held = self._placer.existing(place)
        if held is None:
            return
        resource, steps = held
        alternative = next(self._placer.node(place).alternatives())
        sides = boundaryvalues.find_sides(alternative, str(point.steps[-1]), self._placer.maker)
        for value in sides.inside if point.side == "held" else sides.outside:
            yield Suggestion(objectplaces.replaced(resource, steps, value), self._placer.subresource(place))

    def _keyword(self, point: Point) -> str:
        """Return how examples name the keyword of a point."""
        if point.kind == "required":
            return f"required {self._declared(point.steps)}"
        if point.kind in {"rule", "message"}:
            index = point.steps[-1] if point.kind == "rule" else point.steps[-2]
            return f"{RULES}[{index}]"
        return str(point.steps[-1])

    def _objects(self, place: Place, point: Point) -> Iterator[Mapping[str, Any]]:
        """Yield objects for what is seen of fields, of values of enums and of branches of junctors."""
        outer = self._placer.existing(place[:-1]) if point.side == "applied" else None
        if outer is not None:
            yield outer[0]
        if (held := self._placer.existing(place)) is None:
            return
        resource, steps = held
        if point.side in {"used", "taken"}:
            node = self._placer.node(place)
            wanted = [self._declared(point.steps)] if point.side == "used" else self._placer.maker.find_values(node)
            found = (self._placer.place_value(place, value) for value in itertools.islice(wanted, _MOST_VALUES))
            yield from (one[0] for one in found if one is not None)
        elif point.side == "null-kept":
            yield objectplaces.replaced(resource, steps, None)
        elif point.side in _ADDED:
            fields = _ADDED[point.side](self._placer.node(place))
            yield from (
                objectplaces.replaced(resource, steps, {**objectplaces.at(resource, steps), **one}) for one in fields
            )
        else:
            yield resource

    def _declared(self, steps: Steps) -> Any:
        """Return what stands at *steps* in the schema."""
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
_FROM_OBJECTS: Final = frozenset({"set", "applied", "stored", "used", "taken", "null-kept", *_ADDED})


def _given(
    sent: Mapping[str, Any] | None, subresource: str, old: Mapping[str, Any] | None = None
) -> Iterator[Suggestion]:
    if sent is not None:
        yield Suggestion(sent, subresource, old)
