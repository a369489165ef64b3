"""
What a CustomResourceDefinition declares, whichever API version it is written in.

v1 and v1beta1 manifests become one model here; whether the server accepts what they declare is decided elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.jsonvalue import JSONValue

V1: Final = "apiextensions.k8s.io/v1"
V1BETA1: Final = "apiextensions.k8s.io/v1beta1"
KIND: Final = "CustomResourceDefinition"

# Behind these stands a pointer or raw JSON in Go, so that false, `{}` or `[]` differs from nothing at all.
_VERBATIM: Final = frozenset(
    {"default", "example", "x-kubernetes-preserve-unknown-fields", "optionalOldSelf", "additionalItems"}
)

# The keys below these are names, of which each counts even when its schema is empty.
_BY_NAME: Final = frozenset({"properties", "patternProperties", "definitions", "dependencies"})


@dataclass(frozen=True, slots=True)
class VersionSpec:
    """
    One version of a CRD.

    Attributes:
        name: `v1`.
        served: Whether the server answers requests for it.
        storage: Whether objects are stored in it.
        schema: Its `openAPIV3Schema`; None where it has none.
        schema_path: Where the schema stands as the server's errors spell it: one schema for all versions is moved up.
        condition_path: Where it stands as the condition NonStructuralSchema spells it: always in its version.
        subresources: Its `status` and `scale`, wherever they are declared; empty where it has none.
        deprecated: Whether the server warns about its use.
        deprecation_warning: The words of that warning; None for the server's own.
    """

    name: str
    served: bool
    storage: bool
    schema: Mapping[str, JSONValue] | None
    schema_path: FieldPath
    condition_path: FieldPath
    subresources: Mapping[str, JSONValue] = field(default_factory=dict)
    deprecated: bool = False
    deprecation_warning: str | None = None


@dataclass(frozen=True, slots=True)
class CrdSpec:
    """
    A CRD as both API versions can say it.

    Attributes:
        api_version: `apiextensions.k8s.io/v1` or `…/v1beta1`.
        name: `metadata.name`, or `<plural>.<group>` where it has none.
        group: The API group.
        kind: The kind of its custom resources.
        plural: The resource in URLs.
        scope: `Namespaced` or `Cluster`; what stands there, where it is neither.
        preserve_unknown_fields: True where nothing is pruned, as v1beta1 has it unless told otherwise.
        versions: All versions, in the order of the manifest.
    """

    api_version: str
    name: str
    group: str
    kind: str
    plural: str
    scope: str
    preserve_unknown_fields: bool
    versions: tuple[VersionSpec, ...]


def is_crd(manifest: JSONValue) -> bool:
    """Return whether *manifest* says that it is a CustomResourceDefinition of an API version that ever existed."""
    return (
        isinstance(manifest, Mapping) and manifest.get("kind") == KIND and manifest.get("apiVersion") in {V1, V1BETA1}
    )


def from_decoded(manifest: Mapping[str, JSONValue]) -> CrdSpec:
    """
    Return what a CRD declares.

    Args:
        manifest: The CRD as the server decodes it: known fields only, each of its type.

    Reference:
        apiextensions-apiserver apis/apiextensions/v1beta1/defaults.go and v1/conversion.go.
    """
    spec = manifest.get("spec") or {}
    names = spec.get("names") or {}
    plural, group = names.get("plural", ""), spec.get("group", "")
    is_v1beta1 = manifest["apiVersion"] == V1BETA1
    return CrdSpec(
        api_version=manifest["apiVersion"],
        name=(manifest.get("metadata") or {}).get("name") or f"{plural}.{group}",
        group=group,
        kind=names.get("kind", ""),
        plural=plural,
        scope=spec.get("scope") or ("Namespaced" if is_v1beta1 else ""),
        preserve_unknown_fields=spec.get("preserveUnknownFields", is_v1beta1),
        versions=_versions(spec, is_v1beta1=is_v1beta1),
    )


def _versions(spec: Mapping[str, JSONValue], *, is_v1beta1: bool) -> tuple[VersionSpec, ...]:
    declared = spec.get("versions") or []
    if is_v1beta1 and not declared and spec.get("version"):
        declared = [{"name": spec["version"], "served": True, "storage": True}]
    schemas = [_schema(version.get("schema")) for version in declared]
    common = _schema(spec.get("validation")) if is_v1beta1 else None
    if not is_v1beta1 and schemas and all(_same(schema, schemas[0]) for schema in schemas):
        common = schemas[0]
    top, of_versions = FieldPath(("spec", "validation", "openAPIV3Schema")), FieldPath(("spec", "versions"))
    return tuple(
        VersionSpec(
            name=version.get("name", ""),
            served=version.get("served", False),
            storage=version.get("storage", False),
            schema=schema if common is None else common,
            schema_path=of_versions.index(index).child("schema", "openAPIV3Schema") if common is None else top,
            condition_path=of_versions.index(index).child("schema", "openAPIV3Schema"),
            subresources=version.get("subresources") or spec.get("subresources") or {},
            deprecated=version.get("deprecated", False),
            deprecation_warning=version.get("deprecationWarning"),
        )
        for index, (version, schema) in enumerate(zip(declared, schemas, strict=True))
    )


def _schema(validation: JSONValue) -> Mapping[str, JSONValue] | None:
    schema: Mapping[str, JSONValue] | None = (validation or {}).get("openAPIV3Schema")
    return schema


def _same_keyword(keyword: str, left: JSONValue, right: JSONValue) -> bool:
    if keyword in _VERBATIM:
        return jsonvalue.equal(left, right)
    if keyword in _BY_NAME:
        left, right = left or {}, right or {}
        return left.keys() == right.keys() and all(_same(schema, right[name]) for name, schema in left.items())
    return _same(left, right)


def _same(left: JSONValue, right: JSONValue) -> bool:
    """Return whether Go holds the same schema for both: what is empty counts as absent, except behind a pointer."""
    if left is right:
        return True
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return all(_same_keyword(key, left.get(key), right.get(key)) for key in left.keys() | right.keys())
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(_same, left, right))
    if type(left) is type(right):
        return bool(left == right)
    return all(value in (None, "", [], {}) or value is False for value in (left, right))
