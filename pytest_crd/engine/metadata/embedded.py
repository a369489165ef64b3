"""Traversal of the embedded resources in a value, along its schema, by sorted keys."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Final, Generic, TypeAlias, TypeVar

from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.schema.structural import EMBEDDED_RESOURCES, Structural

T = TypeVar("T")

# Takes a value and its path, appends findings to a list, and returns the new value.
Walk: TypeAlias = Callable[[JSONValue, FieldPath, list[T]], JSONValue]

# Marks a value to be dropped.
DROPPED: Final = object()


class Below(Generic[T]):
    """The traversals below a node: of properties, of all other entries, and of list items."""

    __slots__ = ("additional", "items", "properties", "specified")

    def __init__(
        self,
        properties: dict[str, Walk[T]],
        specified: frozenset[str],
        additional: Walk[T] | None,
        items: Walk[T] | None,
    ) -> None:
        """Create it; *additional* leaves out the *specified* properties."""
        self.properties = properties
        self.specified = specified
        self.additional = additional
        self.items = items

    def keys(self, value: dict[str, JSONValue], extra: tuple[str, ...] = ()) -> list[str]:
        """Return the sorted keys of *value* that need a traversal, or are in *extra*."""
        return sorted(value if self.additional is not None else value.keys() & {*self.properties, *extra})

    def entry(self, key: str, item: JSONValue, path: FieldPath, findings: list[T]) -> JSONValue:
        """Traverse the value under *key* of the object at *path*."""
        if (walk := self.properties.get(key)) is not None:
            return walk(item, path.child(key), findings)
        if self.additional is not None and key not in self.specified:
            return self.additional(item, path.key(key), findings)
        return item

    def walk(self, value: JSONValue, path: FieldPath, findings: list[T]) -> JSONValue:
        """Traverse all entries of an object, or all items of a list; other values are returned unchanged."""
        if type(value) is dict:
            changes: dict[str, JSONValue] = {}
            for key in self.keys(value):
                if (new := self.entry(key, value[key], path, findings)) is not value[key]:
                    changes[key] = new
            return with_changes(value, changes) if changes else value
        if self.items is None or type(value) is not list:
            return value
        changed = [self.items(item, path.index(index), findings) for index, item in enumerate(value)]
        return value if all(map(operator.is_, changed, value)) else changed


# Creates the traversal of an embedded resource from its schema and the traversals below.
OfResource: TypeAlias = Callable[[Structural, Below[T]], Walk[T]]


def compile(schema: Structural, of_resource: OfResource[T]) -> Walk[T] | None:  # noqa: A001 - used as embedded.compile
    """Return the traversal of a value of *schema*, or None if the schema has no embedded resource."""
    if not schema.parts & EMBEDDED_RESOURCES:
        return None  # the usual case
    properties = {
        name: child
        for name, below in schema.properties.items()
        if below.parts & EMBEDDED_RESOURCES and (child := compile(below, of_resource)) is not None
    }
    additional = None if schema.value_schema is None else compile(schema.value_schema, of_resource)
    items = None if schema.items is None else compile(schema.items, of_resource)
    below = Below(properties, frozenset(schema.properties), additional, items)
    if not schema.x_embedded_resource:
        return below.walk
    of_object = of_resource(schema, below)

    def walk(value: JSONValue, path: FieldPath, findings: list[T]) -> JSONValue:
        return of_object(value, path, findings) if type(value) is dict else below.walk(value, path, findings)

    return walk


def with_changes(value: dict[str, JSONValue], changes: dict[str, JSONValue]) -> dict[str, JSONValue]:
    """Return a copy of *value* with *changes*: replaced in place, or omitted if DROPPED."""
    return {key: item for key, item in {**value, **changes}.items() if item is not DROPPED}
