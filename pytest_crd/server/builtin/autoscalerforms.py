"""
Forms of HorizontalPodAutoscalers: `autoscaling/v2` in the store, and `autoscaling/v1` with annotations.

Reference:
    kubernetes pkg/apis/autoscaling/v1/conversion.go.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from pytest_crd.server.http import httpmessages

_Object: TypeAlias = "dict[str, Any]"

PLURAL: Final = "horizontalpodautoscalers"
VERSIONS: Final = ("v2", "v1")
_V1: Final = "autoscaling/v1"
_LEAD: Final = "autoscaling.alpha.kubernetes.io/"
_METRICS, _BEHAVIOR = f"{_LEAD}metrics", f"{_LEAD}behavior"
_CURRENT, _CONDITIONS = f"{_LEAD}current-metrics", f"{_LEAD}conditions"
_TOLERANCES: Final = tuple(f"{_LEAD}scale-{direction}-tolerance" for direction in ("down", "up"))
_UTILIZATION: Final = 80
# The fields of rules in annotations, which have the names of internal types.
_RULES: Final = ("StabilizationWindowSeconds", "SelectPolicy", "Policies", "Tolerance")
_POLICY: Final = ("Type", "Value", "PeriodSeconds")
# The sources of metrics in the order of the Go type.
_SOURCES: Final = ("object", "pods", "resource", "containerResource", "external")


def convert(value: Mapping[str, Any], api_version: str) -> Mapping[str, Any]:
    """Return an object in another apiVersion of its group."""
    if value["apiVersion"] == api_version:
        return value
    converted = to_v1({**value}) if api_version == _V1 else to_v2({**value})
    return {**converted, "apiVersion": api_version}


def to_v1(value: _Object) -> _Object:
    """Return an object of v2 in the form of v1."""
    spec, status = value["spec"], value.get("status") or {}
    metrics = spec.get("metrics") or []
    cpu = [_cpu_target(metric) for metric in metrics]
    current = [_cpu_status(metric) for metric in status.get("currentMetrics") or ()]
    texts = {
        _METRICS: [
            _source_to_v1(metric, "target") for metric, target in zip(metrics, cpu, strict=True) if target is None
        ],
        _CURRENT: [_source_to_v1(metric, "current") for metric in status.get("currentMetrics") or ()],
        _CONDITIONS: status.get("conditions") or [],
        _BEHAVIOR: _behavior_to_v1(spec.get("behavior")),
    }
    annotations = _annotations(value) | {name: httpmessages.compact(part) for name, part in texts.items() if part}
    target = _present("targetCPUUtilizationPercentage", next((item for item in cpu if item is not None), None))
    utilization = _present(
        "currentCPUUtilizationPercentage", next((item for item in current[::-1] if item is not None), None)
    )
    return {
        **value,
        "metadata": _with_annotations(value["metadata"], annotations),
        "spec": {**_without(spec, "metrics", "behavior"), **target},
        "status": {**_without(status, "currentMetrics", "conditions"), **utilization},
    }


def to_v2(value: _Object) -> _Object:
    """Return an object of v1 in the form of v2, with its default metric."""
    annotations = value["metadata"].get("annotations") or {}
    spec, status = value["spec"], value.get("status") or {}
    metrics = [_source_to_v2(metric, "target") for metric in _listed(annotations, _METRICS)]
    target = spec.get("targetCPUUtilizationPercentage")
    if target is None and not metrics:
        target = _UTILIZATION
    if target is not None:
        metrics.append(_cpu("target", {"type": "Utilization", "averageUtilization": target}))
    current = [_source_to_v2(metric, "current") for metric in _listed(annotations, _CURRENT)]
    utilization = status.get("currentCPUUtilizationPercentage")
    if not current and utilization is not None:
        current = [_cpu("current", {"averageUtilization": utilization})]
    conditions = [*_listed(annotations, _CONDITIONS)]
    return {
        **value,
        "metadata": _with_annotations(value["metadata"], _annotations(value)),
        "spec": {
            **_without(spec, "targetCPUUtilizationPercentage"),
            "metrics": metrics,
            **_present("behavior", _behavior_to_v2(annotations)),
        },
        "status": {
            **_without(status, "currentCPUUtilizationPercentage"),
            "currentMetrics": current or None,
            **_present("conditions", conditions or None),
        },
    }


def protected(value: _Object, old: Mapping[str, Any] | None, subresource: str) -> _Object:
    """
    Return an object of v1 whose annotations have the part of the stored object that its request does not write.

    Args:
        value: The object.
        old: The stored object; None on create.
        subresource: The subresource of the request, `status` or empty.
    """
    names = (_METRICS, _BEHAVIOR) if subresource else (_CURRENT, _CONDITIONS)
    before = ({} if old is None else old["metadata"].get("annotations")) or {}
    annotations = value["metadata"].get("annotations") or {}
    stored_texts = {name: before[name] for name in names if name in before}
    return {
        **value,
        "metadata": _with_annotations(value["metadata"], {**_without(annotations, *names), **stored_texts}),
    }


def _annotations(value: _Object) -> _Object:
    """Return the annotations of clients."""
    own = (_METRICS, _BEHAVIOR, _CURRENT, _CONDITIONS, *_TOLERANCES)
    return _without(value["metadata"].get("annotations") or {}, *own)


def _with_annotations(metadata: _Object, annotations: _Object) -> _Object:
    return {**_without(metadata, "annotations"), **_present("annotations", annotations or None)}


def _cpu(name: str, target: _Object) -> _Object:
    return {"type": "Resource", "resource": {"name": "cpu", name: target}}


def _cpu_target(metric: Mapping[str, Any]) -> int | None:
    return _cpu_utilization(metric, "target")


def _cpu_status(metric: Mapping[str, Any]) -> int | None:
    return _cpu_utilization(metric, "current")


def _cpu_utilization(metric: Mapping[str, Any], name: str) -> int | None:
    source = metric.get("resource") or {}
    if metric.get("type") != "Resource" or source.get("name") != "cpu":
        return None
    utilization: int | None = source.get(name, {}).get("averageUtilization")
    return utilization


def _source_to_v1(metric: Mapping[str, Any], name: str) -> _Object:
    """Return a metric in the form of v1; *name* is `target` for its target, `current` for its status."""
    lead = "target" if name == "target" else "current"
    converted: _Object = {"type": metric.get("type", "")}
    for source in _SOURCES:
        if source in metric:
            converted[source] = _TO_V1[source](metric[source], metric[source].get(name) or {}, lead)
    return converted


def _resource_to_v1(source: _Object, value: _Object, lead: str) -> _Object:
    about = {"name": source.get("name", ""), **_present(f"{lead}AverageUtilization", value.get("averageUtilization"))}
    about |= _quantity(f"{lead}AverageValue", value.get("averageValue"), is_required=lead == "current")
    return about | _present("container", source.get("container"))


def _pods_to_v1(source: _Object, value: _Object, lead: str) -> _Object:
    name, selector = _metric(source)
    return {"metricName": name, f"{lead}AverageValue": value.get("averageValue", "0"), **_present("selector", selector)}


def _external_to_v1(source: _Object, value: _Object, lead: str) -> _Object:
    name, selector = _metric(source)
    values = _quantity(f"{lead}Value", value.get("value"), is_required=lead == "current")
    average = _present(f"{lead}AverageValue", value.get("averageValue"))
    return {"metricName": name, **_present("metricSelector", selector), **values, **average}


def _object_to_v1(source: _Object, value: _Object, lead: str) -> _Object:
    name, selector = _metric(source)
    about = {"target": source.get("describedObject") or {}, "metricName": name, f"{lead}Value": value.get("value", "0")}
    return {**about, **_present("selector", selector), **_present("averageValue", value.get("averageValue"))}


def _metric(source: _Object) -> tuple[str, Any]:
    metric = source.get("metric") or {}
    return metric.get("name", ""), metric.get("selector")


def _source_to_v2(metric: Mapping[str, Any], name: str) -> _Object:
    lead = "target" if name == "target" else "current"
    converted: _Object = {"type": metric.get("type", "")}
    for source in _SOURCES:
        if source in metric:
            about, value = _TO_V2[source](metric[source], lead)
            converted[source] = {**about, name: value if name == "target" else _without(value, "type")}
    return converted


def _resource_to_v2(source: _Object, lead: str) -> tuple[_Object, _Object]:
    utilization = source.get(f"{lead}AverageUtilization")
    type_ = "AverageValue" if utilization is None else "Utilization"
    average = _present("averageValue", source.get(f"{lead}AverageValue"))
    value = {"type": type_, **average, **_present("averageUtilization", utilization)}
    return {"name": source.get("name", ""), **_present("container", source.get("container"))}, value


def _pods_to_v2(source: _Object, lead: str) -> tuple[_Object, _Object]:
    value = {"type": "AverageValue", **_present("averageValue", source.get(f"{lead}AverageValue"))}
    return {"metric": _named(source, "selector")}, value


def _external_to_v2(source: _Object, lead: str) -> tuple[_Object, _Object]:
    value = source.get(f"{lead}Value")
    average = _present("averageValue", source.get(f"{lead}AverageValue"))
    type_ = "AverageValue" if value is None else "Value"
    return {"metric": _named(source, "metricSelector")}, {"type": type_, **_present("value", value), **average}


def _object_to_v2(source: _Object, lead: str) -> tuple[_Object, _Object]:
    average, value = source.get("averageValue"), source.get(f"{lead}Value", "0")
    about = {"describedObject": source.get("target") or {}, "metric": _named(source, "selector")}
    if average is None:
        return about, {"type": "Value", "value": value}
    return about, {
        "type": "AverageValue",
        **_present("value", None if value == "0" else value),
        "averageValue": average,
    }


def _named(source: _Object, selector: str) -> _Object:
    return {"name": source.get("metricName", ""), **_present("selector", source.get(selector))}


def _behavior_to_v1(behavior: _Object | None) -> _Object | None:
    if behavior is None:
        return None
    return {name: _rules_to_v1(behavior.get(_lower(name))) for name in ("ScaleUp", "ScaleDown")}


def _rules_to_v1(rules: _Object | None) -> _Object | None:
    if rules is None:
        return None
    converted: _Object = {name: rules.get(_lower(name)) for name in _RULES}
    policies = converted["Policies"]
    converted["Policies"] = policies and [{name: policy.get(_lower(name)) for name in _POLICY} for policy in policies]
    return converted


def _behavior_to_v2(annotations: Mapping[str, str]) -> _Object | None:
    try:
        behavior = _in_lower_case(json.loads(annotations.get(_BEHAVIOR, "null")))
    except ValueError:
        return None
    return behavior if isinstance(behavior, dict) and behavior else None


def _in_lower_case(value: Any) -> Any:
    """Lower the first letter of all keys, and drop null."""
    if isinstance(value, dict):
        return {_lower(key): _in_lower_case(item) for key, item in value.items() if item is not None}
    return [_in_lower_case(item) for item in value] if isinstance(value, list) else value


def _lower(name: str) -> str:
    return name[:1].lower() + name[1:]


def _listed(annotations: Mapping[str, str], name: str) -> Sequence[_Object]:
    """Return the objects in an annotation; empty if it is malformed."""
    try:
        value = json.loads(annotations.get(name, "[]"))
    except ValueError:
        return []
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _present(name: str, value: Any) -> _Object:
    return {} if value is None else {name: value}


def _quantity(name: str, value: str | None, *, is_required: bool) -> _Object:
    return {name: value or "0"} if is_required else _present(name, value)


def _without(value: Mapping[str, Any], *names: str) -> _Object:
    return {key: item for key, item in value.items() if key not in names}


_TO_V1: Final[Mapping[str, Callable[[_Object, _Object, str], _Object]]] = {
    "object": _object_to_v1,
    "pods": _pods_to_v1,
    "resource": _resource_to_v1,
    "containerResource": _resource_to_v1,
    "external": _external_to_v1,
}
_TO_V2: Final[Mapping[str, Callable[[_Object, str], tuple[_Object, _Object]]]] = {
    "object": _object_to_v2,
    "pods": _pods_to_v2,
    "resource": _resource_to_v2,
    "containerResource": _resource_to_v2,
    "external": _external_to_v2,
}
