"""The types of apimachinery meta/v1 that a manifest can hold, as data for `godecode`."""

from __future__ import annotations

from typing import Final

from pytest_crd.engine import gotypes
from pytest_crd.engine.gotypes import BOOL, INT64, STRING, TIME, List, Map, Pointer, Raw, Struct

_UID: Final = gotypes.string("types.UID")

OWNER_REFERENCE: Final = Struct(
    "v1.OwnerReference",
    {
        "apiVersion": STRING,
        "kind": STRING,
        "name": STRING,
        "uid": _UID,
        "controller": Pointer(BOOL),
        "blockOwnerDeletion": Pointer(BOOL),
    },
    required=frozenset({"apiVersion", "kind", "name", "uid"}),
)

MANAGED_FIELDS_ENTRY: Final = Struct(
    "v1.ManagedFieldsEntry",
    {
        "manager": STRING,
        "operation": gotypes.string("v1.ManagedFieldsOperationType"),
        "apiVersion": STRING,
        "time": Pointer(TIME),
        "fieldsType": STRING,
        "fieldsV1": Pointer(Raw("v1.FieldsV1")),
        "subresource": STRING,
    },
    required=frozenset(),
)

OBJECT_META: Final = Struct(
    "v1.ObjectMeta",
    {
        "name": STRING,
        "generateName": STRING,
        "namespace": STRING,
        "selfLink": STRING,
        "uid": _UID,
        "resourceVersion": STRING,
        "generation": INT64,
        "creationTimestamp": TIME,
        "deletionTimestamp": Pointer(TIME),
        "deletionGracePeriodSeconds": Pointer(INT64),
        "labels": Map(STRING),
        "annotations": Map(STRING),
        "ownerReferences": List(OWNER_REFERENCE),
        "finalizers": List(STRING),
        "managedFields": List(MANAGED_FIELDS_ENTRY),
    },
    required=frozenset(),
)

TYPE_META: Final[dict[str, gotypes.Type]] = {"kind": STRING, "apiVersion": STRING}
