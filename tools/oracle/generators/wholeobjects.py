"""Objects of built-in kinds that set every field with a default, so that a server stores them unchanged."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_crd.engine.jsonvalue import JSONValue


def each() -> Iterator[JSONValue]:
    """Yield an object of each kind, all with the same name."""
    about = {"kind": "ConfigMap", "namespace": "{ns}", "name": "a"}
    metadata = {"name": "a", "labels": {"app": "cook"}, "finalizers": ["example.com/hold"]}
    moment = "2024-01-02T03:04:05.678901Z"
    core: JSONValue = {"apiVersion": "v1", "metadata": metadata}
    yield {**core, "kind": "ConfigMap", "data": {"a": "1"}, "binaryData": {"b": "YQ=="}}
    yield {**core, "kind": "Secret", "type": "Opaque", "data": {"a": "YQ=="}, "stringData": {"b": "2"}}
    yield {**core, "kind": "ServiceAccount", "imagePullSecrets": [{"name": "y"}]}
    yield {**core, "kind": "Event", "involvedObject": about, "reason": "Cooked", "type": "Normal", "count": 2}
    yield {
        "apiVersion": "events.k8s.io/v1",
        "kind": "Event",
        "metadata": metadata,
        "eventTime": moment,
        "reportingController": "example.com/cook",
        "reportingInstance": "cook-1",
        "action": "Cook",
        "reason": "Cooked",
        "regarding": about,
        "note": "It is done.",
        "type": "Warning",
        "series": {"count": 2, "lastObservedTime": moment},
    }
    lease = {"holderIdentity": "a", "leaseDurationSeconds": 15, "acquireTime": moment, "leaseTransitions": 0}
    yield {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": metadata, "spec": lease}
    yield deployment()
    yield stateful_set()
    yield job()
    yield service()


def deployment() -> JSONValue:
    """Return a Deployment."""
    spec = {
        "replicas": 2,
        "selector": {"matchLabels": {"app": "cook"}},
        "template": {"metadata": {"labels": {"app": "cook"}}, "spec": _pod_spec()},
        "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "25%", "maxSurge": 1}},
        "revisionHistoryLimit": 10,
        "progressDeadlineSeconds": 600,
    }
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a"}, "spec": spec, "status": {}}


def stateful_set() -> JSONValue:
    """Return a StatefulSet."""
    spec = {
        "replicas": 2,
        "selector": {"matchLabels": {"app": "cook"}},
        "template": {"metadata": {"labels": {"app": "cook"}}, "spec": _pod_spec()},
        "serviceName": "cook",
        "podManagementPolicy": "OrderedReady",
        "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": 0, "maxUnavailable": 1}},
        "revisionHistoryLimit": 10,
        "persistentVolumeClaimRetentionPolicy": {"whenDeleted": "Retain", "whenScaled": "Retain"},
    }
    return {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "a"}, "spec": spec}


def job() -> JSONValue:
    """Return a Job."""
    spec = {
        "parallelism": 1,
        "completions": 1,
        "backoffLimit": 6,
        "completionMode": "NonIndexed",
        "suspend": False,
        "manualSelector": True,
        "podReplacementPolicy": "TerminatingOrFailed",
        "selector": {"matchLabels": {"app": "cook"}},
        "template": {"metadata": {"labels": {"app": "cook"}}, "spec": {**_pod_spec(), "restartPolicy": "Never"}},
    }
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "a", "labels": {"app": "cook"}}, "spec": spec}


def service() -> JSONValue:
    """Return a headless Service: a server gives every other Service its own address."""
    spec = {
        "ports": [{"name": "web", "port": 80, "targetPort": "http", "protocol": "TCP"}],
        "selector": {"app": "cook"},
        "clusterIP": "None",
        "clusterIPs": ["None"],
        "type": "ClusterIP",
        "sessionAffinity": "None",
        "ipFamilies": ["IPv4"],
        "ipFamilyPolicy": "SingleStack",
        "internalTrafficPolicy": "Cluster",
    }
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "a"}, "spec": spec}


def pod() -> JSONValue:
    """Return a Pod."""
    spec = {**_pod_spec(), "enableServiceLinks": True, "preemptionPolicy": "PreemptLowerPriority", "priority": 0}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": spec}


def _pod_spec() -> JSONValue:
    container = {
        "name": "cook",
        "image": "cook:1",
        "resources": {"limits": {"cpu": "1500m", "memory": "1Gi"}, "requests": {"cpu": "1500m", "memory": "1Gi"}},
        "ports": [{"containerPort": 80, "protocol": "TCP"}],
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
        "imagePullPolicy": "IfNotPresent",
    }
    return {
        "containers": [container],
        "restartPolicy": "Always",
        "terminationGracePeriodSeconds": 30,
        "dnsPolicy": "ClusterFirst",
        "securityContext": {},
        "schedulerName": "default-scheduler",
    }
