"""Merging of repeated keys as Go merges them when it decodes several values into one variable."""

from __future__ import annotations

from pytest_crd.engine.golang.decodeerrors import Repeating
from pytest_crd.engine.golang.gotypes import Float, GoType, Int, List, Map, Pointer, Scalar, Struct, StructReference
from pytest_crd.engine.jsonvalue import JSONValue


def merge(value: JSONValue, kind: GoType) -> JSONValue:
    """
    Return *value* with each key once, such that Go decodes it to the same result.

    Args:
        value: JSON value whose objects may be `Repeating`; not modified.
        kind: The Go type. Unknown fields of structs are dropped.

    Reference:
        encoding/json, decodeState.object and array. Structs are merged, also inside lists. Map entries are replaced.
        Null keeps the previous value of types that cannot be nil.
    """
    kind = _dereference(kind)
    if isinstance(kind, List) and isinstance(value, list):
        return [merge(item, kind.item) for item in value]
    if isinstance(kind, Map) and isinstance(value, dict):
        return {key: merge(item, kind.value) for key, item in value.items()}
    if not (isinstance(kind, Struct) and isinstance(value, dict)):
        return value
    fields: dict[str, JSONValue] = {}
    for key, item in value.pairs if isinstance(value, Repeating) else value.items():
        if (field := kind.fields.get(key)) is not None:
            merged = merge(item, field)
            fields[key] = _decode_over(fields[key], merged, field) if key in fields else merged
    return fields


def _decode_over(before: JSONValue, value: JSONValue, kind: GoType) -> JSONValue:
    """Return the result of decoding *value* over *before*, the value of an earlier occurrence of the key."""
    if value is None:
        return before if isinstance(kind, Scalar | Int | Float | Struct) else None
    target = _dereference(kind)
    if isinstance(target, List) and isinstance(before, list) and isinstance(value, list):
        common = [_decode_over(old, new, target.item) for old, new in zip(before, value, strict=False)]
        return [*common, *value[len(common) :]]
    if not (isinstance(target, Struct | Map) and isinstance(before, dict) and isinstance(value, dict)):
        return value
    fields = target.fields if isinstance(target, Struct) else {}
    merged = dict(before)
    for key, item in value.items():
        merged[key] = _decode_over(before[key], item, fields[key]) if key in before and key in fields else item
    return merged


def _dereference(kind: GoType) -> GoType:
    """Return the type behind pointers and references."""
    while isinstance(kind, Pointer | StructReference):
        kind = kind.to if isinstance(kind, Pointer) else kind.load()
    return kind
