"""
Values of Go types: their notation in server messages, and their semantic equality.

Values have their JSON shape and are interpreted by type alone; nothing is validated.
"""

from __future__ import annotations

import base64
import itertools
from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.golang import gosyntax, gotypes, printing
from pytest_crd.engine.golang.gotypes import (
    Bytes,
    Custom,
    Float,
    GoType,
    List,
    Map,
    Pointer,
    Raw,
    Struct,
    StructReference,
    Union,
)
from pytest_crd.engine.jsonvalue import JSONValue

# Go's field names that differ from the JSON name by more than a capital first letter.
_GO_NAMES: Final = {
    "$schema": "Schema",
    "$ref": "Ref",
    "id": "ID",
    "jsonPath": "JSONPath",
    "url": "URL",
    "uid": "UID",
    "apiVersion": "APIVersion",
    "apiGroup": "APIGroup",
}
# Types with JSON names in objects of internal versions.
TAGGED: Final = frozenset({"v1.LabelSelector"})
_Part: TypeAlias = "tuple[str, JSONValue, GoType]"
_Print: TypeAlias = Callable[[JSONValue, GoType], str]


def to_json(value: JSONValue, kind: GoType) -> str:  # noqa: PLR0911 - a case for each type
    """
    Return *value* as Go writes it as JSON if its structs have no JSON names: with Go's field names and all fields.

    Types of the package `meta/v1` have JSON names.

    Reference:
        encoding/json, Marshal.
    """
    kind = _resolved(kind)
    if isinstance(kind, Struct | Union):
        if kind.name in TAGGED:
            return _tagged(value or {}, kind)
        return _joined("{", [f'"{name}":{to_json(part, type_)}' for name, part, type_ in _parts(value, kind)], "}", ",")
    if value is None:
        return "null" if kind.zero is None else printing.marshal(kind.zero)
    if isinstance(kind, Pointer):
        return to_json(value, kind.to)
    if isinstance(kind, List):
        return _joined("[", [to_json(item, kind.item) for item in value], "]", ",")
    if isinstance(kind, Map):
        return _joined("{", _entries(value, kind, to_json, printing.marshal), "}", ",")
    return printing.marshal(float(value) if isinstance(kind, Float) else value)


def _tagged(value: JSONValue, kind: GoType) -> str:
    """Return a value as JSON with JSON names, without absent fields."""
    if isinstance(kind, List):
        return _joined("[", [_tagged(item, kind.item) for item in value], "]", ",")
    if not isinstance(kind, Struct):
        return printing.marshal(value)
    parts = [f'"{name}":{_tagged(value[name], type_)}' for name, type_ in kind.fields.items() if name in value]
    return _joined("{", parts, "}", ",")


def to_go_syntax(value: JSONValue, kind: GoType) -> str:
    """
    Return *value* as Go's `%#v` prints it; targets of pointers are printed as a placeholder address.

    Reference:
        fmt, `%#v`.
    """
    kind = _resolved(kind)
    if isinstance(kind, Struct | Union):
        parts = [f"{name}:{to_go_syntax(part, type_)}" for name, part, type_ in _parts(value, kind)]
        return _joined(f"{kind.name}{{", parts, "}", ", ")
    if isinstance(kind, Pointer):
        return f"(*{kind.name})({'nil' if value is None else gosyntax.ADDRESS})"
    if isinstance(kind, List | Map | Raw) and value is None:
        return f"{kind.name}(nil)"
    if isinstance(kind, List | Map):
        parts = _entries(value, kind, to_go_syntax, printing.quote) if isinstance(kind, Map) else _items(value, kind)
        return _joined(f"{kind.name}{{", parts, "}", ", ")
    if isinstance(kind, Bytes):
        return f"[]byte{{{', '.join(f'{byte:#x}' for byte in base64.b64decode(value))}}}"
    return gosyntax.value(kind.zero if value is None else value)


def equal(left: JSONValue, right: JSONValue, kind: GoType) -> bool:
    """
    Return whether two values are semantically equal in Go: empty equals absent, except behind a pointer.

    Reference:
        apimachinery api/equality, Semantic.DeepEqual.
    """
    if left is right:
        return True
    kind = _resolved(kind)
    if isinstance(kind, Pointer):
        return left is not None and right is not None and equal(left, right, kind.to)
    if isinstance(kind, Raw):
        return jsonvalue.equal(left, right)
    if isinstance(kind, Map | List | Struct | Union):
        return _have_equal_parts(left, right, kind)
    left, right = left or kind.zero, right or kind.zero
    return kind.equal(left, right) if isinstance(kind, Custom) else bool(left == right)


def _have_equal_parts(left: JSONValue, right: JSONValue, kind: Map | List | Struct | Union) -> bool:
    if isinstance(kind, Map):
        left, right = left or {}, right or {}
        values = [*left.values()], [*map(right.get, left)]
        return left.keys() == right.keys() and all(map(equal, *values, itertools.repeat(kind.value)))
    if isinstance(kind, List):
        left, right = left or [], right or []
        return len(left) == len(right) and all(map(equal, left, right, itertools.repeat(kind.item)))
    if isinstance(kind, Struct):
        left, right = left or {}, right or {}
        # Most fields of a schema are absent on both sides, so only the present ones are compared.
        for key in {**left, **right}:
            part, other = left.get(key), right.get(key)
            is_same = type(part) is str and type(other) is str and part == other
            if not is_same and key in kind.fields and not equal(part, other, kind.fields[key]):
                return False
        return True
    pairs = zip(_parts(left, kind), _parts(right, kind), strict=True)
    return all(equal(left_part, right_part, type_) for (_, left_part, type_), (_, right_part, _) in pairs)


def has_empty_part(sent: JSONValue, value: JSONValue, kind: GoType) -> bool:
    """
    Return whether an object has an empty list or map, apart from its metadata, which Go does not count as an absent one.

    Args:
        sent: The object as it was sent.
        value: The object with defaults.
        kind: Its type.
    """
    kind = kind.to if isinstance(kind, Pointer) else kind
    if isinstance(kind, List | Map) and not value:
        return sent in ([], {})
    if isinstance(kind, List):
        return any(has_empty_part(*pair, kind.item) for pair in zip(sent or (), value, strict=False))
    if not isinstance(kind, Struct) or not isinstance(sent, dict):
        return False
    parts = [key for key in sent if key in kind.fields and key != "metadata"]
    return any(has_empty_part(sent[key], (value or {}).get(key), kind.fields[key]) for key in parts)


def _parts(value: JSONValue, kind: Struct | Union) -> Iterator[_Part]:
    """Yield the fields of a struct or union: name in Go, value, type."""
    if isinstance(kind, Struct):
        for key, part in kind.fields.items():
            yield _go_name(key), (value or {}).get(key), part
    elif kind.bools:
        yield "Allows", bool(value) or isinstance(value, dict), gotypes.BOOL
        yield "Schema", value if isinstance(value, dict) else None, Pointer(kind.object)
    else:
        name = (
            "JSONSchemas"
            if isinstance(kind.array, List) and isinstance(kind.array.item, StructReference)
            else "Property"
        )
        yield "Schema", value if isinstance(value, dict) else None, Pointer(kind.object)
        yield name, value if isinstance(value, list) else None, kind.array or kind.object


def _resolved(kind: GoType) -> GoType:
    return kind.load() if isinstance(kind, StructReference) else kind


def _go_name(key: str) -> str:
    if key.startswith("x-kubernetes-"):
        return "X" + "".join(part.capitalize() for part in key.split("-")[2:])
    return _GO_NAMES.get(key) or key[0].upper() + key[1:]


def _items(value: JSONValue, kind: List) -> list[str]:
    return [to_go_syntax(item, kind.item) for item in value]


def _entries(value: JSONValue, kind: Map, print_: _Print, print_key: Callable[[str], str]) -> list[str]:
    return [f"{print_key(key)}:{print_(value[key], kind.value)}" for key in sorted(value)]


def _joined(before: str, parts: list[str], after: str, separator: str) -> str:
    return before + separator.join(parts) + after
