"""
Fields of a new Pod that a server sets: status, quality of service, selectors of its affinities.

Reference:
    kubernetes pkg/registry/core/pod/strategy.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from pytest_crd.engine.cel.library import amounts
from pytest_crd.engine.profile import Profile
from pytest_crd.server.builtin import apparmor, podresources
from pytest_crd.server.store import generatedvalues

_Object: TypeAlias = "dict[str, Any]"

_BURSTABLE, _BEST_EFFORT, _GUARANTEED = "Burstable", "BestEffort", "Guaranteed"
_COMPUTED: Final = ("cpu", "memory")
# Fields of the status that an update without them leaves unchanged.
_KEPT: Final = ("qosClass", "observedGeneration", "resourceClaimStatuses", "extendedResourceClaimStatus")
_POD_AFFINITIES: Final = ("podAffinity", "podAntiAffinity")
_TERMS: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_WEIGHTED: Final = "preferredDuringSchedulingIgnoredDuringExecution"


def finish_created(pod: _Object, profile: Profile) -> _Object:
    """Return a new Pod with the fields of the server."""
    spec = _with_app_armor(pod)
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


def _with_app_armor(pod: _Object) -> _Object:
    """Return the spec of a Pod, with the AppArmor profiles that only its annotations give."""
    profiles = apparmor.find_profiles(pod)
    spec = {**pod["spec"]}
    for kind in apparmor.KINDS:
        if profiles and spec.get(kind):
            spec[kind] = [
                _with_profile(container, profiles.get(container.get("name") or "")) for container in spec[kind]
            ]
    return spec


def _with_profile(container: _Object, profile: _Object | None) -> _Object:
    if profile is None:
        return container
    return {**container, "securityContext": {**(container.get("securityContext") or {}), "appArmorProfile": profile}}


def finish_updated(pod: _Object, old: Mapping[str, Any], profile: Profile) -> _Object:
    """Return a changed Pod, since 1.37 with its earlier resources if the request has none."""
    spec, name = pod["spec"], "resources"
    if name in spec or name not in old["spec"] or not podresources.are_completed_late(profile):
        return pod
    return {**pod, "spec": {**spec, name: old["spec"][name]}}


def finish_status(pod: _Object, old: Mapping[str, Any]) -> _Object:
    """Return a Pod with a changed status, with the stored quality of service and generations that the request leaves out."""
    status, stored = pod.get("status") or {}, old.get("status") or {}
    unchanged = {name: stored[name] for name in _KEPT if not status.get(name) and name in stored}
    generations: dict[str, list[int]] = {}
    for condition in stored.get("conditions") or ():
        generations.setdefault(condition["type"], []).append(condition.get("observedGeneration") or 0)
    conditions = [dict(condition) for condition in status.get("conditions") or ()]
    for condition in conditions:
        before = generations.get(condition.get("type") or "")
        generation = before.pop(0) if before else 0
        if generation and not condition.get("observedGeneration"):
            condition["observedGeneration"] = generation
    return {**pod, "status": {**status, **unchanged, **({"conditions": conditions} if conditions else {})}}


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
    return {**status, "qosClass": quality_of(spec, profile)}


def quality_of(spec: Mapping[str, Any], profile: Profile) -> str:
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
