"""A CRD with the structure of another and without validation."""

from __future__ import annotations

from typing import Any

from pytest_crd.engine import CustomResourceDefinition
from pytest_crd.live import judge

FREE = {"x-kubernetes-preserve-unknown-fields": True}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["spec"],
    "x-kubernetes-validations": [{"rule": "has(self.spec)"}],
    "properties": {
        "spec": {
            "type": "object",
            "minProperties": 1,
            "properties": {
                "size": {"type": "integer", "maximum": 3, "default": 1},
                "port": {
                    "x-kubernetes-int-or-string": True,
                    "pattern": "a",
                    "anyOf": [{"type": "integer"}, {"type": "string"}],
                },
                "free": {"type": "object", "nullable": True, **FREE},
                "pods": {"type": "object", "x-kubernetes-embedded-resource": True, **FREE},
                "list": {
                    "type": "array",
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["name"],
                    "items": {
                        "type": "object",
                        "required": ["name"],
                        "properties": {"name": {"type": "string", "enum": ["a"]}},
                    },
                },
                "map": {"type": "object", "additionalProperties": {"type": "string", "format": "date"}},
                "open": {"type": "object", "additionalProperties": True},
                "required": {"type": "string", "maxLength": 1},
            },
        },
    },
}


def test_types_fields_and_defaults_stay_and_checks_go() -> None:
    names = {"plural": "things", "kind": "Thing", "singular": "thing", "listKind": "ThingList"}
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": SCHEMA},
        "subresources": {"status": {}},
        "additionalPrinterColumns": [{"name": "a", "type": "string", "jsonPath": ".a"}],
    }
    spec = {"group": "g.example.com", "scope": "Namespaced", "names": names, "versions": [version]}
    manifest = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.g.example.com"},
        "spec": spec,
    }

    crd = judge.reduce_to_structure(manifest)

    (only,) = crd["spec"]["versions"]
    assert only.keys() == {"name", "served", "storage", "schema"}
    assert only["schema"]["openAPIV3Schema"] == {
        "type": "object",
        "properties": {
            "spec": {
                "type": "object",
                "properties": {
                    "size": {"type": "integer", "default": 1},
                    "port": {"x-kubernetes-int-or-string": True},
                    "free": {"type": "object", "nullable": True, **FREE},
                    "pods": {"type": "object", "x-kubernetes-embedded-resource": True, **FREE},
                    "list": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}}},
                    "map": {"type": "object", "additionalProperties": {"type": "string"}},
                    "open": {"type": "object", "additionalProperties": True},
                    "required": {"type": "string"},
                },
            },
        },
    }
    CustomResourceDefinition.from_manifest(crd).assert_accepted()
