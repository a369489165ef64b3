"""The CRD and the objects of the conversations, in a group and a namespace for each client."""

from __future__ import annotations

from typing import Any, Final

from pytest_crd.engine.jsonvalue import JSONValue

KIND: Final = "Oven"
VERSION: Final = "v1"
PLURAL: Final = "ovens"
_SPEC: Final = {
    "type": "object",
    "required": ["heat"],
    "x-kubernetes-validations": [{"rule": "self.heat < 250 || self.replicas < 3", "message": "too many are too hot"}],
    "properties": {
        "heat": {"type": "integer", "minimum": 50, "maximum": 300},
        "replicas": {"type": "integer", "default": 1},
        "trays": {
            "type": "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["name"],
            "items": {
                "type": "object",
                "required": ["name"],
                "properties": {"name": {"type": "string"}, "of": {"type": "string"}},
            },
        },
    },
}
_CONDITION: Final = {"type": "object", "properties": {"type": {"type": "string"}, "status": {"type": "string"}}}
_STATUS: Final = {
    "type": "object",
    "properties": {
        "phase": {"type": "string"},
        "replicas": {"type": "integer"},
        "selector": {"type": "string"},
        "conditions": {"type": "array", "items": _CONDITION},
    },
}


def group(client: str) -> str:
    """Return the API group of a client's conversation."""
    return f"{client}.clients.example.com"


def crd(client: str) -> JSONValue:
    """Return the manifest of the CRD of a client's conversation."""
    version = {
        "name": VERSION,
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": _SPEC, "status": _STATUS}}},
        "selectableFields": [{"jsonPath": ".spec.heat"}],
        "additionalPrinterColumns": [{"name": "Heat", "type": "integer", "jsonPath": ".spec.heat"}],
        "subresources": {
            "status": {},
            "scale": {
                "specReplicasPath": ".spec.replicas",
                "statusReplicasPath": ".status.replicas",
                "labelSelectorPath": ".status.selector",
            },
        },
    }
    names = {
        "plural": PLURAL,
        "singular": "oven",
        "kind": KIND,
        "listKind": "OvenList",
        "shortNames": ["ov"],
        "categories": ["kitchen"],
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{PLURAL}.{group(client)}"},
        "spec": {"group": group(client), "scope": "Namespaced", "names": names, "versions": [version]},
    }


def oven(client: str, name: str, heat: Any, **spec: Any) -> JSONValue:
    """Return an object in the namespace of *client*, with a label for the first letter of its name."""
    return {
        "apiVersion": f"{group(client)}/{VERSION}",
        "kind": KIND,
        "metadata": {"name": name, "namespace": client, "labels": {"letter": name[0]}},
        "spec": {"heat": heat, **spec},
    }


def namespace(client: str) -> JSONValue:
    """Return the manifest of the namespace of a client's conversation."""
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": client}}
