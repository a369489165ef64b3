"""A CRD that has the structure of another and checks no values: what is pruned and defaulted depends on the structure alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pytest_crd.engine.schema import subschemas

JSONValue = Any
JSONObject = Mapping[str, JSONValue]

# What structural schemas are made of: types, where fields are, what is kept and what is put in.
_KEPT: Final = frozenset(
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
    """Return a CRD in `apiextensions.k8s.io/v1` without what checks values, and without subresources, so that a status counts."""
    spec = manifest["spec"]
    versions = [_of_version(version) for version in spec["versions"]]
    return {**manifest, "spec": {**spec, "versions": versions}}


def _of_version(version: JSONObject) -> JSONObject:
    schema = subschemas.without(version["schema"]["openAPIV3Schema"], lambda keyword, _: keyword not in _KEPT)
    names = ("name", "served", "storage")
    return {**{name: version[name] for name in names}, "schema": {"openAPIV3Schema": schema}}
