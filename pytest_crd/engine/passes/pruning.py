"""Pruning: dropping fields that a structural schema does not specify (KEP-2332)."""

from __future__ import annotations

from typing import Final

from pytest_crd.engine.jsonvalue import CONTAINERS, JSONValue
from pytest_crd.engine.passes import rewriting
from pytest_crd.engine.passes.rewriting import DROPPED, ByKey, Once, Path, Rewrite
from pytest_crd.engine.schema.structural import META_FIELDS, Structural

_NOTHING_SPECIFIED: Final = Structural()


def compile(schema: Structural | None, *, resource_root: bool = False) -> Rewrite:  # noqa: A001 - read as pruning.compile
    """
    Return the rewrite that drops fields which *schema* does not specify.

    Args:
        schema: The schema of exactly the value; None if nothing is specified.
        resource_root: True for a whole resource: apiVersion, kind and metadata stay.

    Returns:
        A rewrite that reports the path of each dropped field, outermost only; fields of an object precede nested ones.

    Errors:
        None. Unspecified children are dropped even if a value has the wrong type; value validation reports that.

    Reference:
        KEP-2332; apiextensions-apiserver schema/pruning/algorithm.go, PruneWithOptions.
    """
    schema = schema or _NOTHING_SPECIFIED
    is_resource = resource_root or schema.x_embedded_resource
    return _node(schema, is_resource=is_resource, preserve=schema.x_preserve_unknown_fields)


def _specified(schema: Structural) -> Rewrite:
    return _node(schema, is_resource=schema.x_embedded_resource, preserve=schema.x_preserve_unknown_fields)


def _value_under_any_key(schema: Structural) -> Rewrite:
    # With `additionalProperties: true` the key stays, but nothing below it is specified.
    return _specified(schema.value_schema or _NOTHING_SPECIFIED)


def _items(schema: Structural, *, preserve: bool) -> Rewrite:
    items = schema.items or _NOTHING_SPECIFIED
    preserve = preserve or items.x_preserve_unknown_fields
    return rewriting.items(_node(items, is_resource=items.x_embedded_resource, preserve=preserve))


def _node(schema: Structural, *, is_resource: bool, preserve: bool) -> Rewrite:
    """Return the rewrite of an object or list; *preserve* applies to this level and to the items of nested lists."""
    is_map = schema.additional_properties is not None
    untouched = frozenset(META_FIELDS if is_resource else ())
    specified = schema.properties.keys() - untouched
    allowed = specified | untouched
    keeps_all = is_map or preserve
    below = ByKey(schema.properties, _specified, Once(lambda: _value_under_any_key(schema)))
    items = Once(lambda: _items(schema, preserve=preserve))

    def prune(value: JSONValue, paths: list[Path]) -> JSONValue:
        if type(value) is list:
            return value if CONTAINERS.isdisjoint(map(type, value)) else items.rewrite(value, paths)
        changes: dict[str, JSONValue] | None = None
        if not (keeps_all or allowed.issuperset(value)):
            changes = {key: DROPPED for key in value if key not in allowed}
            paths.extend((key,) for key in changes)
        for key, item in value.items():
            kind = type(item)
            if (kind is dict or (kind is list and not CONTAINERS.isdisjoint(map(type, item)))) and (
                key in specified or (is_map and key not in untouched)
            ):
                start = len(paths)
                new = below[key](item, paths)
                if new is not item:
                    changes = {} if changes is None else changes
                    changes[key] = new
                    rewriting.prefix(paths, start, key)
        return rewriting.changed_object(value, changes) if changes else value

    return prune
