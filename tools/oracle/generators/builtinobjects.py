"""Objects of built-in kinds with different table rows, as sent and with the status to write afterwards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Final

from pytest_crd.engine.jsonvalue import JSONValue

# The present of the objects; senders shift it to the real present.
NOW: Final = datetime(2026, 1, 1, tzinfo=UTC)
_LABELS: Final = {"app": "cook", "a.example.com/b": "c"}


def objects() -> Iterator[tuple[str, JSONValue]]:
    """
    Yield resources, as `plural` or `plural.group/version`, each with an object.

    An object with a `deletionTimestamp` has to be deleted after it is created; it has a finalizer.
    """
    for resource, kind, values in (
        ("pods", "Pod", _pods()),
        ("deployments.apps/v1", "Deployment", _deployments()),
        ("statefulsets.apps/v1", "StatefulSet", _stateful_sets()),
        ("jobs.batch/v1", "Job", _jobs()),
        ("services", "Service", _services()),
        ("events", "Event", _events()),
        ("events.events.k8s.io/v1", "Event", _new_events()),
        ("leases.coordination.k8s.io/v1", "Lease", [{}, {"spec": {"holderIdentity": "cook-1"}}]),
        ("configmaps", "ConfigMap", [{}, {"data": {"a": "b", "c": "d"}, "binaryData": {"e": "AA=="}}]),
        ("secrets", "Secret", [{}, {"type": "example.com/x", "data": {"a": "AA=="}}]),
        ("serviceaccounts", "ServiceAccount", [{}]),
        ("namespaces", "Namespace", [{}]),
        ("persistentvolumeclaims", "PersistentVolumeClaim", _claims()),
    ):
        group_version = resource.partition(".")[2] or "v1"
        for number, value in enumerate(values):
            metadata = {"name": f"{kind.lower()}-{number}", **value.get("metadata", {})}
            yield resource, {"apiVersion": group_version, "kind": kind, **value, "metadata": metadata}


def _ago(**units: int) -> str:
    return (NOW - timedelta(**units, seconds=30)).strftime("%Y-%m-%dT%H:%M:%SZ")


def _micro(text: str) -> str:
    return text.replace("Z", ".000000Z")


def _container(name: str, **more: JSONValue) -> JSONValue:
    return {"name": name, "image": f"{name}:1", **more}


def _container_status(
    name: str, *, ready: bool = False, restarts: int = 0, last: str = "", **state: JSONValue
) -> JSONValue:
    """Return the status of a container."""
    status = {"name": name, "image": f"{name}:1", "imageID": "", "ready": ready, "restartCount": restarts}
    ended = {"lastState": {"terminated": {"exitCode": 1, "finishedAt": last}}} if last else {}
    started = {"started": state.pop("started")} if "started" in state else {}
    return {**status, **ended, **started, **({"state": state} if state else {})}


def _pod(status: JSONValue = None, *, containers: int = 1, metadata: JSONValue = None, **spec: JSONValue) -> JSONValue:
    listed = [_container(f"c{number}") for number in range(containers)]
    pod = {"metadata": metadata or {}, "spec": {"containers": listed, **spec}}
    return pod if status is None else {**pod, "status": status}


def _pods() -> Iterator[JSONValue]:
    running: JSONValue = {"running": {"startedAt": _ago(hours=5)}}
    ready = {"type": "Ready", "status": "True"}
    yield _pod()
    yield _pod({"phase": "Pending", "reason": "Evicted"})
    yield _pod(
        {"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False", "reason": "SchedulingGated"}]}
    )
    address = {"podIP": "10.1.1.1", "podIPs": [{"ip": "10.1.1.1"}]}
    yield _pod(
        {"phase": "Running", **address, "containerStatuses": [_container_status("c0", ready=True, **running)]},
        nodeName="n1",
    )
    two = [
        _container_status("c0", ready=True, restarts=2, last=_ago(hours=3), **running),
        _container_status("c1", restarts=1, last=_ago(days=2), **running),
    ]
    yield _pod({"phase": "Running", "containerStatuses": two, "nominatedNodeName": "n2"}, containers=2)
    states: tuple[JSONValue, ...] = (
        {"waiting": {"reason": "CrashLoopBackOff"}},
        {"waiting": {}},
        {"terminated": {"exitCode": 3}},
        {"terminated": {"exitCode": 3, "signal": 9}},
        {"terminated": {"exitCode": 3, "reason": "Error"}},
        {"terminated": {"exitCode": 0, "reason": "Completed"}},
    )
    for state in states:
        yield _pod({"phase": "Running", "containerStatuses": [_container_status("c0", restarts=4, **state)]})
    done: JSONValue = {"terminated": {"exitCode": 0, "reason": "Completed"}}
    failed: JSONValue = {"terminated": {"exitCode": 1, "reason": "Error"}}
    for first, second, conditions in (
        (done, running, [ready]), (done, running, []), (done, failed, []), (done, failed, [ready]), (running, done, [{**ready, "status": "False"}]),
    ):  # fmt: skip
        both = [
            _container_status("c0", ready=first is running, **first),
            _container_status("c1", ready=second is running, **second),
        ]
        yield _pod({"phase": "Running", "conditions": conditions, "containerStatuses": both}, containers=2)
    yield _pod({"phase": "Succeeded", "containerStatuses": [_container_status("c0", **done)]})
    yield _pod({"phase": "Failed", "reason": "Evicted", "message": "no room"})
    yield _pod({"phase": "Failed", "containerStatuses": [_container_status("c0", **failed)]}, metadata=_going())
    yield _pod({"phase": "Running"}, metadata=_going())
    yield _pod({"phase": "Running", "reason": "NodeLost"}, metadata=_going())
    gates = [{"conditionType": f"example.com/{name}"} for name in "abc"]
    conditions_ = [{"type": "example.com/a", "status": "True"}, {"type": "example.com/b", "status": "False"}]
    yield _pod({"phase": "Pending", "conditions": conditions_}, readinessGates=gates)
    yield from _initializing(running, done, failed)


def _initializing(running: JSONValue, done: JSONValue, failed: JSONValue) -> Iterator[JSONValue]:
    """Yield Pods with init containers that are not finished, or that run as sidecars."""
    first = [_container("i0"), _container("i1")]
    for statuses in (
        [_container_status("i0", **running)],
        [_container_status("i0", **done), _container_status("i1", **running)],
        [_container_status("i0", restarts=3, last=_ago(minutes=20), **failed)],
        [_container_status("i0", terminated={"exitCode": 4})],
        [_container_status("i0", terminated={"exitCode": 4, "signal": 15})],
        [_container_status("i0", waiting={"reason": "ImagePullBackOff"})],
        [_container_status("i0", waiting={"reason": "PodInitializing"})],
        [_container_status("i0", restarts=2, last=_ago(days=1), **done), _container_status("i1", **done)],
    ):
        yield _pod({"phase": "Pending", "initContainerStatuses": statuses}, initContainers=first)
    initialized = {"conditions": [{"type": "Initialized", "status": "True"}]}
    looping = [_container_status("c0", waiting={"reason": "CrashLoopBackOff"})]
    for own in ([], looping):
        status = {"phase": "Running", **initialized, "initContainerStatuses": [_container_status("i0", **running)]}
        yield _pod({**status, "containerStatuses": own}, initContainers=first)
    beside = [_container("i0", restartPolicy="Always"), _container("i1")]
    own = [_container_status("c0", ready=True, restarts=1, last=_ago(days=3), **running)]
    for ready, started in ((True, True), (False, True), (False, False)):
        statuses = [
            _container_status("i0", ready=ready, started=started, restarts=2, last=_ago(hours=7), **running),
            _container_status("i1", **done),
        ]
        status = {"phase": "Running", "initContainerStatuses": statuses, "containerStatuses": own}
        yield _pod(status, initContainers=beside)


def _going() -> JSONValue:
    return {"finalizers": ["example.com/hold"], "deletionTimestamp": _ago()}


def _template(*names: str) -> JSONValue:
    containers = [_container(name) for name in names or ("cook", "wash")]
    return {"metadata": {"labels": _LABELS}, "spec": {"containers": containers}}


def _deployments() -> Iterator[JSONValue]:
    spec = {"selector": {"matchLabels": _LABELS}, "template": _template()}
    expressions = [
        {"key": "app", "operator": "In", "values": ["wash", "cook"]},
        {"key": "a.example.com/b", "operator": "Exists"},
        {"key": "b", "operator": "DoesNotExist"},
        {"key": "c", "operator": "NotIn", "values": ["x"]},
    ]
    yield {"spec": spec}
    counts = {"replicas": 3, "updatedReplicas": 2, "readyReplicas": 1, "availableReplicas": 1, "unavailableReplicas": 2}
    yield {"spec": {**spec, "replicas": 3}, "status": counts}
    yield {
        "spec": {**spec, "replicas": 0, "selector": {"matchExpressions": expressions}, "template": _template("cook")}
    }


def _stateful_sets() -> Iterator[JSONValue]:
    spec = {"selector": {"matchLabels": _LABELS}, "template": _template(), "serviceName": "cook"}
    yield {"spec": spec}
    yield {"spec": {**spec, "replicas": 2}, "status": {"replicas": 2, "readyReplicas": 1}}


def _jobs() -> Iterator[JSONValue]:
    template = _template("cook")
    template["spec"]["restartPolicy"] = "Never"
    template["metadata"] = {}
    spec = {"template": template}
    begun = {"startTime": _ago(hours=4)}
    uncounted: JSONValue = {"uncountedTerminatedPods": {}}
    yield {"spec": spec}
    yield {
        "spec": {**spec, "completions": 5, "parallelism": 2},
        "status": {**begun, "active": 2, "succeeded": 3, "failed": 1},
    }
    yield {"spec": {**spec, "parallelism": 1}, "status": begun}
    yield {"spec": {**spec, "parallelism": 2}, "status": begun}
    yield {"spec": {**spec, "parallelism": 4}, "status": {**begun, "succeeded": 1, **uncounted}}
    met = {"type": "SuccessCriteriaMet", "status": "True"}
    target = {"type": "FailureTarget", "status": "True"}
    complete = {"type": "Complete", "status": "True"}
    yield {"spec": spec, "status": {**begun, "conditions": [met]}}
    yield {
        "spec": spec,
        "status": {**begun, "completionTime": _ago(minutes=200), "succeeded": 1, "conditions": [met, complete]},
    }
    yield {"spec": spec, "status": {**begun, "conditions": [target]}}
    yield {"spec": spec, "status": {**begun, "conditions": [target, {"type": "Failed", "status": "True"}]}}
    yield {"spec": {**spec, "suspend": True}, "status": {"conditions": [{"type": "Suspended", "status": "True"}]}}
    yield {"spec": spec, "status": {"conditions": [{"type": "Suspended", "status": "False"}]}, "metadata": _going()}


def _services() -> Iterator[JSONValue]:
    port = {"name": "web", "port": 80}
    ports = [{**port, "protocol": "TCP"}, {"name": "dns", "port": 53, "protocol": "UDP"}]
    yield {"spec": {"ports": [port], "clusterIP": "10.0.0.101"}}
    yield {"spec": {"ports": ports, "clusterIP": "None", "selector": {"b": "2", "a": "1"}}}
    yield {"spec": {"ports": [port], "clusterIP": "10.0.0.102", "externalIPs": ["1.2.3.4", "1.2.3.5"]}}
    node = {"ports": [{**port, "nodePort": 30080}], "type": "NodePort"}
    yield {"spec": {**node, "clusterIP": "10.0.0.103"}}
    yield {
        "spec": {**node, "clusterIP": "10.0.0.104", "ports": [{**port, "nodePort": 30081}], "externalIPs": ["1.2.3.4"]}
    }
    balancer = {"type": "LoadBalancer", "allocateLoadBalancerNodePorts": False, "ports": [port]}
    status = {"loadBalancer": {"ingress": [{"ip": "9.9.9.9"}, {"hostname": "b.example.com"}, {"ip": "8.8.8.8"}]}}
    yield {"spec": {**balancer, "clusterIP": "10.0.0.105"}}
    yield {"spec": {**balancer, "clusterIP": "10.0.0.106"}, "status": status}
    yield {"spec": {**balancer, "clusterIP": "10.0.0.107", "externalIPs": ["1.2.3.4"]}, "status": status}
    yield {"spec": {**balancer, "clusterIP": "10.0.0.108", "externalIPs": ["1.2.3.4"]}}
    yield {"spec": {"type": "ExternalName", "externalName": "cook.example.com"}}


def _events() -> Iterator[JSONValue]:
    base = {"reason": "Cooked", "type": "Normal", "message": " It is done.\n"}
    about = {"kind": "ConfigMap", "name": "a", "namespace": "{ns}", "fieldPath": "spec.containers{cook}"}
    times = {"firstTimestamp": _ago(hours=3), "lastTimestamp": _ago(minutes=12)}
    source = {"source": {"component": "cook", "host": "n1"}}
    yield {**base, **times, "involvedObject": about, **source, "count": 7}
    yield {**base, "involvedObject": {"kind": "Pod", "namespace": "{ns}"}, "source": {"component": "cook"}}
    reported = {"reportingComponent": "example.com/cook", "reportingInstance": "cook-1"}
    yield {
        **base,
        "involvedObject": about,
        "firstTimestamp": _ago(hours=3),
        **reported,
        "action": "Cook",
        "eventTime": _micro(_ago(hours=2)),
    }
    series = {"series": {"count": 9, "lastObservedTime": _micro(_ago(minutes=15))}}
    yield {**base, "involvedObject": about, **reported, "action": "Cook", "eventTime": _micro(_ago(hours=2)), **series}


def _new_events() -> Iterator[JSONValue]:
    base = {
        "reason": "Cooked",
        "type": "Warning",
        "note": "It is done.",
        "action": "Cook",
        "eventTime": _micro(_ago(hours=2)),
    }
    reported = {"reportingController": "example.com/cook", "reportingInstance": "cook-1"}
    yield {
        **base,
        "metadata": {"name": "new-event"},
        **reported,
        "regarding": {"kind": "ConfigMap", "name": "a", "namespace": "{ns}"},
    }


def _claims() -> Iterator[JSONValue]:
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    bound = {
        **spec,
        "volumeName": "v1",
        "storageClassName": "fast",
        "volumeAttributesClassName": "gold",
        "volumeMode": "Block",
    }
    modes = ["ReadWriteOncePod", "ReadWriteMany", "ReadOnlyMany", "ReadWriteOnce"]
    yield {"spec": spec}
    yield {"spec": bound, "status": {"phase": "Bound", "capacity": {"storage": "1536Mi"}, "accessModes": modes}}
    yield {
        "spec": {**spec, "volumeName": "v2"},
        "metadata": {"annotations": {"volume.beta.kubernetes.io/storage-class": "old"}},
    }
    yield {"spec": {**spec, "storageClassName": ""}, "metadata": _going()}


def shifted(value: JSONValue, by: timedelta) -> JSONValue:
    """Return an object with its times, down to the second or finer, moved."""
    if isinstance(value, Mapping):
        return {key: shifted(item, by) for key, item in value.items()}
    if isinstance(value, list):
        return [shifted(item, by) for item in value]
    return _moved(value, by) if isinstance(value, str) and value.endswith("Z") and value.startswith("20") else value


def _moved(text: str, by: timedelta) -> str:
    form = "%Y-%m-%dT%H:%M:%S.%fZ" if "." in text else "%Y-%m-%dT%H:%M:%SZ"
    return (datetime.fromisoformat(text) + by).strftime(form)
