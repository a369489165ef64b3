"""Defaults (`default:`) of a schema as the server applies them: pruned like the objects that contain them."""

from __future__ import annotations

import dataclasses
from typing import TypeAlias

from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.passes import objectmeta, pruning
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.schema.structural import Structural

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
    prune_fields = pruning.compile(schema, resource_root=True)
    coerce = objectmeta.compile_embedded(schema, profile, drop_malformed=True)

    def pruned_default(default: JSONValue, surroundings: Surroundings) -> JSONValue:
        if coerce is None and not isinstance(default, dict | list):
            return default  # a scalar at a specified place is never pruned
        resource = _surround(default, surroundings)
        if coerce is not None:
            resource = coerce(resource).value
        return _focus(prune_fields(resource).value, surroundings)

    def visit(node: Structural, surroundings: Surroundings) -> Structural:
        changes: dict[str, JSONValue] = {}
        if node.default is not None and (new := pruned_default(node.default, surroundings)) is not node.default:
            changes["default"] = new
        if node.items and (items := visit(node.items, (*surroundings, 0))) is not node.items:
            changes["items"] = items
        if node.value_schema and (values := visit(node.value_schema, (*surroundings, "*"))) is not node.value_schema:
            changes["additional_properties"] = values
        fields = {name: visit(child, (*surroundings, name)) for name, child in node.properties.items()}
        if any(fields[name] is not child for name, child in node.properties.items()):
            changes["properties"] = fields
        return dataclasses.replace(node, **changes) if changes else node

    return visit(schema, ())


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
