"""
The first steps of a write of a Service: its fields are completed, then it gets addresses and ports, then it is validated.

Reference:
    kubernetes pkg/registry/core/service/storage/storage.go, beginCreate and beginUpdate; strategy.go, PrepareForUpdate.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeAlias

from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.errors.refusal import Refusal
from pytest_crd.engine.golang import printing
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry.requestbody import RefusedError
from pytest_crd.server.builtin.services import allocating, completing, families, shownforms
from pytest_crd.server.builtin.services.allocating import InUse, NodePorts
from pytest_crd.server.builtin.validation import servicefields
from pytest_crd.server.builtin.validation.servicefields import Spec

_Object: TypeAlias = Mapping[str, Any]

_KIND: Final = "Service"
_EMPTY_STATUS: Final[Mapping[str, Any]] = {"loadBalancer": {}}
PANIC: Final = Refusal(500, "", "kube-apiserver panics: a Service with one address family becomes headless with two")
"""The refusal of an update during which a server panics; it closes the connection without an answer."""


def begin(service: _Object, old: _Object | None, stored: Iterable[_Object] | None, profile: Profile, *, is_dry: bool) -> dict[str, Any]:  # fmt: skip
    """
    Return a Service with its addresses and ports, ready for validation.

    Args:
        service: The Service as the request asks for it.
        old: The stored Service; None on create.
        stored: All stored Services; None if the cluster and its range of addresses are unknown.
        profile: The Kubernetes version.
        is_dry: Whether nothing is stored.

    Raises:
        RefusedError: 422 or 500: an address or a port cannot be given.
    """
    spec, old_spec = dict(service["spec"]), None if old is None else shownforms.of_service(old)["spec"]
    if old_spec is not None:
        completing.keep_allocated(spec, old_spec)
    completing.align_addresses(spec, old_spec)
    name = service["metadata"].get("name") or ""
    _demand(families.choose(spec, old_spec, profile), name)
    in_use = InUse((value["spec"] for value in stored or ()), is_dry=is_dry, has_range=stored is not None)
    _demand(_give_addresses(spec, old_spec, in_use, name, profile), name)
    ports = NodePorts(in_use)
    _demand(allocating.give_node_ports(spec, old_spec, ports), name)
    allocating.give_health_check_port(spec, old_spec, ports)
    if old_spec is not None:
        completing.drop_unused(spec, old_spec)
    spec = {key: value for key, value in spec.items() if value not in ([], "") or key not in _DROPPED}
    return {**service, "spec": spec, "status": _status(service, spec, old)}


# Fields that an allocation may leave empty.
_DROPPED: Final = frozenset({"clusterIP", "clusterIPs", "ipFamilies", "ports"})


def _give_addresses(
    spec: dict[str, Any], old: Spec | None, in_use: InUse, name: str, profile: Profile
) -> list[FieldError]:
    """
    Give the addresses that a Service needs, and return the errors of named ones.

    Raises:
        RefusedError: 500: the range is full, or a server panics.
    """
    if not servicefields.has_addresses(spec):
        return []
    if old is None or not servicefields.has_addresses(old):
        return allocating.give_address(spec, in_use, name, profile)
    new_families = servicefields.items(spec, "ipFamilies")
    was_single = len(servicefields.items(old, "ipFamilies")) == 1 and not servicefields.is_headless(old)
    if was_single and len(new_families) > 1 and not families.is_settled(spec, old):
        if new_families[1] == servicefields.IPV6:
            raise RefusedError(PANIC)
        allocating.give_second_address(spec, in_use, name, profile)
    return []


def _demand(errors: list[FieldError], name: str) -> None:
    """
    Refuse a Service with errors.

    Raises:
        RefusedError: 422: it has errors.
    """
    if errors:
        message = f"{_KIND} {printing.quote(name)} is invalid: {fielderror.aggregate(errors)}"
        subject = {"name": name, "kind": _KIND}
        raise RefusedError(Refusal(422, "Invalid", message, tuple(errors), subject=subject))


def _status(service: _Object, spec: Spec, old: _Object | None) -> _Object:
    if old is None:
        return _EMPTY_STATUS
    status: _Object = service.get("status") or {}
    return status if spec.get("type") == servicefields.LOAD_BALANCER else {**status, **_EMPTY_STATUS}
