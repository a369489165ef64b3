"""
The map of a schema: every place where objects have values, with what the schema says of them.

Whoever wants to know what a schema has asks here: by place, by steps in the schema, or by the path of a value in an object. The passes
alone walk schemas themselves, in structural form: they are the specification.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final, TypeAlias

from pytest_crd.engine.errors.failedrule import Steps
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.schema.metafields import META_FIELDS
from pytest_crd.engine.schema.subschemas import Schema

RULES: Final = "x-kubernetes-validations"
KEEPS_UNKNOWN: Final = "x-kubernetes-preserve-unknown-fields"


class Each(enum.Enum):
    """A step that stands for any: for each item of a list, or for each value of a map."""

    ITEM = "items"
    VALUE = "additionalProperties"

    def __repr__(self) -> str:
        """Return the name, as it is written in code."""
        return f"Each.{self.name}"


# Where objects have a value: names of fields, any item, any value of a map.
Place: TypeAlias = "tuple[str | Each, ...]"


def spelled(place: Place) -> str:
    """Return *place* as a person writes it: `spec.items[*].name`, for the values of a map too; empty for the whole object."""
    text = "".join("[*]" if isinstance(step, Each) else f".{step}" for step in place)
    return text.removeprefix(".")


def steps_of(place: Place) -> Steps:
    """Return which part of a structural schema is about the values at *place*."""
    return tuple(part for step in place for part in ((step.value,) if isinstance(step, Each) else ("properties", step)))


def place_of(steps: Iterable[str | int]) -> Place:
    """Return the place that the part of a structural schema at *steps* is about."""
    rest = iter(steps)
    return tuple(str(next(rest)) if step == "properties" else Each(step) for step in rest)


class SchemaNode:
    """
    What a schema says of the values at one place.

    Attributes:
        schema: The keywords; not to be changed.
        place: Where objects have the values.
        steps: Where it stands: keys and indices, from the schema of the version.
        parent: What is said of the object, map or list around them; of a branch of a junctor the node that has the junctor;
            None for the whole object.
        structure: The node that says which fields there are: itself, or for a branch of a junctor the one at its place; None where
            that says nothing of the place.
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
        Take a schema.

        Args:
            schema: The keywords.
            place: Where objects have the values.
            steps: Where it stands.
            parent: The node around.
            branch: Whether it stands in a junctor of *parent*, and speaks of the same values.
        """
        self.schema = schema
        self.place = place
        self.steps = steps
        self.parent = parent
        self._is_branch = branch

    @cached_property
    def structure(self) -> SchemaNode | None:
        """The node that says which fields there are; None where none does."""
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
        """The place as a person writes it."""
        return spelled(self.place)

    @property
    def is_structural(self) -> bool:
        """Whether it gives structure: it stands in no junctor."""
        return self.structure is self

    @cached_property
    def meta_of(self) -> SchemaNode | None:
        """Whose apiVersion, kind or metadata the values are, or are in: a whole object's or an embedded one's; None for all others."""
        parent = self.parent
        if parent is None or self._is_branch or parent.meta_of is not None:
            return None if parent is None else parent.meta_of
        return parent if parent.is_resource and self.place[-1] in META_FIELDS else None

    @property
    def is_resource(self) -> bool:
        """Whether the values are whole objects of Kubernetes, which have apiVersion, kind and metadata."""
        return not self.place or bool((self.structure or self).schema.get("x-kubernetes-embedded-resource"))

    @property
    def keeps_unknown_fields(self) -> bool:
        """Whether fields stay that no schema specifies; items of a list that keeps them need not say so, nor those of their lists."""
        if self.schema.get(KEEPS_UNKNOWN):
            return True
        is_item = self.place[-1:] == (Each.ITEM,)
        return is_item and self.parent is not None and self.parent.keeps_unknown_fields

    @property
    def drops_unknown_fields(self) -> bool:
        """Whether the values are objects of which fields are dropped that no schema specifies."""
        return self.schema.get("type") == "object" and not self.is_map and not self.keeps_unknown_fields

    @property
    def is_map(self) -> bool:
        """Whether fields are specified that have no name in the schema."""
        return self.schema.get(Each.VALUE.value) not in (None, False)

    @property
    def rules(self) -> Sequence[Mapping[str, JSONValue]]:
        """The CEL rules, as they are declared."""
        return self.schema.get(RULES) or ()

    @cached_property
    def properties(self) -> Mapping[str, SchemaNode]:
        """The fields that have a name, in the order in which they are declared."""
        return {
            name: SchemaNode(child, (*self.place, name), (*self.steps, "properties", name), self)
            for name, child in (self.schema.get("properties") or {}).items()
        }

    @cached_property
    def items(self) -> SchemaNode | None:
        """What is said of items; None where nothing is."""
        return self._inner(Each.ITEM)

    @cached_property
    def values(self) -> SchemaNode | None:
        """What is said of the values of fields that have no name; None where nothing is."""
        return self._inner(Each.VALUE)

    def _inner(self, step: Each) -> SchemaNode | None:
        child = self.schema.get(step.value)
        if not isinstance(child, Mapping):
            return None
        return SchemaNode(child, (*self.place, step), (*self.steps, step.value), self)

    def branches(self, junctor: str) -> tuple[SchemaNode, ...]:
        """Return the branches of `allOf`, `anyOf` or `oneOf`, which speak of the same values."""
        return tuple(
            SchemaNode(branch, self.place, (*self.steps, junctor, index), self, branch=True)
            for index, branch in enumerate(self.schema.get(junctor) or ())
        )

    @property
    def around(self) -> Iterator[SchemaNode]:
        """The nodes of what is around the values, the nearest first."""
        if self.parent is not None:
            yield self.parent
            yield from self.parent.around

    @property
    def children(self) -> Iterator[SchemaNode]:
        """The nodes of what is right inside the values: fields, items, values of maps."""
        yield from self.properties.values()
        yield from (one for one in (self.items, self.values) if one is not None)

    def __iter__(self) -> Iterator[SchemaNode]:
        """Yield the node and all nodes inside it, outer ones first; branches of junctors are of the same places."""
        yield self
        for child in self.children:
            yield from child

    def child(self, step: str | int) -> SchemaNode | None:
        """Return what is said of the value at a key or an index of a value; None where nothing is."""
        return self.items if isinstance(step, int) else self.properties.get(step, self.values)

    def at(self, place: Place) -> SchemaNode | None:
        """Return what is said of a place, which starts at the values of this node; None where nothing is."""
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
        """Return what is said of the value at *path* in a value; None where nothing is."""
        node: SchemaNode | None = self
        for step in path:
            node = None if node is None else node.child(step)
        return node

    def in_value(self, value: JSONValue) -> Iterator[SchemaNode]:
        """Yield the nodes of *value* and of what is in it, as far as they say something; of a list that of each item in turn."""
        yield self
        inner = enumerate(value) if isinstance(value, list) else value.items() if isinstance(value, Mapping) else ()
        for step, child in inner:
            if (node := self.child(step)) is not None:
                yield from node.in_value(child)

    def __repr__(self) -> str:
        """Return the place."""
        return f"<SchemaNode {self.path or '.'}>"


def place_in(path: Iterable[str | int], *roots: SchemaNode) -> Place:
    """Return the place of the value at *path* in an object; a key is a field where one of the schemas has it as such."""
    place: list[str | Each] = []
    nodes: list[SchemaNode] = list(roots)
    for step in path:
        if isinstance(step, int):
            place.append(Each.ITEM)
        else:
            is_field = any(step in node.properties for node in nodes)
            is_value = not is_field and any(node.values is not None for node in nodes)
            place.append(Each.VALUE if is_value else step)
        found = (node.at(tuple(place[-1:])) for node in nodes)
        nodes = [node for node in found if node is not None]
    return tuple(place)
