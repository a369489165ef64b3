"""
Surroundings: objects in which a change of one field meets what the CRDs say of the object, the list or the rules around it.

A default may be one field too many, a field that goes the only one there was, and the same key in two items.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from pytest_crd.engine.schema.schemamap import Each, Place
from pytest_crd.synthesis import Boundaries, objectplaces
from pytest_crd.synthesis.demands import Demand
from pytest_crd.upgrades.schemadifferences import Difference
from pytest_crd.upgrades.upgradefindings import Resource

_COUNTING: Final = ("minProperties", "maxProperties", "required", "allOf", "anyOf", "oneOf", "not")
_MOST_SIBLINGS: Final = 8


def of_field(side: Boundaries, difference: Difference) -> Iterator[Resource]:
    """Yield objects around a field that comes, goes, or is put in otherwise: it alone, its siblings without it."""
    *outer, name = difference.place
    held = side.existing(tuple(outer))
    if held is None:
        return
    resource, steps = held
    demand = side.root.at(outer)
    if isinstance(name, str) and any(schema.get(keyword) for schema in demand.schemas for keyword in _COUNTING):
        for fields in _combined(side, demand, name):
            yield objectplaces.replaced(resource, steps, {**_kept(objectplaces.at(resource, steps), demand), **fields})
    if outer and outer[-1] is Each.ITEM and isinstance(name, str):
        item, field = objectplaces.at(resource, steps), demand.field(name)
        values = [] if field is None else itertools.islice(side.maker.find(field), _MOST_SIBLINGS)
        yield from (objectplaces.replaced(resource, steps[:-1], items) for items in _alike(item, name, values))


def _kept(value: Any, demand: Demand) -> dict[str, Any]:
    """Return what of an object has to be there, as it is an object of Kubernetes or its schema demands it; of null nothing."""
    fields: Mapping[str, Any] = value if isinstance(value, Mapping) else {}
    return {key: one for key, one in fields.items() if key in {"apiVersion", "kind", "metadata", *demand.required}}


def _combined(side: Boundaries, demand: Demand, name: str) -> Iterator[dict[str, Any]]:
    """Yield fields of an object: the one called *name* alone, each other one, and as many others as there may be."""
    made = {one: side.maker.first(child) for one, child in demand.properties.items() if one not in demand.required}
    others = {one: value for one, value in made.items() if one != name}
    yield from ({name: made[name]} for _ in range(name in made))
    yield {}
    yield from ({one: value} for one, value in itertools.islice(others.items(), _MOST_SIBLINGS))
    most = demand.most("maxProperties")
    room = len(others) if most is None else max(0, most - len(demand.required))
    yield dict(itertools.islice(others.items(), room))


def _alike(item: Any, name: str, values: Iterable[Any]) -> Iterator[list[Any]]:
    """Yield two items that are the same but for a field: one without it, and one that has what may be put in there."""
    if isinstance(item, dict):
        without = {key: value for key, value in item.items() if key != name}
        yield from ([without, {**without, name: value}] for value in values)


def in_other_orders(side: Boundaries, listed: tuple[Place, ...]) -> Iterator[Resource]:
    """Yield objects in which lists of the same object have the same items, in one order and in the other."""
    *outer, _ = listed[0]
    held = side.existing(tuple(outer))
    if held is None:
        return
    resource, steps = held
    names = [place[-1] for place in listed if list(place[:-1]) == outer and isinstance(place[-1], str)]
    two = [
        items
        for name in names
        if (field := side.root.at((*outer, name))).type == "array" and (items := side.maker.items(field, 2)) is not None
    ]
    fields = _kept(objectplaces.at(resource, steps), side.root.at(outer))
    for items in two:
        for turned in range(len(names)):
            values = {name: items[::-1] if index == turned else items for index, name in enumerate(names)}
            yield objectplaces.replaced(resource, steps, {**fields, **values})
