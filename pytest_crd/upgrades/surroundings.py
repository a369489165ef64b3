"""
Surroundings: objects in which a changed field meets the keywords and rules of its parent object or list.

A default may exceed a limit, a removed field may have been the only one, and two items may get the same key.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from pytest_crd.engine.schema.schemamap import Each, Place
from pytest_crd.synthesis import Boundaries, objectplaces
from pytest_crd.synthesis.demands import Demand
from pytest_crd.synthesis.schemavalues import KEYS
from pytest_crd.upgrades.schemadifferences import Difference
from pytest_crd.upgrades.upgradefindings import Resource

_COUNTING: Final = ("minProperties", "maxProperties", "required", "allOf", "anyOf", "oneOf", "not")
_MOST_SIBLINGS: Final = 8
_NULL: Final = "null"


def vary_field(side: Boundaries, difference: Difference) -> Iterator[Resource]:
    """Yield objects around an added, removed, defaulted or nullable field: the field alone, and its siblings without it or with null."""
    outer, name = difference.place[:-1], next(reversed(difference.place), None)
    placed = side.existing(outer)
    if placed is None:
        return
    resource, steps = placed
    demand = side.root.at(outer)
    if isinstance(name, str) and any(schema.get(keyword) for schema in demand.schemas for keyword in _COUNTING):
        required = _required_fields(objectplaces.get_value(resource, steps), demand)
        for fields in _combined(side, demand, name):
            yield objectplaces.replace_value(resource, steps, {**required, **fields})
            if difference.keyword == "nullable":  # a null that is kept counts as a field
                yield objectplaces.replace_value(resource, steps, {**required, **fields, name: None})
    if name is Each.VALUE and difference.keyword in {"nullable", "default"}:
        existing = objectplaces.get_value(resource, steps)
        for fields in (existing or {}, _full_map(existing, side, demand)):
            yield objectplaces.replace_value(resource, steps, {**fields, _NULL: None})
    if outer and outer[-1] is Each.ITEM and isinstance(name, str):
        item, field = objectplaces.get_value(resource, steps), demand.field(name)
        values = [] if field is None else itertools.islice(side.maker.find_values(field), _MOST_SIBLINGS)
        yield from (
            objectplaces.replace_value(resource, steps[:-1], items) for items in _nearly_equal_items(item, name, values)
        )


def find_defaulted(side: Boundaries, place: Place) -> Iterator[Resource]:
    """Yield objects with each value below *place* that gets defaults: without the fields, and with null for an item or a map value."""
    for inner, demand in side.places():
        if inner[: len(place)] != place:
            continue
        nulls = [
            null for child, null in ((demand.items, [None]), (demand.values, {_NULL: None})) if _has_default(child)
        ]
        if not (nulls or any(map(_has_default, demand.properties.values()))):
            continue
        if (placed := side.existing(inner)) is not None:
            yield placed[0]
            yield from (objectplaces.replace_value(*placed, null) for null in nulls)


def _has_default(demand: Demand | None) -> bool:
    return demand is not None and demand.default is not None


def _required_fields(value: Any, demand: Demand) -> dict[str, Any]:
    """Return the fields of *value* that every Kubernetes object has or that the schema requires; empty for null."""
    fields: Mapping[str, Any] = value if isinstance(value, Mapping) else {}
    return {key: field for key, field in fields.items() if key in {"apiVersion", "kind", "metadata", *demand.required}}


def _combined(side: Boundaries, demand: Demand, name: str) -> Iterator[dict[str, Any]]:
    """Yield fields of an object: *name* alone, each other field alone, and as many others as the schema allows."""
    values = {key: side.maker.first(child) for key, child in demand.properties.items() if key not in demand.required}
    siblings = {key: value for key, value in values.items() if key != name}
    yield from ({name: values[name]} for _ in range(name in values))
    yield {}
    yield from ({key: value} for key, value in itertools.islice(siblings.items(), _MOST_SIBLINGS))
    most = demand.most("maxProperties")
    room = len(siblings) if most is None else max(0, most - len(demand.required))
    yield dict(itertools.islice(siblings.items(), room))


def _full_map(existing: Any, side: Boundaries, demand: Demand) -> dict[str, Any]:
    """Return a map with as many keys as `maxProperties` allows; with its required fields only if there is no such limit."""
    fields = _required_fields(existing, demand)
    room = max(0, (demand.most("maxProperties") or 0) - len(fields))
    return {**fields, **dict.fromkeys(KEYS[:room], side.maker.first(demand.inner(Each.VALUE)))}


def _nearly_equal_items(item: Any, name: str, values: Iterable[Any]) -> Iterator[list[Any]]:
    """Yield pairs of items that are equal except for one field: the first lacks it, the second has a value from *values*."""
    if isinstance(item, dict):
        without = {key: value for key, value in item.items() if key != name}
        yield from ([without, {**without, name: value}] for value in values)


def reorder_lists(side: Boundaries, listed: tuple[Place, ...]) -> Iterator[Resource]:
    """Yield objects in which lists of one parent have the same two items, one list in reverse order."""
    *outer, _ = listed[0]
    placed = side.existing(tuple(outer))
    if placed is None:
        return
    resource, steps = placed
    names = [place[-1] for place in listed if list(place[:-1]) == outer and isinstance(place[-1], str)]
    item_pairs = [
        items
        for name in names
        if (field := side.root.at((*outer, name))).type == "array" and (items := side.maker.items(field, 2)) is not None
    ]
    fields = _required_fields(objectplaces.get_value(resource, steps), side.root.at(outer))
    for items in item_pairs:
        for reversed_index in range(len(names)):
            values = {name: items[::-1] if index == reversed_index else items for index, name in enumerate(names)}
            yield objectplaces.replace_value(resource, steps, {**fields, **values})
