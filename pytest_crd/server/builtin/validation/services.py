"""
Validation of Services, after they got their addresses and ports.

Reference:
    kubernetes pkg/apis/core/validation, validateService, ValidateServiceUpdate and ValidateServiceStatusUpdate.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.metadata import names, objectmetarules
from pytest_crd.engine.profile import Profile
from pytest_crd.server.builtin.validation import (
    balancers,
    clusteraddresses,
    ipaddresses,
    servicefields,
    serviceports,
    validatedwrites,
)
from pytest_crd.server.builtin.validation.servicefields import CLUSTER_IP, EXTERNAL_NAME, LOAD_BALANCER, NODE_PORT, Spec
from pytest_crd.server.builtin.validation.validatedwrites import METADATA, ROOT, ValidatedWrite

HINTS: Final = "service.kubernetes.io/topology-aware-hints"
MODE: Final = "service.kubernetes.io/topology-mode"
PREFER_CLOSE: Final = "PreferClose"
_SPEC: Final = ROOT.child("spec")
_TYPES: Final = (CLUSTER_IP, EXTERNAL_NAME, LOAD_BALANCER, NODE_PORT)
_CLIENT: Final = "ClientIP"
_NONE: Final = "None"
_LONGEST: Final = 86400
_CLUSTER: Final = ("Cluster", "Local")
_DISTRIBUTIONS: Final = (PREFER_CLOSE, "PreferSameZone", "PreferSameNode")


def validate_create(write: ValidatedWrite) -> list[FieldError]:
    """Validate a new Service."""
    return [*validatedwrites.validate_core_metadata(write), *_validate(write)]


def validate_update(write: ValidatedWrite) -> list[FieldError]:
    """Validate an update of a Service or of its status."""
    errors = validatedwrites.validate_core_change(write)
    new, old = write.new["spec"], write.stored["spec"]
    if write.subresource:
        return errors + balancers.validate_status(write)
    errors += clusteraddresses.validate_change(new, old, write.profile)
    errors += balancers.validate_class(new, old, write.profile)
    is_checked = servicefields.needs_health_check(new) and servicefields.needs_health_check(old)
    if is_checked and new.get("healthCheckNodePort") != old.get("healthCheckNodePort"):
        errors.append(fielderror.forbidden(_SPEC.child("healthCheckNodePort"), validatedwrites.IMMUTABLE))
    return errors + _validate(write)


def _validate(write: ValidatedWrite) -> list[FieldError]:
    """Validate everything but metadata."""
    spec, profile = write.new["spec"], write.profile
    old = None if write.old is None else write.old["spec"]
    return [
        *_validate_topology(write.new["metadata"].get("annotations") or {}),
        *_validate_by_type(spec),
        *serviceports.validate(spec, profile),
        *objectmetarules.validate_labels(spec.get("selector") or {}, _SPEC.child("selector"), profile),
        *_validate_affinity(spec),
        *clusteraddresses.validate(spec, old, profile),
        *_validate_external_addresses(spec, old or {}, profile),
        *_validate_choice(spec, "type", _TYPES),
        *serviceports.validate_together(spec),
        *balancers.validate(write),
        *balancers.validate_class(spec, None, profile),
        *_validate_external_policy(spec),
        *_validate_internal_policy(spec),
        *_validate_distribution(spec),
    ]


def _validate_topology(annotations: dict[str, str]) -> Iterator[FieldError]:
    if annotations.keys() >= {HINTS, MODE} and annotations[MODE] != annotations[HINTS]:
        detail = f"must match annotations[{HINTS}] when both are specified"
        yield fielderror.invalid(METADATA.child("annotations").key(MODE), annotations[MODE], detail)


def _validate_by_type(spec: Spec) -> Iterator[FieldError]:
    """Return the errors of missing ports, and of the combination of type and addresses."""
    is_headless, type_ = servicefields.is_headless(spec), spec.get("type")
    if not spec.get("ports") and not is_headless and type_ != EXTERNAL_NAME:
        yield fielderror.required(_SPEC.child("ports"), "")
    if servicefields.is_exposed(spec) and is_headless:
        detail = f"may not be set to 'None' for {type_} services"
        yield fielderror.invalid(_SPEC.child("clusterIPs").index(0), _NONE, detail)
    if type_ != EXTERNAL_NAME:
        return
    for name in ("clusterIPs", "ipFamilies", "ipFamilyPolicy"):
        if spec.get(name) or (name == "ipFamilyPolicy" and spec.get(name) is not None):
            yield fielderror.forbidden(_SPEC.child(name), "may not be set for ExternalName services")
    path, domain = _SPEC.child("externalName"), spec.get("externalName", "").removesuffix(".")
    if not domain:
        yield fielderror.required(path, "")
    else:
        yield from (fielderror.invalid(path, domain, detail) for detail in names.dns1123_subdomain(domain))


def _validate_affinity(spec: Spec) -> Iterator[FieldError]:
    yield from _validate_choice(spec, "sessionAffinity", (_CLIENT, _NONE))
    if spec.get("sessionAffinity") != _CLIENT:
        return  # without affinity, defaults drop the configuration
    timeout = spec["sessionAffinityConfig"]["clientIP"]["timeoutSeconds"]  # defaults fill in an absent timeout
    if not 0 < timeout <= _LONGEST:
        path = _SPEC.child("sessionAffinityConfig", "clientIP", "timeoutSeconds")
        yield fielderror.invalid(path, timeout, f"must be greater than 0 and less than {_LONGEST}")


def _validate_choice(spec: Spec, name: str, allowed: tuple[str, ...]) -> Iterator[FieldError]:
    """Return the error of a field with another value; defaults leave none empty."""
    if spec.get(name, "") not in allowed:
        yield validatedwrites.unsupported_named(_SPEC.child(name), spec.get(name, ""), allowed)


def _validate_external_addresses(spec: Spec, old: Spec, profile: Profile) -> Iterator[FieldError]:
    accepted = servicefields.items(old, "externalIPs")
    for place, address in enumerate(spec.get("externalIPs") or ()):
        path = _SPEC.child("externalIPs").index(place)
        errors = ipaddresses.validate(path, address, accepted, profile)
        yield from errors or ipaddresses.validate_endpoint(path, address)


def _validate_external_policy(spec: Spec) -> Iterator[FieldError]:
    policy: Any = spec.get("externalTrafficPolicy", "")
    path = _SPEC.child("externalTrafficPolicy")
    if servicefields.is_reachable_from_outside(spec):
        yield from _validate_choice(spec, "externalTrafficPolicy", _CLUSTER)
    elif policy:
        yield validatedwrites.invalid_named(path, policy, "may only be set for externally-accessible services")
    number = spec.get("healthCheckNodePort") or 0
    path = _SPEC.child("healthCheckNodePort")
    if servicefields.needs_health_check(spec):
        yield from serviceports.validate_number(path, number)
    elif number:
        detail = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"
        yield fielderror.invalid(path, number, detail)


def _validate_internal_policy(spec: Spec) -> Iterator[FieldError]:
    """Return the error of an unknown policy; the defaults of all types but ExternalName set one."""
    if spec.get("internalTrafficPolicy") is not None:
        yield from _validate_choice(spec, "internalTrafficPolicy", _CLUSTER)


def _validate_distribution(spec: Spec) -> Iterator[FieldError]:
    distribution = spec.get("trafficDistribution")
    if distribution is not None and distribution not in _DISTRIBUTIONS:
        yield fielderror.not_supported(_SPEC.child("trafficDistribution"), distribution, _DISTRIBUTIONS)
