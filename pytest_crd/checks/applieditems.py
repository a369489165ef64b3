"""Objects with an additional item in each list that has an owner for each item."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from pytest_crd.engine import CrdVersion
from pytest_crd.engine.errors.failedrule import Steps
from pytest_crd.engine.jsonvalue import JSONObject, JSONValue
from pytest_crd.engine.schema import ownertypes
from pytest_crd.engine.schema.schemamap import SchemaNode
from pytest_crd.synthesis import objectplaces
from pytest_crd.synthesis.demands import ANYTHING, Demand
from pytest_crd.synthesis.schemavalues import Maker


def add_items(version: CrdVersion, value: JSONObject) -> JSONObject:
    """
    Return an object with one more item in each list that has an owner for each item.

    Args:
        version: The version of the object.
        value: The object.
    """
    root = Demand.of_version(version)
    for steps in reversed([*_open_lists(version.schema_map, value, ())]):  # inner lists before outer ones
        items = objectplaces.get_value(value, steps)
        more = _find_new_item(root.at(steps), items)
        value = objectplaces.replace_value(value, steps, [*items, *more])
    return value


def find_optional_keys(demand: Demand) -> list[str]:
    """Return the map keys of a list that its items need not state, and that have no default."""
    required = (demand.items or ANYTHING).required
    return [name for name, key in _keys(demand, {}).items() if key is None and name not in required]


def _open_lists(node: SchemaNode, value: JSONValue, steps: Steps) -> Iterator[Steps]:
    """Yield the non-empty lists with an owner for each item that are in no list or map with a single owner."""
    if isinstance(value, list) and value:
        if not ownertypes.is_shared_by_item(node):
            return
        yield steps
        children: Iterator[tuple[str | int, JSONValue]] = enumerate(value)
    elif isinstance(value, dict) and not ownertypes.is_atomic_map(node):
        children = iter(value.items())
    else:
        return
    for step, child in children:
        inner = node.child(step)
        if inner is not None and inner.meta_of is None:
            yield from _open_lists(inner, child, (*steps, step))


def _find_new_item(demand: Demand, items: list[JSONValue]) -> list[JSONValue]:
    """Return another item for a list; for a map list, a copy of the last one with new keys. Empty if the schema allows none."""
    candidates = _make_items(demand, len(items) + 1)
    if not demand.map_keys:
        return next(([value] for value in candidates if value not in items), [])
    used_keys = [_keys(demand, item) for item in items]
    last = items[-1] if isinstance(items[-1], dict) else {}
    for candidate in candidates:
        keys = _keys(demand, candidate)
        if keys not in used_keys:
            return [{**last, **{name: key for name, key in keys.items() if key is not None}}]
    return []


def _make_items(demand: Demand, most: int) -> list[JSONValue]:
    maker = Maker()
    counts = itertools.takewhile(lambda count_tried: count_tried > 0, (most, most - 1))
    return next((items for count in counts if (items := maker.items(demand, count)) is not None), [])


def _keys(demand: Demand, item: JSONValue) -> dict[str, JSONValue]:
    """Return the map keys of an item, with their defaults where it states none."""
    of_item = demand.items or ANYTHING
    fields = item if isinstance(item, dict) else {}
    return {name: fields.get(name, (of_item.field(name) or ANYTHING).default) for name in demand.map_keys}
