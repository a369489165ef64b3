"""
Controller of workloads for tests: it writes the statuses that the controllers and kubelets of a cluster write in the end.

Nothing runs: there are no ReplicaSets, Pods, volumes and addresses behind these statuses.

Reference:
    kubernetes pkg/controller/deployment, statefulset, daemon, replicaset, job and volume/persistentvolume; pkg/kubelet/status.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from pytest_crd.engine.golang import decoding
from pytest_crd.engine.profile import Profile
from pytest_crd.server import controllerstatuses, namespaces
from pytest_crd.server.builtin import builtingotypes
from pytest_crd.server.simulatedworkloads import SimulatedWorkloads
from pytest_crd.server.store.store import Event, ObjectKey, Store

_Object: TypeAlias = "Mapping[str, Any]"
_Status: TypeAlias = "dict[str, Any]"

# The progress deadline of a Deployment without one.
_NO_DEADLINE: Final = 2**31 - 1
# The first minor version of Kubernetes 1 that counts terminating replicas, and the kinds that it counts them for.
_COUNTED_SINCE: Final = 35
_COUNTED: Final = ("Deployment", "ReplicaSet")
_OWN_MANAGER: Final = "kubernetes.io/job-controller"
_ENDED: Final = ("Succeeded", "Failed")


class WorkloadController:
    """Controller of workloads, Pods and claims. Objects that other controllers manage, that wait or that have ended stay as they are."""

    resources: frozenset[str]

    def __init__(self, store: Store, workloads: SimulatedWorkloads, profile: Profile) -> None:
        """Create for a store, with the holds of a test."""
        self.resources = frozenset(_SIMULATIONS)
        self._store = store
        self._workloads = workloads
        self._profile = profile

    def find_keys(self, event: Event) -> Iterable[str]:
        """Return the resource and the path of a new or changed object."""
        return () if event.new is None else (f"{event.key.resource}/{event.key.path}",)

    def reconcile(self, key: str) -> bool:
        """Write the status of an object; return True if a test holds it back."""
        resource, namespace, name = key.split("/")
        entry = self._store.get(ObjectKey(resource, namespace, name))
        if entry is None or entry.value["metadata"].get("deletionTimestamp"):
            return False
        simulated = _SIMULATIONS[resource](entry.value)
        if simulated is None:
            return False
        status = self._complete(entry.value, simulated)
        if status == entry.value.get("status"):
            return False
        if self._workloads.is_held(entry.key):
            return True
        self._store.put(entry.key, {**entry.value, "status": status})
        self._workloads.note(entry.key, entry.value["kind"])
        return False

    def _complete(self, object_: _Object, simulated: _Status) -> Any:
        """Return a status in the form of the store, with unchanged parts of the present one."""
        kind = object_["kind"]
        present = object_.get("status") or {}
        if kind in _COUNTED and self._profile.minor >= _COUNTED_SINCE:
            simulated = {**simulated, "terminatingReplicas": 0}
        status = {**present, **simulated, **_keep_times(present, simulated)}
        type_ = builtingotypes.of_kind(object_["apiVersion"], kind, self._profile)
        return decoding.decode({**object_, "status": status}, type_).value["status"]


def _keep_times(present: _Status, simulated: _Status) -> _Status:
    """Return the parts of a simulated status with times; unchanged conditions and containers keep their times."""
    parts = {"startTime": present["startTime"]} if "startTime" in simulated and present.get("startTime") else {}
    for name in ("containerStatuses", "initContainerStatuses"):
        before = {container["name"]: container for container in present.get(name) or ()}
        if name in simulated:
            parts[name] = [
                _keep_container(before.get(container["name"], {}), container) for container in simulated[name]
            ]
    if "conditions" in simulated:
        parts["conditions"] = _merge_conditions(present.get("conditions") or (), simulated["conditions"])
    return parts


def _keep_container(present: _Object, simulated: _Object) -> _Object:
    """Return the present status of a container if it differs in times alone, else the simulated one."""
    names = ("ready", "started", "image")
    is_equal = all(present.get(name) == simulated[name] for name in names)
    return present if is_equal and present["state"].keys() == simulated["state"].keys() else simulated


def _merge_conditions(present: Sequence[_Object], simulated: Sequence[_Object]) -> list[_Object]:
    """Return present conditions with the simulated ones; equal ones keep their times."""
    merged = {condition["type"]: condition for condition in present}
    for condition in simulated:
        before = merged.get(condition["type"], {})
        texts = ("status", "reason", "message", "observedGeneration")
        if any(before.get(name) != condition.get(name) for name in texts):
            is_same = before.get("status") == condition["status"]
            times = {"lastTransitionTime": before["lastTransitionTime"]} if is_same else {}
            merged[condition["type"]] = {**condition, **times}
    return [*merged.values()]


def _simulate_deployment(deployment: _Object) -> _Status:
    spec, status = deployment["spec"], controllerstatuses.available(deployment)
    if spec.get("paused"):
        paused = controllerstatuses.deployment_condition(
            "Progressing", "DeploymentPaused", "Deployment is paused", "Unknown"
        )
        return {"observedGeneration": status["observedGeneration"], "conditions": [paused]}
    if spec.get("progressDeadlineSeconds") == _NO_DEADLINE:
        status["conditions"] = status["conditions"][:1]
    return status


def _simulate_stateful_set(stateful_set: _Object) -> _Status:
    """Return the status of a StatefulSet; its partition, or the strategy OnDelete, keeps replicas at the current revision."""
    status = controllerstatuses.available(stateful_set)
    current = (stateful_set.get("status") or {}).get("currentRevision") or status["updateRevision"]
    strategy = stateful_set["spec"].get("updateStrategy") or {}
    if current == status["updateRevision"]:
        return status
    replicas = status["replicas"]
    partition = (strategy.get("rollingUpdate") or {}).get("partition") or 0
    old = replicas if strategy.get("type") == "OnDelete" else min(partition, replicas)
    if not old:
        return status
    return {**status, "currentRevision": current, "currentReplicas": old, "updatedReplicas": replicas - old}


def _simulate_job(job: _Object) -> _Status | None:
    """Return the status of a complete or suspended Job; None if it has ended, or if another controller manages it."""
    spec, status = job["spec"], job.get("status") or {}
    conditions = {condition["type"]: condition["status"] for condition in status.get("conditions") or ()}
    if "True" in (conditions.get("Complete"), conditions.get("Failed")):
        return None
    if spec.get("managedBy") not in (None, _OWN_MANAGER):
        return None
    if spec.get("suspend"):
        return {"conditions": [controllerstatuses.job_condition("Suspended", "JobSuspended", "Job suspended")]}
    simulated = controllerstatuses.succeeded(job)
    if "Suspended" in conditions:
        resumed = controllerstatuses.job_condition("Suspended", "JobResumed", "Job resumed", "False")
        simulated["conditions"] = [resumed, *simulated["conditions"]]
    return simulated


def _simulate_pod(pod: _Object) -> _Status | None:
    """Return the status of a running Pod; None if it has ended, or waits for its scheduling gates."""
    spec, present = pod["spec"], pod.get("status") or {}
    if spec.get("schedulingGates") or present.get("phase") in _ENDED:
        return None
    status = controllerstatuses.ready(pod)
    conditions = {condition["type"]: condition["status"] for condition in present.get("conditions") or ()}
    gates = [gate["conditionType"] for gate in spec.get("readinessGates") or ()]
    if waiting := [words for gate in gates if (words := _describe_gate(gate, conditions.get(gate)))]:
        ready = status["conditions"][-1]
        status["conditions"][-1] = {
            **ready, "status": "False", "reason": "ReadinessGatesNotReady", "message": ", ".join(waiting)
        }  # fmt: skip
    return status


def _describe_gate(gate: str, status: str | None) -> str:
    """Return the problem of a readiness gate; empty if its condition is true."""
    if status is None:
        return f'corresponding condition of pod readiness gate "{gate}" does not exist.'
    return "" if status == "True" else f'the status of pod readiness gate "{gate}" is not "True", but {status}'


_SIMULATIONS: Final[Mapping[str, Callable[[_Object], _Status | None]]] = {
    "deployments.apps": _simulate_deployment,
    "statefulsets.apps": _simulate_stateful_set,
    "daemonsets.apps": controllerstatuses.available,
    "replicasets.apps": controllerstatuses.available,
    "replicationcontrollers": controllerstatuses.available,
    "jobs.batch": _simulate_job,
    "pods": _simulate_pod,
    "persistentvolumeclaims": controllerstatuses.bound,
}
HELD: Final = (*_SIMULATIONS, namespaces.RESOURCE)
"""The resources whose objects a test can hold back."""
