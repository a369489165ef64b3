"""Types of apimachinery meta/v1 in manifests, as data for the Go decoder."""

from __future__ import annotations

import functools
from typing import Final

from pytest_crd.engine.golang import gotypes
from pytest_crd.engine.golang.gotypes import BOOL, INT64, STRING, TIME, List, Map, Pointer, Raw, Struct
from pytest_crd.engine.metadata import systemmetadata
from pytest_crd.engine.metadata.systemmetadata import UID
from pytest_crd.engine.profile import Profile

OWNER_REFERENCE: Final = Struct(
    "v1.OwnerReference",
    {
        "apiVersion": STRING,
        "kind": STRING,
        "name": STRING,
        "uid": UID,
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
        **systemmetadata.TYPES,
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

DELETE_OPTIONS: Final = Struct(
    "v1.DeleteOptions",
    {
        "kind": STRING,
        "apiVersion": STRING,
        "gracePeriodSeconds": Pointer(INT64),
        "preconditions": Pointer(
            Struct(
                "v1.Preconditions",
                {"uid": Pointer(UID), "resourceVersion": Pointer(STRING)},
                required=frozenset(),
            )
        ),
        "orphanDependents": Pointer(BOOL),
        "propagationPolicy": Pointer(gotypes.string("v1.DeletionPropagation")),
        "dryRun": List(STRING),
        "ignoreStoreReadErrorWithClusterBreakingPotential": Pointer(BOOL),
    },
    required=frozenset(),
)

# The metadata fields until Kubernetes 1.21.
_WITH_CLUSTER: Final = {"clusterName": STRING}
_WITHOUT_SUBRESOURCE: Final = List(
    Struct(
        MANAGED_FIELDS_ENTRY.go,
        {name: kind for name, kind in MANAGED_FIELDS_ENTRY.fields.items() if name != "subresource"},
        required=frozenset(),
    )
)

TYPE_META: Final[dict[str, gotypes.GoType]] = {"kind": STRING, "apiVersion": STRING}


def object_meta(profile: Profile) -> Struct:
    """
    Return the type of `metadata` in one Kubernetes version.

    Reference:
        apimachinery meta/v1/types.go, ObjectMeta and ManagedFieldsEntry.
    """
    return _object_meta(cluster=profile.has_cluster_name, subresource=profile.has_managed_subresources)


@functools.cache
def _object_meta(*, cluster: bool, subresource: bool) -> Struct:
    changes = {} if subresource else {"managedFields": _WITHOUT_SUBRESOURCE}
    fields = {**OBJECT_META.fields, **(_WITH_CLUSTER if cluster else {}), **changes}
    return Struct(OBJECT_META.go, fields, required=frozenset()) if fields != OBJECT_META.fields else OBJECT_META
