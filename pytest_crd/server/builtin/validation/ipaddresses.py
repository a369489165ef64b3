"""
IP addresses and CIDRs in fields that are older than strict validation, and warnings about their notation.

Reference:
    apimachinery pkg/util/validation/ip.go; k8s.io/utils/net, ParseIPSloppy and ParseCIDRSloppy; kubernetes pkg/apis/core/validation, ValidateEndpointIP.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from typing import Final, TypeAlias

from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang import printing
from pytest_crd.engine.profile import Profile

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
_Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network

_STRICT_SINCE: Final = 36
_NO_ADDRESS: Final = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
_NO_CIDR: Final = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"
_ZEROS: Final = "must not have leading 0s"
_NOTATION: Final = re.compile(r"[0-9A-Fa-f:.]+")
_EXTRA_ZEROS: Final = re.compile(r"(?<![0-9A-Fa-f])0+(?=[0-9A-Fa-f])")
_OCTET_WITH_ZERO: Final = re.compile(r"(?<![0-9A-Fa-f])0[0-9]+(?=\.)|(?<=\.)0[0-9]+")
_LONG_GROUP: Final = re.compile("[0-9A-Fa-f]{5}")
_LEFT_BITS: Final = 96
_LINK_LOCAL_MULTICAST: Final = (
    ipaddress.ip_network("224.0.0.0/24"),
    *(ipaddress.ip_network(f"ff{flags:x}2::/16") for flags in range(16)),
)


def parse(text: str) -> Address | None:
    """Return an address without leading zeros, and IPv4 for an IPv4-mapped address; None for another text."""
    address = _parse(text)
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address


def _parse(text: str) -> Address | None:
    if not _NOTATION.fullmatch(text):
        return None
    try:
        return ipaddress.ip_address(_EXTRA_ZEROS.sub("", text))
    except ValueError:
        return None


def _is_mapped(text: str) -> bool:
    address = _parse(text)
    return isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None


def _has_zeros(text: str) -> bool:
    return bool(_OCTET_WITH_ZERO.search(text) or _LONG_GROUP.search(text))


def is_ipv6(text: str) -> bool:
    """Return whether *text* is an IPv6 address that is not IPv4-mapped."""
    return isinstance(parse(text), ipaddress.IPv6Address)


def _is_strict(profile: Profile) -> bool:
    return profile.minor >= _STRICT_SINCE


def validate(path: FieldPath, text: str, accepted: Iterable[str], profile: Profile) -> list[FieldError]:
    """
    Return the errors of an address.

    Args:
        path: The path of the address.
        text: The address.
        accepted: The addresses of the stored object, which stay valid.
        profile: Versions since 1.36 refuse leading zeros and IPv4-mapped addresses.
    """
    if text in accepted:
        return []
    if parse(text) is None:
        return [fielderror.invalid(path, text, _NO_ADDRESS)]
    errors = [_ZEROS] if _has_zeros(text) else []
    if not errors and _is_mapped(text):
        errors.append("must not be an IPv4-mapped IPv6 address")
    return [fielderror.invalid(path, text, error) for error in errors] if _is_strict(profile) else []


def validate_endpoint(path: FieldPath, text: str) -> list[FieldError]:
    """Return the errors of an address that no endpoint may have: unspecified, loopback, link-local."""
    address = parse(text)
    assert address is not None  # noqa: S101 - callers validate it first
    problems = {
        f"may not be unspecified ({text})": address.is_unspecified,
        "may not be in the loopback range (127.0.0.0/8, ::1/128)": address.is_loopback,
        "may not be in the link-local range (169.254.0.0/16, fe80::/10)": address.is_link_local,
        "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)": any(
            address in network for network in _LINK_LOCAL_MULTICAST
        ),
    }
    return [fielderror.invalid(path, text, problem) for problem, applies in problems.items() if applies]


def _invalid_form(profile: Profile) -> str:
    """Return the words about a notation that is no longer valid, or will not be."""
    return "is invalid" if _is_strict(profile) else "will be considered invalid in a future Kubernetes release"


def find_warnings(path: FieldPath, text: str, profile: Profile) -> list[str]:
    """Return the warning about the notation of an address; none if it is no address."""
    address = parse(text)
    if address is None:
        return []
    quoted, canonical = printing.quote(text), printing.quote(str(address))
    if _has_zeros(text) or _is_mapped(text):
        return [f"{path}: non-standard IP address {quoted} {_invalid_form(profile)}: use {canonical}"]
    if is_ipv6(text) and str(address) != text:
        return [f"{path}: IPv6 address {quoted} should be in RFC 5952 canonical format ({canonical})"]
    return []


def parse_cidr(text: str) -> tuple[Address, _Network] | None:
    """Return address and network of a CIDR; None for another text."""
    lead, slash, bits = text.partition("/")
    address = _parse(lead)
    if not slash or address is None or not re.fullmatch("[0-9]+", bits) or int(bits) > address.max_prefixlen:
        return None
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    if mapped is not None and int(bits) >= _LEFT_BITS:
        return mapped, ipaddress.ip_network((mapped, int(bits) - _LEFT_BITS), strict=False)
    return address, ipaddress.ip_network((address, int(bits)), strict=False)


def validate_cidr(path: FieldPath, text: str, accepted: Iterable[str], profile: Profile) -> list[FieldError]:
    """Return the errors of a CIDR, as `validate` does of an address; newer versions also refuse bits after the prefix."""
    if text in accepted:
        return []
    parsed = parse_cidr(text)
    if parsed is None:
        return [fielderror.invalid(path, text, _NO_CIDR)]
    lead, _, bits = text.partition("/")
    if not _is_strict(profile):
        return []
    if _has_zeros(lead) or str(int(bits)) != bits:
        return [fielderror.invalid(path, text, f"{_ZEROS} in IP or prefix length")]
    if _is_mapped(lead):
        return [fielderror.invalid(path, text, "must not have an IPv4-mapped IPv6 address")]
    address, network = parsed
    return (
        []
        if address == network.network_address
        else [fielderror.invalid(path, text, "must not have bits set beyond the prefix length")]
    )


def find_cidr_warnings(path: FieldPath, text: str, profile: Profile) -> list[str]:
    """Return the warnings about the notation of a CIDR; none if it is no CIDR."""
    parsed = parse_cidr(text)
    if parsed is None:
        return []
    address, network = parsed
    lead, _, bits = text.partition("/")
    quoted, canonical = printing.quote(text), printing.quote(str(network))
    warnings = []
    if address != network.network_address:
        alone = printing.quote(f"{address}/{address.max_prefixlen}")
        warnings.append(f"{path}: CIDR value {quoted} is ambiguous in this context (should be {canonical} or {alone}?)")
    if _has_zeros(lead) or str(int(bits)) != bits or _is_mapped(lead):
        warnings.append(f"{path}: non-standard CIDR value {quoted} {_invalid_form(profile)}: use {canonical}")
    if not warnings and is_ipv6(lead) and str(network) != text:
        warnings.append(f"{path}: IPv6 CIDR value {quoted} should be in RFC 5952 canonical format ({canonical})")
    return warnings
