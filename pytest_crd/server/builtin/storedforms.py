"""
Forms of built-in objects: without fields of disabled features before validation, and with null for empty lists in the store.

Reference:
    kubernetes pkg/registry, dropDisabledFields of the strategies; apimachinery runtime/serializer/protobuf.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple, TypeAlias

from pytest_crd.engine.golang.gotypes import GoType, List, Map, Pointer, Struct
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.metadata import metav1types
from pytest_crd.engine.profile import Profile
from pytest_crd.server.builtin import builtingotypes

_Form: TypeAlias = Callable[[JSONValue], JSONValue]

# Fields that a server drops, because their feature is disabled by default, or which are read-only, by Go type.
_DROPPED: Final[Mapping[str, frozenset[str]]] = {
    "batch.v1.JobSpec": frozenset({"scheduling"}),
    "coordination.v1.LeaseSpec": frozenset({"strategy", "preferredHolder"}),
    "core.v1.ClusterTrustBundleProjection": frozenset({"user"}),
    "core.v1.ConfigMapVolumeSource": frozenset({"defaultUser"}),
    "core.v1.DownwardAPIVolumeFile": frozenset({"user"}),
    "core.v1.DownwardAPIVolumeSource": frozenset({"defaultUser"}),
    "core.v1.EmptyDirVolumeSource": frozenset({"mode"}),
    "core.v1.GRPCAction": frozenset({"mode"}),
    "core.v1.HTTPGetAction": frozenset({"protocol"}),
    "core.v1.KeyToPath": frozenset({"user"}),
    "core.v1.Lifecycle": frozenset({"stopSignal"}),
    "core.v1.NodeSpec": frozenset({"podPreemptionPolicy", "configSource"}),
    "core.v1.NodeStatus": frozenset({"config"}),
    "core.v1.PersistentVolumeClaimStatus": frozenset({"healthStatus"}),
    "core.v1.PodSpec": frozenset({"evictionResponders", "schedulingGroup"}),
    "core.v1.PodCertificateProjection": frozenset({"user"}),
    "core.v1.ProjectedVolumeSource": frozenset({"defaultUser"}),
    "core.v1.SecretVolumeSource": frozenset({"defaultUser"}),
    "core.v1.ServiceAccountTokenProjection": frozenset({"user"}),
    "core.v1.VolumeMount": frozenset({"bindMountOptions"}),
    "discovery.v1.Endpoint": frozenset({"deprecatedTopology"}),
    "resource.v1.Device": frozenset({"nodeAllocatableResources"}),
    "resource.v1.DeviceCounterConsumption": frozenset({"compatibilityGroups"}),
    "resource.v1.ExactDeviceRequest": frozenset({"derivedAttributes"}),
    "resource.v1.ResourceSliceSpec": frozenset({"partitionTypeAttribute", "skipNodeOperations"}),
}


# A field that is dropped if nothing is left of it.
_EMPTIED: Final = "lifecycle"
# The first minor version of Kubernetes 1 that restarts single containers; earlier ones drop the fields.
_RESTARTS_SINCE: Final = 35


class KindForms(NamedTuple):
    """
    The forms of the objects of a kind; results share unchanged parts with their arguments.

    Attributes:
        enabled: Returns an object without the fields of disabled features.
        stored: Returns an object as the store keeps it, with null for empty lists.
    """

    enabled: _Form
    stored: _Form


@functools.cache
def of_kind(api_version: str, kind: str, profile: Profile) -> KindForms:
    """Return the forms of the objects of a kind."""
    type_ = builtingotypes.of_kind(api_version, kind, profile)
    enabled, stored = (_Forms(profile, drops=drops).of_type(type_) for drops in (True, False))
    return KindForms(enabled or _unchanged, stored or _unchanged)


def _unchanged(value: JSONValue) -> JSONValue:
    return value


def _without_restarts(spec: JSONValue) -> JSONValue:
    """Return the spec of a Pod; of its containers only sidecars keep their restart policy."""
    changed = {}
    for name in ("containers", "initContainers", "ephemeralContainers"):
        if spec.get(name):
            changed[name] = [_without_restart(container, name) for container in spec[name]]
    return {**spec, **changed}


def _without_restart(container: JSONValue, kind: str) -> JSONValue:
    is_sidecar = kind == "initContainers" and container.get("restartPolicy") == "Always"
    dropped = ("restartPolicyRules", *(() if is_sidecar else ("restartPolicy",)))
    return {name: item for name, item in container.items() if name not in dropped}


class _Forms:
    """Functions by Go type; None for types whose values are stored as they are."""

    def __init__(self, profile: Profile, *, drops: bool) -> None:
        """
        Create for a Kubernetes version.

        Args:
            profile: The Kubernetes version.
            drops: Whether to drop the fields of disabled features; else empty lists become null.
        """
        self._profile, self._drops = profile, drops
        self._forms: dict[Struct, _Form | None] = {}

    def of_type(self, type_: GoType) -> _Form | None:
        """Return the function for the values of a type."""
        if isinstance(type_, Pointer):
            return self.of_type(type_.to)
        if isinstance(type_, Struct) and type_ is not metav1types.OBJECT_META:
            if type_ not in self._forms:
                self._forms[type_] = self._of_struct(type_)
            return self._forms[type_]
        if isinstance(type_, List) and (item_form := self.of_type(type_.item)) is not None:
            return lambda items: [item_form(item) for item in items]
        return None

    def _of_struct(self, struct: Struct) -> _Form | None:
        name = builtingotypes.name_of(struct, self._profile)
        dropped = _DROPPED.get(name, frozenset()) if self._drops else frozenset()
        required = frozenset() if self._drops else struct.required or frozenset()
        lists = [name for name, type_ in struct.fields.items() if isinstance(type_, List | Map) and name in required]
        below = {name: form for name, type_ in struct.fields.items() if (form := self.of_type(type_)) is not None}
        if not (dropped or lists or below):
            return None

        def store_struct(value: JSONValue) -> JSONValue:
            value = {key: item for key, item in value.items() if key not in dropped}
            for name in lists:
                value[name] = value.get(name) or None
            for name, form in below.items():
                if value.get(name) is not None:
                    before, value[name] = value[name], form(value[name])
                    if name == _EMPTIED and before and not value[name]:
                        del value[name]
            return value

        minor = self._profile.minor
        if self._drops and name == "core.v1.PodSpec" and minor < _RESTARTS_SINCE:
            return lambda value: _without_restarts(store_struct(value))
        return store_struct
