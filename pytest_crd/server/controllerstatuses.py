"""
Statuses that the controllers and kubelets of a cluster write, for tests of operators that wait for them.

Reference:
    kubernetes pkg/controller/job, deployment, statefulset, daemon and replicaset; pkg/kubelet/status.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from pytest_crd.server import clock

_Status: TypeAlias = "dict[str, Any]"
_Object: TypeAlias = "Mapping[str, Any]"


_POD_CONDITIONS: Final = ("PodReadyToStartContainers", "PodScheduled", "Initialized", "ContainersReady", "Ready")


class NoSuchStateError(Exception):
    """Objects of a resource cannot be in a state; the message names the resources that can."""


def ready(object_: _Object) -> _Status:
    """Return the status of a running Pod with ready containers, or of a ready Node."""
    if object_["kind"] == "Node":
        return {"conditions": [_condition("Ready", "KubeletReady", "kubelet is posting ready status")]}
    now, spec = clock.timestamp(), object_.get("spec") or {}
    generation = object_["metadata"].get("generation")
    observed = {"observedGeneration": generation} if generation else {}
    init_containers = [_container(container, now, is_init=True) for container in spec.get("initContainers") or ()]
    return {
        **observed,
        "phase": "Running",
        "startTime": now,
        "conditions": [{**_condition(kind), **observed} for kind in _POD_CONDITIONS],
        **({"initContainerStatuses": init_containers} if init_containers else {}),
        "containerStatuses": [_container(container, now) for container in spec.get("containers") or ()],
    }


def available(object_: _Object) -> _Status:
    """Return the status of a Deployment, StatefulSet, DaemonSet or ReplicaSet with available replicas."""
    spec = object_.get("spec") or {}
    replicas = count_replicas(spec)
    observed = {"observedGeneration": object_["metadata"].get("generation", 1)}
    if object_["kind"] == "DaemonSet":
        names = (
            "currentNumberScheduled",
            "desiredNumberScheduled",
            "numberAvailable",
            "numberReady",
            "updatedNumberScheduled",
        )
        return {**observed, **dict.fromkeys(names, 1), "numberMisscheduled": 0, "numberUnavailable": 0}
    counts = dict.fromkeys(("replicas", "readyReplicas", "availableReplicas"), replicas)
    if object_["kind"] in ("ReplicaSet", "ReplicationController"):
        return {**observed, **counts, "fullyLabeledReplicas": replicas}
    if object_["kind"] == "StatefulSet":
        revision = find_revision(object_)
        revisions = {"currentRevision": revision, "updateRevision": revision, "collisionCount": 0}
        return {**observed, **counts, "currentReplicas": replicas, "updatedReplicas": replicas, **revisions}
    progress = f'Deployment "{object_["metadata"]["name"]}" has successfully progressed.'
    conditions = [
        deployment_condition("Available", "MinimumReplicasAvailable", "Deployment has minimum availability."),
        deployment_condition("Progressing", "NewReplicaSetAvailable", progress),
    ]
    updated = {"updatedReplicas": replicas, "unavailableReplicas": 0}
    return {**observed, **counts, **updated, "conditions": conditions}


def count_replicas(spec: Mapping[str, Any]) -> int:
    """Return the replicas of the spec of a workload."""
    return 1 if spec.get("replicas") is None else int(spec["replicas"])


def find_revision(stateful_set: _Object) -> str:
    """Return a name for the revision of the template of a StatefulSet; equal templates have equal names."""
    text = json.dumps(stateful_set["spec"].get("template"), sort_keys=True)
    return f"{stateful_set['metadata']['name']}-{zlib.crc32(text.encode()):08x}"


def deployment_condition(kind: str, reason: str, message: str, status: str = "True") -> _Status:
    """Return a condition of a Deployment."""
    return {**_condition(kind, reason, message, status), "lastUpdateTime": clock.timestamp()}


def bound(object_: _Object) -> _Status:
    """Return the status of a bound PersistentVolumeClaim."""
    spec = object_["spec"]
    storage = ((spec.get("resources") or {}).get("requests") or {}).get("storage")
    attributes = spec.get("volumeAttributesClassName")
    return {
        "phase": "Bound",
        "accessModes": spec.get("accessModes") or [],
        **({"capacity": {"storage": storage}} if storage else {}),
        **({"currentVolumeAttributesClassName": attributes} if attributes else {}),
    }


def succeeded(object_: _Object) -> _Status:
    """Return the status of a complete Job, or of a succeeded Pod."""
    if object_["kind"] == "Pod":
        return {"phase": "Succeeded"}
    spec, now = object_.get("spec") or {}, clock.timestamp()
    count = 1 if spec.get("completions") is None else spec["completions"]
    reason, message = "CompletionsReached", "Reached expected number of succeeded pods"
    conditions = [job_condition(kind, reason, message) for kind in ("SuccessCriteriaMet", "Complete")]
    is_indexed = spec.get("completionMode") == "Indexed" and count
    indexes = {"completedIndexes": "0" if count == 1 else f"0-{count - 1}"} if is_indexed else {}
    times = {"startTime": (object_.get("status") or {}).get("startTime") or now, "completionTime": now}
    return {
        **times,
        "succeeded": count,
        "active": 0,
        "ready": 0,
        "terminating": 0,
        "uncountedTerminatedPods": {},
        **indexes,
        "conditions": conditions,
    }


def failed(object_: _Object) -> _Status:
    """Return the status of a failed Job, or of a failed Pod."""
    if object_["kind"] == "Pod":
        return {"phase": "Failed"}
    reason, message = "BackoffLimitExceeded", "Job has reached the specified backoff limit"
    conditions = [job_condition(kind, reason, message) for kind in ("FailureTarget", "Failed")]
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


def job_condition(kind: str, reason: str, message: str, status: str = "True") -> _Status:
    """Return a condition of a Job."""
    return {**_condition(kind, reason, message, status), "lastProbeTime": clock.timestamp()}


def _container(container: Mapping[str, Any], now: str, *, is_init: bool = False) -> _Status:
    """Return the status of a running container, or of an init container that has completed."""
    is_running = not is_init or container.get("restartPolicy") == "Always"
    ended = {"exitCode": 0, "reason": "Completed", "startedAt": now, "finishedAt": now}
    return {
        "name": container["name"],
        "image": container.get("image", ""),
        "imageID": "",
        "ready": True,
        "started": is_running,
        "restartCount": 0,
        "state": {"running": {"startedAt": now}} if is_running else {"terminated": ended},
    }


def _condition(kind: str, reason: str = "", message: str = "", status: str = "True") -> _Status:
    words = {key: value for key, value in (("reason", reason), ("message", message)) if value}
    return {"type": kind, "status": status, "lastTransitionTime": clock.timestamp(), **words}
