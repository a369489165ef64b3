"""
Fields that an object of a CRD version can have, by their paths as text, and suggestions for unknown paths.

The fields of `metadata`, at the root and in embedded resources, are those of Go's ObjectMeta.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from pytest_crd import suggestions
from pytest_crd.cases import comparison
from pytest_crd.engine import CrdVersion, UnsupportedConstructError, profile
from pytest_crd.engine.golang import gotypes
from pytest_crd.engine.metadata import metav1types
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry import scale
from pytest_crd.engine.schema import schemamap
from pytest_crd.engine.schema.schemamap import KEEPS_UNKNOWN, Each, Place, SchemaNode
from pytest_crd.engine.schema.structural import TYPE_META
from pytest_crd.engine.schema.subschemas import Schema

# Each has a place, since an empty place would mean a whole object.
_ANYTHING: Final = SchemaNode({KEEPS_UNKNOWN: True}, (Each.VALUE,))
_SCALAR: Final = SchemaNode({}, (Each.VALUE,))


class ObjectFields:
    """The fields of the objects of one type."""

    def __init__(self, root: SchemaNode, profile: Profile, *, keeps_all: bool = False) -> None:
        """Create the fields of a schema; *keeps_all* is true if all fields are possible."""
        self._root = root
        self._keeps_all = keeps_all
        self._of_resource = _of_resource(profile)
        self._of_resources: dict[int, Mapping[str, SchemaNode]] = {}
        self._budget = suggestions.WorkBudget()
        self._nearest: dict[tuple[str, int], str] = {}

    @property
    def rules(self) -> Iterator[str]:
        """The CEL rules."""
        return (rule.get("rule") or "" for node in self._root for rule in node.rules)

    def can_have(self, path: str) -> bool:
        """Return whether an object can have a field at *path*, in either spelling."""
        return any(True for _ in self._at(self._root, f".{path}"))

    def is_named(self, path: Iterable[str | int], *, is_scale: bool = False) -> bool:
        """
        Return whether the schema names the field at the end of a path.

        Args:
            path: The steps to the field.
            is_scale: Whether it is a field of the Scale of an object.
        """
        node: SchemaNode | None = _scale() if is_scale else self._root
        is_named = False
        for step in path:
            if node is None:
                return False
            fields = self._fields(node)
            is_named = step in fields
            node = fields[str(step)] if is_named else node.items if node.items is not None else node.values
        return is_named

    def near(self, path: str) -> str | None:
        """
        Return the path of the known field that is most similar to an unknown *path*; empty if none is similar.

        Return None if the searches for earlier paths have used up the budget of the version.
        """
        try:
            return self._near(path)
        except suggestions.SpentBudgetError:
            return None

    def _near(self, path: str) -> str:
        parent, name, nodes = next(
            parent_path for parent_path in self._ways(path) if parent_path[2]
        )  # the root always has a schema node
        for node in nodes:
            key = name, id(node)
            if key not in self._nearest:
                self._nearest[key] = suggestions.nearest_ignoring_case(name, self._fields(node), self._budget)
            if near := self._nearest[key]:
                return f"{parent}.{near}" if parent else near
        place = self._elsewhere.get(name, ())
        # Fields of the metadata of a template, or of an object that keeps nothing, are not meant for another object.
        is_metadata = parent.rpartition(".")[2] == "metadata" and place[:1] == ("metadata",)
        return "" if is_metadata or all(map(_keeps_nothing, nodes)) else schemamap.spelled(place)

    def find_emptied(self, path: str) -> str:
        """Return the path of the object around an unknown *path* if it has no properties; else empty, also after too many searches."""
        try:
            parent, _, nodes = next(parent_path for parent_path in self._ways(path) if parent_path[2])
        except suggestions.SpentBudgetError:
            return ""
        return parent if all(map(_keeps_nothing, nodes)) else ""

    def _ways(self, path: str) -> Iterator[tuple[str, str, list[SchemaNode]]]:
        return map(functools.partial(self._look_up, len(path)), _ways_up(path))

    def _look_up(self, work: int, names: tuple[str, str]) -> tuple[str, str, list[SchemaNode]]:
        self._budget.spend(work)
        parent, name = names
        return parent, name, list(self._at(self._root, f".{parent}" if parent else ""))

    @functools.cached_property
    def _elsewhere(self) -> Mapping[str | Each, Place]:
        """The place of each field by name; of fields with one name, the first one nearest to the root."""
        places = sorted(self._places(self._root, ()), key=len)
        return {place[-1]: place for place in reversed(places) if place}

    def _places(self, node: SchemaNode, place: Place) -> Iterator[Place]:
        """Yield *place*, and the places inside the values there."""
        yield place
        inner: list[tuple[str | Each, SchemaNode | None]] = [(Each.ITEM, node.items), (Each.VALUE, node.values)]
        for step, child in (*inner, *self._fields(node).items()):
            if child is not None:
                yield from self._places(child, (*place, step))

    def _fields(self, node: SchemaNode) -> Mapping[str, SchemaNode]:
        if not node.is_resource:
            return node.properties
        if id(node) not in self._of_resources:
            self._of_resources[id(node)] = {**node.properties, **self._of_resource}
        return self._of_resources[id(node)]

    def _at(self, node: SchemaNode, rest: str) -> Iterator[SchemaNode]:
        """Yield the schema nodes of the values to which *rest* of a path can lead."""
        if not rest:
            yield node
            return
        if node.items is not None and (index := comparison.INDEX.match(rest)):
            yield from self._at(node.items, rest[index.end() :])
        fields = self._fields(node)
        specified = list(comparison.split_first(rest, fields))
        for _, child, tail in specified:
            yield from self._at(child, tail)
        if specified:
            return
        if node.keeps_unknown_fields or (node is self._root and self._keeps_all):
            yield _ANYTHING
        elif node.is_map:
            value = node.values or _SCALAR
            yield from self._at(value, _behind_any_key(rest, dotted=not _has_fields(value)))


class SchemaFields(ObjectFields):
    """The fields of the objects of one version."""

    def __init__(self, version: CrdVersion) -> None:
        """Create the fields of *version*; all fields are possible if an unsupported construct keeps it from being served."""
        keeps_all = version.preserves_unknown_fields or not _is_served(version)
        super().__init__(version.schema_map, profile.named(version.crd.kubernetes_version), keeps_all=keeps_all)


def find_fields(type_: gotypes.Struct, profile: Profile) -> ObjectFields:
    """Return the fields of a Go type."""
    return ObjectFields(SchemaNode(_schema(type_)), profile)


@functools.lru_cache(maxsize=8)
def get_fields(version: CrdVersion) -> SchemaFields:
    """Return the fields of a version; later calls share them, and the budget of their suggestions."""
    return SchemaFields(version)


@functools.cache
def _of_resource(named: Profile) -> Mapping[str, SchemaNode]:
    """Return the fields that every object has, by name."""
    metadata = SchemaNode(_schema(metav1types.object_meta(named)), ("metadata",))
    return {**dict.fromkeys(TYPE_META, _SCALAR), "metadata": metadata}


@functools.cache
def _scale() -> SchemaNode:
    """Return the fields of a Scale."""
    return SchemaNode(_schema(scale.SCALE))


def _is_served(version: CrdVersion) -> bool:
    try:
        version.schema  # noqa: B018 - reading it raises the error
    except UnsupportedConstructError:
        return False  # reported elsewhere
    return True


def _ways_up(path: str) -> Iterator[tuple[str, str]]:
    """Yield the path of each parent of *path*, the longest first, with the name of its field on the way to *path*."""
    for end in range(len(path), 0, -1):
        if path[end - 1] == ".":
            yield path[: end - 1], path[end:].partition(".")[0].partition("[")[0]
    yield "", path.partition(".")[0].partition("[")[0]


def _keeps_nothing(node: SchemaNode) -> bool:
    """Return whether a node is an object without properties, which drops each field."""
    return node.drops_unknown_fields and not node.properties and not node.is_resource


def _has_fields(node: SchemaNode) -> bool:
    return bool(node.properties) or node.items is not None or node.is_map or node.keeps_unknown_fields


def _behind_any_key(rest: str, *, dotted: bool) -> str:
    """
    Return the rest of a path after a map key.

    Args:
        rest: The path from the key on.
        dotted: Whether dots are part of the key. They are if its value has no fields; else keys with dots are in brackets.
    """
    if rest.startswith("["):
        return rest.partition("]")[2]
    return "" if dotted else rest[min((i for i in range(1, len(rest)) if rest[i] in ".["), default=len(rest)) :]


def _schema(kind: gotypes.GoType) -> Schema:
    """Return a schema with the fields of a Go type, without types and other keywords."""
    if isinstance(kind, gotypes.Pointer):
        return _schema(kind.to)
    if isinstance(kind, gotypes.Struct):
        fields: Mapping[str, gotypes.GoType] = kind.fields
        return {"properties": {name: _schema(field) for name, field in fields.items()}}
    if isinstance(kind, gotypes.Map):
        return {"additionalProperties": _schema(kind.value)}
    if isinstance(kind, gotypes.List):
        return {"items": _schema(kind.item)}
    return {KEEPS_UNKNOWN: True} if isinstance(kind, gotypes.Raw) else {}
