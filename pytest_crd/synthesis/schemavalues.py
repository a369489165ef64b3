"""
Values that a schema may ask for, the likeliest first.

What they are is read off the keywords. Whether a server accepts them is for the engine to say: of rules and of `not` nothing is known
here.
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
    Makes values.

    Attributes:
        full: Whether all that may be there is there; else what must be, and nothing more.
    """

    full: bool = False

    def first(self, node: Demand) -> Any:
        """Return the likeliest value."""
        return next(self.find(node), None)

    def find(self, node: Demand) -> Iterator[Any]:
        """Yield values that may be what *node* asks for, each once, at most some dozens."""
        seen: list[Any] = []
        for value in itertools.islice(self._all(node), _MOST):
            if not any(_are_same(value, other) for other in seen):
                seen.append(value)
                yield value

    def _all(self, node: Demand) -> Iterator[Any]:
        if node.default is not None:
            yield node.default
        yield from _in_turn([self._of_type(alternative) for alternative in node.alternatives()])
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
            yield from texts.find(node.text)
        elif node.type in {"integer", "number"}:
            yield from numbervalues.find(node.number)
        elif node.type == "boolean":
            yield from (True, False) if self.full else (False, True)
        elif node.type == INT_OR_STRING:
            yield from _in_turn([iter(numbervalues.find(node.number)), iter(texts.find(node.text))])
        else:
            yield from ({}, "a", 1, True, [])

    def _objects(self, node: Demand) -> Iterator[dict[str, Any]]:
        made = self._object(node, _resource_fields(node))
        yield made
        # One field at a time is another.
        for name, child in node.properties.items():
            if name in made:
                for value in itertools.islice(self.find(child), 1, 6):
                    yield {**made, name: value}

    def _object(self, node: Demand, made: dict[str, Any]) -> dict[str, Any]:
        """Return *made* with the fields that are asked for."""
        for name in node.properties if self.full else node.required:
            child = node.field(name)
            if name not in made and child is not None and (self.full or child.default is None):
                made[name] = self.first(child)
        for name in node.required:
            if name not in made and node.field(name) is None:
                made[name] = "a"
        for name, child in node.properties.items():
            if len(made) >= node.least("minProperties"):
                break
            made.setdefault(name, self.first(child))
        values = node.values or (ANYTHING if node.keeps_unknown_fields else None)
        if values is not None:
            wanted = max(node.least("minProperties"), int(self.full and not node.properties))
            most = node.most("maxProperties")
            for key in itertools.islice(KEYS, max(0, (wanted if most is None else min(wanted, most)) - len(made))):
                made[key] = self.first(values)
        return made

    def _lists(self, node: Demand) -> Iterator[list[Any]]:
        most = node.most("maxItems")
        least = max(node.least("minItems"), int(self.full and most != 0))
        for count in (least, least + 1):
            if (most is None or count <= most) and (made := self.items(node, count)) is not None:
                yield made
        if least == 1:
            yield from ([value] for value in itertools.islice(self.find(node.items or ANYTHING), 1, _MOST))

    def items(self, node: Demand, count: int) -> list[Any] | None:
        """Return *count* items of a list as *node* asks for them, told apart where they must be; None where they cannot be."""
        items = node.items or ANYTHING
        if node.map_keys:
            made = list(itertools.islice(self._keyed(items, node.map_keys), count))
        elif node.is_unique:
            made = list(itertools.islice(self.find(items), count))
        else:
            made = [self.first(items)] * count
        return made if len(made) == count else None

    def _keyed(self, items: Demand, names: Sequence[str]) -> Iterator[Any]:
        """Yield items of a `map` list: alike but for their keys, which have these *names*."""
        item = next((one for one in self.find(items) if isinstance(one, dict)), None)
        if item is None:  # an enum of other values, of which none can stand there
            return
        keys = [list(self.find(items.field(name) or ANYTHING)) for name in names]
        yield from ({**item, **dict(zip(names, chosen, strict=True))} for chosen in itertools.product(*keys))


def _resource_fields(node: Demand) -> dict[str, Any]:
    """Return what every embedded object of Kubernetes has; nothing for other objects."""
    if not node.is_embedded_resource:
        return {}
    return {"apiVersion": "v1", "kind": "ConfigMap", _METADATA: {"name": NAME}}


def _in_turn(iterators: list[Iterator[Any]]) -> Iterator[Any]:
    """Yield the next value of each iterator, round by round."""
    nothing = object()
    for values in itertools.zip_longest(*iterators, fillvalue=nothing):
        yield from (value for value in values if value is not nothing)


def _are_same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and one == other
