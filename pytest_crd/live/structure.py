"""A CRD with the structure of another and without validation; pruning and defaulting depend on the structure only."""

from __future__ import annotations

from typing import Final

from pytest_crd.engine.jsonvalue import JSONObject, JSONValue
from pytest_crd.engine.schema import subschemas

# Keywords of structural schemas: types, fields, preserved fields and defaults.
_STRUCTURAL: Final = frozenset(
    {
        "additionalProperties",
        "default",
        "items",
        "nullable",
        "properties",
        "type",
        "x-kubernetes-embedded-resource",
        "x-kubernetes-int-or-string",
        "x-kubernetes-preserve-unknown-fields",
    }
)


def alone(manifest: JSONObject) -> dict[str, JSONValue]:
    """Return a v1 CRD without validation keywords, and without subresources, so that a create stores the status."""
    spec = manifest["spec"]
    versions = [_of_version(version) for version in spec["versions"]]
    return {**manifest, "spec": {**spec, "versions": versions}}


def _of_version(version: JSONObject) -> JSONObject:
    schema = subschemas.without(version["schema"]["openAPIV3Schema"], lambda keyword, _: keyword not in _STRUCTURAL)
    names = ("name", "served", "storage")
    return {**{name: version[name] for name in names}, "schema": {"openAPIV3Schema": schema}}
