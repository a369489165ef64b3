"""
Resources of a whole Pod, `spec.resources`: completed with the sums of its containers.

Reference:
    kubernetes pkg/api/pod/util.go, DefaultPodLevelResources; until 1.36 pkg/apis/core/v1/defaults.go, defaultPodRequests;
    component-helpers resource/helpers.go, AggregateContainerRequests and PodRequests.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeAlias

from pytest_crd.engine.cel.library import amounts
from pytest_crd.engine.cel.library.amounts import Amount
from pytest_crd.engine.profile import Profile

_Object: TypeAlias = "dict[str, Any]"
_Amounts: TypeAlias = "dict[str, Amount]"

_COMPUTED: Final = ("cpu", "memory")
_HUGE: Final = "hugepages-"
# The first minor version of Kubernetes 1 that completes the resources of a Pod after admission, and its limits.
_LATE: Final = 37
# The first minor version in which a resize changes the resources of a Pod.
_RESIZABLE: Final = 36


def are_completed_late(profile: Profile) -> bool:
    """Return whether the resources of a Pod are completed after admission (since 1.37), not with the defaults."""
    return profile.minor >= _LATE


def resize(spec: _Object, needs: Mapping[str, Any] | None, profile: Profile) -> _Object:
    """
    Return the spec of a Pod with new resources of the Pod.

    Args:
        spec: The stored spec, with the new resources of the containers.
        needs: The new resources; None to remove them, or since 1.37 to keep them.
        profile: The Kubernetes version; versions before 1.36 keep the resources.
    """
    if profile.minor < _RESIZABLE:
        return spec
    if are_completed_late(profile):
        return complete({**spec, "resources": needs} if needs is not None else spec, sets_limits=True)
    rest = {key: value for key, value in spec.items() if key != "resources"}
    return rest if needs is None else {**rest, "resources": needs}


def have_amounts(needs: Mapping[str, Any]) -> bool:
    """Return whether resources have a request or a limit."""
    return bool(needs.get("requests") or needs.get("limits"))


def complete(spec: _Object, *, sets_limits: bool) -> _Object:
    """
    Return the spec of a Pod with completed resources of the Pod; unchanged without any.

    Args:
        spec: The spec; its containers have their defaults.
        sets_limits: Whether the Pod gets limits of CPU and memory, and requests even without limits.
    """
    needs = spec.get("resources") or {}
    if not have_amounts(needs):
        return spec
    requests, limits = needs.get("requests") or {}, needs.get("limits") or {}
    summed = sum_of(spec, "limits")
    limits = {
        **{name: text for name, text in summed.items() if name.startswith(_HUGE) and name not in requests},
        **limits,
    }
    if limits or sets_limits:
        own = {name: text for name, text in sum_of(spec, "requests").items() if name in _COMPUTED}
        requests = {**{name: text for name, text in limits.items() if _is_supported(name)}, **own, **requests}
    if sets_limits:
        limits = {**_missing_limits(spec, requests, summed), **limits}
    completed = {name: value for name, value in (("limits", limits), ("requests", requests)) if value}
    return {**spec, "resources": {**needs, **completed}}


def _missing_limits(spec: _Object, requests: Mapping[str, str], summed: Mapping[str, str]) -> dict[str, str]:
    """Return the limits of a Pod for the resources that all its containers limit: their sum, or a larger request of the Pod."""
    kinds = ("containers", "initContainers", "ephemeralContainers")
    limits = [(item.get("resources") or {}).get("limits") or {} for kind in kinds for item in spec.get(kind) or ()]
    return {
        name: text if amounts.compare(amounts.parse(text), amounts.parse(summed[name])) > 0 else summed[name]
        for name, text in requests.items()
        if _is_supported(name) and name in summed and all(name in limit for limit in limits)
    }


def sum_of(spec: Mapping[str, Any], part: str) -> dict[str, str]:
    """
    Return the `requests` or `limits` that the containers of a Pod need at the same time.

    Containers and restarting init containers run together. Another init container runs beside the restarting ones before it.
    """
    total = _added(_amounts(item, part) for item in spec.get("containers") or ())
    beside: _Amounts = {}
    peak: _Amounts = {}
    for item in spec.get("initContainers") or ():
        own = _amounts(item, part)
        together = _added((own, beside))
        if item.get("restartPolicy") == "Always":
            total, beside = _added((total, own)), together
        peak = _largest(peak, together)
    return {name: str(amount) for name, amount in _largest(total, peak).items()}


def requests_of(spec: Mapping[str, Any]) -> dict[str, str]:
    """Return the requests of a whole Pod: its own requests, or the sum of its containers, and its overhead."""
    own = {
        name: text
        for name, text in ((spec.get("resources") or {}).get("requests") or {}).items()
        if _is_supported(name)
    }
    parts = ({**sum_of(spec, "requests"), **own}, spec.get("overhead") or {})
    total = _added({name: amounts.parse(text) for name, text in part.items()} for part in parts)
    return {name: str(amount) for name, amount in total.items()}


def _amounts(container: Mapping[str, Any], part: str) -> _Amounts:
    needs = (container.get("resources") or {}).get(part) or {}
    return {name: amounts.parse(text) for name, text in needs.items()}


def _added(parts: Iterable[_Amounts]) -> _Amounts:
    total: _Amounts = {}
    for part in parts:
        total |= {name: amounts.add(total[name], amount) if name in total else amount for name, amount in part.items()}
    return total


def _largest(left: _Amounts, right: _Amounts) -> _Amounts:
    larger = {
        name: amount for name, amount in right.items() if name not in left or amounts.compare(amount, left[name]) > 0
    }
    return {**left, **larger}


def _is_supported(name: str) -> bool:
    return name in _COMPUTED or name.startswith(_HUGE)
