"""
Kubernetes' library for networks in CIDR notation.

Reference:
    k8s.io/apiserver pkg/cel/library/cidr.go; pkg/cel/cidr.go; Go net/netip.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from pytest_crd import lazyre
from pytest_crd.engine.cel.errors import EvaluationError
from pytest_crd.engine.cel.library import costing, ip
from pytest_crd.engine.cel.library.ip import IP, Address
from pytest_crd.engine.cel.types.celtypes import BOOL, INT, STRING, Type, opaque
from pytest_crd.engine.cel.types.costs import STRING_TRAVERSAL, Argument, CallEstimate, EstimateContext, SizeEstimate
from pytest_crd.engine.cel.types.functions import Estimate, Function, Implementation, Library, Overload, RuntimeCost
from pytest_crd.engine.cel.values.celvalues import Opaque, Value
from pytest_crd.engine.golang import netip, printing

TYPE: Final = opaque("net.CIDR")
_BITS: Final = lazyre.compile("0|[1-9][0-9]*")
_PROBLEM: Final = "network address parse error during conversion from string"


class CIDR(Opaque):
    """IP address with a prefix length."""

    __slots__ = ("address", "bits")

    type_name = TYPE.name
    has_text = True

    def __init__(self, address: Address, bits: int) -> None:
        self.address = address
        self.bits = bits

    @property
    def network(self) -> int:
        """Bits of the prefix."""
        return self.prefix_of(self.address)

    def prefix_of(self, address: Address) -> int:
        """Return the leading bits of *address*, as many as the prefix length."""
        return int(address) >> (address.max_prefixlen - self.bits)

    def equal(self, other: Value) -> bool:
        """Return whether *other* has the same address and prefix length; raise EvaluationError for other types."""
        if not isinstance(other, CIDR):
            raise EvaluationError("no such overload")
        return (self.address, self.bits) == (other.address, other.bits)

    def size(self) -> int:
        """Return the size of the prefix in bytes."""
        return math.ceil(self.bits / 8)

    def __str__(self) -> str:
        return f"{self.address.compressed}/{self.bits}"


def _parse(text: str) -> CIDR:
    address, slash, bits = text.rpartition("/")
    if not slash:
        raise _parse_error(text, "no '/'")
    try:
        read = ip.read(address)
    except netip.AddressError as error:
        raise _parse_error(text, str(error)) from None
    if "%" in address:
        raise _parse_error(text, "IPv6 zones cannot be present in a prefix")
    if not _BITS.fullmatch(bits) or len(bits) > 18:
        raise _parse_error(text, f"bad bits after slash: {printing.quote(bits)}")
    if int(bits) > read.max_prefixlen:
        raise _parse_error(text, "prefix length out of range")
    if ip.is_mapped(read):
        raise EvaluationError(f"{_PROBLEM}: IPv4-mapped IPv6 address {printing.quote(text)} is not allowed")
    return CIDR(read, int(bits))


def _parse_error(text: str, problem: str) -> EvaluationError:
    return EvaluationError(f"{_PROBLEM}: {_PROBLEM}: netip.ParsePrefix({printing.quote(text)}): {problem}")


def _is_cidr(text: str) -> bool:
    try:
        _parse(text)
    except EvaluationError:
        return False
    return True


def _contains_ip(cidr: CIDR, address: IP) -> bool:
    return cidr.address.version == address.address.version and cidr.prefix_of(address.address) == cidr.network


def _contains_ip_text(cidr: CIDR, text: str) -> bool:
    try:
        address = ip.parse(text)
    except EvaluationError:
        raise EvaluationError("no such overload") from None
    return _contains_ip(cidr, address)


def _contains_cidr(cidr: CIDR, other: CIDR) -> bool:
    if cidr.address.version != other.address.version or cidr.bits > other.bits:
        return False
    return cidr.prefix_of(other.address) == cidr.network


def _masked(cidr: CIDR) -> CIDR:
    shift = cidr.address.max_prefixlen - cidr.bits
    return CIDR(type(cidr.address)(cidr.network << shift), cidr.bits)


def _is_mask(cidr: CIDR) -> bool:
    return _masked(cidr).address == cidr.address


def library(*, has_masks: bool) -> Library:
    """Return the CIDR library, with `isMask` if *has_masks* is true."""
    functions = (*_FUNCTIONS, _IS_MASK) if has_masks else _FUNCTIONS
    return Library("kubernetes.net.cidr", functions, types=(TYPE,))


def _containment(*, cidr: bool, text: bool) -> tuple[RuntimeCost, Estimate]:
    """Return cost and estimate of `containsIP` or, with *cidr*, `containsCIDR`; with *text*, the argument is a string."""

    def cost(arguments: Sequence[Value], _result: Value) -> int:
        size = costing.counted(arguments[0])
        total = costing.units(size + size) + (costing.units(size) + 1 if cidr else 0)
        return total + (costing.units(costing.counted(arguments[1])) if text else 0)

    def estimate(context: EstimateContext, arguments: Sequence[Argument]) -> CallEstimate:
        size = SizeEstimate(4, 16)
        total = (size + size).cost(STRING_TRAVERSAL)
        if cidr:
            total += size.cost(STRING_TRAVERSAL) + costing.ONE
        if text:
            total += context.size(arguments[1]).cost(STRING_TRAVERSAL)
        return CallEstimate(total)

    return cost, estimate


def _contains(
    name: str, text: tuple[str, Implementation], parsed: tuple[str, Type, Implementation], *, cidr: bool
) -> Function:
    """Return a containment function with one overload for strings and one for parsed values."""
    text_id, text_call = text
    parsed_id, parsed_type, parsed_call = parsed
    text_cost, text_estimate = _containment(cidr=cidr, text=True)
    parsed_cost, parsed_estimate = _containment(cidr=cidr, text=False)
    return Function(
        name,
        (
            Overload(text_id, (TYPE, STRING), BOOL, text_call, is_member=True, cost=text_cost, estimate=text_estimate),
            Overload(
                parsed_id,
                (TYPE, parsed_type),
                BOOL,
                parsed_call,
                is_member=True,
                cost=parsed_cost,
                estimate=parsed_estimate,
            ),
        ),
        parsed_cost,
    )


def _getter(name: str, id_: str, result: Type, call: Implementation) -> Function:
    return Function(
        name,
        (Overload(id_, (TYPE,), result, call, is_member=True, cost=costing.unit_cost, estimate=costing.estimate_one),),
    )


_once: Final = costing.traversal()
_estimate_once: Final = costing.estimate_traversal()

_FUNCTIONS: Final = (
    Function("cidr", (Overload("string_to_cidr", (STRING,), TYPE, _parse, cost=_once, estimate=_estimate_once),)),
    _contains(
        "containsIP",
        ("cidr_contains_ip_string", _contains_ip_text),
        ("cidr_contains_ip_ip", ip.TYPE, _contains_ip),
        cidr=False,
    ),
    _contains(
        "containsCIDR",
        ("cidr_contains_cidr_string", lambda cidr, text: _contains_cidr(cidr, _parse(text))),
        ("cidr_contains_cidr", TYPE, _contains_cidr),
        cidr=True,
    ),
    _getter("ip", "cidr_ip", ip.TYPE, lambda cidr: IP(cidr.address)),
    _getter("prefixLength", "cidr_prefix_length", INT, lambda cidr: cidr.bits),
    _getter("masked", "cidr_masked", TYPE, _masked),
    Function("isCIDR", (Overload("is_cidr", (STRING,), BOOL, _is_cidr, cost=_once, estimate=_estimate_once),)),
    Function("string", (Overload("cidr_to_string", (TYPE,), STRING, str),)),
)
_IS_MASK: Final = _getter("isMask", "cidr_is_mask", BOOL, _is_mask)
