"""Defaults (`default:`) of a schema as the server applies them: pruned like the objects that contain them."""

from __future__ import annotations

import dataclasses
from typing import TypeAlias

from pytest_crd.engine.jsonvalue import CONTAINERS, JSONValue
from pytest_crd.engine.passes import objectmeta, pruning
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.schema.structural import DEFAULTS, EMBEDDED_RESOURCES, META_FIELDS, Structural

# The wrappers of a value, outermost first, that put it at its place in the schema: a field name, or 0 for a list.
Surroundings: TypeAlias = "tuple[str | int, ...]"


def prune(schema: Structural, profile: Profile) -> Structural:
    """
    Return *schema* with pruned defaults, and with coerced metadata in defaults with embedded resources.

    Args:
        schema: The schema of a whole resource.
        profile: The Kubernetes version.

    Errors:
        None. A malformed metadata field in a default is dropped.

    Reference:
        apiextensions-apiserver schema/defaulting/prune.go, PruneDefaults.
    """
    return _Pruning(schema, profile).visit(schema, (), inside=False)


class _Pruning:
    """One walk over the nodes of a schema."""

    def __init__(self, schema: Structural, profile: Profile) -> None:
        self._prune_fields = pruning.compile(schema, resource_root=True)
        self._coerce = objectmeta.compile_embedded(schema, profile, drop_malformed=True)

    def visit(self, node: Structural, surroundings: Surroundings, *, inside: bool) -> Structural:
        """Return *node* with changed defaults; *inside* the metadata, kind or apiVersion of a resource, all are coerced."""
        if not node.parts & DEFAULTS:
            return node
        changes: dict[str, JSONValue] = {}
        if node.default is not None:
            new = self._prune(node, surroundings, is_coerced=inside or bool(node.parts & EMBEDDED_RESOURCES))
            if new is not node.default:
                changes["default"] = new
        if node.items and (items := self.visit(node.items, (*surroundings, 0), inside=inside)) is not node.items:
            changes["items"] = items
        values = node.value_schema and self.visit(node.value_schema, (*surroundings, "*"), inside=inside)
        if values is not node.value_schema:
            changes["additional_properties"] = values
        if node.properties and (fields := self._changed_fields(node, surroundings, inside=inside)):
            changes["properties"] = {**node.properties, **fields}
        return dataclasses.replace(node, **changes) if changes else node

    def _changed_fields(self, node: Structural, surroundings: Surroundings, *, inside: bool) -> dict[str, Structural]:
        changed: dict[str, Structural] = {}
        for name, child in node.properties.items():
            if child.parts & DEFAULTS:
                is_inside = inside or (node.x_embedded_resource and name in META_FIELDS)
                new_child = self.visit(child, (*surroundings, name), inside=is_inside)
                if new_child is not child:
                    changed[name] = new_child
        return changed

    def _prune(self, node: Structural, surroundings: Surroundings, *, is_coerced: bool) -> JSONValue:
        """Return the pruned default of a node."""
        if not is_coerced and (type(node.default) not in CONTAINERS or not node.default):
            return node.default  # a scalar or an empty value at a specified place is never pruned
        resource = _surround(node.default, surroundings)
        if is_coerced and self._coerce is not None:
            resource = self._coerce(resource).value
        return _focus(self._prune_fields(resource).value, surroundings)


def _surround(value: JSONValue, surroundings: Surroundings) -> JSONValue:
    for segment in reversed(surroundings):
        value = {segment: value} if isinstance(segment, str) else [value]
    return value


def _focus(value: JSONValue, surroundings: Surroundings) -> JSONValue:
    """Return the value inside its wrappers; None if pruning has dropped it."""
    for segment in surroundings:
        if isinstance(segment, str) and segment not in value:
            return None
        value = value[segment]
    return value
