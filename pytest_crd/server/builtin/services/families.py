"""
Address families of a Service in a cluster with IPv4 addresses alone.

Reference:
    kubernetes pkg/registry/core/service/storage/alloc.go, initIPFamilyFields.
"""

from __future__ import annotations

from typing import Any, Final

from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.profile import Profile
from pytest_crd.server.builtin.validation import clusteraddresses, ipaddresses, servicefields, validatedwrites
from pytest_crd.server.builtin.validation.servicefields import IPV4, IPV6, PREFER_DUAL, REQUIRE_DUAL, SINGLE_STACK, Spec

_SPEC: Final = FieldPath(("spec",))
_POLICY: Final = _SPEC.child("ipFamilyPolicy")
_FOR_SEVERAL: Final = "must be 'RequireDualStack' or 'PreferDualStack' when multiple"


def is_settled(spec: Spec, old: Spec | None) -> bool:
    """Return whether an update leaves a Service that prefers two families as it is."""
    if old is None or spec.get("type") != old.get("type") or not servicefields.has_addresses(spec):
        return False
    if {spec.get("ipFamilyPolicy"), old.get("ipFamilyPolicy") or PREFER_DUAL} != {PREFER_DUAL}:
        return False
    pairs = ((servicefields.items(spec, name), servicefields.items(old, name)) for name in ("clusterIPs", "ipFamilies"))
    return all(new == before for new, before in pairs)


def choose(spec: dict[str, Any], old: Spec | None, profile: Profile) -> list[FieldError]:
    """
    Set families and policy of a Service.

    Args:
        spec: The spec, which changes.
        old: The stored spec; None on create.
        profile: The Kubernetes version.

    Errors:
        Those of its addresses; Invalid: a family that the cluster does not have, or a policy that does not fit.
    """
    if not servicefields.has_addresses(spec) or is_settled(spec, old):
        return []
    if spec.get("ipFamilyPolicy") is None:
        old_policy = None if old is None else old.get("ipFamilyPolicy")
        spec["ipFamilyPolicy"] = old_policy or (REQUIRE_DUAL if servicefields.is_open_headless(spec) else SINGLE_STACK)
    if errors := clusteraddresses.validate(spec, old, profile):
        return errors
    errors = [*_release(spec, old), *_validate_counts(spec), *_follow_addresses(spec, profile)]
    if errors:
        return errors
    families = servicefields.items(spec, "ipFamilies")
    if servicefields.is_open_headless(spec):
        families = families or [IPV4]
        if len(families) == 1 and spec["ipFamilyPolicy"] != SINGLE_STACK:
            families.append(IPV6 if families == [IPV4] else IPV4)
    elif errors := _validate_configured(spec):
        return errors
    spec["ipFamilies"] = families or [IPV4]
    return []


def _policy_error(spec: Spec, detail: str) -> FieldError:
    return validatedwrites.invalid_named(_POLICY, spec["ipFamilyPolicy"], detail)


def _release(spec: dict[str, Any], old: Spec | None) -> list[FieldError]:
    """Remove the second family if the policy asks for one, and return the error of a removed family if it does not."""
    new, before = servicefields.items(spec, "ipFamilies"), servicefields.items(old or {}, "ipFamilies")
    if spec["ipFamilyPolicy"] != SINGLE_STACK:
        detail = "must be 'SingleStack' to release the secondary IP family"
        return [_policy_error(spec, detail)] if new and len(new) < len(before) else []
    if new == before:
        spec["ipFamilies"] = new[:1]
    return []


def _validate_counts(spec: Spec) -> list[FieldError]:
    if spec["ipFamilyPolicy"] != SINGLE_STACK:
        return []
    names = (("clusterIPs", "cluster IPs"), ("ipFamilies", "IP families"))
    several = [noun for name, noun in names if len(servicefields.items(spec, name)) > 1]
    return [_policy_error(spec, f"{_FOR_SEVERAL} {noun} are specified") for noun in several]


def _follow_addresses(spec: dict[str, Any], profile: Profile) -> list[FieldError]:
    """Add the missing families of addresses, and return the errors of addresses outside of the cluster's family."""
    addresses, errors = servicefields.items(spec, "clusterIPs"), []
    if addresses[:1] == [servicefields.NO_ADDRESS]:
        return []
    families = servicefields.items(spec, "ipFamilies")
    for place, address in enumerate(addresses):
        if place < len(families):
            continue
        if ipaddresses.is_ipv6(address):
            path = _SPEC.child("clusterIPs").index(place)
            detail = f"{IPV6} is not configured on this cluster"
            errors.append(clusteraddresses.list_error(path, spec, detail, profile))
        else:
            families.append(IPV4)
    spec["ipFamilies"] = families
    return errors


def _validate_configured(spec: Spec) -> list[FieldError]:
    errors = []
    if spec["ipFamilyPolicy"] == REQUIRE_DUAL:
        errors.append(_policy_error(spec, "this cluster is not configured for dual-stack services"))
    path = _SPEC.child("ipFamilies")
    return errors + [
        validatedwrites.invalid_named(path.index(place), family, "not configured on this cluster")
        for place, family in enumerate(servicefields.items(spec, "ipFamilies"))
        if family == IPV6
    ]
