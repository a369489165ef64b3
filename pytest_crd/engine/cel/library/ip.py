"""
Kubernetes' library for IP addresses.

Reference:
    k8s.io/apiserver pkg/cel/library/ip.go; pkg/cel/ip.go; Go net/netip.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from typing import Any, Final

from pytest_crd.engine.cel.errors import EvaluationError
from pytest_crd.engine.cel.library import costing
from pytest_crd.engine.cel.types.celtypes import BOOL, INT, STRING, opaque
from pytest_crd.engine.cel.types.functions import Function, Library, Overload
from pytest_crd.engine.cel.values.celvalues import Opaque, Value
from pytest_crd.engine.golang import netip, printing

TYPE: Final = opaque("net.IP")
_BROADCAST: Final = ipaddress.IPv4Address("255.255.255.255")
_LOCAL_MULTICAST: Final = ipaddress.IPv4Network("224.0.0.0/24")

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class IP(Opaque):
    """IPv4 or IPv6 address as a CEL value."""

    __slots__ = ("address",)

    type_name = TYPE.name
    has_text = True

    def __init__(self, address: Address) -> None:
        self.address = address

    def equal(self, other: Value) -> bool:
        """Return whether *other* is the same address; raise EvaluationError for other types."""
        if not isinstance(other, IP):
            raise EvaluationError("no such overload")
        return self.address == other.address

    def size(self) -> int:
        """Return the size in bytes."""
        return len(self.address.packed)

    def __str__(self) -> str:
        return self.address.compressed


def read(text: str) -> Address:
    """
    Return the address *text* without its zone.

    Raises:
        netip.AddressError: It is not an IP address.
    """
    if netip.version(text) == 4:
        return ipaddress.IPv4Address(text)
    return ipaddress.IPv6Address(text.partition("%")[0])


def is_mapped(address: Address) -> bool:
    """Return whether *address* is an IPv4-mapped IPv6 address."""
    return isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None


def parse(text: str) -> IP:
    """
    Return the address *text*; zones and IPv4-mapped addresses are refused.

    Raises:
        EvaluationError: It is not such an address.
    """
    try:
        address = read(text)
    except netip.AddressError as error:
        problem = f"IP Address {printing.quote(text)} parse error during conversion from string: {error}"
        raise EvaluationError(problem) from None
    if "%" in text:
        raise EvaluationError(f"IP address {printing.quote(text)} with zone value is not allowed")
    if is_mapped(address):
        raise EvaluationError(f"IPv4-mapped IPv6 address {printing.quote(text)} is not allowed")
    return IP(address)


def _is_ip(text: str) -> bool:
    try:
        parse(text)
    except EvaluationError:
        return False
    return True


def _is_canonical(text: str) -> bool:
    return str(parse(text)) == text


def _is_link_local_multicast(address: Address) -> bool:
    if isinstance(address, ipaddress.IPv4Address):
        return address in _LOCAL_MULTICAST
    return address.packed[0] == 0xFF and address.packed[1] & 0x0F == 0x02


def _is_global_unicast(address: Address) -> bool:
    return not (
        address == _BROADCAST
        or address.is_unspecified
        or address.is_loopback
        or address.is_multicast
        or address.is_link_local
    )


def library() -> Library:
    """Return the IP library."""
    return Library("kubernetes.net.ip", _FUNCTIONS, types=(TYPE,))


def _test(name: str, word: str, call: Callable[[Address], Any]) -> Function:
    overload = Overload(
        f"ip_{word}",
        (TYPE,),
        BOOL,
        lambda ip: call(ip.address),
        is_member=True,
        cost=costing.unit_cost,
        estimate=costing.estimate_one,
    )
    return Function(name, (overload,))


_once: Final = costing.traversal()
_estimate_once: Final = costing.estimate_traversal()

_FUNCTIONS: Final = (
    Function("ip", (Overload("string_to_ip", (STRING,), TYPE, parse, cost=_once, estimate=_estimate_once),), _once),
    Function(
        "family",
        (
            Overload(
                "ip_family",
                (TYPE,),
                INT,
                lambda ip: ip.address.version,
                is_member=True,
                cost=costing.unit_cost,
                estimate=costing.estimate_one,
            ),
        ),
    ),
    Function(
        "ip.isCanonical",
        (
            Overload(
                "ip_is_canonical",
                (STRING,),
                BOOL,
                _is_canonical,
                cost=costing.traversal(0, 2),
                estimate=costing.estimate_traversal(0, 2),
            ),
        ),
    ),
    _test("isUnspecified", "is_unspecified", lambda address: address.is_unspecified),
    _test("isLoopback", "is_loopback", lambda address: address.is_loopback),
    _test("isLinkLocalMulticast", "is_link_local_multicast", _is_link_local_multicast),
    _test("isLinkLocalUnicast", "is_link_local_unicast", lambda address: address.is_link_local),
    _test("isGlobalUnicast", "is_global_unicast", _is_global_unicast),
    Function("isIP", (Overload("is_ip", (STRING,), BOOL, _is_ip, cost=_once, estimate=_estimate_once),)),
    Function("string", (Overload("ip_to_string", (TYPE,), STRING, str),)),
)
