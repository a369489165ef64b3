"""
Statuses that the controllers and kubelets of a cluster write, for tests of operators that wait for them.

Reference:
    kubernetes pkg/controller/job, deployment, statefulset, daemon and replicaset; pkg/kubelet/status.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from pytest_crd.server import clock

_Status: TypeAlias = "dict[str, Any]"
_Object: TypeAlias = "Mapping[str, Any]"


class NoSuchStateError(Exception):
    """Objects of a resource cannot be in a state; the message names the resources that can."""


def ready(object_: _Object) -> _Status:
    """Return the status of a running Pod with ready containers, or of a ready Node."""
    if object_["kind"] == "Node":
        return {"conditions": [_condition("Ready", "KubeletReady", "kubelet is posting ready status")]}
    now, spec = clock.timestamp(), object_.get("spec") or {}
    names = [container["name"] for container in spec.get("containers") or ()]
    return {
        "phase": "Running",
        "startTime": now,
        "conditions": [_condition(kind) for kind in ("PodScheduled", "Initialized", "ContainersReady", "Ready")],
        "containerStatuses": [_running_container(name, spec, now) for name in names],
    }


def available(object_: _Object) -> _Status:
    """Return the status of a Deployment, StatefulSet, DaemonSet or ReplicaSet with available replicas."""
    spec = object_.get("spec") or {}
    replicas = 1 if spec.get("replicas") is None else spec["replicas"]
    observed = {"observedGeneration": object_["metadata"].get("generation", 1)}
    if object_["kind"] == "DaemonSet":
        names = (
            "currentNumberScheduled",
            "desiredNumberScheduled",
            "numberAvailable",
            "numberReady",
            "updatedNumberScheduled",
        )
        return {**observed, **dict.fromkeys(names, 1), "numberMisscheduled": 0}
    counts = dict.fromkeys(("replicas", "readyReplicas", "availableReplicas"), replicas)
    if object_["kind"] == "ReplicaSet":
        return {**observed, **counts, "fullyLabeledReplicas": replicas}
    if object_["kind"] == "StatefulSet":
        return {**observed, **counts, "currentReplicas": replicas, "updatedReplicas": replicas}
    conditions = [
        _condition("Available", "MinimumReplicasAvailable", "Deployment has minimum availability."),
        _condition("Progressing", "NewReplicaSetAvailable", "ReplicaSet has successfully progressed."),
    ]
    return {**observed, **counts, "updatedReplicas": replicas, "conditions": conditions}


def succeeded(object_: _Object) -> _Status:
    """Return the status of a complete Job, or of a succeeded Pod."""
    if object_["kind"] == "Pod":
        return {"phase": "Succeeded"}
    spec, now = object_.get("spec") or {}, clock.timestamp()
    count = 1 if spec.get("completions") is None else spec["completions"]
    reason, message = "CompletionsReached", "Reached expected number of succeeded pods"
    conditions = [_condition(kind, reason, message) for kind in ("SuccessCriteriaMet", "Complete")]
    times = {"startTime": (object_.get("status") or {}).get("startTime") or now, "completionTime": now}
    return {
        **times,
        "succeeded": count,
        "ready": 0,
        "terminating": 0,
        "uncountedTerminatedPods": {},
        "conditions": conditions,
    }


def failed(object_: _Object) -> _Status:
    """Return the status of a failed Job, or of a failed Pod."""
    if object_["kind"] == "Pod":
        return {"phase": "Failed"}
    reason, message = "BackoffLimitExceeded", "Job has reached the specified backoff limit"
    conditions = [_condition(kind, reason, message) for kind in ("FailureTarget", "Failed")]
    start = (object_.get("status") or {}).get("startTime") or clock.timestamp()
    return {
        "startTime": start,
        "failed": 1,
        "ready": 0,
        "terminating": 0,
        "uncountedTerminatedPods": {},
        "conditions": conditions,
    }


STATES: Final[Mapping[str, tuple[Callable[[_Object], _Status], Sequence[str]]]] = {
    "ready": (ready, ("pods", "nodes")),
    "available": (available, ("deployments.apps", "statefulsets.apps", "daemonsets.apps", "replicasets.apps")),
    "succeeded": (succeeded, ("jobs.batch", "pods")),
    "failed": (failed, ("jobs.batch", "pods")),
}


def find_status(state: str, resource: str, object_: _Object) -> _Status:
    """
    Return the status of an object in a state.

    Args:
        state: A key of STATES.
        resource: The resource, as `plural.group`.
        object_: The object.

    Raises:
        NoSuchStateError: Objects of the resource do not have the state.
    """
    build, resources = STATES[state]
    if resource not in resources:
        raise NoSuchStateError(
            f"{resource} cannot be {state}, but {', '.join(resources)} can; patch the status in another way"
        )
    return build(object_)


def _running_container(name: str, spec: Mapping[str, Any], now: str) -> _Status:
    image = next(container.get("image", "") for container in spec["containers"] if container["name"] == name)
    state = {"running": {"startedAt": now}}
    return {
        "name": name,
        "image": image,
        "imageID": "",
        "ready": True,
        "started": True,
        "restartCount": 0,
        "state": state,
    }


def _condition(kind: str, reason: str = "", message: str = "") -> _Status:
    words = {key: value for key, value in (("reason", reason), ("message", message)) if value}
    return {"type": kind, "status": "True", "lastTransitionTime": clock.timestamp(), **words}
