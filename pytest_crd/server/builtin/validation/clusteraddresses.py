"""
Cluster IPs and address families of Services.

Reference:
    kubernetes pkg/apis/core/validation, ValidateServiceClusterIPsRelatedFields and validateUpgradeDowngradeClusterIPs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from pytest_crd.engine.errors import badvalues, fielderror
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang import gotypes
from pytest_crd.engine.profile import Profile
from pytest_crd.server.builtin.validation import ipaddresses, servicefields, validatedwrites
from pytest_crd.server.builtin.validation.servicefields import IPV4, IPV6, NO_ADDRESS, SINGLE_STACK, Spec

_SPEC: Final = FieldPath(("spec",))
_ADDRESSES: Final = _SPEC.child("clusterIPs")
_FAMILIES: Final = _SPEC.child("ipFamilies")
_POLICY: Final = _SPEC.child("ipFamilyPolicy")
_POLICIES: Final = (servicefields.PREFER_DUAL, servicefields.REQUIRE_DUAL, SINGLE_STACK)
_MOST: Final = 2
_TEXTS: Final = gotypes.List(gotypes.STRING)


def list_error(path: FieldPath, spec: Spec, detail: str, profile: Profile) -> FieldError:
    """Return an Invalid error that prints all cluster IPs."""
    return badvalues.invalid_of_type(path, servicefields.items(spec, "clusterIPs"), _TEXTS, detail, profile)


def validate(spec: Spec, old: Spec | None, profile: Profile) -> list[FieldError]:
    """
    Validate addresses, families and their policy.

    Args:
        spec: The spec.
        old: The stored spec, whose addresses stay valid; None on create.
        profile: The Kubernetes version.

    Errors:
        Required, Invalid, NotSupported, Duplicate; none for an ExternalName, which has no such fields.
    """
    if not servicefields.has_addresses(spec):
        return []
    addresses = servicefields.items(spec, "clusterIPs")
    errors = [*_validate_first(spec, addresses, profile), *_validate_families(spec)]
    of_addresses = [*_validate_each(spec, addresses, servicefields.items(old or {}, "clusterIPs"), profile)]
    errors += of_addresses
    if len(addresses) > _MOST:
        errors.append(list_error(_ADDRESSES, spec, "may only hold up to 2 values", profile))
    if of_addresses:
        return errors
    if len(addresses) > 1 and len({ipaddresses.is_ipv6(address) for address in addresses}) == 1:
        errors.append(list_error(_ADDRESSES, spec, "may specify no more than one IP for each IP family", profile))
    return [*errors, *_validate_pairs(spec, addresses)]


def _validate_first(spec: Spec, addresses: Sequence[str], profile: Profile) -> Iterator[FieldError]:
    first = spec.get("clusterIP")
    if first and not addresses:
        yield fielderror.required(_ADDRESSES, "")
    elif first and addresses[0] != first:
        yield list_error(_ADDRESSES, spec, "first value must match `clusterIP`", profile)
    elif not first and addresses:
        yield list_error(_ADDRESSES, spec, "must be empty when `clusterIP` is not specified", profile)


def _validate_families(spec: Spec) -> Iterator[FieldError]:
    families = servicefields.items(spec, "ipFamilies")
    for place, family in enumerate(families):
        path = _FAMILIES.index(place)
        if family not in (IPV4, IPV6):
            yield validatedwrites.unsupported_named(path, family, (IPV4, IPV6))
        if family in families[:place]:
            yield validatedwrites.reprinted(fielderror.duplicate(path, family))
    policy = spec.get("ipFamilyPolicy")
    if policy is not None and policy not in _POLICIES:
        yield validatedwrites.unsupported_named(_POLICY, policy, _POLICIES)


def _validate_each(
    spec: Spec, addresses: Sequence[str], accepted: Sequence[str], profile: Profile
) -> Iterator[FieldError]:
    for place, address in enumerate(addresses):
        if place == 0 and address == NO_ADDRESS:
            if len(addresses) > 1:
                yield list_error(_ADDRESSES, spec, "'None' must be the first and only value", profile)
        else:
            yield from ipaddresses.validate(_ADDRESSES.index(place), address, accepted, profile)


def _validate_pairs(spec: Spec, addresses: Sequence[str]) -> Iterator[FieldError]:
    if servicefields.is_headless(spec):
        return
    for place, (address, family) in enumerate(zip(addresses, servicefields.items(spec, "ipFamilies"), strict=False)):
        if family in (IPV4, IPV6) and ipaddresses.is_ipv6(address) != (family == IPV6):
            detail = f"expected an {family} value as indicated by `ipFamilies[{place}]`"
            yield fielderror.invalid(_ADDRESSES.index(place), address, detail)


def validate_change(spec: Spec, old: Spec, profile: Profile) -> list[FieldError]:
    """
    Return the errors of a changed address and family; an ExternalName has none.

    Each stored Service has at most one address, as the cluster has one family.
    """
    if not servicefields.has_addresses(spec) or not servicefields.has_addresses(old):
        return []
    errors, fixed = [], "may not change once set"
    before, families = servicefields.items(old, "clusterIPs"), servicefields.items(old, "ipFamilies")
    if before and servicefields.items(spec, "clusterIPs") != before:
        errors.append(list_error(_ADDRESSES.index(0), spec, fixed, profile))
    is_headless = servicefields.is_headless(spec) or servicefields.is_headless(old)
    if not is_headless and families and servicefields.items(spec, "ipFamilies")[:1] != families:
        errors.append(list_error(_FAMILIES.index(0), spec, fixed, profile))
    return errors
