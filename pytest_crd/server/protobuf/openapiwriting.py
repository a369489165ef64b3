"""OpenAPI documents in protobuf: what their JSON says, written as a server writes it, by the messages of gnostic."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from pytest_crd.engine.jsonvalue import JSONObject, JSONValue
from pytest_crd.engine.yaml import unreadable
from pytest_crd.server.protobuf import anyyaml, openapifields
from pytest_crd.server.protobuf.openapifields import DocumentField
from pytest_crd.server.protobuf.protofields import FIXED64, VARINT, ProtobufError
from pytest_crd.server.protobuf.protowire import part, varint

# What names there are in a field that has a value under each of them: in one of this name, or in that of a message.
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
    Return a document.

    Args:
        document: The document; what has names is written in their order.
        version: `v2` or `v3`.

    Raises:
        ProtobufError: It has something for which there is no message.

    Reference:
        kube-openapi handler/handler.go, ToProtoBinary; handler3/handler.go, ToV3ProtoBinary; gnostic-models openapiv2 and openapiv3.
    """
    try:
        return _message(document, f"{version}.Document", "")
    except RecursionError:
        raise ProtobufError(unreadable.TOO_DEEP) from None


def _message(value: JSONValue, name: str, path: str) -> bytes:
    if (special := _SPECIAL.get(name)) is not None:
        return special(value, path)
    kind = openapifields.message(name)
    if kind.is_choice:
        return _one(_chosen(name, kind.fields, value, path), value, path)
    if not isinstance(value, dict):
        raise _unknown(path)
    names = {field: _NAMES.get(f"{name}.{field.name}", _NAMES.get(field.name)) for field in kind.fields if field.is_map}
    others = [key for key in value if not any(field.name == key for field in kind.fields if not field.is_map)]
    under = {field: [key for key in others if pattern and pattern.match(key)] for field, pattern in names.items()}
    if strangers := [key for key in others if not any(key in keys for keys in under.values())]:
        raise _unknown(f"{path}.{strangers[0]}")
    return b"".join(
        _entries(field, value, under[field], path) if field.is_map else _field(field, value, path)
        for field in kind.fields
    )


def _field(field: DocumentField, around: JSONObject, path: str) -> bytes:
    """Return what is written of a field; what is empty is left out."""
    if field.name not in around:
        return b""
    value, path = around[field.name], f"{path}.{field.name}"
    if field.is_list:
        if not isinstance(value, list):
            raise _unknown(path)
        return b"".join(_one(field, item, f"{path}[{at}]") for at, item in enumerate(value))
    found = _one(field, value, path)
    # What is no message is not told from nothing where it is empty.
    return found if field.type or value else b""


def _entries(field: DocumentField, around: JSONObject, keys: Sequence[str], path: str) -> bytes:
    """Return the values under names, each with its name before it; a text that is empty is left out."""
    at = field._replace(number=2)
    found = bytearray()
    for key in keys:
        name = part(1, key.encode()) if key else b""
        value = _one(at, around[key], f"{path}.{key}")
        found += part(field.number, name + (value if field.type or around[key] else b""))
    return bytes(found)


def _one(field: DocumentField, value: JSONValue, path: str) -> bytes:
    """Return one value of a field."""
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
    Return which of its fields a value is.

    Raises:
        ProtobufError: None.
    """
    by_name = {field.name: field for field in fields}
    if isinstance(value, bool) and "boolean" in by_name:
        return by_name["boolean"]
    if not isinstance(value, dict):
        raise _unknown(path)
    if (which := _CHOICES.get(name)) is not None:
        found = by_name.get(which(value))
        if found is None:
            raise _unknown(path)
        return found
    references = [field for field in fields if field.type.endswith("Reference")]
    if _REFERENCE in value and references:
        return references[0]
    return fields[0]


def _any(value: JSONValue, _path: str) -> bytes:
    return part(2, anyyaml.written(value).encode())


def _strings(value: JSONValue, path: str) -> bytes:
    """Return one text, or a list of them."""
    listed = value if isinstance(value, list) else [value]
    if not all(isinstance(one, str) for one in listed):
        raise _unknown(path)
    return b"".join(part(1, one.encode()) for one in listed)


def _items_of(name: str) -> Callable[[JSONValue, str], bytes]:
    def written(value: JSONValue, path: str) -> bytes:
        return part(1, _message(value, name, path))

    return written


def _default(value: JSONValue, _path: str) -> bytes:
    """Return a default of version 3, of which there is none that is an object, a list or null."""
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


# What a value is that is neither a reference nor a boolean, by what it says of itself.
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
