"""
Defaults of Go structs that depend on other fields.

Each function changes an object in place. The recorded defaults of other fields are there before.

Reference:
    kubernetes pkg/apis, defaults.go of each API version.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from pytest_crd.engine.profile import Profile
from pytest_crd.server.builtin import imagenames, podresources
from pytest_crd.server.store import generatedvalues

_Object: TypeAlias = "dict[str, Any]"
_Rule: TypeAlias = Callable[[_Object, Profile], None]

_RBAC: Final = "rbac.authorization.k8s.io"
_MOST: Final = 2**31 - 1
_ROLLING: Final = "RollingUpdate"
# The first minor version of Kubernetes 1 that defaults `maxUnavailable` of a StatefulSet.
_UNAVAILABLE: Final = 35
_TIMEOUT: Final = 10800
_SCALING: Final[Mapping[str, Mapping[str, Any]]] = {
    "scaleUp": {
        "stabilizationWindowSeconds": 0,
        "selectPolicy": "Max",
        "policies": [
            {"type": "Pods", "value": 4, "periodSeconds": 15},
            {"type": "Percent", "value": 100, "periodSeconds": 15},
        ],
    },
    "scaleDown": {"selectPolicy": "Max", "policies": [{"type": "Percent", "value": 100, "periodSeconds": 15}]},
}


class DefaultRule(NamedTuple):
    """
    The rule of a struct.

    Attributes:
        default: Adds the defaults to an object of the struct.
        fields: The fields whose recorded defaults the rule replaces.
    """

    default: _Rule
    fields: frozenset[str] = frozenset()


def find_rule(type_: str) -> DefaultRule | None:
    """Return the rule of a Go type, such as `core.v1.PodSpec`; None if it has none."""
    return _RULES.get(type_)


def _deployment_strategy(strategy: _Object, _: Profile) -> None:
    if strategy["type"] == _ROLLING:
        strategy["rollingUpdate"] = {"maxUnavailable": "25%", "maxSurge": "25%", **strategy.get("rollingUpdate", {})}


def _daemon_set_strategy(strategy: _Object, _: Profile) -> None:
    if strategy["type"] == _ROLLING:
        strategy["rollingUpdate"] = {"maxUnavailable": 1, "maxSurge": 0, **strategy.get("rollingUpdate", {})}
    elif "rollingUpdate" in strategy:
        strategy["rollingUpdate"] = {"maxUnavailable": 0, "maxSurge": 0, **strategy["rollingUpdate"]}


def _stateful_set_strategy(strategy: _Object, profile: Profile) -> None:
    if not strategy.get("type"):
        strategy["type"] = _ROLLING
        strategy.setdefault("rollingUpdate", {})
    if strategy["type"] == _ROLLING and "rollingUpdate" in strategy:
        unavailable = {"maxUnavailable": 1} if profile.minor >= _UNAVAILABLE else {}
        strategy["rollingUpdate"] = {"partition": 0, **unavailable, **strategy["rollingUpdate"]}


def _job(job: _Object, _: Profile) -> None:
    labels = job["spec"]["template"]["metadata"].get("labels")
    if labels and not job["metadata"].get("labels"):
        job["metadata"] = {**job["metadata"], "labels": labels}
    spec = job["spec"] = dict(job["spec"])
    if "completions" not in spec and "parallelism" not in spec:
        spec["completions"] = 1
    spec.setdefault("parallelism", 1)
    spec.setdefault("backoffLimit", _MOST if "backoffLimitPerIndex" in spec else 6)
    spec.setdefault("podReplacementPolicy", "Failed" if "podFailurePolicy" in spec else "TerminatingOrFailed")


def _replication_controller(controller: _Object, _: Profile) -> None:
    template = controller["spec"].get("template") or {}
    if labels := template.get("metadata", {}).get("labels"):
        controller["spec"] = {**controller["spec"], "selector": controller["spec"].get("selector") or labels}
        controller["metadata"] = {**controller["metadata"], "labels": controller["metadata"].get("labels") or labels}


def _volume(volume: _Object, _: Profile) -> None:
    if volume.keys() <= {"name"}:
        volume["emptyDir"] = {}


def _image_volume(source: _Object, _: Profile) -> None:
    if not source.get("pullPolicy"):
        source["pullPolicy"] = _pull_policy(source.get("reference", ""))


def _container(container: _Object, _: Profile) -> None:
    if not container.get("imagePullPolicy"):
        container["imagePullPolicy"] = _pull_policy(container.get("image", ""))


def _pull_policy(image: str) -> str:
    return "Always" if imagenames.is_latest(image) else "IfNotPresent"


def _pod(pod: _Object, profile: Profile) -> None:
    spec = pod["spec"] = dict(pod["spec"])
    if spec.get("terminationGracePeriodSeconds", 0) < 0:
        spec["terminationGracePeriodSeconds"] = 1
    for key in ("containers", "initContainers"):
        if spec.get(key):
            spec[key] = [_of_pod(container, is_on_host=bool(spec.get("hostNetwork"))) for container in spec[key]]
    if not podresources.are_completed_late(profile):
        pod["spec"] = podresources.complete(spec, sets_limits=False)


def _of_pod(container: _Object, *, is_on_host: bool) -> _Object:
    """Return a container with the defaults that only a Pod has, not a template."""
    needs = container.get("resources") or {}
    if needs.get("limits"):
        needs = {**needs, "requests": {**needs["limits"], **(needs.get("requests") or {})}}
        container = {**container, "resources": needs}
    if is_on_host and container.get("ports"):
        ports = [{"hostPort": port.get("containerPort", 0), **port} for port in container["ports"]]
        container = {**container, "ports": ports}
    return container


def _pod_spec(spec: _Object, _: Profile) -> None:
    if account := spec.get("serviceAccountName") or spec.get("serviceAccount"):
        spec |= {"serviceAccountName": account, "serviceAccount": account}


def _pod_status(status: _Object, _: Profile) -> None:
    address, addresses = status.get("podIP"), status.get("podIPs")
    if address and (not addresses or addresses[0].get("ip") != address):
        status["podIPs"] = [{"ip": address}]
    elif addresses and not address and addresses[0].get("ip"):
        status["podIP"] = addresses[0]["ip"]


def _service(service: _Object, _: Profile) -> None:
    spec = service["spec"] = dict(service["spec"])
    type_ = spec.get("type") or "ClusterIP"
    is_external = type_ in ("NodePort", "LoadBalancer") or bool(type_ == "ClusterIP" and spec.get("externalIPs"))
    if is_external and not spec.get("externalTrafficPolicy"):
        spec["externalTrafficPolicy"] = "Cluster"
    if type_ == "LoadBalancer":
        spec.setdefault("allocateLoadBalancerNodePorts", True)
        balancer = service["status"]["loadBalancer"]
        if balancer.get("ingress"):
            ingress = [{**({"ipMode": "VIP"} if point.get("ip") else {}), **point} for point in balancer["ingress"]]
            service["status"] = {**service["status"], "loadBalancer": {**balancer, "ingress": ingress}}


def _service_spec(spec: _Object, _: Profile) -> None:
    if spec["sessionAffinity"] == "None":
        spec.pop("sessionAffinityConfig", None)
    if spec["sessionAffinity"] == "ClientIP":
        client = (spec.get("sessionAffinityConfig") or {}).get("clientIP") or {}
        if client.get("timeoutSeconds") is None:
            spec["sessionAffinityConfig"] = {"clientIP": {"timeoutSeconds": _TIMEOUT}}
    if spec["type"] in ("ClusterIP", "NodePort", "LoadBalancer"):
        spec.setdefault("internalTrafficPolicy", "Cluster")


def _service_port(port: _Object, _: Profile) -> None:
    if port.get("targetPort") in (None, 0, ""):
        port["targetPort"] = port.get("port", 0)


def _node_status(status: _Object, _: Profile) -> None:
    if status.get("capacity"):
        status.setdefault("allocatable", status["capacity"])


def _limit_range_item(item: _Object, _: Profile) -> None:
    if item.get("type") != "Container":
        return
    item["default"] = {**item.get("max", {}), **item.get("default", {})}
    item["defaultRequest"] = {**item.get("min", {}), **item["default"], **item.get("defaultRequest", {})}
    for name in ("default", "defaultRequest"):
        if not item[name]:
            del item[name]


def _scaling_behavior(behavior: _Object, _: Profile) -> None:
    for name, rules in _SCALING.items():
        behavior[name] = {**copy.deepcopy(rules), **behavior.get(name, {})}


def _policy_types(spec: _Object, _: Profile) -> None:
    if not spec.get("policyTypes"):
        spec["policyTypes"] = ["Ingress", *(["Egress"] if spec.get("egress") else [])]


def _subject(subject: _Object, _: Profile) -> None:
    if not subject.get("apiGroup") and subject.get("kind") in ("User", "Group"):
        subject["apiGroup"] = _RBAC


def _device_request(request: _Object, _: Profile) -> None:
    if request["allocationMode"] == "ExactCount" and not request.get("count"):
        request["count"] = 1


def _device_taint(taint: _Object, _: Profile) -> None:
    taint.setdefault("timeAdded", generatedvalues.now())


def _nothing(_object: _Object, _: Profile) -> None:
    """Leave the defaults to the rule of the struct around."""


def _rules() -> Iterator[tuple[str, DefaultRule]]:
    yield "apps.v1.DeploymentStrategy", DefaultRule(_deployment_strategy, frozenset({"rollingUpdate"}))
    yield "apps.v1.DaemonSetUpdateStrategy", DefaultRule(_daemon_set_strategy, frozenset({"rollingUpdate"}))
    yield "apps.v1.StatefulSetUpdateStrategy", DefaultRule(_stateful_set_strategy, frozenset({"rollingUpdate", "type"}))
    for struct, fields in (
        ("RollingUpdateDeployment", ("maxSurge", "maxUnavailable")),
        ("RollingUpdateDaemonSet", ("maxSurge", "maxUnavailable")),
        ("RollingUpdateStatefulSetStrategy", ("partition", "maxUnavailable")),
    ):
        yield f"apps.v1.{struct}", DefaultRule(_nothing, frozenset(fields))
    job_fields = ("completions", "parallelism", "backoffLimit", "podReplacementPolicy")
    yield "batch.v1.Job", DefaultRule(_job)
    yield "batch.v1.JobSpec", DefaultRule(_nothing, frozenset(job_fields))
    yield "core.v1.ReplicationController", DefaultRule(_replication_controller)
    yield "core.v1.Volume", DefaultRule(_volume, frozenset({"emptyDir"}))
    yield "core.v1.ImageVolumeSource", DefaultRule(_image_volume, frozenset({"pullPolicy"}))
    for struct in ("Container", "EphemeralContainer"):
        yield f"core.v1.{struct}", DefaultRule(_container, frozenset({"imagePullPolicy"}))
    yield "core.v1.Pod", DefaultRule(_pod)
    yield "core.v1.PodSpec", DefaultRule(_pod_spec)
    yield "core.v1.PodStatus", DefaultRule(_pod_status)
    yield "core.v1.Service", DefaultRule(_service)
    yield "core.v1.ServiceSpec", DefaultRule(_service_spec, frozenset({"internalTrafficPolicy"}))
    yield "core.v1.ServicePort", DefaultRule(_service_port)
    yield "core.v1.NodeStatus", DefaultRule(_node_status)
    yield "core.v1.LimitRangeItem", DefaultRule(_limit_range_item)
    behavior = frozenset({"scaleUp", "scaleDown"})
    yield "autoscaling.v2.HorizontalPodAutoscalerBehavior", DefaultRule(_scaling_behavior, behavior)
    yield "networking.v1.NetworkPolicySpec", DefaultRule(_policy_types, frozenset({"policyTypes"}))
    yield "rbac.v1.Subject", DefaultRule(_subject)
    for struct in ("DeviceSubRequest", "ExactDeviceRequest"):
        yield f"resource.v1.{struct}", DefaultRule(_device_request, frozenset({"count"}))
    yield "resource.v1.DeviceTaint", DefaultRule(_device_taint)


_RULES: Final = dict(_rules())
