"""
Declarations of a CustomResourceDefinition in a model for both API versions.

`internal.declared` builds the model from the internal form. It is not validated here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.schema.declaredschema import OpenAPISchema
from pytest_crd.records import NamedTuple, dataclass, field

V1: Final = "apiextensions.k8s.io/v1"
V1BETA1: Final = "apiextensions.k8s.io/v1beta1"
KIND: Final = "CustomResourceDefinition"
TYPE_META: Final = {"apiVersion": V1, "kind": KIND}
GROUP: Final = "apiextensions.k8s.io"
PLURAL: Final = "customresourcedefinitions"


@dataclass(frozen=True)
class VersionSpec:
    """
    One version of a CRD.

    Attributes:
        name: `v1`.
        served: Whether the server answers requests for it.
        storage: Whether objects are stored in it.
        schema: Its `openAPIV3Schema`; None if it has none.
        schema_path: The path of the schema in the server's errors: a schema shared by all versions is in
            `spec.validation`.
        condition_path: The path of the schema in the condition NonStructuralSchema: always in its version.
        subresources: Its `status` and `scale`, declared for the version or for all; empty if it has none.
        deprecated: Whether the server warns about its use.
        deprecation_warning: The text of that warning; None for the server's own text.
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
    A CRD as both API versions can express it.

    Attributes:
        name: `metadata.name`; `<plural>.<group>` if it has no name.
        group: The API group.
        kind: The kind of its custom resources.
        list_kind: The kind of lists of them.
        plural: The resource in URLs.
        scope: `Namespaced` or `Cluster`; another text if the CRD is not valid.
        preserve_unknown_fields: Whether nothing is pruned, which is the default of v1beta1.
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
    """Return the apiVersion of a group and a version: `stable.example.com/v1`; `v1` for the core group."""
    return f"{group}/{version}" if group else version


def is_crd(manifest: JSONValue) -> bool:
    """Return whether *manifest* has the kind CustomResourceDefinition and an apiVersion of v1 or v1beta1."""
    return (
        isinstance(manifest, Mapping) and manifest.get("kind") == KIND and manifest.get("apiVersion") in (V1, V1BETA1)
    )


def place_in(manifest: Mapping[str, JSONValue], steps: tuple[str | int, ...]) -> tuple[str | int, ...]:
    """Return the steps in *manifest* for *steps* in the internal form, with its shared schema in `spec.validation`."""
    spec = manifest["spec"]
    if steps[:2] != ("spec", "validation") or spec.get("validation"):
        return steps
    return *place_of_schema(manifest, spec["versions"][0]["name"]), *steps[3:]


def place_of_schema(manifest: Mapping[str, JSONValue], version: str) -> tuple[str | int, ...]:
    """Return the steps of the schema of *version* in *manifest*: in the version, or in `spec.validation`."""
    for index, entry in enumerate(manifest["spec"].get("versions") or ()):
        if entry.get("name") == version and entry.get("schema"):
            return "spec", "versions", index, "schema", "openAPIV3Schema"
    return "spec", "validation", "openAPIV3Schema"
