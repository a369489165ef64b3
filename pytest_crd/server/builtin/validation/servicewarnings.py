"""
Warnings about valid Services.

Reference:
    kubernetes pkg/api/service/warnings.go; pkg/registry/core/service/strategy.go, WarningsOnUpdate of the status.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.profile import Profile
from pytest_crd.server.builtin.validation import ipaddresses, servicefields, services
from pytest_crd.server.builtin.validation.servicefields import CLUSTER_IP, EXTERNAL_NAME, NO_ADDRESS, Spec
from pytest_crd.server.builtin.validation.validatedwrites import ROOT, KindValidation, ValidatedWrite

_SPEC: Final = FieldPath(("spec",))
_EXTERNAL_SINCE: Final = 36
_CLOSE_SINCE: Final = 35


def find(write: ValidatedWrite) -> tuple[str, ...]:
    """Return the warnings about a Service, or about the addresses of its status."""
    if write.subresource and write.old is not None:  # an update of the status may create a Service
        path = ROOT.child("status", "loadBalancer", "ingress")
        balancer = (write.new.get("status") or {}).get("loadBalancer") or {}
        points = enumerate(balancer.get("ingress") or ())
        return tuple(
            text
            for place, point in points
            for text in ipaddresses.find_warnings(path.index(place), point.get("ip", ""), write.profile)
        )
    spec, profile = write.new["spec"], write.profile
    annotations = write.new["metadata"].get("annotations") or {}
    deprecated = f"annotation {services.HINTS} is deprecated, please use {services.MODE} instead"
    return (
        *((deprecated,) if services.HINTS in annotations else ()),
        *_find_in_notations(spec, profile),
        *_find_in_types(spec, profile),
    )


def _is_headless(spec: Spec) -> bool:
    return spec.get("type") == CLUSTER_IP and spec.get("clusterIP") == NO_ADDRESS


def _find_in_notations(spec: Spec, profile: Profile) -> Iterator[str]:
    """Yield the warnings about addresses and ranges, and those about headless Services between them."""
    if spec.get("clusterIP") != NO_ADDRESS:
        yield from _find_in_list(spec, "clusterIPs", profile)
    is_headless, has_external = _is_headless(spec), bool(spec.get("externalIPs"))
    if is_headless:
        ignored = {
            "loadBalancerIP": bool(spec.get("loadBalancerIP")),
            "externalIPs": has_external,
            "SessionAffinity": spec.get("sessionAffinity") != "None",
        }
        yield from (f"spec.{name} is ignored for headless services" for name, applies in ignored.items() if applies)
    yield from _find_in_list(spec, "externalIPs", profile)
    if profile.minor >= _EXTERNAL_SINCE and has_external and not is_headless and spec.get("type") != EXTERNAL_NAME:
        yield "spec.externalIPs is deprecated and may no longer be implemented in some clusters"
    if address := spec.get("loadBalancerIP"):
        yield from ipaddresses.find_warnings(_SPEC.child("loadBalancerIP"), address, profile)
    for place, text in enumerate(spec.get("loadBalancerSourceRanges") or ()):
        yield from ipaddresses.find_cidr_warnings(_SPEC.child("loadBalancerSourceRanges").index(place), text, profile)


def _find_in_list(spec: Spec, name: str, profile: Profile) -> Iterator[str]:
    for place, address in enumerate(servicefields.items(spec, name)):
        yield from ipaddresses.find_warnings(_SPEC.child(name).index(place), address, profile)


def _find_in_types(spec: Spec, profile: Profile) -> Iterator[str]:
    is_external = spec.get("type") == EXTERNAL_NAME
    if is_external and spec.get("externalIPs"):
        yield f'spec.externalIPs is ignored when spec.type is "{EXTERNAL_NAME}"'
    if not is_external and spec.get("externalName"):
        yield f'spec.externalName is ignored when spec.type is not "{EXTERNAL_NAME}"'
    if profile.minor >= _CLOSE_SINCE and spec.get("trafficDistribution") == services.PREFER_CLOSE:
        yield f'spec.trafficDistribution: "{services.PREFER_CLOSE}" is deprecated; use "PreferSameZone"'


KIND: Final = KindValidation(services.validate_create, services.validate_update, find)
