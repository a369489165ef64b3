"""
The order of keys in OpenAPI documents: Go's order of the fields of its structs, and names and extensions in alphabetical order.

Hashes of documents depend on it.

Reference:
    kube-openapi spec3 and validation/spec.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.openapi.commontypes import OpenAPIVersion

_GVK: Final = "x-kubernetes-group-version-kind"
_SCHEMA: Final = (
    *("description", "type", "nullable", "format", "title", "default", "maximum", "exclusiveMaximum", "minimum"),
    *("exclusiveMinimum", "maxLength", "minLength", "pattern", "maxItems", "minItems", "uniqueItems", "multipleOf"),
    *("enum", "maxProperties", "minProperties", "required", "items", "allOf", "oneOf", "anyOf", "not", "properties"),
    *("additionalProperties", "externalDocs", "example", "$ref"),
)
_ITEM: Final = ("get", "put", "post", "delete", "options", "head", "patch", "parameters")
_SECURITY: Final[Mapping[OpenAPIVersion, tuple[str, ...]]] = {
    2: ("description", "type", "name", "in"),
    3: ("type", "description", "name", "in"),
}
# The keys of a kind in an operation of version 3; extensions of version 2 are sorted.
_KIND: Final = ("group", "version", "kind")
_DOCUMENT: Final = (
    *("openapi", "swagger", "info", "paths", "components", "definitions", "parameters"),
    *("securityDefinitions", "security"),
)
_OPERATION: Final[Mapping[OpenAPIVersion, tuple[str, ...]]] = {
    2: ("description", "consumes", "produces", "schemes", "tags", "operationId", "parameters", "responses"),
    3: ("tags", "description", "operationId", "parameters", "requestBody", "responses"),
}
_PARAMETER: Final[Mapping[OpenAPIVersion, tuple[str, ...]]] = {
    2: ("uniqueItems", "type", "description", "name", "in", "required", "schema", "$ref"),
    3: ("name", "in", "description", "required", "schema"),
}


def ordered(document: Mapping[str, JSONValue], openapi: OpenAPIVersion) -> dict[str, JSONValue]:
    """Return a document with its keys in the order of a server."""
    orders = _Orders(openapi)
    parts: Mapping[str, Callable[[JSONValue], JSONValue]] = {
        "paths": orders.paths,
        "definitions": _schemas,
        "parameters": orders.named_parameters,
        "components": orders.components,
        "securityDefinitions": orders.security,
    }
    whole = {key: parts[key](value) if key in parts else value for key, value in document.items()}
    return _sorted(whole, _DOCUMENT)


def _sorted(value: Mapping[str, JSONValue], order: tuple[str, ...] = ()) -> dict[str, JSONValue]:
    """Return an object with its keys in an order; other keys follow, sorted."""
    return {
        **{key: value[key] for key in order if key in value},
        **{key: value[key] for key in sorted(value.keys() - order)},
    }


def _schemas(schemas: Mapping[str, JSONValue]) -> dict[str, JSONValue]:
    return {name: _schema(schemas[name]) for name in sorted(schemas)}


def _schema(schema: JSONValue) -> JSONValue:
    """Return a schema in order; `additionalProperties` may be a boolean."""
    if not isinstance(schema, dict):
        return schema
    orders: Mapping[str, Callable[[JSONValue], JSONValue]] = {
        "properties": _schemas,
        **dict.fromkeys(("items", "additionalProperties", "not"), _schema),
        **dict.fromkeys(("allOf", "oneOf", "anyOf"), lambda parts: [*map(_schema, parts)]),
    }
    return _sorted(
        {key: orders[key](value) if key in orders else _sorted_value(value) for key, value in schema.items()}, _SCHEMA
    )


def _sorted_value(value: JSONValue) -> JSONValue:
    """Return a value with sorted keys."""
    if isinstance(value, list):
        return [*map(_sorted_value, value)]
    return {key: _sorted_value(value[key]) for key in sorted(value)} if isinstance(value, dict) else value


class _Orders:
    """The orders of one version of OpenAPI."""

    def __init__(self, openapi: OpenAPIVersion) -> None:
        self._openapi = openapi

    def paths(self, paths: Mapping[str, JSONValue]) -> dict[str, JSONValue]:
        return {path: self._item(paths[path]) for path in sorted(paths)}

    def named_parameters(self, parameters: Mapping[str, JSONValue]) -> dict[str, JSONValue]:
        return {name: self._parameter(parameters[name]) for name in sorted(parameters)}

    def components(self, components: Mapping[str, JSONValue]) -> dict[str, JSONValue]:
        parts: Mapping[str, Callable[[JSONValue], JSONValue]] = {"schemas": _schemas, "securitySchemes": self.security}
        return {key: parts[key](components[key]) for key in sorted(components)}

    def security(self, schemes: Mapping[str, JSONValue]) -> dict[str, JSONValue]:
        return {name: _sorted(schemes[name], _SECURITY[self._openapi]) for name in sorted(schemes)}

    def _item(self, item: Mapping[str, JSONValue]) -> dict[str, JSONValue]:
        parts = {key: self._parameters(v) if key == "parameters" else self._operation(v) for key, v in item.items()}
        return _sorted(parts, _ITEM)

    def _operation(self, operation: Mapping[str, JSONValue]) -> dict[str, JSONValue]:
        orders: Mapping[str, Callable[[JSONValue], JSONValue]] = {
            "parameters": self._parameters,
            "requestBody": _with_content,
            "responses": lambda responses: {code: _with_content(responses[code]) for code in sorted(responses)},
            _GVK: lambda kind: _sorted(kind, _KIND if self._openapi == 3 else ()),
        }
        parts = {key: orders[key](value) if key in orders else value for key, value in operation.items()}
        return _sorted(parts, _OPERATION[self._openapi])

    def _parameters(self, parameters: JSONValue) -> JSONValue:
        return [*map(self._parameter, parameters)]

    def _parameter(self, parameter: Mapping[str, JSONValue]) -> dict[str, JSONValue]:
        parts = {key: _schema(value) if key == "schema" else value for key, value in parameter.items()}
        return _sorted(parts, _PARAMETER[self._openapi])


def _with_content(holder: Mapping[str, JSONValue]) -> dict[str, JSONValue]:
    """Return a request body or a response in order: `description` first."""
    orders: Mapping[str, Callable[[JSONValue], JSONValue]] = {
        "schema": _schema,
        "content": lambda content: {form: {"schema": _schema(content[form]["schema"])} for form in sorted(content)},
    }
    return _sorted({key: orders[key](v) if key in orders else v for key, v in holder.items()}, ("description",))
