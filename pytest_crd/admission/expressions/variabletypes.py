"""
Struct types of the variables of expressions of admission.

Reference:
    apiserver admission/plugin/cel/compile.go, BuildRequestType and BuildNamespaceType.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pytest_crd.engine.cel.types import celtypes
from pytest_crd.engine.cel.types.celtypes import BOOL, DYN, INT, STRING, TIMESTAMP, Type

REQUEST: Final = "kubernetes.AdmissionRequest"
NAMESPACE: Final = "kubernetes.Namespace"
_STRINGS: Final = celtypes.list_of(STRING)
_STRING_MAP: Final = celtypes.map_of(STRING, STRING)

_STRUCTS: Final[dict[str, dict[str, Type]]] = {
    "kubernetes.GroupVersionKind": dict.fromkeys(("group", "version", "kind"), STRING),
    "kubernetes.GroupVersionResource": dict.fromkeys(("group", "version", "resource"), STRING),
    "kubernetes.UserInfo": {
        "username": STRING,
        "uid": STRING,
        "groups": _STRINGS,
        "extra": celtypes.map_of(STRING, _STRINGS),
    },
    REQUEST: {
        "kind": celtypes.struct("kubernetes.GroupVersionKind"),
        "resource": celtypes.struct("kubernetes.GroupVersionResource"),
        "subResource": STRING,
        "requestKind": celtypes.struct("kubernetes.GroupVersionKind"),
        "requestResource": celtypes.struct("kubernetes.GroupVersionResource"),
        "requestSubResource": STRING,
        "name": STRING,
        "namespace": STRING,
        "operation": STRING,
        "userInfo": celtypes.struct("kubernetes.UserInfo"),
        "dryRun": BOOL,
        "options": DYN,
    },
    "kubernetes.NamespaceSpec": {"finalizers": _STRINGS},
    "kubernetes.NamespaceCondition": {
        "status": STRING,
        "type": STRING,
        "lastTransitionTime": TIMESTAMP,
        "message": STRING,
        "reason": STRING,
    },
    "kubernetes.NamespaceStatus": {
        "conditions": celtypes.list_of(celtypes.struct("kubernetes.NamespaceCondition")),
        "phase": STRING,
    },
    "kubernetes.NamespaceMetadata": {
        "name": STRING,
        "generateName": STRING,
        "namespace": STRING,
        "labels": _STRING_MAP,
        "annotations": _STRING_MAP,
        "UID": STRING,
        "creationTimestamp": TIMESTAMP,
        "deletionGracePeriodSeconds": INT,
        "deletionTimestamp": TIMESTAMP,
        "generation": INT,
        "resourceVersion": STRING,
        "finalizers": _STRINGS,
    },
    NAMESPACE: {
        "metadata": celtypes.struct("kubernetes.NamespaceMetadata"),
        "spec": celtypes.struct("kubernetes.NamespaceSpec"),
        "status": celtypes.struct("kubernetes.NamespaceStatus"),
    },
}


class AdmissionStructs:
    """The struct types of admission, with further ones."""

    def __init__(self, further: Mapping[str, Mapping[str, Type]] | None = None) -> None:
        """
        Create with further structs.

        Args:
            further: The types of the fields of each struct; a changed mapping changes the types.
        """
        self._further = further or {}

    def find_struct(self, name: str) -> Type | None:
        """Return the struct type with a name, or None."""
        return celtypes.struct(name) if name in _STRUCTS or name in self._further else None

    def find_field(self, struct_name: str, field_name: str) -> Type | None:
        """Return the type of a field, or None."""
        fields = _STRUCTS.get(struct_name) or self._further.get(struct_name) or {}
        return fields.get(field_name)
