"""Defaulting: dropping nulls that a schema does not allow, and setting its defaults (KEP-575)."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import cached_property
from typing import Final, TypeAlias

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.jsonvalue import CONTAINERS, JSONValue
from pytest_crd.engine.passes import objectmeta, pruning, rewriting
from pytest_crd.engine.passes.rewriting import DROPPED, ByKey, Once, Path, Rewrite, Rewritten
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.schema.structural import DEFAULTS, EMBEDDED_RESOURCES, META_FIELDS, Structural

# The wrappers of a value, outermost first, that put it at its place in the schema: a field name, or 0 for a list.
Surroundings: TypeAlias = "tuple[str | int, ...]"


def compile_drop_nulls(schema: Structural | None) -> Rewrite:
    """
    Return the rewrite that drops null fields which *schema* neither allows nor replaces by a default.

    Args:
        schema: The schema of exactly the value; None if nothing is specified, then nothing is dropped.

    Returns:
        A rewrite that reports the path of each dropped null, in the order of the tree. List items stay.

    Reference:
        apiextensions-apiserver schema/defaulting/prunenulls.go, PruneNonNullableNullsWithoutDefaults.
    """
    return _untouched if schema is None else _drop_nulls(schema)


def compile_defaults(schema: Structural | None) -> Rewrite:
    """
    Return the rewrite that sets the defaults of *schema* in fields that are absent, or null without being nullable.

    Args:
        schema: The schema of exactly the value, with pruned defaults; None if nothing is specified.

    Returns:
        A rewrite that reports the path of each default, parents first. Defaults are defaulted in turn: both `spec.a` and
        `spec.a.b` are reported.

    Reference:
        KEP-575; apiextensions-apiserver schema/defaulting/algorithm.go, Default.
    """
    return (_defaults(schema) if schema else None) or _untouched


def _untouched(value: JSONValue, _paths: list[Path]) -> JSONValue:
    return value


_OTHERS: Final = Once(lambda: _untouched)


def _drop_nulls(schema: Structural) -> Rewrite:
    properties = schema.properties
    value_schema = schema.value_schema
    below = ByKey(properties, _drop_nulls, Once(lambda: _drop_nulls(value_schema) if value_schema else _untouched))
    items = Once(lambda: rewriting.items(_drop_nulls(schema.items)) if schema.items else _untouched)

    def drop(value: JSONValue, paths: list[Path]) -> JSONValue:
        if type(value) is list:
            return value if CONTAINERS.isdisjoint(map(type, value)) else items.rewrite(value, paths)
        changes: dict[str, JSONValue] = {}
        for key, item in value.items():
            if item is None:
                child = properties.get(key, value_schema)
                if child is not None and not child.nullable and child.default is None:
                    changes[key] = DROPPED
                    paths.append((key,))
            elif type(item) in CONTAINERS:
                start = len(paths)
                new = below[key](item, paths)
                if new is not item:
                    changes[key] = new
                    rewriting.prefix(paths, start, key)
        return rewriting.changed_object(value, changes) if changes else value

    return drop


class _Default:
    """Default of one schema, itself defaulted on first use."""

    def __init__(self, schema: Structural) -> None:
        self._schema = schema
        self.replaces_null = not schema.nullable

    @cached_property
    def _completed(self) -> Rewritten:
        # The CRD may still have the spelling of its text, such as `1.0`.
        return rewriting.apply(compile_defaults(self._schema), jsonvalue.from_python(self._schema.default))

    def put(self, segment: str | int, paths: list[Path]) -> JSONValue:
        """Return a copy of the default for *segment*, and append the paths of all defaults in it."""
        paths.append((segment,))
        paths.extend((segment, *path) for path in self._completed.paths)
        return jsonvalue.copy(self._completed.value)


def _default_of(schema: Structural | None) -> _Default | None:
    return _Default(schema) if schema is not None and schema.default is not None else None


def _defaults(schema: Structural) -> Rewrite | None:
    """Return the rewrite that sets defaults in objects and lists of *schema*; None if it has no defaults."""
    fields = [(name, child) for name, child in schema.properties.items() if child.parts & DEFAULTS]
    own = [(name, _Default(child)) for name, child in fields if child.default is not None]
    nested = {name: child for name, child in fields if child.properties or child.items or child.value_schema}
    below = ByKey(nested, _defaults_or_nothing, _OTHERS)
    in_map = _in_map(schema) if schema.value_schema else None
    in_list = _in_list(schema) if schema.items else None
    if not (own or nested or in_map or in_list):
        return None  # at most a default for the whole value

    def put_defaults(value: JSONValue, paths: list[Path]) -> JSONValue:
        if type(value) is list:
            return in_list(value, paths) if in_list else value
        changes: dict[str, JSONValue] = {}
        for name, default in own:
            if name not in value or (default.replaces_null and value[name] is None):
                changes[name] = default.put(name, paths)
        for name in nested:
            item = value.get(name)
            if type(item) is dict or type(item) is list:
                start = len(paths)
                new = below[name](item, paths)
                if new is not item:
                    changes[name] = new
                    rewriting.prefix(paths, start, name)
        if in_map:
            in_map(value, changes, paths)
        return {**value, **changes} if changes else value

    return put_defaults


def _defaults_or_nothing(schema: Structural) -> Rewrite:
    return _defaults(schema) or _untouched


# Called with an object, the changes to collect for it, and the paths to append to.
_Step: TypeAlias = "Callable[[JSONValue, dict[str, JSONValue], list[Path]], None]"


def _in_map(schema: Structural) -> _Step | None:
    """Return the step for keys that are not properties; None without a default there."""
    value_schema = schema.value_schema
    default = _default_of(value_schema)
    below = _defaults(value_schema) if value_schema and value_schema.parts & DEFAULTS else None

    def put_in_map(value: JSONValue, changes: dict[str, JSONValue], paths: list[Path]) -> None:
        for key, item in value.items():
            if key in schema.properties:
                continue
            if item is None and default and default.replaces_null:
                changes[key] = default.put(key, paths)
            elif below and type(item) in CONTAINERS:
                start = len(paths)
                new = below(item, paths)
                if new is not item:
                    changes[key] = new
                    rewriting.prefix(paths, start, key)

    return put_in_map if default or below else None


def _in_list(schema: Structural) -> Rewrite | None:
    below = _defaults(schema.items) if schema.items and schema.items.parts & DEFAULTS else None
    default = _default_of(schema.items)
    in_items = rewriting.items(below) if below else _untouched
    if default is None or not default.replaces_null:
        return in_items if below else None

    def put_in_list(value: JSONValue, paths: list[Path]) -> JSONValue:
        nulls = {index: default.put(index, paths) for index, item in enumerate(value) if item is None}
        new = in_items(value, paths)
        return rewriting.changed_list(new, nulls) if nulls else new

    return put_in_list


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
            resource = self._coerce(resource, objectmeta.ROOT, [])
        return _focus(rewriting.apply(self._prune_fields, resource).value, surroundings)


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
