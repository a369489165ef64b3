"""Lists whose items have separate field owners: all of a version, and those without items in the samples."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from pytest_crd.checks.samplefiles import Sample
from pytest_crd.engine import CrdVersion
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.schema import ownertypes
from pytest_crd.engine.schema.schemamap import Each, Place, SchemaNode
from pytest_crd.engine.schema.subschemas import Schema

# A schema without these keys is neither a list nor the parent of one.
_INNER: Final = frozenset({ownertypes.LIST_TYPE, "properties", *(step.value for step in Each)})


def find_all(version: CrdVersion) -> Iterator[SchemaNode]:
    """Yield the schema nodes of all lists whose items have separate field owners, outer lists first."""
    yield from _nodes(version, _places(version.schema_map.schema, ()))


def find_unreached(version: CrdVersion, samples: Sequence[Sample]) -> Iterator[SchemaNode]:
    """Yield the schema nodes of the lists from `find_all` that have no items in any sample."""
    objects = [item.manifest.value for item in samples if item.version == version.name and item.can_be_applied]
    places = _places(version.schema_map.schema, ())
    yield from _nodes(version, (place for place in places if not any(_has(item, place) for item in objects)))


def _nodes(version: CrdVersion, places: Iterable[Place]) -> Iterator[SchemaNode]:
    for place in places:
        node = version.schema_map.at(place)
        if node is not None and node.meta_of is None:
            yield node


def _places(schema: Schema, place: Place) -> Iterator[Place]:
    """Yield the places of these lists, without visiting the schemas that contain none."""
    if ownertypes.shares_by_item(schema):
        yield place
    for name, child in (schema.get("properties") or {}).items():
        if not _INNER.isdisjoint(child):
            yield from _places(child, (*place, name))
    for step in Each:
        if isinstance(child := schema.get(step.value), Mapping):
            yield from _places(child, (*place, step))


def _has(value: JSONValue, place: Place) -> bool:
    """Return whether an object has a non-empty list at a place."""
    if not place:
        return bool(value)
    step, *rest = place
    if isinstance(step, Each):
        below = value if isinstance(value, list) else list(value.values()) if isinstance(value, dict) else []
        return any(_has(child, tuple(rest)) for child in below)
    return isinstance(value, dict) and step in value and _has(value[step], tuple(rest))
