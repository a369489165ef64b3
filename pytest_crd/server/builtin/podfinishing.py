"""
Fields of a new Pod that a server sets: status, quality of service, priority, tolerations.

Reference:
    kubernetes pkg/registry/core/pod/strategy.go; plugin/pkg/admission/priority and defaulttolerationseconds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from pytest_crd.engine.cel.library import amounts
from pytest_crd.engine.profile import Profile
from pytest_crd.server.builtin import podresources
from pytest_crd.server.http import statuses
from pytest_crd.server.store import generatedvalues
from pytest_crd.server.store.store import ObjectKey, Store

_Object: TypeAlias = "dict[str, Any]"

_BURSTABLE, _BEST_EFFORT, _GUARANTEED = "Burstable", "BestEffort", "Guaranteed"
_COMPUTED: Final = ("cpu", "memory")
_CLASSES: Final = "priorityclasses.scheduling.k8s.io"
_LOWER: Final = "PreemptLowerPriority"
_TAINTS: Final = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
_SECONDS: Final = 300
_POD_AFFINITIES: Final = ("podAffinity", "podAntiAffinity")
_TERMS: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_WEIGHTED: Final = "preferredDuringSchedulingIgnoredDuringExecution"


def finish_created(pod: _Object, store: Store, profile: Profile) -> _Object:
    """
    Return a new Pod with the fields of the server.

    Args:
        pod: The Pod.
        store: The store, with the priority classes.
        profile: The Kubernetes version.

    Raises:
        ApiError: 403: the priority class does not exist, or the Pod has another priority.
    """
    spec = {**pod["spec"], **_priority(pod, store)}
    spec["tolerations"] = _tolerations(spec.get("tolerations") or [])
    labels = pod["metadata"].get("labels") or {}
    if spec.get("affinity"):
        spec["affinity"] = {
            kind: _affinity(value, labels) if kind in _POD_AFFINITIES else value
            for kind, value in spec["affinity"].items()
        }
    if spec.get("topologySpreadConstraints"):
        spec["topologySpreadConstraints"] = [_selecting(item, labels) for item in spec["topologySpreadConstraints"]]
    if podresources.are_completed_late(profile):
        spec = podresources.complete(spec, sets_limits=True)
    return {**pod, "spec": spec, "status": _status(spec, profile)}


def finish_updated(pod: _Object, old: Mapping[str, Any], profile: Profile) -> _Object:
    """Return a changed Pod with its earlier priority and, since 1.37, its earlier resources, if the request has none."""
    before = old["spec"]
    kept = ("priority", "preemptionPolicy", *(("resources",) if podresources.are_completed_late(profile) else ()))
    missing = {key: before[key] for key in kept if key in before and key not in pod["spec"]}
    return {**pod, "spec": {**pod["spec"], **missing}} if missing else pod


def _status(spec: _Object, profile: Profile) -> _Object:
    status: _Object = {"phase": "Pending"}
    if spec.get("schedulingGates"):
        message = "Scheduling is blocked due to non-empty scheduling gates"
        gated = {
            "type": "PodScheduled",
            "status": "False",
            "lastProbeTime": None,
            "lastTransitionTime": generatedvalues.now(),
        }
        status["conditions"] = [{**gated, "reason": "SchedulingGated", "message": message}]
    return {**status, "qosClass": _quality(spec, profile)}


def _quality(spec: _Object, profile: Profile) -> str:
    """
    Return the quality of service of a Pod.

    Reference:
        kubernetes pkg/apis/core/helper/qos/qos.go, ComputePodQOS.
    """
    needs = spec.get("resources")
    if needs is not None and (podresources.have_amounts(needs) or not podresources.are_completed_late(profile)):
        return _quality_of(needs)
    containers = [*(spec.get("initContainers") or ()), *(spec.get("containers") or ())]
    qualities = {_quality_of(container.get("resources") or {}) for container in containers}
    return qualities.pop() if len(qualities) == 1 else _BURSTABLE if qualities else _BEST_EFFORT


def _quality_of(needs: Mapping[str, Any]) -> str:
    requests, limits = needs.get("requests") or {}, needs.get("limits") or {}
    if not (requests or limits):
        return _BEST_EFFORT
    qualities = {_quality_of_resource(requests.get(name, "0"), limits.get(name, "0")) for name in _COMPUTED}
    return qualities.pop() if len(qualities) == 1 else _BURSTABLE


def _quality_of_resource(request_text: str, limit_text: str) -> str:
    request, limit = amounts.parse(request_text), amounts.parse(limit_text)
    if not (request.number or limit.number):
        return _BEST_EFFORT
    return _GUARANTEED if limit.number and not amounts.compare(request, limit) else _BURSTABLE


def _priority(pod: _Object, store: Store) -> _Object:
    """
    Return the fields of the priority class.

    Raises:
        ApiError: 403.
    """
    spec, name = pod["spec"], pod["spec"].get("priorityClassName", "")
    class_ = _class_of(name, store)
    if class_ is None and name:
        problem = f"no PriorityClass with name {name} was found"
        raise statuses.forbidden("pods", pod["metadata"]["name"], problem)
    computed = {"value": 0, **(class_ or {})}
    if spec.get("priority", computed["value"]) != computed["value"]:
        problem = (
            f"the integer value of priority ({spec['priority']}) must not be provided in pod spec; "
            f"priority admission controller computed {computed['value']} from the given PriorityClass name"
        )
        raise statuses.forbidden("pods", pod["metadata"]["name"], problem)
    policy = computed.get("preemptionPolicy", _LOWER)
    if spec.get("preemptionPolicy", policy) != policy:
        problem = (
            f"the string value of PreemptionPolicy ({spec['preemptionPolicy']}) must not be provided in pod spec; "
            f"priority admission controller computed {policy} from the given PriorityClass name"
        )
        raise statuses.forbidden("pods", pod["metadata"]["name"], problem)
    named = {"priorityClassName": class_["metadata"]["name"]} if class_ is not None else {}
    return {**named, "priority": computed["value"], "preemptionPolicy": policy}


def _class_of(name: str, store: Store) -> Mapping[str, Any] | None:
    """Return a priority class by its name, or the default one with the lowest value for an empty name; None without one."""
    if name:
        entry = store.get(ObjectKey(_CLASSES, "", name))
        return None if entry is None else entry.value
    defaults = [entry.value for entry in store.entries(_CLASSES) if entry.value.get("globalDefault")]
    return min(defaults, key=lambda class_: class_["value"], default=None)


def _tolerations(tolerations: Sequence[_Object]) -> list[_Object]:
    """Add the tolerations of every Pod."""
    completed = [*tolerations]
    for taint in _TAINTS:
        if not any(
            item.get("key", "") in ("", taint) and item.get("effect", "") in ("", "NoExecute") for item in tolerations
        ):
            new = {"key": taint, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": _SECONDS}
            completed.append(new)
    return completed


def _affinity(affinity: _Object, labels: Mapping[str, str]) -> _Object:
    """Add the labels of `matchLabelKeys` to the terms of an affinity to Pods."""
    changed = dict(affinity)
    if affinity.get(_TERMS):
        changed[_TERMS] = [_selecting(term, labels) for term in affinity[_TERMS]]
    if affinity.get(_WEIGHTED):
        changed[_WEIGHTED] = [
            {**item, "podAffinityTerm": _selecting(item["podAffinityTerm"], labels)} for item in affinity[_WEIGHTED]
        ]
    return changed


def _selecting(term: _Object, labels: Mapping[str, str]) -> _Object:
    """Add the labels of `matchLabelKeys` and `mismatchLabelKeys` to the selector of a term."""
    if term.get("labelSelector") is None:
        return term
    new = [
        {"key": key, "operator": operator, "values": [labels[key]]}
        for field, operator in (("matchLabelKeys", "In"), ("mismatchLabelKeys", "NotIn"))
        for key in term.get(field) or ()
        if key in labels
    ]
    selector = term["labelSelector"]
    expressions = [*(selector.get("matchExpressions") or ()), *new]
    return {**term, "labelSelector": {**selector, "matchExpressions": expressions}} if new else term
