"""Protobuf encoding of OpenAPI documents, with the messages of gnostic."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from pytest_crd.engine.jsonvalue import JSONObject, JSONValue
from pytest_crd.engine.yaml import yamlstream
from pytest_crd.server.protobuf import anyyaml, openapifields
from pytest_crd.server.protobuf.openapifields import DocumentField
from pytest_crd.server.protobuf.protofields import FIXED64, VARINT, ProtobufError
from pytest_crd.server.protobuf.protowire import part, varint

# Patterns of the keys of a field with named values, by field name, or by message and field name.
_EXTENSION: Final = re.compile("x-")
_NAMES: Final[Mapping[str, re.Pattern[str]]] = {
    "vendorExtension": _EXTENSION,
    "specificationExtension": _EXTENSION,
    "path": re.compile("/"),
    "responseCode": re.compile(r"[0-9]{3}\Z|default\Z"),
    "responseOrReference": re.compile(r"[0-9X]{3}\Z"),
    "additionalProperties": re.compile(""),
    "v3.Callback.path": re.compile(""),
}
_REFERENCE: Final = "$ref"


def write(document: JSONObject, version: str) -> bytes:
    """
    Return an encoded document.

    Args:
        document: The document; maps keep the order of their keys.
        version: `v2` or `v3`.

    Raises:
        ProtobufError: A part of the document has no message.

    Reference:
        kube-openapi handler/handler.go, ToProtoBinary; handler3/handler.go, ToV3ProtoBinary; gnostic-models openapiv2 and openapiv3.
    """
    try:
        return _message(document, f"{version}.Document", "")
    except RecursionError:
        raise ProtobufError(yamlstream.TOO_DEEP) from None


def _message(value: JSONValue, name: str, path: str) -> bytes:
    if (special := _SPECIAL.get(name)) is not None:
        return special(value, path)
    kind = openapifields.message(name)
    if kind.is_choice:
        return _field_value(_chosen(name, kind.fields, value, path), value, path)
    if not isinstance(value, dict):
        raise _unknown(path)
    names = {field: _NAMES.get(f"{name}.{field.name}", _NAMES.get(field.name)) for field in kind.fields if field.is_map}
    other_keys = [key for key in value if not any(field.name == key for field in kind.fields if not field.is_map)]
    under = {field: [key for key in other_keys if pattern and pattern.match(key)] for field, pattern in names.items()}
    if unknown_keys := [key for key in other_keys if not any(key in keys for keys in under.values())]:
        raise _unknown(f"{path}.{unknown_keys[0]}")
    return b"".join(
        _entries(field, value, under[field], path) if field.is_map else _field(field, value, path)
        for field in kind.fields
    )


def _field(field: DocumentField, parent: JSONObject, path: str) -> bytes:
    """Return an encoded field; empty if it is absent or an empty scalar."""
    if field.name not in parent:
        return b""
    value, path = parent[field.name], f"{path}.{field.name}"
    if field.is_list:
        if not isinstance(value, list):
            raise _unknown(path)
        return b"".join(_field_value(field, item, f"{path}[{index}]") for index, item in enumerate(value))
    encoded = _field_value(field, value, path)
    # Protobuf does not distinguish an empty scalar from an absent one.
    return encoded if field.type or value else b""


def _entries(field: DocumentField, parent: JSONObject, keys: Sequence[str], path: str) -> bytes:
    """Return the encoded entries of a field with named values; an empty scalar is omitted from its entry."""
    value_field = field._replace(number=2)
    encoded = bytearray()
    for key in keys:
        name = part(1, key.encode()) if key else b""
        value = _field_value(value_field, parent[key], f"{path}.{key}")
        encoded += part(field.number, name + (value if field.type or parent[key] else b""))
    return bytes(encoded)


def _field_value(field: DocumentField, value: JSONValue, path: str) -> bytes:
    """
    Return one encoded value of a field.

    Raises:
        ProtobufError: The value has another type.
    """
    if field.type:
        return part(field.number, _message(value, field.type, path))
    if field.kind == "string" and isinstance(value, str):
        return part(field.number, value.encode())
    if field.kind == "bool" and isinstance(value, bool):
        return _tag(field) + varint(int(value))
    if field.kind in ("int64", "double") and isinstance(value, int) and not isinstance(value, bool):
        return _tag(field) + (varint(value) if field.wire_type == VARINT else struct.pack("<d", value))
    if field.kind == "double" and isinstance(value, float):
        return _tag(field) + struct.pack("<d", value)
    raise _unknown(path)


def _tag(field: DocumentField) -> bytes:
    return varint(field.number << 3 | field.wire_type)


def _chosen(name: str, fields: tuple[DocumentField, ...], value: JSONValue, path: str) -> DocumentField:
    """
    Return the field of a choice that matches a value.

    Raises:
        ProtobufError: No field matches.
    """
    by_name = {field.name: field for field in fields}
    if isinstance(value, bool) and "boolean" in by_name:
        return by_name["boolean"]
    if not isinstance(value, dict):
        raise _unknown(path)
    if (choose := _CHOICES.get(name)) is not None:
        chosen = by_name.get(choose(value))
        if chosen is None:
            raise _unknown(path)
        return chosen
    references = [field for field in fields if field.type.endswith("Reference")]
    if _REFERENCE in value and references:
        return references[0]
    return fields[0]


def _any(value: JSONValue, _path: str) -> bytes:
    return part(2, anyyaml.to_yaml(value).encode())


def _strings(value: JSONValue, path: str) -> bytes:
    """Return an encoded text, or list of texts."""
    listed = value if isinstance(value, list) else [value]
    if not all(isinstance(text, str) for text in listed):
        raise _unknown(path)
    return b"".join(part(1, text.encode()) for text in listed)


def _items_of(name: str) -> Callable[[JSONValue, str], bytes]:
    def written(value: JSONValue, path: str) -> bytes:
        return part(1, _message(value, name, path))

    return written


def _default(value: JSONValue, _path: str) -> bytes:
    """Return an encoded default of version 3; empty for objects, lists and null, which have no message."""
    if isinstance(value, bool):
        return varint(2 << 3 | VARINT) + varint(int(value))
    if isinstance(value, int | float):
        return varint(1 << 3 | FIXED64) + struct.pack("<d", value)
    return part(3, value.encode()) if isinstance(value, str) else b""


def _unknown(path: str) -> ProtobufError:
    return ProtobufError(f"{path.removeprefix('.') or 'the document'} has no place in OpenAPI")


def _security(value: Mapping[str, Any]) -> str:
    flows = {"implicit": "Implicit", "password": "Password", "application": "Application", "accessCode": "AccessCode"}
    if value.get("type") == "oauth2":
        return f"oauth2{flows.get(value.get('flow', ''))}Security"
    return {"basic": "basicAuthenticationSecurity", "apiKey": "apiKeySecurity"}.get(value.get("type", ""), "")


# The chosen field of a value that is neither a reference nor a boolean.
_CHOICES: Final[Mapping[str, Callable[[Mapping[str, Any]], str]]] = {
    "v2.Parameter": lambda value: "bodyParameter" if value.get("in") == "body" else "nonBodyParameter",
    "v2.NonBodyParameter": lambda value: f"{value.get('in')}ParameterSubSchema",
    "v3.AnyOrExpression": lambda _: "expression",
    "v2.SchemaItem": lambda value: "fileSchema" if value.get("type") == "file" else "schema",
    "v2.SecurityDefinitionsItem": _security,
}
_SPECIAL: Final[Mapping[str, Callable[[JSONValue, str], bytes]]] = {
    "v2.Any": _any,
    "v3.Any": _any,
    "v2.TypeItem": _strings,
    "v2.StringArray": _strings,
    "v3.StringArray": _strings,
    "v2.ItemsItem": _items_of("v2.Schema"),
    "v3.ItemsItem": _items_of("v3.SchemaOrReference"),
    "v3.DefaultType": _default,
}
