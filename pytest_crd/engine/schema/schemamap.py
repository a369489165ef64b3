"""
Map of a schema: every place of values in objects, with the schema at that place.

All questions about a schema are answered here: by place, by steps in the schema, or by the path of a value in an
object. Only the passes walk structural schemas themselves, as the server does.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final, TypeAlias

from pytest_crd.engine.errors.origin import Steps
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.schema.structural import META_FIELDS
from pytest_crd.engine.schema.subschemas import Schema

RULES: Final = "x-kubernetes-validations"
KEEPS_UNKNOWN: Final = "x-kubernetes-preserve-unknown-fields"


class Each(enum.Enum):
    """A step for every item of a list, or for every value of a map."""

    ITEM = "items"
    VALUE = "additionalProperties"

    def __repr__(self) -> str:
        """Return the name as in code."""
        return f"Each.{self.name}"


# A place of values in objects: names of fields, `Each` for items and map values.
Place: TypeAlias = "tuple[str | Each, ...]"


def spelled(place: Place) -> str:
    """Return *place* for people: `spec.items[*].name`, also for map values; empty for the whole object."""
    text = "".join("[*]" if isinstance(step, Each) else f".{step}" for step in place)
    return text.removeprefix(".")


def steps_of(place: Place) -> Steps:
    """Return the steps in a structural schema to the schema of *place*."""
    return tuple(part for step in place for part in ((step.value,) if isinstance(step, Each) else ("properties", step)))


def place_of(steps: Iterable[str | int]) -> Place:
    """Return the place of the values that the schema at *steps* describes."""
    rest = iter(steps)
    return tuple(str(next(rest)) if step == "properties" else Each(step) for step in rest)


class SchemaNode:
    """
    Schema of the values at one place.

    Attributes:
        schema: The keywords; not to be changed.
        place: The place of the values in objects.
        steps: The steps from the schema of the version to this schema: keys and indices.
        parent: The node of the surrounding object, map or list; for a branch of a junctor, the node with the junctor;
            None for the whole object.
        structure: The node that specifies the fields: this node; for a branch of a junctor, the node at the same place
            outside junctors, or None if there is none.
    """

    def __init__(
        self,
        schema: Schema,
        place: Place = (),
        steps: Steps = (),
        parent: SchemaNode | None = None,
        *,
        branch: bool = False,
    ) -> None:
        """
        Create a node.

        Args:
            schema: The keywords.
            place: The place of the values in objects.
            steps: The steps to the schema.
            parent: The parent node.
            branch: Whether the schema is a branch of a junctor of *parent*, for the same values.
        """
        self.schema = schema
        self.place = place
        self.steps = steps
        self.parent = parent
        self._is_branch = branch

    @cached_property
    def structure(self) -> SchemaNode | None:
        """The node that specifies the fields; None if no node does."""
        parent = self.parent
        if parent is None:
            return self
        outer = parent.structure
        if self._is_branch:
            return outer
        if outer is parent:
            return self
        return None if outer is None else outer.at(self.place[-1:])

    @property
    def path(self) -> str:
        """The place, spelled for people."""
        return spelled(self.place)

    @property
    def is_structural(self) -> bool:
        """Whether the schema specifies structure, so is outside junctors."""
        return self.structure is self

    @cached_property
    def meta_of(self) -> SchemaNode | None:
        """The resource, whole or embedded, with the values in apiVersion, kind or metadata; None for other values."""
        parent = self.parent
        if parent is None or self._is_branch or parent.meta_of is not None:
            return None if parent is None else parent.meta_of
        return parent if parent.is_resource and self.place[-1] in META_FIELDS else None

    @property
    def is_resource(self) -> bool:
        """Whether the values are Kubernetes objects, with apiVersion, kind and metadata."""
        return not self.place or bool((self.structure or self).schema.get("x-kubernetes-embedded-resource"))

    @property
    def keeps_unknown_fields(self) -> bool:
        """Whether unspecified fields are preserved; list items inherit this from the list."""
        if self.schema.get(KEEPS_UNKNOWN):
            return True
        is_item = self.place[-1:] == (Each.ITEM,)
        return is_item and self.parent is not None and self.parent.keeps_unknown_fields

    @property
    def drops_unknown_fields(self) -> bool:
        """Whether the values are objects that lose unspecified fields."""
        return self.schema.get("type") == "object" and not self.is_map and not self.keeps_unknown_fields

    @property
    def is_map(self) -> bool:
        """Whether the schema specifies values for arbitrary keys."""
        return self.schema.get(Each.VALUE.value) not in (None, False)

    @property
    def rules(self) -> Sequence[Mapping[str, JSONValue]]:
        """The declared CEL rules."""
        return self.schema.get(RULES) or ()

    @cached_property
    def properties(self) -> Mapping[str, SchemaNode]:
        """The nodes of `properties`, in their declared order."""
        return {
            name: SchemaNode(child, (*self.place, name), (*self.steps, "properties", name), self)
            for name, child in (self.schema.get("properties") or {}).items()
        }

    @cached_property
    def items(self) -> SchemaNode | None:
        """The node of list items; None without a schema for them."""
        return self._inner(Each.ITEM)

    @cached_property
    def values(self) -> SchemaNode | None:
        """The node of map values; None without a schema for them."""
        return self._inner(Each.VALUE)

    def _inner(self, step: Each) -> SchemaNode | None:
        child = self.schema.get(step.value)
        if not isinstance(child, Mapping):
            return None
        return SchemaNode(child, (*self.place, step), (*self.steps, step.value), self)

    def branches(self, junctor: str) -> tuple[SchemaNode, ...]:
        """Return the nodes of the branches of `allOf`, `anyOf` or `oneOf`, for the same values."""
        return tuple(
            SchemaNode(branch, self.place, (*self.steps, junctor, index), self, branch=True)
            for index, branch in enumerate(self.schema.get(junctor) or ())
        )

    @property
    def around(self) -> Iterator[SchemaNode]:
        """The nodes of the surrounding values, innermost first."""
        if self.parent is not None:
            yield self.parent
            yield from self.parent.around

    @property
    def children(self) -> Iterator[SchemaNode]:
        """The nodes of direct children: fields, items, map values."""
        yield from self.properties.values()
        yield from (node for node in (self.items, self.values) if node is not None)

    def __iter__(self) -> Iterator[SchemaNode]:
        """Yield this node and all nodes below it, outer ones first; branches of junctors are not included."""
        yield self
        for child in self.children:
            yield from child

    def child(self, step: str | int) -> SchemaNode | None:
        """Return the node of a key or an index; None without a schema for it."""
        return self.items if isinstance(step, int) else self.properties.get(step, self.values)

    def at(self, place: Place) -> SchemaNode | None:
        """Return the node at a place relative to this node; None without a schema for it."""
        node: SchemaNode | None = self
        for step in place:
            if node is None:
                return None
            if isinstance(step, Each):
                node = node.items if step is Each.ITEM else node.values
            else:
                node = node.properties.get(step)
        return node

    def of_path(self, path: Iterable[str | int]) -> SchemaNode | None:
        """Return the node of the value at *path* in a value; None without a schema for it."""
        node: SchemaNode | None = self
        for step in path:
            node = None if node is None else node.child(step)
        return node

    def in_value(self, value: JSONValue) -> Iterator[SchemaNode]:
        """Yield the nodes of *value* and its nested values that have a schema; list items repeat their node."""
        yield self
        inner = enumerate(value) if isinstance(value, list) else value.items() if isinstance(value, Mapping) else ()
        for step, child in inner:
            if (node := self.child(step)) is not None:
                yield from node.in_value(child)

    def __repr__(self) -> str:
        """Return the place."""
        return f"<SchemaNode {self.path or '.'}>"


def place_in(path: Iterable[str | int], *roots: SchemaNode) -> Place:
    """Return the place of the value at *path* in an object; a key is a field if any of *roots* has a property for it."""
    place: list[str | Each] = []
    nodes: list[SchemaNode] = list(roots)
    for step in path:
        if isinstance(step, int):
            place.append(Each.ITEM)
        else:
            is_field = any(step in node.properties for node in nodes)
            is_value = not is_field and any(node.values is not None for node in nodes)
            place.append(Each.VALUE if is_value else step)
        children = (node.at(tuple(place[-1:])) for node in nodes)
        nodes = [node for node in children if node is not None]
    return tuple(place)
