"""
Published schemas: the parts of a structural schema that the server publishes, as it writes them.

Unchanged parts are shared with the CRD. Callers copy a document before they return it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Final

from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.openapi import commontypes
from pytest_crd.engine.openapi.commontypes import Schema, Types
from pytest_crd.engine.profile import Profile

# The descriptions of the fields that every object has.
_API_VERSION: Final = (
    "APIVersion defines the versioned schema of this representation of an object. Servers should convert recognized schemas to the "
    "latest internal value, and may reject unrecognized values. More info: "
    "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#resources"
)
_KIND: Final = (
    "Kind is a string value representing the REST resource this object represents. Servers may infer this from the endpoint the client "
    "submits requests to. Cannot be updated. In CamelCase. More info: "
    "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds"
)
_METADATA: Final = (
    "Standard object's metadata. More info: "
    "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata"
)
_LIST_METADATA: Final = (
    "Standard list metadata. More info: "
    "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds"
)
_EMBEDDED_API_VERSION: Final = (
    "apiVersion defines the versioned schema of this representation of an object. More info: "
    "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#resources"
)
_EMBEDDED_KIND: Final = (
    "kind is a string value representing the type of this object. In CamelCase. More info: "
    "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds"
)
_TYPE_META: Final = {
    "apiVersion": {"description": _API_VERSION, "type": "string"},
    "kind": {"description": _KIND, "type": "string"},
}
_EMBEDDED_TYPE_META: Final = {
    "apiVersion": {"description": _EMBEDDED_API_VERSION, "type": "string"},
    "kind": {"description": _EMBEDDED_KIND, "type": "string"},
}

_PRESERVE: Final = "x-kubernetes-preserve-unknown-fields"
_EMBEDDED: Final = "x-kubernetes-embedded-resource"
_INT_OR_STRING: Final = "x-kubernetes-int-or-string"
_JUNCTORS: Final = ("allOf", "anyOf", "oneOf")
_NOT_IN_V2: Final = frozenset({*_JUNCTORS, "not", "nullable"})
_ANY_OF: Final = [{"type": "integer"}, {"type": "string"}]

# Published unless they are empty, zero or false.
_PUBLISHED_WHEN_SET: Final = frozenset(
    {
        *("type", "description", "title", "format", "pattern", "nullable", "required"),
        *("exclusiveMaximum", "exclusiveMinimum", "uniqueItems"),
        *(_PRESERVE, _EMBEDDED, _INT_OR_STRING, "x-kubernetes-list-map-keys"),
    }
)
_PLAIN: Final = frozenset({"type", "description"})
# Published with any value.
_PUBLISHED: Final = frozenset(
    {
        *("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"),
        *("x-kubernetes-list-type", "x-kubernetes-map-type"),
    }
)
_FLOATS: Final = frozenset({"maximum", "minimum", "multipleOf"})


class Publisher:
    """
    Publisher of schemas.

    Args:
        of_types: The Kubernetes types for references, in v2 or v3.
        profile: The Kubernetes version.
    """

    def __init__(self, types: Types, profile: Profile) -> None:
        self._types = types
        self._is_v2 = types.openapi == 2
        self._keeps_defaults = not self._is_v2 or profile.publishes_defaults_in_v2
        self._keeps_examples = profile.structure_has_examples
        self._types_lists = profile.types_published_lists

    def resource(self, schema: Schema | None, *, preserves: bool) -> dict[str, JSONValue]:
        """
        Return the published schema of custom resources.

        Args:
            schema: The decoded schema; None if it is missing or not structural.
            preserves: Whether nothing is pruned, for any schema.

        Reference:
            controller/openapi/builder, buildKubeNative.
        """
        if schema is None or (self._is_v2 and (preserves or schema.get(_PRESERVE))):
            # With properties, kubectl would refuse all other fields.
            return {"type": "object"}
        published = self._node(schema)
        fields = published.get("properties", {})
        published["properties"] = {
            **fields,
            **_TYPE_META,
            "metadata": self._metadata(commontypes.OBJECT_META, _METADATA),
        }
        return self._embedded(published)

    def list_of(self, type_: str, list_kind: str, kind: str, plural: str) -> dict[str, JSONValue]:
        """
        Return the schema of lists of custom resources.

        Args:
            type_: The name of their own schema.
            list_kind: The kind of the lists.
            kind: Their kind.
            plural: The resource in URLs.

        Reference:
            controller/openapi/builder, buildListSchema.
        """
        more = "More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md"
        ref = self._types.ref(type_)
        items = {"description": f"List of {plural}. {more}", "items": {"$ref": ref}, "type": "array"}
        return {
            "description": f"{list_kind} is a list of {kind}",
            **({"type": "object"} if self._types_lists else {}),
            "properties": {
                **_TYPE_META,
                "items": items,
                "metadata": self._metadata(commontypes.LIST_META, _LIST_METADATA),
            },
            "required": ["items"],
        }

    def _metadata(self, name: str, description: str) -> dict[str, JSONValue]:
        reference = {"$ref": self._types.ref(name)}
        # In v3 a reference has no siblings.
        return {"description": description, **(reference if self._is_v2 else {"allOf": [reference]})}

    def _child(self, schema: Schema) -> dict[str, JSONValue]:
        return self._embedded(self._node(schema))

    def _node(self, schema: Schema) -> dict[str, JSONValue]:
        """Return the published form of a *schema* outside junctors."""
        if schema.keys() <= _PLAIN:  # half of all schemas; a server refuses lists without items
            return {keyword: value for keyword, value in schema.items() if value}
        if self._is_v2:
            schema = _fit_for_v2(schema)
        published = self._keywords(schema)
        if "additionalProperties" in schema:
            values = schema["additionalProperties"]
            published["additionalProperties"] = self._child(values) if isinstance(values, Mapping) else values
        _add_structure(published, schema, self._child)
        if not self._is_v2:
            self._add_junctors(published, schema)
            if schema.get(_INT_OR_STRING):
                _unfold(published)
        return published

    def _nested(self, schema: Schema) -> dict[str, JSONValue]:
        """Return the published form of a *schema* inside a junctor, without its schema of map values."""
        published = self._keywords(schema)
        _add_structure(published, schema, self._nested)
        self._add_junctors(published, schema)
        return published

    def _add_junctors(self, published: dict[str, JSONValue], schema: Schema) -> None:
        for junctor in _JUNCTORS:
            if schema.get(junctor):
                published[junctor] = [self._nested(branch) for branch in schema[junctor]]
        if "not" in schema:
            published["not"] = self._nested(schema["not"])

    def _keywords(self, schema: Schema) -> dict[str, JSONValue]:
        """Return the published keywords without nested schemas."""
        published: dict[str, JSONValue] = {}
        for keyword, value in schema.items():
            if keyword in _PUBLISHED or (keyword in _PUBLISHED_WHEN_SET and value):
                published[keyword] = value
            elif keyword in _FLOATS:
                published[keyword] = _as_written(float(value))
            elif keyword in self._converters and (converted := self._converters[keyword](self, value)) is not None:
                published[keyword] = converted
        return published

    def _default(self, value: JSONValue) -> JSONValue:
        return _exact(value) if self._keeps_defaults else None

    def _example(self, value: JSONValue) -> JSONValue:
        is_empty = value in ("", [], {})
        return None if is_empty or not self._keeps_examples else _exact(value)

    def _docs(self, value: Mapping[str, JSONValue]) -> JSONValue:
        return {key: text for key, text in value.items() if text} if self._keeps_examples else None

    def _enum(self, value: list[JSONValue]) -> JSONValue:
        return _exact(value) or None

    def _rules(self, value: list[Mapping[str, JSONValue]]) -> JSONValue:
        return [_rule(rule) for rule in value] or None

    # Converters of the values of other keywords; None drops the keyword.
    _converters: Final[Mapping[str, Callable[[Publisher, JSONValue], JSONValue]]] = {
        "default": _default,
        "example": _example,
        "externalDocs": _docs,
        "enum": _enum,
        "x-kubernetes-validations": _rules,
    }

    def _embedded(self, published: dict[str, JSONValue]) -> dict[str, JSONValue]:
        """Return a schema of embedded resources with the fields that every object has; other schemas unchanged."""
        if not published.get(_EMBEDDED) or (self._is_v2 and published.get(_PRESERVE)):
            return published
        metadata = self._metadata(commontypes.OBJECT_META, _METADATA)
        required = published.get("required", [])
        return {
            **published,
            "properties": {**published.get("properties", {}), **_EMBEDDED_TYPE_META, "metadata": metadata},
            "required": [*required, *(name for name in ("kind", "apiVersion") if name not in required)],
        }


def _fit_for_v2(schema: Schema) -> Schema:
    """
    Return a schema without keywords that kubectl cannot read in v2; nested schemas are unchanged.

    Reference:
        controller/openapi/v2, ToStructuralOpenAPIV2.
    """
    fit = {keyword: value for keyword, value in schema.items() if keyword not in _NOT_IN_V2}
    if schema.get("nullable"):
        fit.pop("type", None)
    if schema.get("nullable") or schema.get(_PRESERVE):
        fit.pop("items", None)
        fit.pop("properties", None)
    has_items = isinstance(fit.get("items"), Mapping)
    if (fit.get("type") == "array" and not has_items) or (fit.get("type") == "object" and fit.get(_PRESERVE)):
        del fit["type"]
    if fit.get("required"):
        fit["required"] = _required_in_v2(fit)
    return fit


def _required_in_v2(schema: Schema) -> list[str]:
    values, fields = schema.get("additionalProperties"), schema.get("properties", {})
    if isinstance(values, Mapping) and values.get("nullable"):
        return []
    return [name for name in schema["required"] if not fields.get(name, {}).get("nullable")]


def _add_structure(
    published: dict[str, JSONValue], schema: Schema, publish: Callable[[Schema], dict[str, JSONValue]]
) -> None:
    # The server ignores a value of items that is not a schema.
    if isinstance(schema.get("items"), Mapping):
        published["items"] = publish(schema["items"])
    if schema.get("properties"):
        published["properties"] = {name: publish(child) for name, child in schema["properties"].items()}


def _unfold(published: dict[str, JSONValue]) -> None:
    """
    Express an int-or-string with standard keywords, unless the schema does so itself.

    Reference:
        apiserver/schema/unfold.go.
    """
    all_of = published.get("allOf", [])
    if published.get("anyOf") == _ANY_OF or (all_of and all_of[0].get("anyOf") == _ANY_OF):
        return
    if "anyOf" in published:
        published["allOf"] = [{"anyOf": _ANY_OF}, *all_of]
    else:
        published["anyOf"] = _ANY_OF


def _rule(rule: Mapping[str, JSONValue]) -> dict[str, JSONValue]:
    """Return a rule without empty texts; the field `rule` is always present."""
    return {"rule": "", **{key: value for key, value in rule.items() if value != "" or key == "rule"}}


def _as_written(value: float) -> JSONValue:
    """Return a float64 as it is read back from the server's JSON: whole numbers have no fraction and no exponent."""
    return json.loads(printing.marshal(value))


def _exact(value: JSONValue) -> JSONValue:
    """Return a user's value as it is read back from the server's JSON."""
    if isinstance(value, float):
        return _as_written(value)
    if isinstance(value, dict):
        return {key: _exact(item) for key, item in value.items()}
    return [_exact(item) for item in value] if isinstance(value, list) else value
