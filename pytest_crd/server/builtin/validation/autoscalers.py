"""
Validation of HorizontalPodAutoscalers of both versions, and of their status, in the form of `autoscaling/v2`.

Reference:
    kubernetes pkg/apis/autoscaling/validation; pkg/registry/autoscaling/horizontalpodautoscaler/strategy.go.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from pytest_crd.engine.cel.library import amounts
from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.metadata import names, ownerreferences
from pytest_crd.server.builtin import autoscalerforms
from pytest_crd.server.builtin.validation import fieldrules, resourcenames, validatedwrites
from pytest_crd.server.builtin.validation.fieldrules import Rule, Site
from pytest_crd.server.builtin.validation.validatedwrites import KindValidation, Validate, ValidatedWrite

_V2: Final = "autoscaling/v2"
# The first minor version of Kubernetes 1 that scales to zero.
_ZERO_SINCE: Final = 37
_LONGEST_WINDOW: Final = 3600
_LONGEST_PERIOD: Final = 1800
_POPULATED: Final = "must populate information for the given metric source"
_ALONE: Final = "must populate the given metric source only"
_CONTROLLER: Final = "ReplicationController"


def _validate_replicas(site: Site) -> Iterator[FieldError]:
    """Validate the lowest and the highest number of replicas."""
    low, high = site.child("minReplicas"), site.child("maxReplicas")
    yield from _least(low)
    if not site.profile.declares_required_fields:
        if (high.value or 0) < 1:
            yield fielderror.invalid(high.path, high.value or 0, "must be greater than 0")
    elif not high.value:
        yield fielderror.required(high.path, "must be set and greater than 0")
    else:
        yield from _HIGHEST(high)
    if low.value is not None and (high.value or 0) < low.value:
        yield fielderror.invalid(high.path, high.value or 0, "must be greater than or equal to `minReplicas`")


def _least(site: Site) -> Iterator[FieldError]:
    lowest = 0 if site.profile.minor >= _ZERO_SINCE else 1
    if site.value is not None and site.value < lowest:
        yield site.invalid(f"must be greater than or equal to {lowest}")


_HIGHEST: Final = fieldrules.when(
    lambda site: site.value, fieldrules.number(1, detail="must be greater than or equal to 1")
)
_SEGMENT: Final = fieldrules.first(fieldrules.required(), fieldrules.text(names.path_segment))


def _validate_target_version(site: Site) -> Iterator[FieldError]:
    """Yield the error of a target without API group; a stored one stays valid."""
    if site.old is not None and all(site.value.get(name) == site.old.get(name) for name in ("apiVersion", "kind")):
        return
    version = site.value.get("apiVersion") or ""
    problem = ownerreferences.group_version_problem(version)
    if not problem and not version.partition("/")[1] and site.value.get("kind") != _CONTROLLER:
        problem = "apiVersion must specify API group"
    if not problem and version.startswith("/") and site.value.get("kind") != _CONTROLLER:
        problem = "apiVersion must specify API group"
    if problem:
        yield fielderror.invalid(site.path.child("apiVersion"), version, problem)


def _validate_object_version(site: Site) -> Iterator[FieldError]:
    version = site.value or ""
    if problem := ownerreferences.group_version_problem(version):
        yield fielderror.invalid(site.path, version, problem)


def _positive(site: Site) -> Iterator[FieldError]:
    if site.value is not None and amounts.parse(site.value).sign <= 0:
        yield site.invalid("must be positive")


def _validate_type_of_target(site: Site) -> Iterator[FieldError]:
    type_ = site.value or ""
    if not type_:
        yield fielderror.required(site.path, "must specify a metric target type")
    if type_ not in ("Utilization", "Value", "AverageValue"):
        yield validatedwrites.invalid_named(site.path, type_, "must be either Utilization, Value, or AverageValue")


_TARGET: Final = fieldrules.fields({
    "type": _validate_type_of_target,
    "value": _positive,
    "averageValue": _positive,
    "averageUtilization": fieldrules.number(1),
})  # fmt: skip


def _one_of(first: str, second: str, none: str, both: str = "") -> Rule:
    """
    Return a rule for a target with two alternative values.

    Args:
        first: The field of the error about the target without a value, and of the alternative.
        second: The other field, which is forbidden beside the first.
        none: The detail of the error about the target without a value.
        both: The detail of the error about both values; empty if both are allowed.
    """

    def check(site: Site) -> Iterator[FieldError]:
        has_first, has_second = ((site.value or {}).get(name) is not None for name in (first, second))
        if not (has_first or has_second):
            yield fielderror.required(site.path.child(first), none)
        if has_first and has_second and both:
            yield fielderror.forbidden(site.path.child(second), both)

    return check


def _validate_average(site: Site) -> Iterator[FieldError]:
    if site.value is None:
        yield fielderror.required(site.path, "must specify a positive target averageValue")


_METRIC: Final = {
    "metric.name": fieldrules.first(
        fieldrules.required("must specify a metric name"), fieldrules.text(names.path_segment)
    )
}
_UTILIZATION: Final = _one_of(
    "averageUtilization",
    "averageValue",
    "must set either a target raw value or a target utilization",
    "may not set both a target raw value and a target utilization",
)
_NAMED: Final = fieldrules.required("must specify a resource name")


def _validate_resource(site: Site) -> Iterable[FieldError]:
    problems = resourcenames.find_container_problems(site.value, site.profile)
    return (validatedwrites.invalid_named(site.path, site.value, problem) for problem in problems)


# The rules of each source of metrics, in the order of a server.
_SOURCES: Final = {
    "object": fieldrules.fields({
        "describedObject.kind": _SEGMENT,
        "describedObject.name": _SEGMENT,
        "describedObject.apiVersion": _validate_object_version,
        **_METRIC,
        "target": (_TARGET, _one_of("averageValue", "value", "must set either a target value or averageValue")),
    }),
    "external": fieldrules.fields({
        **_METRIC,
        "target": (
            _TARGET,
            _one_of(
                "averageValue",
                "value",
                "must set either a target value for metric or a per-pod target",
                "may not set both a target value for metric and a per-pod target",
            ),
        ),
    }),
    "pods": fieldrules.fields({**_METRIC, "target": _TARGET, "target.averageValue": _validate_average}),
    "resource": fieldrules.fields({"name": _NAMED, "target": (_TARGET, _UTILIZATION)}),
    "containerResource": fieldrules.fields({
        "name": fieldrules.first(_NAMED, _validate_resource),
        "container": fieldrules.first(fieldrules.required("must specify a container"), fieldrules.LABEL),
        "target": (_TARGET, _UTILIZATION),
    }),
}  # fmt: skip
_TYPES: Final = {
    "ContainerResource": "containerResource",
    "External": "external",
    "Object": "object",
    "Pods": "pods",
    "Resource": "resource",
}


def _validate_metric(site: Site) -> Iterator[FieldError]:
    """Validate the first source of a metric, and that it is the only one and of the metric's type."""
    type_ = site.child("type")
    if not type_.value:
        yield fielderror.required(type_.path, "must specify a metric source type")
    yield from fieldrules.choice(*_TYPES)(type_)
    sources = [name for name in _SOURCES if site.value.get(name) is not None]
    for name in sources[:1]:
        yield from _SOURCES[name](site.child(name))
    expected = _TYPES.get(type_.value or "", "")
    if not expected:
        yield from fieldrules.choice(*_TYPES)(type_)
    elif expected not in sources:
        yield fielderror.required(site.path.child(expected), _POPULATED)
    if len(sources) > 1:
        others = (name for name in sorted(sources) if name != expected)
        yield from (fielderror.forbidden(site.path.child(name), _ALONE) for name in others)


def _validate_metrics(site: Site) -> Iterator[FieldError]:
    metrics = site.child("metrics")
    yield from fieldrules.each(_validate_metric)(metrics)
    types = {metric.get("type") for metric in metrics.value or ()}
    if site.value.get("minReplicas") == 0 and types.isdisjoint(("External", "Object")):
        detail = "must specify at least one Object or External metric to support scaling to zero replicas"
        yield fielderror.forbidden(metrics.path, detail)


def _longest(seconds: int) -> Rule:
    def check(site: Site) -> Iterator[FieldError]:
        if site.value is not None and site.value > seconds:
            yield site.invalid(f"must be less than or equal to {seconds}")

    return check


def _validate_tolerance(site: Site) -> Iterator[FieldError]:
    if site.value is not None and amounts.parse(site.value).sign < 0:
        yield site.invalid("must be greater than or equal to 0")


def _above_zero(site: Site) -> Iterator[FieldError]:
    if (site.value or 0) <= 0:
        yield fielderror.invalid(site.path, site.value or 0, "must be greater than zero")


def _validate_presence_of_policies(site: Site) -> Iterator[FieldError]:
    """Yield the error of an empty list; an absent one has defaults, except in `autoscaling/v1`."""
    if site.sent == [] or not site.value:
        yield fielderror.required(site.path, "must specify at least one Policy")


_POLICY: Final = fieldrules.fields({
    "type": fieldrules.choice("Percent", "Pods"),
    "value": _above_zero,
    "periodSeconds": (_above_zero, _longest(_LONGEST_PERIOD)),
})  # fmt: skip
_RULES: Final = fieldrules.present(
    fieldrules.fields({
        "stabilizationWindowSeconds": (
            fieldrules.number(0, detail="must be greater than or equal to zero"),
            _longest(_LONGEST_WINDOW),
        ),
        "selectPolicy": fieldrules.present(fieldrules.choice("Disabled", "Max", "Min")),
        "policies": (_validate_presence_of_policies, fieldrules.each(_POLICY)),
        "tolerance": _validate_tolerance,
    })
)  # fmt: skip
_FIELDS: Final = fieldrules.table({
    "spec": _validate_replicas,
    "spec.scaleTargetRef.kind": _SEGMENT,
    "spec.scaleTargetRef.name": _SEGMENT,
    "spec.scaleTargetRef": _validate_target_version,
    "spec.": _validate_metrics,
    "spec.behavior.scaleUp": _RULES,
    "spec.behavior.scaleDown": _RULES,
})  # fmt: skip
_DECLARED: Final = fieldrules.table({
    "spec.minReplicas": _least,
    "spec.maxReplicas": (fieldrules.required(), _HIGHEST),
})  # fmt: skip
_STATUS: Final = fieldrules.table({
    "status.conditions": fieldrules.each(fieldrules.fields({"observedGeneration": fieldrules.number(0)})),
    "status.currentReplicas": fieldrules.number(0),
    "status.desiredReplicas": fieldrules.number(0),
})  # fmt: skip


def _of_v2(validate: Validate) -> Validate:
    """Return a validation that gets objects of `autoscaling/v1` in the form of v2."""

    def convert(value: Any) -> Any:
        return None if value is None else autoscalerforms.convert(value, _V2)

    return lambda write: validate(write._replace(new=convert(write.new), old=convert(write.old), api_version=_V2))


_validate_status: Final = validatedwrites.chain(validatedwrites.validate_core_change, _of_v2(_STATUS))
_validate_object: Final = validatedwrites.chain(validatedwrites.validate_core_change, _of_v2(_FIELDS))


def validate_update(write: ValidatedWrite) -> list[FieldError]:
    """Validate an update of a HorizontalPodAutoscaler or of its status."""
    return _validate_status(write) if write.subresource else _validate_object(write)


KIND: Final = KindValidation(
    validatedwrites.chain(validatedwrites.validate_core_metadata, _of_v2(_FIELDS)),
    validate_update,
    declared=_of_v2(_DECLARED),
)
