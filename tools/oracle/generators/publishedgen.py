"""Schemas and CRDs for recordings of OpenAPI documents: every keyword alone and in pairs, and every feature of a CRD."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Final

from pytest_crd.engine.jsonvalue import JSONValue

Schema = Mapping[str, JSONValue]

# Keywords of every type; the second group does not interact with other keywords.
_SHARED: Final[tuple[Schema, ...]] = (
    {"nullable": True},
    {"default": None},
    {"required": []},
    {"not": {}},
    {"x-kubernetes-validations": [{"rule": "true", "fieldPath": "", "optionalOldSelf": False}]},
)
_TEXTS: Final[tuple[Schema, ...]] = (
    {"description": "words"},
    {"description": ""},
    {"title": "Title"},
    {"externalDocs": {"url": "https://example.com", "description": "docs"}},
    {"externalDocs": {}},
    {"nullable": False},
    {"enum": []},
    {
        "x-kubernetes-validations": [
            {"rule": "true", "message": "", "messageExpression": "'m'", "reason": "FieldValueRequired"}
        ]
    },
    {"x-kubernetes-validations": []},
)
_TYPE_KEYWORDS: Final[Mapping[str, tuple[Schema, ...]]] = {
    "string": (
        {"format": "date"},
        {"pattern": "<&>é"},
        {"minLength": 0},
        {"maxLength": 9223372036854775807},
        {"enum": ["", "a", "b"]},
        {"default": ""},
        {"default": "a"},
        {"example": ""},
        {"example": "a"},
        {"allOf": [{"pattern": "a"}, {"minLength": 0, "enum": ["a"]}]},
        {"anyOf": [{"format": "ipv4"}, {"not": {"maxLength": 3}}]},
        {"oneOf": [{}, {"pattern": ""}]},
        {"not": {"enum": ["x"], "title": ""}},
    ),
    "integer": (
        {"format": "int64"},
        {"maximum": 9223372036854775807},
        {"minimum": -9223372036854775808},
        {"maximum": 9007199254740993, "exclusiveMaximum": True},
        {"minimum": 0, "exclusiveMinimum": True},
        {"exclusiveMinimum": False, "exclusiveMaximum": False},
        {"multipleOf": 3},
        {"default": 0},
        {"default": 9007199254740993},
        {"example": 0},
        {"enum": [0, 9223372036854775807]},
        {"anyOf": [{"maximum": 1}, {"minimum": 9223372036854775807}]},
    ),
    "number": (
        {"format": "double"},
        {"maximum": 1e21},
        {"maximum": 1e20, "minimum": -1e-7},
        {"minimum": 0.1},
        {"multipleOf": 1e-300},
        {"default": 1.5},
        {"default": 1e20},
        {"example": 9223372036854775808},
        {"enum": [1.0, 1e-7, 123456789012345680000.0, 1e21]},
        {"not": {"multipleOf": 0.5, "maximum": 1.0}},
    ),
    "boolean": ({"default": False}, {"default": True}, {"example": False}, {"enum": [False]}),
    "array": (
        {"items": {"type": "string"}},
        {"items": {"type": "string", "nullable": True, "default": "a"}},
        {"items": {"type": "object", "properties": {"k": {"type": "string"}}, "required": ["k"]}},
        {"items": {"x-kubernetes-int-or-string": True}},
        {"items": {"type": "string"}, "x-kubernetes-list-type": "set"},
        {"items": {"type": "string"}, "x-kubernetes-list-type": "atomic", "x-kubernetes-list-map-keys": []},
        {
            "items": {"type": "object", "required": ["k"], "properties": {"k": {"type": "string"}}},
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["k"],
        },
        {"minItems": 0},
        {"maxItems": 3},
        {"uniqueItems": False},
        {"default": []},
        {"example": []},
        {"x-kubernetes-preserve-unknown-fields": True},
        {"allOf": [{"items": {"minLength": 1}}, {"maxItems": 3}]},
    ),
    "object": (
        {"properties": {}},
        {"properties": {"a": {"type": "string"}, "b": {"type": "integer", "default": 1}}},
        {"properties": {"a": {"type": "string", "nullable": True}, "b": {"type": "integer"}}, "required": ["a", "b"]},
        {
            "properties": {"a": {"type": "object", "properties": {"c": {"type": "string", "nullable": True}}}},
            "required": ["a"],
        },
        {"additionalProperties": True},
        {"additionalProperties": {"type": "string", "default": "a"}},
        {"additionalProperties": {"type": "string", "nullable": True}, "required": ["a"]},
        {"additionalProperties": {"type": "object", "x-kubernetes-embedded-resource": True, "properties": {}}},
        {"additionalProperties": {"x-kubernetes-int-or-string": True, "nullable": True}},
        {"required": ["a"]},
        {"minProperties": 0},
        {"maxProperties": 3},
        {"default": {}},
        {"default": {"a": "x"}},
        {"example": {}},
        {"example": {"a": [1.0, 1e20, None]}},
        {"x-kubernetes-preserve-unknown-fields": True},
        {"x-kubernetes-embedded-resource": True},
        {
            "x-kubernetes-embedded-resource": True,
            "required": ["kind", "spec"],
            "properties": {"kind": {"type": "string"}},
        },
        {"x-kubernetes-map-type": "atomic"},
        {"allOf": [{"properties": {"a": {"minLength": 1}}, "required": ["a"]}]},
        {"anyOf": [{"required": ["a"]}, {"properties": {"b": {"not": {"enum": [2]}}}}]},
        {"not": {"properties": {}, "required": ["z"]}},
    ),
    "": (
        {"x-kubernetes-preserve-unknown-fields": True},
        {"x-kubernetes-int-or-string": True},
        {"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}, {"type": "string"}]},
        {"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}, {"type": "string"}], "pattern": "a"},
        {"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}, {"type": "string", "pattern": "a"}]},
        {"x-kubernetes-int-or-string": True, "anyOf": [{"pattern": "a"}]},
        {
            "x-kubernetes-int-or-string": True,
            "allOf": [{"anyOf": [{"type": "integer"}, {"type": "string"}]}, {"pattern": "a"}],
        },
        {"x-kubernetes-int-or-string": True, "allOf": [{"minimum": 3}], "anyOf": [{"maximum": 5}]},
        {"x-kubernetes-int-or-string": True, "allOf": [{"minimum": 3}]},
        {"x-kubernetes-int-or-string": True, "default": "10%"},
    ),
}


def schemas() -> Iterator[Schema]:
    """Yield distinct field schemas: for each type every keyword alone, and each pair of compatible keywords."""
    combinations: list[Schema] = []
    for kind, own in _TYPE_KEYWORDS.items():
        base = {"type": kind} if kind else {}
        parts = [*own, *_SHARED, *(_TEXTS if kind == "string" else ())]
        combinations += [{**base, **part} for part in parts]
        combinations += [
            {**base, **first, **second}
            for first, second in itertools.combinations(parts, 2)
            if not first.keys() & second.keys()
        ]
    yield from (schema for index, schema in enumerate(combinations) if schema not in combinations[:index])


_NAMES: Final = {"plural": "cases", "singular": "case", "kind": "Case", "listKind": "CaseList"}


def _crd(
    group: str, *versions: JSONValue, names: Schema = _NAMES, scope: str = "Namespaced", **spec: JSONValue
) -> JSONValue:
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{names['plural']}.{group}"},
        "spec": {"group": group, "names": dict(names), "scope": scope, "versions": list(versions), **spec},
    }


def _version(
    schema: JSONValue = None, name: str = "v1", *, storage: bool = True, served: bool = True, **more: JSONValue
) -> JSONValue:
    return {
        "name": name,
        "served": served,
        "storage": storage,
        "schema": {"openAPIV3Schema": {"type": "object"} if schema is None else schema},
        **more,
    }


_SCALE: Final = {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}
_SPEC: Final = {
    "type": "object",
    "properties": {"spec": {"type": "object", "properties": {"color": {"type": "string"}}}},
}
_OWN_METADATA: Final = {
    "type": "object",
    "description": "Case is a case.",
    "required": ["apiVersion", "kind", "metadata", "spec"],
    "properties": {
        "apiVersion": {"type": "string", "enum": ["v1"], "description": "own words"},
        "kind": {"type": "string", "pattern": "^Case$"},
        "metadata": {"type": "object", "properties": {"name": {"type": "string", "maxLength": 9}}},
        "spec": {"type": "object", "nullable": True},
    },
}


def crds() -> Iterator[tuple[str, JSONValue]]:
    """Yield names and CRDs, for everything in documents besides field schemas."""
    root = "published.example.com"
    for scope in ("Namespaced", "Cluster"):
        for shape, subresources in (
            ("plain", {}),
            ("status", {"status": {}}),
            ("scale", {"scale": _SCALE}),
            ("both", {"status": {}, "scale": _SCALE}),
        ):
            yield (
                f"{scope} {shape}",
                _crd(f"{shape}.{scope.lower()}.{root}", _version(subresources=subresources), scope=scope),
            )
    yield "metadata of its own", _crd(f"metadata.{root}", _version(_OWN_METADATA))
    yield (
        "a root that preserves",
        _crd(f"preserves.{root}", _version({**_SPEC, "x-kubernetes-preserve-unknown-fields": True})),
    )
    yield "an embedded root", _crd(f"embedded.{root}", _version({**_SPEC, "x-kubernetes-embedded-resource": True}))
    yield (
        "texts of a root",
        _crd(
            f"texts.{root}",
            _version({**_SPEC, "title": "T", "description": "D", "example": {"a": 1}, "externalDocs": {"url": "u"}}),
        ),
    )
    yield (
        "junctors of a root",
        _crd(
            f"junctors.{root}",
            _version(
                {
                    **_SPEC,
                    "anyOf": [{"required": ["spec"]}, {"properties": {"spec": {"required": ["color"]}}}],
                    "maxProperties": 9,
                }
            ),
        ),
    )
    rules = [{"rule": "self.metadata.name != 'x'", "message": "not x"}]
    yield "rules of a root", _crd(f"rules.{root}", _version({**_SPEC, "x-kubernetes-validations": rules}))
    odd_items: JSONValue = {
        name: {"type": "string", "items": value} for name, value in (("a", []), ("b", True), ("c", "x"))
    }
    yield "items that are no schema", _crd(f"items.{root}", _version({"type": "object", "properties": odd_items}))
    large = {"type": "number", "default": 2**63, "example": [2**63 + 5000], "enum": [2**63, 1e300]}
    yield "numbers beyond int64", _crd(f"numbers.{root}", _version({"type": "object", "properties": {"a": large}}))
    fields = [{"jsonPath": ".spec.color"}]
    yield "selectable fields", _crd(f"selectable.{root}", _version(_SPEC, selectableFields=fields))
    yield (
        "versions",
        _crd(
            f"versions.{root}",
            _version(_SPEC, "v1", deprecated=True, deprecationWarning="old", selectableFields=fields),
            _version(
                {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
                "v1beta1",
                storage=False,
                subresources={"status": {}},
            ),
            _version(_SPEC, "v1alpha1", storage=False, served=False),
            _version(
                _SPEC,
                "v2",
                storage=False,
                additionalPrinterColumns=[{"name": "Color", "type": "string", "jsonPath": ".spec.color"}],
            ),
        ),
    )
    odd = {"plural": "odd-things2", "singular": "odd", "kind": "OddThings", "listKind": "ManyOddOnes"}
    yield "names without an article", _crd(f"4odd.my-{root}", _version(_SPEC, "v1-x"), names=odd)
    yield (
        "a vowel",
        _crd(
            f"vowel.{root}",
            _version(),
            names={"plural": "iss", "singular": "is", "kind": "iglooClass", "listKind": "igloos"},
            scope="Cluster",
        ),
    )
    approved = _crd("cases.x-k8s.io", _version(_SPEC))
    yield (
        "a group of Kubernetes",
        {**approved, "metadata": {**approved["metadata"], "annotations": {"api-approved.kubernetes.io": "unapproved"}}},
    )
    k8s = _crd("cases.k8s.io", _version(_SPEC))
    yield (
        "a group of Kubernetes itself",
        {**k8s, "metadata": {**k8s["metadata"], "annotations": {"api-approved.kubernetes.io": "unapproved"}}},
    )
    yield from _v1beta1_crds(root)


def _v1beta1_crds(root: str) -> Iterator[tuple[str, JSONValue]]:
    """Yield v1beta1 CRDs, which only old servers accept."""
    for name, schema, more in (
        ("v1beta1 structural", _SPEC, {"preserveUnknownFields": False, "subresources": {"status": {}}}),
        ("v1beta1 that preserves", _SPEC, {}),
        ("v1beta1 not structural", {"properties": {"spec": {"properties": {"a": {"type": "string"}}}}}, {}),
        ("v1beta1 that is not expressible", {"type": "object", "properties": {"a": {"$ref": "#/definitions/b"}}}, {}),
        ("v1beta1 of another type", {"type": "object", "properties": {"a": {"type": "text"}}}, {}),
        ("v1beta1 without schema", None, {}),
    ):
        group = f"{name.lower().replace(' ', '-')}.{root}"
        validation = {"validation": {"openAPIV3Schema": schema}} if schema is not None else {}
        yield (
            name,
            {
                "apiVersion": "apiextensions.k8s.io/v1beta1",
                "kind": "CustomResourceDefinition",
                "metadata": {"name": f"cases.{group}"},
                "spec": {
                    "group": group,
                    "version": "v1",
                    "names": dict(_NAMES),
                    "scope": "Cluster",
                    **validation,
                    **more,
                },
            },
        )


def random_schema(random: Random, depth: int = 4) -> dict[str, JSONValue]:
    """Return the schema of a whole resource with random keywords; servers accept about half of these schemas."""
    fields = {name: _random_field(random, depth - 1) for name in random.sample(("spec", "status", "a", "b c", "é"), 3)}
    return {"type": "object", "properties": fields, **_chosen(random, [*_TEXTS, {"maxProperties": 9}])}


def _random_field(random: Random, depth: int) -> dict[str, JSONValue]:
    kind = random.choice([*_TYPE_KEYWORDS] if depth else ["string", "integer", "number", "boolean"])
    schema: dict[str, JSONValue] = {
        **({"type": kind} if kind else {}),
        **_chosen(random, [*_TYPE_KEYWORDS[kind], *_SHARED, *_TEXTS]),
    }
    if kind == "object" and random.random() < 0.8 and "additionalProperties" not in schema:
        names = random.sample(("kind", "metadata", "apiVersion", "a", "b", "c.d", "x-y", ""), random.randint(1, 4))
        schema["properties"] = {
            **schema.get("properties", {}),
            **{name: _random_field(random, depth - 1) for name in names},
        }
    elif kind == "object" and random.random() < 0.4 and "properties" not in schema:
        schema["additionalProperties"] = _random_field(random, depth - 1)
    elif kind == "array" and random.random() < 0.6 and "x-kubernetes-list-type" not in schema:
        schema["items"] = _random_field(random, depth - 1)
    return schema


def _chosen(random: Random, parts: Sequence[Schema]) -> dict[str, JSONValue]:
    keywords: dict[str, JSONValue] = {}
    for part in random.sample(parts, min(len(parts), random.choice((0, 0, 1, 1, 1, 2, 3)))):
        keywords |= part
    return keywords
