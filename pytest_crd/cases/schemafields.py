"""
Which fields an object of a CRD version can have, by their paths as text; and which of them a path may stand for.

What the version says of `metadata`, at the root and in embedded resources, is what Go's ObjectMeta holds.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from pytest_crd.cases import comparison, diagnosis
from pytest_crd.engine import UnsupportedConstructError, Version, fieldpath, profile
from pytest_crd.engine.golang import types
from pytest_crd.engine.metadata import metav1types
from pytest_crd.engine.schema import structural
from pytest_crd.engine.schema.structural import Structural

_ANYTHING: Final = Structural(x_preserve_unknown_fields=True)
_SCALAR: Final = Structural()


def root_of(version: Version) -> Structural:
    """Return the schema of whole objects of *version*, with apiVersion, kind and metadata; of anything where it has none."""
    try:
        schema = version.schema
    except UnsupportedConstructError:
        return _ANYTHING  # nothing is served, and that is said elsewhere
    named = profile.named(version.crd.kubernetes_version)
    root = _resource(schema or Structural(), _structural(metav1types.object_meta(named)))
    return replace(root, x_preserve_unknown_fields=True) if version.preserves_unknown_fields else root


def can_have(root: Structural, path: str) -> bool:
    """Return whether an object with the schema *root* can have a field at *path*, in either spelling."""
    return any(True for _ in _at(root, f".{path}"))


def near(root: Structural, path: str) -> str:
    """Return the path of the field that *path*, at which there can be none, may stand for; empty where none is near."""
    ways = ((parent, name, list(_at(root, f".{parent}" if parent else ""))) for parent, name in _ways_up(path))
    parent, name, known = next(way for way in ways if way[2])  # at the latest the root
    for schema in known:
        if found := diagnosis.nearest(name, tuple(schema.properties)):
            return f"{parent}.{found}" if parent else found
    return _elsewhere(root, name)


def _elsewhere(root: Structural, name: str) -> str:
    """Return the path of the field called *name* that is nearest to the root; empty where there is none."""
    paths = (path for path, _ in structural.nodes(root) if path and path[-1] == name)
    return fieldpath.unknown_field(min(paths, key=len, default=())).replace(".[]", "[]")


def _ways_up(path: str) -> Iterator[tuple[str, str]]:
    """Yield each path above *path*, the longest first, with the name of what it leads to."""
    for end in range(len(path), 0, -1):
        if path[end - 1] == ".":
            yield path[: end - 1], path[end:].partition(".")[0].partition("[")[0]
    yield "", path.partition(".")[0].partition("[")[0]


def _at(schema: Structural, rest: str) -> Iterator[Structural]:
    """Yield what *schema* says of the values that *rest* of a path can lead to."""
    if not rest:
        yield schema
        return
    if schema.items is not None and (index := comparison.INDEX.match(rest)):
        yield from _at(schema.items, rest[index.end() :])
    specified = [(child, tail) for name, child in schema.properties.items() for tail in comparison.tails(rest, name)]
    for child, tail in specified:
        yield from _at(child, tail)
    if specified:
        return
    if schema.x_preserve_unknown_fields:
        yield _ANYTHING
    elif schema.additional_properties:
        value = schema.value_schema or _SCALAR
        yield from _at(value, _behind_any_key(rest, dotted=not _has_fields(value)))


def _has_fields(schema: Structural) -> bool:
    below = schema.properties or schema.items or schema.additional_properties
    return bool(below) or schema.x_preserve_unknown_fields


def _behind_any_key(rest: str, *, dotted: bool) -> str:
    """
    Return what is left of a path behind a map key.

    Args:
        rest: The path from the key on.
        dotted: Whether dots are a part of the key, as there can be nothing below it; others are written in brackets.
    """
    if rest.startswith("["):
        return rest.partition("]")[2]
    return "" if dotted else rest[min((i for i in range(1, len(rest)) if rest[i] in ".["), default=len(rest)) :]


def _resource(schema: Structural, metadata: Structural) -> Structural:
    """Return *schema* with the fields that every resource has, wherever it is one."""
    own = {"apiVersion": _SCALAR, "kind": _SCALAR, "metadata": metadata}
    below = _with_embedded(schema, metadata)
    return replace(below, properties={**below.properties, **own})


def _with_embedded(schema: Structural, metadata: Structural) -> Structural:
    def child(node: Structural) -> Structural:
        return _resource(node, metadata) if node.x_embedded_resource else _with_embedded(node, metadata)

    properties = {name: child(node) for name, node in schema.properties.items()}
    items = None if schema.items is None else child(schema.items)
    values = child(schema.value_schema) if schema.value_schema else schema.additional_properties
    inside = (*properties.values(), items, values)
    if all(map(operator.is_, inside, (*schema.properties.values(), schema.items, schema.additional_properties))):
        return schema  # as nearly all are, in which no resource is embedded
    return replace(schema, properties=properties, items=items, additional_properties=values)


def _structural(kind: types.Type) -> Structural:
    """Return a type of Go's as a schema, as far as its fields go."""
    if isinstance(kind, types.Pointer):
        return _structural(kind.to)
    if isinstance(kind, types.Struct):
        fields: Mapping[str, types.Type] = kind.fields
        return Structural(properties={name: _structural(field) for name, field in fields.items()})
    if isinstance(kind, types.Map):
        return Structural(additional_properties=_structural(kind.value))
    if isinstance(kind, types.List):
        return Structural(items=_structural(kind.item))
    return _ANYTHING if isinstance(kind, types.Raw) else _SCALAR
