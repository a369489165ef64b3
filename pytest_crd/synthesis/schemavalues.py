"""
Values that a schema may accept, the likeliest first.

They are derived from the keywords. The engine decides whether they are accepted; rules and `not` are ignored here.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pytest_crd.synthesis import numbervalues, texts
from pytest_crd.synthesis.demands import ANYTHING, INT_OR_STRING, Demand

_MOST: Final = 40
KEYS: Final = ("key", *(f"key{index}" for index in range(2, 1000)))
_METADATA: Final = "metadata"
NAME: Final = "example"


@dataclass(frozen=True, slots=True)
class Maker:
    """
    A source of values.

    Attributes:
        full: Whether optional parts are included; else only required ones.
    """

    full: bool = False

    def first(self, node: Demand) -> Any:
        """Return the likeliest value; None if no value is known."""
        return next(self.find_values(node), None)

    def find_values(self, node: Demand) -> Iterator[Any]:
        """Yield values that *node* may accept, without duplicates, at most some dozens; do not modify them, as others get them, too."""
        if self.full not in node.known_values:
            node.known_values[self.full] = self._make_values(node)
        node.known_values[self.full], values = itertools.tee(node.known_values[self.full])
        return values

    def _make_values(self, node: Demand) -> Iterator[Any]:
        values: list[Any] = []
        for value in itertools.islice(self._all(node), _MOST):
            if not any(_are_same(value, earlier) for earlier in values):
                values.append(value)
                yield value

    def _all(self, node: Demand) -> Iterator[Any]:
        if node.default is not None:
            yield node.default
        yield from _interleave([self._of_type(alternative) for alternative in node.alternatives()])
        if node.is_nullable:
            yield None

    def _of_type(self, node: Demand) -> Iterator[Any]:
        if node.enum is not None:
            yield from node.enum
        elif node.type == "object":
            yield from self._objects(node)
        elif node.type == "array":
            yield from self._lists(node)
        elif node.type == "string":
            yield from texts.find_texts(node.text)
        elif node.type in {"integer", "number"}:
            yield from numbervalues.find_numbers(node.number)
        elif node.type == "boolean":
            yield from (True, False) if self.full else (False, True)
        elif node.type == INT_OR_STRING:
            yield from _interleave([iter(numbervalues.find_numbers(node.number)), iter(texts.find_texts(node.text))])
        else:
            yield from ({}, "a", 1, True, [])

    def _objects(self, node: Demand) -> Iterator[dict[str, Any]]:
        fields = self._object(node, _resource_fields(node))
        yield fields
        # One field at a time varies.
        for name, child in node.properties.items():
            if name in fields:
                for value in itertools.islice(self.find_values(child), 1, 6):
                    yield {**fields, name: value}

    def _object(self, node: Demand, fields: dict[str, Any]) -> dict[str, Any]:
        """Return *fields* with the demanded fields added."""
        for name in node.properties if self.full else node.required:
            child = node.field(name)
            if name not in fields and child is not None and (self.full or child.default is None):
                fields[name] = self.first(child)
        for name in node.required:
            if name not in fields and node.field(name) is None:
                fields[name] = "a"
        for name, child in node.properties.items():
            if len(fields) >= node.least("minProperties"):
                break
            fields.setdefault(name, self.first(child))
        values = node.values or (ANYTHING if node.keeps_unknown_fields else None)
        if values is not None:
            wanted = max(node.least("minProperties"), int(self.full and not node.properties))
            most = node.most("maxProperties")
            for key in itertools.islice(KEYS, max(0, (wanted if most is None else min(wanted, most)) - len(fields))):
                fields[key] = self.first(values)
        return fields

    def _lists(self, node: Demand) -> Iterator[list[Any]]:
        most = node.most("maxItems")
        least = max(node.least("minItems"), int(self.full and most != 0))
        for count in (least, least + 1):
            if (most is None or count <= most) and (items := self.items(node, count)) is not None:
                yield items
        if least == 1:
            yield from ([value] for value in itertools.islice(self.find_values(node.items or ANYTHING), 1, _MOST))

    def items(self, node: Demand, count: int) -> list[Any] | None:
        """Return *count* list items for *node*, distinct if required; None if there are not enough."""
        items = node.items or ANYTHING
        if node.map_keys:
            values = list(itertools.islice(self._items_by_key(items, node.map_keys, count), count))
        elif node.is_unique:
            values = self._distinct(items, count)
        else:
            values = [self.first(items)] * count
        return values if len(values) == count else None

    def _items_by_key(self, items: Demand, names: Sequence[str], count: int) -> Iterator[Any]:
        """Yield *count* items of a `map` list that differ in the keys *names* only; fewer if no more are known."""
        item = next((value for value in self.find_values(items) if isinstance(value, dict)), None)
        if item is None:  # An enum without objects has no valid item.
            return
        keys = [self._distinct(items.field(name) or ANYTHING, count) for name in names]
        yield from ({**item, **dict(zip(names, chosen, strict=True))} for chosen in itertools.product(*keys))

    def _distinct(self, node: Demand, count: int) -> list[Any]:
        """Return *count* distinct values; fewer if no more are known."""
        values = [value for value in self.find_values(node) if type(value) is not str or node.text.matches(value)]
        if len(values) < count and node.enum is None:
            if node.type == "string":
                values = [*texts.find_distinct(node.text, count)] or values
            elif node.type in {"integer", "number", INT_OR_STRING}:
                values = [*itertools.islice(numbervalues.count_numbers(node.number), count)]
        return values[:count]


def _resource_fields(node: Demand) -> dict[str, Any]:
    """Return the fields of every embedded resource; empty for other objects."""
    if not node.is_embedded_resource:
        return {}
    return {"apiVersion": "v1", "kind": "ConfigMap", _METADATA: {"name": NAME}}


def _interleave(iterators: list[Iterator[Any]]) -> Iterator[Any]:
    """Yield the next value of each iterator, round by round."""
    nothing = object()
    for values in itertools.zip_longest(*iterators, fillvalue=nothing):
        yield from (value for value in values if value is not nothing)


def _are_same(left: Any, right: Any) -> bool:
    return type(left) is type(right) and left == right
