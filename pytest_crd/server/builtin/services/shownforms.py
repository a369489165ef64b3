"""
Stored Services as clients read them.

Reference:
    kubernetes pkg/registry/core/service/storage/storage.go, defaultOnReadService.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_crd.server.builtin.services import completing
from pytest_crd.server.builtin.validation import ipaddresses, servicefields
from pytest_crd.server.builtin.validation.servicefields import IPV4, IPV6, REQUIRE_DUAL, SINGLE_STACK


def of_service(service: Mapping[str, Any]) -> Mapping[str, Any]:
    """
    Return a stored Service as clients read it.

    An ExternalName has no policy of internal traffic. Another one that an update of the status created, which gives no addresses, has
    families that fit the addresses it names.
    """
    spec = dict(service["spec"])
    if not servicefields.has_addresses(spec):
        spec.pop("internalTrafficPolicy", None)
        return {**service, "spec": spec}
    completing.align_addresses(spec, None)
    addresses = servicefields.items(spec, "clusterIPs")
    if spec.get("ipFamilies") or not addresses:
        return service
    families = [IPV6 if ipaddresses.is_ipv6(address) else IPV4 for address in addresses]
    if servicefields.is_open_headless(spec):
        families = [IPV4, IPV6]
    policy = SINGLE_STACK if len(families) == 1 else REQUIRE_DUAL
    return {**service, "spec": {**spec, "ipFamilies": families, "ipFamilyPolicy": policy}}
