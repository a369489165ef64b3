"""
Merge types of custom resources, from their published schemas.

The server derives them from its own OpenAPI documents, where metadata and embedded resources refer to types of Kubernetes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from pytest_crd.engine.golang.release import ApplyRelease
from pytest_crd.engine.openapi.commontypes import Schema
from pytest_crd.engine.registry.fieldmanager.mergetypes import ATOMIC, DEDUCED, ListType, MapType, MergeType, Scalar

_PRESERVE: Final = "x-kubernetes-preserve-unknown-fields"
_LIST_TYPE: Final = "x-kubernetes-list-type"
_MAP_KEYS: Final = "x-kubernetes-list-map-keys"
_MAP_TYPE: Final = "x-kubernetes-map-type"
_PATCH_STRATEGY: Final = "x-kubernetes-patch-strategy"
_MERGE_KEY: Final = "x-kubernetes-patch-merge-key"
_SCALARS: Final[Mapping[str, Scalar]] = {"integer": "numeric", "number": "numeric", "boolean": "boolean"}
# Strings with any other format may have other types, too.
_FORMATS_OF_STRINGS: Final = frozenset({"", "byte"})


class OpenAPITypes:
    """
    Converter of schemas to merge types.

    Reference:
        kube-openapi pkg/schemaconv/openapi.go.
    """

    def __init__(self, schemas: Mapping[str, Schema], release: ApplyRelease, *, preserves: bool = False) -> None:
        """
        Create for a set of referenced types.

        Args:
            schemas: The schemas of Kubernetes types, by name.
            release: The merge behaviour of the Kubernetes version.
            preserves: Whether all unknown fields are preserved.
        """
        self._schemas = schemas
        self._release = release
        self._preserves = preserves
        self._merge_types: dict[str, MergeType] = {}

    def merge_type(self, schema: Schema) -> MergeType:
        """Return the merge type of a published *schema*."""
        type_ = MergeType()
        self._fill(type_, schema, preserves=self._preserves)
        return type_

    def _fill(self, type_: MergeType, schema: Schema, *, preserves: bool) -> None:
        is_deduced = preserves or self._release.deduces_untyped
        preserves = preserves or schema.get(_PRESERVE) is True
        kind = schema.get("type") or ""
        if kind == "string":
            type_.scalar = "string" if (schema.get("format") or "") in _FORMATS_OF_STRINGS else "untyped"
        elif kind in _SCALARS:
            type_.scalar = _SCALARS[kind]
        elif kind == "object":
            type_.map = self._map(schema, preserves=preserves)
        elif kind == "array":
            type_.list = self._list(schema, preserves=preserves)
        else:
            type_.scalar = "untyped"
            if not is_deduced:
                type_.list, type_.map = ATOMIC.list, ATOMIC.map
                return
            type_.list, type_.map = self._list(schema, preserves=preserves), self._map(schema, preserves=preserves)

    def _child(self, schema: Schema, *, preserves: bool) -> MergeType:
        if (name := _referred(schema)) is not None:
            return self._reference(name)
        type_ = MergeType()
        self._fill(type_, schema, preserves=preserves)
        return type_

    def _reference(self, name: str) -> MergeType:
        """Return the merge type of a Kubernetes type."""
        if name not in self._merge_types:
            self._merge_types[name] = MergeType()
            self._fill(self._merge_types[name], self._schemas[name], preserves=self._preserves)
        return self._merge_types[name]

    def _map(self, schema: Schema, *, preserves: bool) -> MapType:
        properties: Mapping[str, Schema] = schema.get("properties") or {}
        fields = {name: self._child(child, preserves=preserves) for name, child in properties.items()}
        defaults = {name: child["default"] for name, child in properties.items() if child.get("default") is not None}
        further = schema.get("additionalProperties")
        values: MergeType | None
        if isinstance(further, Mapping):
            values = self._child(further, preserves=preserves)
            is_untyped = not fields and _referred(further) is None and values.scalar == "untyped"
        else:
            is_open = (preserves or not properties) if further is None else bool(further)
            values = DEDUCED if is_open else None
            is_untyped = is_open and not fields
        return MapType(fields, values, schema.get(_MAP_TYPE) == "atomic", defaults, is_untyped)

    def _list(self, schema: Schema, *, preserves: bool) -> ListType:
        items = schema.get("items")
        item_type = ATOMIC if items is None else self._child(items, preserves=preserves)
        return ListType(item_type, *_relation(schema), not self._release.keys_may_be_missing)


def _relation(schema: Schema) -> tuple[bool, tuple[str, ...]]:
    """Return whether the items of a list have their own owners, and its keys."""
    list_type = schema.get(_LIST_TYPE)
    if list_type is not None:
        keys = schema.get(_MAP_KEYS) if list_type == "map" else ()
        return list_type in ("map", "set"), tuple(keys or ())
    if "merge" in (schema.get(_PATCH_STRATEGY) or "").split(","):
        key = schema.get(_MERGE_KEY)
        return True, ((key,) if key else ())
    return False, ()


def _referred(schema: Schema) -> str | None:
    """Return the name of the type that a schema refers to, directly or by a single allOf; None without a reference."""
    reference = schema.get("$ref") or ""
    all_of: Sequence[Schema] = schema.get("allOf") or ()
    if not reference and len(all_of) == 1:
        reference = all_of[0].get("$ref") or ""
    return str(reference).rpartition("/")[2] or None
