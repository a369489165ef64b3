"""
What a CustomResourceDefinition declares, whichever API version it is written in: the model alone.

It is filled from the internal form of a CRD (`internal.declared`); whether the server accepts it is decided elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.schema.declaredschema import OpenAPISchema

V1: Final = "apiextensions.k8s.io/v1"
V1BETA1: Final = "apiextensions.k8s.io/v1beta1"
KIND: Final = "CustomResourceDefinition"
GROUP: Final = "apiextensions.k8s.io"
PLURAL: Final = "customresourcedefinitions"


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
        selectable_fields: The JSON paths of its selectable fields, `.spec.color`.
    """

    name: str
    served: bool
    storage: bool
    schema: OpenAPISchema | None
    schema_path: FieldPath
    condition_path: FieldPath
    subresources: Mapping[str, JSONValue] = field(default_factory=dict)
    deprecated: bool = False
    deprecation_warning: str | None = None
    selectable_fields: tuple[str, ...] = ()


class CrdSpec(NamedTuple):
    """
    A CRD as both API versions can say it.

    Attributes:
        name: `metadata.name`, or `<plural>.<group>` where it has none.
        group: The API group.
        kind: The kind of its custom resources.
        list_kind: The kind of lists of them.
        plural: The resource in URLs.
        scope: `Namespaced` or `Cluster`; what stands there, where it is neither.
        preserve_unknown_fields: True where nothing is pruned, as v1beta1 has it unless told otherwise.
        converts_by_webhook: Whether a webhook converts objects from one version to another.
        versions: All versions, in the order of the manifest.
    """

    name: str
    group: str
    kind: str
    list_kind: str
    plural: str
    scope: str
    preserve_unknown_fields: bool
    converts_by_webhook: bool
    versions: tuple[VersionSpec, ...]


def api_version(group: str, version: str) -> str:
    """Return the apiVersion of a group and a version: `stable.example.com/v1`, of the core group `v1`."""
    return f"{group}/{version}" if group else version


def is_crd(manifest: JSONValue) -> bool:
    """Return whether *manifest* says that it is a CustomResourceDefinition of an API version that ever existed."""
    return (
        isinstance(manifest, Mapping) and manifest.get("kind") == KIND and manifest.get("apiVersion") in (V1, V1BETA1)
    )


def place_in(manifest: Mapping[str, JSONValue], steps: tuple[str | int, ...]) -> tuple[str | int, ...]:
    """Return where in a manifest stands what *steps* lead to in the server's form of it, where a shared schema is moved up."""
    spec = manifest["spec"]
    if steps[:2] != ("spec", "validation") or spec.get("validation"):
        return steps
    return *place_of_schema(manifest, spec["versions"][0]["name"]), *steps[3:]


def place_of_schema(manifest: Mapping[str, JSONValue], version: str) -> tuple[str | int, ...]:
    """Return where in a manifest the schema of *version* stands: in the version, or for all of them above."""
    for index, one in enumerate(manifest["spec"].get("versions") or ()):
        if one.get("name") == version and one.get("schema"):
            return "spec", "versions", index, "schema", "openAPIV3Schema"
    return "spec", "validation", "openAPIV3Schema"
