"""Probes: values at the places of a schema that may show a difference between a class and a CRD."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.schema.schemamap import RULES, Each, Place
from pytest_crd.synthesis import Boundaries, boundaryvalues, objectplaces, patternvariants
from pytest_crd.synthesis.boundaries import keywords
from pytest_crd.synthesis.demands import Demand

Resource: TypeAlias = Mapping[str, Any]
Steps: TypeAlias = tuple[str | int, ...]

STATUS: Final = "status"
# A field that is left out.
ABSENT: Final = object()
# A number between two integers, and the name of a field that no schema declares.
_FRACTION: Final = 0.5
_UNKNOWN: Final = "unknownField"
# How many values of each side of a keyword are tried.
_MOST_INSIDE: Final = 2
_MOST_OUTSIDE: Final = 6
_MOST_OF_JUNCTOR: Final = 24
JUNCTORS: Final = ("allOf", "anyOf", "oneOf", "not")
_INNER: Final = frozenset({"additionalProperties", "description", "items", "properties"})


class Probe(NamedTuple):
    """
    A value at a place.

    Attributes:
        steps: The steps to the value.
        value: The value; `ABSENT` if the field is left out.
        base: An accepted object with the parent of the place.
    """

    steps: Steps
    value: Any
    base: Resource

    def put_into(self, resource: Resource) -> Resource:
        """Return an object with the value of the probe; *resource* has the parent of its place."""
        if self.value is not ABSENT:
            replaced: Resource = objectplaces.replace_value(resource, self.steps, self.value)
            return replaced
        if self.steps[-1] not in objectplaces.get_value(resource, self.steps[:-1]):
            return resource
        removed: Resource = objectplaces.remove_value(resource, self.steps)
        return removed

    def is_around(self, steps: Steps) -> bool:
        """Return whether *steps* lead to the value of the probe, or into it."""
        return steps[: len(self.steps)] == self.steps


def find_groups(finder: Boundaries, other: Boundaries | None = None) -> Iterator[list[list[Probe]]]:
    """
    Yield groups of probes of a schema, with the probes of each place in one list; no place of a group is inside another one.

    Args:
        finder: The finder of objects of the schema.
        other: The finder of a schema with known probes; places that it specifies in the same way are left out.
    """
    places = [
        (place, values)
        for place, node in (*finder.places(), *_find_unknown(finder))
        if place and (values := _find_values(finder, place, node, other))
    ]
    by_level = sorted(places, key=lambda item: (finder.placer.subresource(item[0]), len(item[0])))
    for _, group in itertools.groupby(by_level, key=lambda item: (finder.placer.subresource(item[0]), len(item[0]))):
        probes = (list(_place_values(finder, place, values)) for place, values in group)
        yield [of_place for of_place in probes if of_place]


def find_objects(finder: Boundaries, other: Boundaries | None = None) -> Iterator[Resource]:
    """Yield the objects at the boundaries of rules and junctors, which concern several fields; *other* as for `find_groups`."""
    for place, node in finder.places():
        if other is None or not _has_same_keywords(node, other.root.at(place)):
            for keyword in keywords(node):
                if keyword in JUNCTORS or keyword.startswith(RULES):
                    boundary = finder.find_boundary(place, keyword)
                    yield from (item for item in (boundary.inside, boundary.outside) if item is not None)


def _find_unknown(finder: Boundaries) -> Iterator[tuple[Place, Demand]]:
    """Yield a place without a schema in each object that keeps unknown fields beside others."""
    for place, node in finder.places():
        if node.keeps_unknown_fields and "properties" in node.structure:
            yield (*place, _UNKNOWN), Demand(({},))


def _find_values(finder: Boundaries, place: Place, node: Demand, other: Boundaries | None) -> list[Any]:
    """Return the values of the probes of a place: on both sides of each keyword, each value of an enum, and an absent field."""
    if other is not None and place[-1] != _UNKNOWN and _has_same_keywords(node, other.root.at(place)):
        return []
    values: list[Any] = [ABSENT] if isinstance(place[-1], str) else []
    for alternative in (node, *node.alternatives()):
        for keyword in boundaryvalues.keywords(alternative):
            sides = boundaryvalues.find_sides(alternative, keyword, finder.maker)
            values += (*sides.inside[:_MOST_INSIDE], *sides.inside[-1:], *sides.outside[:_MOST_OUTSIDE])
        values += alternative.enum or ()
    for junctor in filter(node.structure.get, JUNCTORS):
        values += itertools.islice(boundaryvalues.find_junctor_values(node, junctor, finder.maker), _MOST_OF_JUNCTOR)
    if node.type == "number":
        values.append(node.structure.get("minimum", 0) + _FRACTION)
    if not node.type:
        values.append("a")
    if other is not None:
        values += _find_texts(node, other.root.at(place))
    return _without_repetitions(values)


def _find_texts(node: Demand, other: Demand) -> Iterator[str]:
    """Yield texts that one of two patterns matches, and the other does not."""
    both = (node.structure.get("pattern"), other.structure.get("pattern"))
    if None not in both and both[0] != both[1]:
        yield from filter(None, (patternvariants.find_text(*both), patternvariants.find_text(*both[::-1])))


def merge(first: Any, second: Any) -> Any:
    """Return an object with the fields of both objects and the items of both lists; otherwise *first*."""
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        both = {name: merge(first[name], second[name]) for name in first if name in second}
        return {**first, **second, **both}
    if isinstance(first, list) and isinstance(second, list):
        common = min(len(first), len(second))
        return [*(merge(*pair) for pair in zip(first, second, strict=False)), *first[common:], *second[common:]]
    return first


def _without_repetitions(values: Sequence[Any]) -> list[Any]:
    own: list[Any] = []
    for value in values:
        if not any(value is item or (ABSENT not in (value, item) and jsonvalue.equal(value, item)) for item in own):
            own.append(value)
    return own


def _has_same_keywords(node: Demand, other: Demand) -> bool:
    """Return whether two schemas have the same keywords, except for inner values."""
    first, second = (
        {key: value for key, value in demand.structure.items() if key not in _INNER} for demand in (node, other)
    )
    return len(node.schemas) == len(other.schemas) == 1 and jsonvalue.equal(first, second)


def _place_values(finder: Boundaries, place: Place, values: Sequence[Any]) -> Iterator[Probe]:
    """Yield the probes of a place; none if no accepted object has its parent."""
    outer = finder.existing(place[:-1])
    for value in () if outer is None else values:
        placed = finder.placer.insert_value(place, None if value is ABSENT else value)
        is_dropped_null = value is None and not _takes_null(finder, place)
        if outer is not None and placed is not None and not is_dropped_null:
            yield Probe(placed[1], value, outer[0])


def _takes_null(finder: Boundaries, place: Place) -> bool:
    """Return whether a null is a value: a server drops the null of a field without `nullable`, and refuses the null of an item."""
    return place[-1] is Each.ITEM or finder.placer.node(place).is_nullable
