"""
The admission plugins of every server for new resources of a Pod that has a Node.

Reference:
    kubernetes plugin/pkg/admission: nodedeclaredfeatures and podresize; component-helpers nodedeclaredfeatures/features;
    component-helpers resource/helpers.go, PodRequests.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias

from pytest_crd.engine.cel.library import amounts
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry.requestbody import RefusedError
from pytest_crd.engine.registry.strategy import PendingWrite
from pytest_crd.server.builtin import podplugins, podresources
from pytest_crd.server.store.store import ObjectKey, Store

_Stored: TypeAlias = Mapping[str, Any]

# The first minor version of Kubernetes 1 with both plugins.
_SINCE: Final = 36
_SYSTEM: Final = "kubernetes.io/os"
_LINUX: Final = "linux"
# The power of ten of the unit in which a message names an amount.
_UNITS: Final = {"cpu": -3, "memory": 0}


def validate(write: PendingWrite, store: Store, profile: Profile) -> None:
    """
    Refuse a resize beyond the resources of the Node of a Pod, or beyond its features.

    Raises:
        RefusedError: 403.
    """
    pod: _Stored = write.resource
    old: _Stored = write.live or {}
    name = pod["spec"].get("nodeName")
    if not name or pod["spec"] == old["spec"] or profile.minor < _SINCE:
        return
    entry = store.get(ObjectKey("nodes", "", name))
    if entry is None:
        raise podplugins.refuse(pod, f'node "{name}" not found')
    declared = (entry.value.get("status") or {}).get("declaredFeatures") or ()
    if missing := [feature for feature in _find_features(pod["spec"], old["spec"]) if feature not in declared]:
        problem = f'pod update requires features {", ".join(missing)} which are not available on node "{name}"'
        raise podplugins.refuse(pod, problem)
    system = (entry.value["metadata"].get("labels") or {}).get(_SYSTEM, _LINUX)
    if system != _LINUX:
        problem = f'pod resize is only supported on linux nodes, node "{name}" is "{system}"'
        raise _refuse_with_cause(pod, problem, "UnsupportedPlatform")
    if lacks := [*_find_lacks(pod["spec"], (entry.value.get("status") or {}).get("allocatable") or {})]:
        problem = f"node didn't have enough allocatable resources: {'; '.join(lacks)}"
        raise _refuse_with_cause(pod, problem, "NodeCapacity")


def _find_features(new: _Stored, old: _Stored) -> Iterator[str]:
    """Yield the features that a Node must declare for the change of a spec."""
    if (new.get("resources") or {}) != (old.get("resources") or {}):
        yield "InPlacePodLevelResourcesVerticalScaling"
    pairs = zip(new.get("initContainers") or (), old.get("initContainers") or (), strict=True)
    for item, old_item in pairs:
        if old_item.get("restartPolicy") != "Always" and item.get("resources") != old_item.get("resources"):
            yield "InPlacePodVerticalScalingInitContainers"
            return


def _find_lacks(spec: _Stored, allocatable: Mapping[str, str]) -> Iterator[str]:
    """Yield a message about each request that is larger than the resources of the Node."""
    requests = podresources.requests_of(spec)
    for name, unit in _UNITS.items():
        wanted, available = (amounts.parse(side.get(name, "0")) for side in (requests, allocatable))
        if amounts.compare(wanted, available) > 0:
            yield f"{name}, requested: {_in_units(wanted, unit)}, allocatable: {_in_units(available, unit)}"


def _in_units(amount: amounts.Amount, unit: int) -> int:
    rounded = amounts.rounded_up(amount, unit)
    number: int = rounded.number * 10 ** (rounded.scale - unit)
    return number


def _refuse_with_cause(pod: _Stored, problem: str, cause: str) -> RefusedError:
    """Return a refusal with a cause, which has only a reason."""
    refusal = podplugins.refuse(pod, problem).refusal
    status = {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": refusal.message,
        "reason": refusal.reason,
        "details": {**(refusal.subject or {}), "causes": [{"reason": cause}]},
        "code": refusal.code,
    }
    return RefusedError(refusal._replace(status=status))
