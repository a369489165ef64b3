"""The walk to the embedded resources in a value: along its schema, by sorted keys, with what is to be done with each."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Generic, TypeAlias, TypeVar

from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.schema.structural import Structural

T = TypeVar("T")

# Takes a value and its path, appends what is found, and returns the value that stands there then.
Walk: TypeAlias = Callable[[JSONValue, FieldPath, list[T]], JSONValue]

# In place of a value that is to go.
DROPPED: Final = object()


@dataclass(frozen=True, slots=True)
class Below(Generic[T]):
    """The walks below a node: of the properties that need one, of all other entries, and of list items."""

    properties: dict[str, Walk[T]]
    specified: frozenset[str]
    additional: Walk[T] | None
    items: Walk[T] | None

    def keys(self, value: dict[str, JSONValue], extra: tuple[str, ...] = ()) -> list[str]:
        """Return the keys of *value* that need a walk, and those of *extra*, sorted."""
        if self.additional is not None:
            return sorted(value)
        return sorted(value.keys() & {*self.properties, *extra})

    def entry(self, key: str, item: JSONValue, path: FieldPath, found: list[T]) -> JSONValue:
        """Walk the value under *key* of the object at *path*."""
        if (walk := self.properties.get(key)) is not None:
            return walk(item, path.child(key), found)
        if self.additional is not None and key not in self.specified:
            return self.additional(item, path.key(key), found)
        return item

    def object(self, value: dict[str, JSONValue], path: FieldPath, found: list[T]) -> JSONValue:
        """Walk all entries of an object."""
        if self.additional is None and self.properties.keys().isdisjoint(value):
            return value  # as in most objects
        return with_changes(value, {key: self.entry(key, value[key], path, found) for key in self.keys(value)})

    def list(self, value: JSONValue, path: FieldPath, found: list[T]) -> JSONValue:
        """Walk all items of a list; anything else stays as it is."""
        if self.items is None or type(value) is not list:
            return value
        changed = [self.items(item, path.index(index), found) for index, item in enumerate(value)]
        return value if all(map(operator.is_, changed, value)) else changed


# Makes the walk of an object that is an embedded resource, of its schema and the walks below.
OfResource: TypeAlias = Callable[[Structural, Below[T]], Walk[T]]


def compile(schema: Structural, of_resource: OfResource[T]) -> Walk[T] | None:  # noqa: A001 - read as embedded.compile
    """Return the walk of a value of *schema*; None if there is no embedded resource in it."""
    properties = {
        name: found for name, below in schema.properties.items() if (found := compile(below, of_resource)) is not None
    }
    additional = None if schema.value_schema is None else compile(schema.value_schema, of_resource)
    items = None if schema.items is None else compile(schema.items, of_resource)
    if not (properties or additional or items or schema.x_embedded_resource):
        return None  # as almost everywhere, so that nothing is put together before
    below = Below(properties, frozenset(schema.properties), additional, items)
    of_object = of_resource(schema, below) if schema.x_embedded_resource else below.object

    def walk(value: JSONValue, path: FieldPath, found: list[T]) -> JSONValue:
        return of_object(value, path, found) if type(value) is dict else below.list(value, path, found)

    return walk


def with_changes(value: dict[str, JSONValue], changes: dict[str, JSONValue]) -> dict[str, JSONValue]:
    """Return *value* itself if nothing changed, else a copy with *changes* in the places of the old entries."""
    if all(item is value[key] for key, item in changes.items()):
        return value
    return {key: item for key, item in {**value, **changes}.items() if item is not DROPPED}
