"""
JSON of the objects of apply configurations, and of the values of JSON patches.

The server converts lists and maps of an expression only one level deep: a list in a list literal stays a value of the
expression language, which no schema allows. Lists and maps that come from the request are JSON at any depth.

Reference:
    apiserver cel/mutation/dynamic/objects.go, convertField; cel-go common/types: Value and ConvertToNative of each type.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from pytest_crd.admission.patches.valueorigins import Origins
from pytest_crd.engine import jsonvalue
from pytest_crd.engine.cel.errors import EvaluationError, UnsupportedExpressionError
from pytest_crd.engine.cel.run.qualifiers import go_type
from pytest_crd.engine.cel.types import protomessages
from pytest_crd.engine.cel.values import durations, timestamps, workload
from pytest_crd.engine.cel.values.celvalues import (
    Duration,
    Opaque,
    Optional,
    SelectableStruct,
    Timestamp,
    TypeValue,
    UInt,
    Value,
    find,
    is_list,
    is_map,
)
from pytest_crd.engine.cel.values.display import show
from pytest_crd.engine.golang import printing
from pytest_crd.engine.golang.govalues import GoValue
from pytest_crd.engine.jsonvalue import JSONValue


class FailedMutationError(Exception):
    """A mutation that fails, with the server's message; it counts as the failure policy says."""


NULL: Final = GoValue("structpb.NullValue", "NULL_VALUE", "0")
_OPAQUE: Final = {
    "kubernetes.Quantity": "Quantity",
    "kubernetes.URL": "URL",
    "net.IP": "IP",
    "net.CIDR": "CIDR",
    "kubernetes.Semver": "Semver",
    "kubernetes.NamedFormat": "Format",
}
_NO_JSON: Final = "JSONPath valueExpression evaluated to a type that could not marshal to JSON"


class NoJsonError(Exception):
    """A value that cannot be converted, with the server's message."""


class ObjectStruct(SelectableStruct):
    """
    Base of objects of apply configurations.

    Attributes:
        type_name: The type, such as `Object.spec`.
        fields: The fields.
    """

    __slots__ = ("fields", "type_name")

    type_name: str  # type: ignore[misc] # each object has its own type
    fields: Mapping[str, Value]


def find_misnamed(value: Value, path: str, origins: Origins) -> Iterator[str]:
    """
    Yield the messages about objects in a value with types that are not named after their paths.

    The server does not look into joined lists.

    Args:
        value: The value.
        path: The name that the type of an object has.
        origins: The origins of lists and maps.
    """
    if isinstance(value, ObjectStruct):
        if value.type_name != path:
            expected = f"unexpected type name {printing.quote(value.type_name)}, expected {printing.quote(path)}"
            yield f"{expected}, which matches field name path from root Object type"
        for name, item in workload.visit(value.fields).items():
            yield from find_misnamed(item, f"{path}.{name}", origins)
    elif is_list(value) and not origins.is_joined(value):
        for item in workload.visit(value):
            yield from find_misnamed(item, path, origins)
    elif isinstance(value, dict):
        for item in workload.visit(value).values():
            yield from find_misnamed(item, path, origins)


def object_to_json(value: ObjectStruct, origins: Origins) -> dict[str, Any]:
    """
    Return an object as JSON, with a GoValue for each part that is no JSON.

    Args:
        value: The object.
        origins: The origins of lists and maps.

    Raises:
        NoJsonError: A map has a key that is no text.
    """
    converted = {}
    for name, item in workload.visit(value.fields).items():
        try:
            converted[name] = to_json(item, origins)
        except NoJsonError as error:
            raise NoJsonError(f"fail to convert field {printing.quote(name)}: {error}") from None
    return converted


def to_json(value: Value, origins: Origins) -> Any:
    """
    Return the value of a field as JSON, or as a GoValue if it is no JSON.

    Raises:
        NoJsonError: A map has a key that is no text.
    """
    if is_list(value):
        is_deep = origins.is_given(value) or origins.is_joined(value)
        convert: Callable[[Value, Origins], Any] = to_json if is_deep else _to_native
        return [convert(item, origins) for item in workload.visit(value)]
    if is_map(value):
        convert = to_json if origins.is_given(value) else _to_native
        return {_text_key(key): convert(find(value, key), origins) for key in workload.visit(value)}
    return _to_native(value, origins)


def _text_key(key: Value) -> str:
    if isinstance(key, str):
        return key
    raise NoJsonError(f"map key {_quoted(key)} is of type {go_type(key)}, not string")


def _quoted(key: Value) -> str:
    """Return a key as `%q` prints it."""
    number = key.value if isinstance(key, UInt) else key
    if isinstance(key, bool) or not isinstance(number, int):
        return f"%!q({go_type(key)}={show(key)})"
    character = chr(number) if 0 <= number <= 0x10FFFF and not 0xD800 <= number < 0xE000 else "\ufffd"
    inner = printing.quote(character)[1:-1].replace('\\"', '"')
    return "'\\''" if character == "'" else f"'{inner}'"


def _to_native(value: Value, origins: Origins) -> Any:  # noqa: PLR0911 - one for each type
    """
    Return the Go value behind a value.

    Reference:
        cel-go common/types, Value of each type.
    """
    if value is None:
        return NULL
    if isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, TypeValue):
        return value.name
    if isinstance(value, Optional):
        return _to_native(value.value, origins) if value.has_value else None
    if isinstance(value, ObjectStruct):
        try:
            return object_to_json(value, origins)
        except NoJsonError as error:
            return GoValue("*types.Err", str(error), "")
    if origins.is_joined(value):
        return [_to_native(item, origins) for item in workload.visit(value)]
    if is_list(value) or is_map(value):
        return value if origins.is_given(value) else _unconverted(value)
    return _scalar(value)


def _unconverted(value: Value) -> GoValue:
    """Return a list or a map of an expression that the server leaves as it is."""
    if is_list(value):
        elements = [*value]
        return GoValue("[]ref.Val", f"[{' '.join(map(show, elements))}]", "")
    entries = sorted((show(key), show(find(value, key))) for key in value)
    return GoValue("map[ref.Val]ref.Val", f"map[{' '.join(f'{key}:{item}' for key, item in entries)}]", "")


def _scalar(value: Value) -> GoValue:
    if isinstance(value, UInt):
        return GoValue("uint64", str(value.value), hex(value.value), value.value)
    if isinstance(value, bytes):
        syntax = f"[]uint8{{{', '.join(map(hex, value))}}}"
        return GoValue("[]uint8", show(value), syntax, value)
    if isinstance(value, Duration):
        return GoValue("time.Duration", durations.show(value), str(value.nanoseconds))
    if isinstance(value, Timestamp):
        return GoValue("time.Time", timestamps.show(value), "")
    raise UnsupportedExpressionError(f"{value.type_name} in an object of a mutation")


def to_patch_json(value: Value, origins: Origins) -> JSONValue:
    """
    Return the value of a JSON patch as JSON.

    Raises:
        NoJsonError: It has no JSON.

    Reference:
        apiserver admission/plugin/policy/mutating/patch/json_patch.go, evaluatePatchExpression.
    """
    if isinstance(value, ObjectStruct) and (problems := [*find_misnamed(value, value.type_name, origins)]):
        raise NoJsonError("type mismatch: " + "\n".join(problems))
    try:
        return _to_proto(value, origins)
    except (NoJsonError, EvaluationError) as error:
        raise NoJsonError(f"{_NO_JSON}: {error}") from None


def _to_proto(value: Value, origins: Origins) -> JSONValue:
    if isinstance(value, ObjectStruct):
        return _native_to_proto(object_to_json(value, origins))
    if isinstance(value, Optional):
        if not value.has_value:
            raise NoJsonError("optional.none() dereference")
        return _to_proto(value.value, origins)
    if struct := origins.struct_of(value):
        is_named = struct.startswith("v1.")
        raise NoJsonError(
            f"type conversion error from struct type {struct} to *structpb.Value"
            if is_named
            else f"type conversion error from '{struct}' to '*structpb.Value'"
        )
    if is_list(value):
        return [_to_proto(item, origins) for item in workload.visit(value)]
    if is_map(value):
        return {protomessages.to_key(key): _to_proto(find(value, key), origins) for key in workload.visit(value)}
    if isinstance(value, Opaque):
        name = _OPAQUE.get(value.type_name, value.type_name)
        raise NoJsonError(f"type conversion error from '{name}' to '*structpb.Value'")
    converted = protomessages.to_json(value)
    return jsonvalue.number(converted) if isinstance(converted, float) else converted


def _native_to_proto(value: Any) -> JSONValue:
    """
    Return the JSON of a Go value.

    Raises:
        NoJsonError: It has none.

    Reference:
        protobuf types/known/structpb, NewValue: all numbers are doubles.
    """
    if isinstance(value, dict):
        return {key: _native_to_proto(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_native_to_proto(item) for item in value]
    if isinstance(value, GoValue):
        if isinstance(value.value, bytes):
            return base64.b64encode(value.value).decode()
        if value.value is None:
            raise NoJsonError(f"proto: invalid type: {value.type}")
        return jsonvalue.number(float(value.value))
    if isinstance(value, int | float) and not isinstance(value, bool):
        return jsonvalue.number(float(value))
    converted: JSONValue = value
    return converted
