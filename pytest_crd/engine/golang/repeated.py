"""Keys that are there twice: what Go holds after it has decoded one value after the other into the same place."""

from __future__ import annotations

from pytest_crd.engine.golang.decodeerrors import Repeating
from pytest_crd.engine.golang.gotypes import Float, GoType, Int, List, Map, Pointer, Scalar, Struct, StructReference
from pytest_crd.engine.jsonvalue import JSONValue


def joined(value: JSONValue, kind: GoType) -> JSONValue:
    """
    Return a value in which each key is there once, of which Go holds the same.

    Args:
        value: The value, whose objects may be `Repeating`; not modified.
        kind: The Go type that it is decoded into. What structs do not know falls away.

    Reference:
        encoding/json, decodeState.object and array: structs are merged, also those of lists; of maps the entries are replaced. Null leaves
        what cannot be nil.
    """
    kind = _pointed(kind)
    if isinstance(kind, List) and isinstance(value, list):
        return [joined(item, kind.item) for item in value]
    if isinstance(kind, Map) and isinstance(value, dict):
        return {key: joined(item, kind.value) for key, item in value.items()}
    if not (isinstance(kind, Struct) and isinstance(value, dict)):
        return value
    found: dict[str, JSONValue] = {}
    for key, item in value.pairs if isinstance(value, Repeating) else value.items():
        if (field := kind.fields.get(key)) is not None:
            once = joined(item, field)
            found[key] = _over(found[key], once, field) if key in found else once
    return found


def _over(before: JSONValue, value: JSONValue, kind: GoType) -> JSONValue:
    """Return what is there after a value was decoded over another one."""
    if value is None:
        return before if isinstance(kind, Scalar | Int | Float | Struct) else None
    pointed = _pointed(kind)
    if isinstance(pointed, List) and isinstance(before, list) and isinstance(value, list):
        there = [_over(one, item, pointed.item) for one, item in zip(before, value, strict=False)]
        return [*there, *value[len(there) :]]
    if not (isinstance(pointed, Struct | Map) and isinstance(before, dict) and isinstance(value, dict)):
        return value
    fields = pointed.fields if isinstance(pointed, Struct) else {}
    merged = dict(before)
    for key, item in value.items():
        merged[key] = _over(before[key], item, fields[key]) if key in before and key in fields else item
    return merged


def _pointed(kind: GoType) -> GoType:
    """Return the type behind pointers and references."""
    while isinstance(kind, Pointer | StructReference):
        kind = kind.to if isinstance(kind, Pointer) else kind.load()
    return kind
