"""
Allocation of addresses and ports of nodes to a Service.

A dry run gives the numbers that a server gives then: they may be in use or out of range.

Reference:
    kubernetes pkg/registry/core/service/storage/alloc.go; ipallocator/ipallocator.go; portallocator/allocator.go, operation.go.
"""

from __future__ import annotations

import ipaddress
import random
from collections.abc import Iterable, Sequence
from typing import Any, Final

from pytest_crd.engine.errors import fielderror, refusal
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.errors.refusal import Refusal
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang import printing
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry.requestbody import RefusedError
from pytest_crd.server.builtin import initialobjects
from pytest_crd.server.builtin.validation import clusteraddresses, ipaddresses, servicefields
from pytest_crd.server.builtin.validation.servicefields import Spec

_RANDOM: Final = random.SystemRandom()
_SPEC: Final = FieldPath(("spec",))
_RANGE: Final = ipaddress.ip_network(initialobjects.SERVICE_RANGE)
_HOSTS: Final = (*_RANGE.hosts(),)
_NODE_PORTS: Final = range(30000, 32768)
# The lower part of each range is for values that clients name.
_STATIC_ADDRESSES: Final = 16
_STATIC_PORTS: Final = 86
_FULL: Final = "range is full"
_PORT_IN_USE: Final = "provided port is already allocated"
_PORT_OUTSIDE: Final = (
    f"provided port is not in the valid range. The range of valid ports is {_NODE_PORTS.start}-{_NODE_PORTS.stop - 1}"
)
_NAMED_SINCE: Final = 36


class InUse:
    """
    The addresses and ports of the stored Services.

    Attributes:
        addresses: The addresses of all Services.
        ports: The ports of nodes of all Services, also those of the Service that a request changes.
        is_dry: Whether nothing is stored.
        has_range: Whether the range of addresses is known.
    """

    def __init__(self, specs: Iterable[Spec], *, is_dry: bool, has_range: bool = True) -> None:
        """Create from the specs of the stored Services."""
        self.addresses: set[ipaddresses.Address | None] = set()
        self.ports: set[int] = set()
        self.is_dry = is_dry
        self.has_range = has_range
        for spec in specs:
            if servicefields.has_addresses(spec):
                self.addresses |= {ipaddresses.parse(text) for text in servicefields.items(spec, "clusterIPs")}
            if servicefields.is_exposed(spec):
                self.ports |= {*servicefields.node_ports(spec)}
            if servicefields.needs_health_check(spec):
                self.ports.add(spec.get("healthCheckNodePort", 0))


def give_address(spec: dict[str, Any], in_use: InUse, name: str, profile: Profile) -> list[FieldError]:
    """
    Give an address of the range, or take the named one.

    Args:
        spec: The spec, which changes; it has a family of the cluster.
        in_use: The addresses in use.
        name: The name of the Service.
        profile: The Kubernetes version.

    Errors:
        Invalid: The named address is in use, or outside of the range.

    Raises:
        RefusedError: 500: the range is full.
    """
    addresses = servicefields.items(spec, "clusterIPs")
    if addresses and addresses[0] != servicefields.NO_ADDRESS:
        problem = _find_address_problem(addresses[0], in_use)
        detail = f"failed to allocate IP {addresses[0]}: {problem}"
        return [clusteraddresses.list_error(_SPEC.child("clusterIPs"), spec, detail, profile)] if problem else []
    if not addresses:
        spec["clusterIP"] = _free_address(in_use, name, profile)
        spec["clusterIPs"] = [spec["clusterIP"]]
    return []


def give_second_address(spec: dict[str, Any], in_use: InUse, name: str, profile: Profile) -> None:
    """
    Give a second address to a Service that becomes headless with two families, which validation then refuses.

    Raises:
        RefusedError: 500: the range is full.
    """
    spec["clusterIPs"] = [*servicefields.items(spec, "clusterIPs"), _free_address(in_use, name, profile)]


def _find_address_problem(text: str, in_use: InUse) -> str:
    address = ipaddresses.parse(text)
    if not in_use.has_range:
        return ""
    if in_use.is_dry:
        outside = f"the provided IP ({address}) is not in the valid range. The range of valid IPs is {_RANGE}"
        return "" if address in _HOSTS else outside
    if address not in _HOSTS:
        return "the provided network does not match the current range"
    return "provided IP is already allocated" if address in in_use.addresses else ""


def _free_address(in_use: InUse, name: str, profile: Profile) -> str:
    """
    Return a free address; the address of the network in a dry run.

    Raises:
        RefusedError: 500: the range is full.
    """
    if in_use.is_dry:
        return str(_RANGE.network_address)
    free = [address for address in _HOSTS if address not in in_use.addresses]
    if not free:
        names = profile.minor >= _NAMED_SINCE
        about = f" for Service {printing.quote(name)}" if names else ""
        raise RefusedError(refusal.internal_error(f"failed to allocate a serviceIP{about}: {_FULL}"))
    return str(_choose(free, _HOSTS[_STATIC_ADDRESSES]))


def _choose(free: Sequence[Any], first: Any) -> Any:
    """Return a random free value, not one before *first* if there are others."""
    return _RANDOM.choice([value for value in free if value >= first] or free)


class NodePorts:
    """The ports of nodes that one request takes."""

    def __init__(self, in_use: InUse) -> None:
        """Start a request."""
        self._in_use = in_use
        self._taken: list[int] = []

    def take(self, number: int) -> str:
        """Take a port and return an empty text, or the problem with it."""
        if not self._in_use.is_dry and number not in _NODE_PORTS:
            return _PORT_OUTSIDE
        if number in self._taken or (number in _NODE_PORTS and number in self._in_use.ports):
            return _PORT_IN_USE
        self._taken.append(number)
        return ""

    def take_any(self) -> int | None:
        """Take a free port and return it; None without free ports."""
        if self._in_use.is_dry:
            # A server counts on from the last port of the request, or from the end of the range.
            number = max(self._taken, default=_NODE_PORTS.stop) + 1
            self._taken.append(number)
            return number
        free = [number for number in _NODE_PORTS if number not in self._in_use.ports and number not in self._taken]
        if not free:
            return None
        self._taken.append(_choose(free, _NODE_PORTS.start + _STATIC_PORTS))
        return self._taken[-1]


def give_node_ports(spec: dict[str, Any], old: Spec | None, ports: NodePorts) -> list[FieldError]:
    """
    Give a port of nodes to each port without one, and take the named ones.

    Args:
        spec: The spec, which changes.
        old: The stored spec, whose ports the Service keeps; None on create.
        ports: The ports in use.

    Errors:
        Invalid: A named port is in use, or outside of the range.

    Raises:
        RefusedError: 500: the range is full, or two ports of an update share protocol and port of nodes.
    """
    if not servicefields.is_exposed(spec):
        return []
    spec["ports"] = [dict(port) for port in spec.get("ports") or ()]
    if old is None:
        return _give_to_new(spec, ports)
    return _give_to_changed(spec, {*servicefields.node_ports(old)}, ports)


def _give_to_new(spec: Spec, ports: NodePorts) -> list[FieldError]:
    """Give ports of nodes to a new Service; ports with the same number, such as one for TCP and one for UDP, share one."""
    shared: dict[int, int] = {}
    for place, port in enumerate(spec["ports"]):
        number, named = port.get("port", 0), port.get("nodePort") or 0
        if not named and not servicefields.allocates_node_ports(spec):
            continue
        if number not in shared:
            same = (
                item["nodePort"] for item in spec["ports"] if item.get("port", 0) == number and item.get("nodePort")
            )
            named = next(same, 0)
            if named and (problem := ports.take(named)):
                return [_port_error(place, named, problem)]
            shared[number] = port["nodePort"] = named or _any(ports)
        elif not named:
            port["nodePort"] = shared[number]
        elif named != shared[number] and (problem := ports.take(named)):
            return [_port_error(place, named, problem)]
    return []


def _give_to_changed(spec: Spec, kept: set[int], ports: NodePorts) -> list[FieldError]:
    pairs: set[tuple[str, int]] = set()
    numbers: set[int] = set()
    for place, port in enumerate(spec["ports"]):
        number = port.get("nodePort") or 0
        if not number and not servicefields.allocates_node_ports(spec):
            continue
        if number and number not in kept and number not in numbers:
            if problem := ports.take(number):
                return [_port_error(place, number, problem)]
            numbers.add(number)
        port["nodePort"] = number or _any(ports)
        pair = port.get("protocol", ""), port["nodePort"]
        if pair in pairs:
            raise RefusedError(Refusal(500, "", f"duplicate nodePort: {{{pair[0]} {pair[1]}}}"))
        pairs.add(pair)
    return []


def _port_error(place: int, number: int, problem: str) -> FieldError:
    return fielderror.invalid(_SPEC.child("ports").index(place).child("nodePort"), number, problem)


def _any(ports: NodePorts) -> int:
    """
    Take and return any free port.

    Raises:
        RefusedError: 500: there is none.
    """
    number = ports.take_any()
    if number is None:
        raise RefusedError(refusal.internal_error(f"failed to allocate a nodePort: {_FULL}"))
    return number


def give_health_check_port(spec: dict[str, Any], old: Spec | None, ports: NodePorts) -> None:
    """
    Give the port of health checks, or take the named one.

    Raises:
        RefusedError: 500: the port is in use, or outside of the range; or the range is full.
    """
    if not servicefields.needs_health_check(spec) or (old is not None and servicefields.needs_health_check(old)):
        return
    named = spec.get("healthCheckNodePort")
    if not named:
        number = ports.take_any()
        if number is None:
            raise RefusedError(refusal.internal_error(f"failed to allocate a HealthCheck NodePort 0: {_FULL}"))
        spec["healthCheckNodePort"] = number
    elif problem := ports.take(named):
        raise RefusedError(
            refusal.internal_error(f"failed to allocate requested HealthCheck NodePort {named}: {problem}")
        )
