"""Branches of unions: their constraints without structure, and nulls among them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pytest_crd.classes.conjunctions import JSONSchema

_NULL: Final = "null"
_OF_KUBERNETES: Final = "x-kubernetes-"
_INNER: Final = ("items", "additionalProperties")
# Keywords of a branch that a structural schema states beside the junctor.
_OF_STRUCTURE: Final = (
    "type",
    "description",
    "default",
    "nullable",
    f"{_OF_KUBERNETES}int-or-string",
    f"{_OF_KUBERNETES}preserve-unknown-fields",
)


def without_structure(schema: JSONSchema, *, is_branch: bool = True) -> dict[str, Any]:
    """Return the constraints of a branch, or of a field in it, without types and others that stand beside the junctor."""
    own = {key: value for key, value in schema.items() if key not in _OF_STRUCTURE}
    if not is_branch:
        own = {key: value for key, value in own.items() if not key.startswith(_OF_KUBERNETES)}
    inner: dict[str, Any] = {
        keyword: without_structure(own.pop(keyword), is_branch=False) for keyword in _INNER if keyword in own
    }
    properties = {name: without_structure(child, is_branch=False) for name, child in own.pop("properties", {}).items()}
    inner["properties"] = {name: child for name, child in properties.items() if child}
    return {**own, **{keyword: value for keyword, value in inner.items() if value}}


def types(schema: JSONSchema) -> list[str]:
    """Return the types of a schema; empty if it has none."""
    names = schema.get("type", [])
    return [str(name) for name in names] if isinstance(names, list) else [str(names)]


def is_null(schema: Any) -> bool:
    """Return whether null is the only value of a schema."""
    if not isinstance(schema, Mapping):
        return False
    return types(schema) == [_NULL] or schema.get("enum", [schema.get("const", 0)]) == [None]


def takes_null(schema: JSONSchema) -> bool:
    """Return whether the keywords beside a junctor let null pass."""
    values = schema.get("enum", [schema["const"]] if "const" in schema else [None])
    return None in values and ("type" not in schema or _NULL in types(schema))


def with_null(schema: JSONSchema) -> JSONSchema:
    """Return a schema that also takes null."""
    values = schema.get("enum", [schema["const"]] if "const" in schema else None)
    rest = {keyword: value for keyword, value in schema.items() if keyword != "const"}
    return {**rest, "nullable": True, **({} if values is None else {"enum": [*values, None]})}


def let_null_pass(own: dict[str, Any]) -> None:
    """Move the values of an enum with null into a junctor, as a server compares null with each value of an enum beside `nullable`."""
    values = own.get("enum", [])
    if None in values:
        own["enum"] = [value for value in values if value is not None]
        if own.get("nullable"):
            own["allOf"] = [{"enum": own.pop("enum")}]


def require(schema: JSONSchema, name: str | None) -> dict[str, Any]:
    """Return a branch that requires the field with the name, if there is one."""
    required = schema.get("required", [])
    return dict(schema) if name is None or name in required else {**schema, "required": [name, *required]}
