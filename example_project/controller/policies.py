"""The CRD of policies, which the operator installs itself: it is in no file."""

import dataclasses
import typing

TYPES = {int: {"type": "integer", "minimum": 1}, bool: {"type": "boolean"}}


@dataclasses.dataclass
class PolicySpec:
    """How many backups a namespace may have, and whether they are encrypted."""

    backups: int = 10
    encrypted: bool = False


def schema_of(dataclass):
    types = typing.get_type_hints(dataclass)
    fields = {
        field.name: TYPES[types[field.name]] | {"default": field.default} for field in dataclasses.fields(dataclass)
    }
    return {"type": "object", "properties": fields}


CRD = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "backuppolicies.storage.example.com"},
    "spec": {
        "group": "storage.example.com",
        "names": {"kind": "BackupPolicy", "plural": "backuppolicies"},
        "scope": "Namespaced",
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": schema_of(PolicySpec)}}},
            }
        ],
    },
}
