"""
Ratcheting: correspondence of old and new values in an update, and whether they changed.

Unchanged values need not satisfy a schema that was tightened since (KEP-4008).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import cached_property

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.schema.subschemas import Schema


class Correlation:
    """
    A new value with the old value that it replaces.

    Attributes:
        new: The new value.
        old: The old value.

    Reference:
        apiserver pkg/cel/common/equality.go, CorrelatedObject.
    """

    def __init__(self, new: JSONValue, old: JSONValue, schema: Schema) -> None:
        self.new = new
        self.old = old
        self._schema = schema
        self._children: dict[str | int, Correlation | None] = {}

    def field(self, name: str) -> Correlation | None:
        """Return the correlation of the field or map entry *name*; None if old or new lacks it, or it has no schema."""
        if name not in self._children:
            self._children[name] = self._field(name)
        return self._children[name]

    def item(self, index: int) -> Correlation | None:
        """
        Return the correlation of the item at *index* of the new list.

        Returns:
            None if there is no old item: only items of a list-map correspond, by their keys.
        """
        if index not in self._children:
            self._children[index] = self._item(index)
        return self._children[index]

    @cached_property
    def is_unchanged(self) -> bool:
        """
        Whether new and old value are equal.

        Unlike in JSON, items of a list-map may change places, and values without a schema count as changed.
        """
        if isinstance(self.new, dict) and isinstance(self.old, dict):
            return len(self.new) == len(self.old) and all(_is_unchanged(self.field(name)) for name in self.new)
        if isinstance(self.new, list) and isinstance(self.old, list) and self._is_list_map:
            same_length = len(self.new) == len(self.old)
            return same_length and all(_is_unchanged(self.item(index)) for index in range(len(self.new)))
        return jsonvalue.equal(self.new, self.old)

    def _field(self, name: str) -> Correlation | None:
        if not isinstance(self.new, dict) or not isinstance(self.old, dict):
            return None
        if name not in self.new or name not in self.old:
            return None
        schema = (self._schema.get("properties") or {}).get(name, self._schema.get("additionalProperties"))
        return Correlation(self.new[name], self.old[name], schema) if isinstance(schema, Mapping) else None

    def _item(self, index: int) -> Correlation | None:
        item, schema = self.new[index], self._schema.get("items")
        old = self._old_items.get(item_keys(item, self._keys))
        return None if old is None or not isinstance(schema, Mapping) else Correlation(item, old, schema)

    @property
    def _is_list_map(self) -> bool:
        return self._schema.get("x-kubernetes-list-type") == "map"

    @property
    def _keys(self) -> tuple[str, ...]:
        return tuple(self._schema.get("x-kubernetes-list-map-keys") or ())

    @cached_property
    def _old_items(self) -> dict[Hashable, JSONValue]:
        """The old items by their keys; empty unless the list is a list-map."""
        return index_by_keys(self.old, self._keys) if self._is_list_map else {}


def index_by_keys(items: JSONValue, names: Sequence[str]) -> dict[Hashable, JSONValue]:
    """Return the items of a list-map by their keys; the first item wins."""
    items_by_keys: dict[Hashable, JSONValue] = {}
    for item in items if isinstance(items, list) else ():
        if (key := item_keys(item, names)) is not None:
            items_by_keys.setdefault(key, item)
    return items_by_keys


def _is_unchanged(correlation: Correlation | None) -> bool:
    return correlation is not None and correlation.is_unchanged


def item_keys(item: JSONValue, names: Sequence[str]) -> Hashable:
    """
    Return the identity of an item of a list-map by its keys; None if a key is missing or not a scalar.

    Reference:
        apiserver pkg/cel/common/maplist.go, singleKeyStrategy and multiKeyStrategy.
    """
    if not isinstance(item, dict) or not names:
        return None
    values = [item.get(name) for name in names]
    if any(value is None or isinstance(value, dict | list) for value in values):
        return None
    # With several keys, Go compares numbers by their printed form with six decimals.
    return tuple((type(v), f"{v:f}" if isinstance(v, float) and len(values) > 1 else v) for v in values)
