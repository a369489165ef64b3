"""
Subresources of built-in kinds that write a part of an object, besides `status` and `scale`.

Reference:
    kubernetes pkg/registry/core/pod/strategy.go, dropNonEphemeralContainerUpdates and dropNonResizeUpdates; namespace/strategy.go;
    certificates/certificates/strategy.go.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from pytest_crd.engine.profile import Profile
from pytest_crd.server.builtin import podresources

_Object: TypeAlias = Mapping[str, Any]
_Part: TypeAlias = Callable[[_Object, _Object, Profile], "dict[str, Any]"]

_PODS: Final = "pods"
# Metadata of a Pod that its subresources do not change.
_KEPT: Final = (
    *("deletionTimestamp", "generation", "selfLink", "labels", "annotations", "finalizers", "ownerReferences"),
)
_RESIZED: Final = ("resources", "resizePolicy")


def merged(plural: str, subresource: str, new: _Object, live: _Object, profile: Profile) -> dict[str, Any]:
    """
    Return a stored object with the part that a subresource writes.

    Args:
        plural: The plural of the kind.
        subresource: The subresource.
        new: The object of the request.
        live: The stored object.
        profile: The Kubernetes version.
    """
    metadata = {**live["metadata"], **_owners(new["metadata"])}
    if plural == _PODS:
        stored = {key: metadata[key] for key in _KEPT if key in metadata}
        metadata = {key: item for key, item in new["metadata"].items() if key not in _KEPT} | stored
    return {**live, "metadata": metadata, **SUBRESOURCES[plural, subresource](new, live, profile)}


def _owners(metadata: _Object) -> dict[str, Any]:
    return {"managedFields": metadata["managedFields"]} if "managedFields" in metadata else {}


def _finalizers(new: _Object, _live: _Object, _: Profile) -> dict[str, Any]:
    return {"metadata": new["metadata"], "spec": new["spec"]}


def _ephemeral_containers(new: _Object, live: _Object, _: Profile) -> dict[str, Any]:
    name = "ephemeralContainers"
    return {"spec": {**_without(live["spec"], name), **_chosen(new["spec"], name)}}


def _approved(new: _Object, live: _Object, _: Profile) -> dict[str, Any]:
    status = new.get("status") or {}
    written = {**_without(live["status"], "conditions"), **_chosen(status, "conditions")}
    return {"metadata": new["metadata"], "status": written}


def _resized(new: _Object, live: _Object, profile: Profile) -> dict[str, Any]:
    """Return the spec of a Pod with new resources of its containers and, since 1.36, of the Pod."""
    spec = dict(live["spec"])
    pairs = {key: (spec.get(key) or [], new["spec"].get(key) or []) for key in ("containers", "initContainers")}
    if any(len(stored) != len(listed) for stored, listed in pairs.values()):
        # It is refused; since 1.37 the resources of the Pod stay, so that they cause no error.
        resized = dict(new["spec"])
        if podresources.are_completed_late(profile):
            resized = podresources.resize(
                {**resized, **_chosen(live["spec"], "resources")}, resized.get("resources"), profile
            )
        return {"metadata": new["metadata"], "spec": resized}
    for key, (stored, listed) in pairs.items():
        has_names = [item["name"] for item in stored] == [item.get("name") or "" for item in listed]
        if stored:
            spec[key] = [*map(_with_resources, stored, listed)] if has_names else listed
    return {"spec": podresources.resize(spec, new["spec"].get("resources"), profile)}


def _with_resources(container: _Object, new: _Object) -> dict[str, Any]:
    return {**_without(container, *_RESIZED), **_chosen(new, *_RESIZED)}


def _without(value: _Object, *names: str) -> dict[str, Any]:
    return {key: item for key, item in value.items() if key not in names}


def _chosen(value: _Object, *names: str) -> dict[str, Any]:
    return {name: value[name] for name in names if name in value}


# The functions that return the written part, by plural and subresource.
SUBRESOURCES: Final[Mapping[tuple[str, str], _Part]] = {
    ("certificatesigningrequests", "approval"): _approved,
    ("namespaces", "finalize"): _finalizers,
    ("pods", "ephemeralcontainers"): _ephemeral_containers,
    ("pods", "resize"): _resized,
}
