"""CRD versions of a schema, and the coverage points that requests reach in them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pytest_crd import engine
from pytest_crd.coverage import Collector


def version_of(schema: Any, kubernetes_version: str = "1.37", **declared: Any) -> engine.CrdVersion:
    """Return version `v1` of a CRD. *schema* is the schema of its spec, or of the whole object if it has a property `spec`."""
    whole = schema if schema.get("type") == "object" and "spec" in schema.get("properties", {}) else None
    root = whole or {"type": "object", "properties": {"spec": schema}}
    manifest = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "pots.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"plural": "pots", "singular": "pot", "kind": "Pot", "listKind": "PotList"},
            "versions": [
                {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": root}, **declared}
            ],
        },
    }
    crd = engine.CustomResourceDefinition.from_manifest(manifest, kubernetes_version=kubernetes_version)
    crd.assert_accepted()
    return crd.version("v1")


def reached(version: engine.CrdVersion, ask: Callable[[engine.CrdVersion], object]) -> set[str]:
    """Return the ids of the coverage points that the requests of *ask* reach."""
    collector = Collector()
    ask(version.observed_by(collector.observer))
    return set(collector.reached(version))


def reached_in_spec(schema: Any, *specs: Any, kubernetes_version: str = "1.37") -> set[str]:
    """Return the ids that creates with *specs* reach below the schema of the spec, without the spec's own `:set`."""
    version = version_of(schema, kubernetes_version)
    ids = reached(version, lambda version: [version.create({"spec": spec}) for spec in specs])
    below = "properties/spec"
    return {id_.removeprefix(below).removeprefix("/") for id_ in ids} - {":set"}
