"""
Fields of Services about load balancers, and their status.

Reference:
    kubernetes pkg/apis/core/validation, validateService, validateLoadBalancerClassField and ValidateLoadBalancerStatus.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pytest_crd.engine.errors import badvalues, fielderror
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang import gotypes
from pytest_crd.engine.golang.gostrings import trim_space
from pytest_crd.engine.metadata import names
from pytest_crd.engine.profile import Profile
from pytest_crd.server.builtin.validation import ipaddresses, servicefields, validatedwrites
from pytest_crd.server.builtin.validation.servicefields import LOAD_BALANCER, Spec
from pytest_crd.server.builtin.validation.validatedwrites import METADATA, ROOT, ValidatedWrite

_SPEC: Final = ROOT.child("spec")
_ANNOTATION: Final = "service.beta.kubernetes.io/load-balancer-source-ranges"
_ONLY_BALANCERS: Final = "may only be used when `type` is 'LoadBalancer'"
_MODES: Final = ("Proxy", "VIP")
_TEXT: Final = gotypes.Pointer(gotypes.STRING)


def validate(write: ValidatedWrite) -> Iterator[FieldError]:
    """Validate the accepted ranges of clients, in the spec or in an annotation, and whether ports of nodes are allocated."""
    spec, annotations = write.new["spec"], write.new["metadata"].get("annotations") or {}
    is_balancer = spec.get("type") == LOAD_BALANCER
    if ranges := spec.get("loadBalancerSourceRanges"):
        path = _SPEC.child("LoadBalancerSourceRanges")
        if not is_balancer:
            yield fielderror.forbidden(path, _ONLY_BALANCERS)
        old = {} if write.old is None else write.old["spec"]
        accepted = [trim_space(text) for text in old.get("loadBalancerSourceRanges") or ()]
        for place, text in enumerate(ranges):
            yield from ipaddresses.validate_cidr(path.index(place), trim_space(text), accepted, write.profile)
    elif _ANNOTATION in annotations:
        path = METADATA.child("annotations").key(_ANNOTATION)
        if not is_balancer:
            yield fielderror.forbidden(path, _ONLY_BALANCERS)
        yield from _validate_annotation(path, annotations[_ANNOTATION], write)
    if spec.get("allocateLoadBalancerNodePorts") is not None and not is_balancer:
        yield fielderror.forbidden(_SPEC.child("allocateLoadBalancerNodePorts"), _ONLY_BALANCERS)


def _validate_annotation(path: FieldPath, text: str, write: ValidatedWrite) -> Iterator[FieldError]:
    """Return the errors of a new or changed annotation."""
    old = {} if write.old is None else write.old["metadata"].get("annotations") or {}
    if text == old.get(_ANNOTATION) or not trim_space(text):
        return
    for part in trim_space(text).split(","):
        yield from ipaddresses.validate_cidr(path, trim_space(part), (), write.profile)


def validate_class(spec: Spec, old: Spec | None, profile: Profile) -> list[FieldError]:
    """Validate the class of a load balancer, and on update that it stays the same."""
    path, class_ = _SPEC.child("loadBalancerClass"), spec.get("loadBalancerClass")
    if spec.get("type") != LOAD_BALANCER:
        return [] if class_ is None else [fielderror.forbidden(path, _ONLY_BALANCERS)]
    errors = []
    if old is not None and old.get("type") == LOAD_BALANCER and class_ != old.get("loadBalancerClass"):
        errors.append(badvalues.invalid_of_type(path, class_, _TEXT, "may not change once set", profile))
    details = () if class_ is None else names.label_key(class_, profile)
    return [*errors, *(fielderror.invalid(path, class_, detail) for detail in details)]


def validate_status(write: ValidatedWrite) -> list[FieldError]:
    """Validate the status of an update through `/status`."""
    path = ROOT.child("status", "loadBalancer", "ingress")
    points = _points(write.new)
    if points and write.new["spec"].get("type") != LOAD_BALANCER:
        return [fielderror.forbidden(path, "may only be used when `spec.type` is 'LoadBalancer'")]
    accepted = [point["ip"] for point in _points(write.stored) if point.get("ip")]
    return [
        error
        for place, point in enumerate(points)
        for error in _validate_point(path.index(place), point, accepted, write.profile)
    ]


def _points(service: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    balancer = (service.get("status") or {}).get("loadBalancer") or {}
    return servicefields.items(balancer, "ingress")


def _validate_point(
    path: FieldPath, point: Mapping[str, Any], accepted: list[str], profile: Profile
) -> Iterator[FieldError]:
    address, mode, host = point.get("ip"), point.get("ipMode"), point.get("hostname")
    if address:
        yield from ipaddresses.validate(path.child("ip"), address, accepted, profile)
    if mode is None:
        if address:
            yield fielderror.required(path.child("ipMode"), "must be specified when `ip` is set")
    elif not address:
        yield fielderror.forbidden(path.child("ipMode"), "may not be specified when `ip` is not set")
    elif mode not in _MODES:
        yield validatedwrites.unsupported_named(path.child("ipMode"), mode, _MODES)
    if host:
        details = [*names.dns1123_subdomain(host)]
        if ipaddresses.parse(host) is not None:
            details.append("must be a DNS name, not an IP address")
        yield from (fielderror.invalid(path.child("hostname"), host, detail) for detail in details)
