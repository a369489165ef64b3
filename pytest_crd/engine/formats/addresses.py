"""
Checks of the formats for IP addresses, CIDRs and MAC addresses.

`netip` parses addresses as Go does; this module adds the forms that only Kubernetes accepts.
"""

from __future__ import annotations

from typing import Final

from pytest_crd import lazyre
from pytest_crd.engine.golang import netip

_BITS: Final = {4: 32, 6: 128}
_LEADING_ZEROS: Final = lazyre.compile(r"(?<![0-9A-Fa-f])0+(?=[0-9A-Fa-f])")
_HEX: Final = "[0-9A-Fa-f]"
# 6, 8 or 20 bytes: single bytes with one separator throughout, pairs of bytes with dots, or no separator at all.
_MAC: Final = lazyre.compile(
    rf"{_HEX}{{2}}([:-]){_HEX}{{2}}(?:(?:\1{_HEX}{{2}}){{4}}|(?:\1{_HEX}{{2}}){{6}}|(?:\1{_HEX}{{2}}){{18}})"
    rf"|{_HEX}{{4}}(?:(?:\.{_HEX}{{4}}){{2}}|(?:\.{_HEX}{{4}}){{3}}|(?:\.{_HEX}{{4}}){{9}})"
    rf"|{_HEX}{{12}}|{_HEX}{{16}}|{_HEX}{{40}}"
)
_PREFIX_LENGTH: Final = lazyre.compile(r"0*([0-9]{1,3})")


def bits(text: str) -> int | None:
    """
    Return 32 for an IPv4 address, 128 for an IPv6 address, None for any other text.

    Args:
        text: Address to parse. Zones and leading zeros in IPv4 numbers are not accepted.

    Reference:
        Go's net.ParseIP.
    """
    try:
        # netip.ParseAddr accepts a zone, net.ParseIP does not.
        return None if "%" in text else _BITS[netip.version(text)]
    except netip.AddressError:
        return None


def is_ipv4(text: str, *, leading_zeros: bool) -> bool:
    """
    Return whether *text* is an IP address with a dotted quad, such as `10.0.0.1` or `::1.2.3.4`.

    Args:
        text: Any text.
        leading_zeros: Accept leading zeros: `010.0.0.1` is read as `10.0.0.1`.

    Reference:
        kube-openapi strfmt/default.go, isIPv4; k8s.io/utils/net, ParseIPSloppy.
    """
    return "." in text and bits(_without_zeros(text) if leading_zeros else text) is not None


def is_ipv6(text: str) -> bool:
    """
    Return whether *text* is an IPv6 address; it may end with a dotted quad.

    Reference:
        govalidator IsIPv6.
    """
    return bits(text) == _BITS[6]


def is_cidr(text: str, *, leading_zeros: bool) -> bool:
    """
    Return whether *text* is an IP address, a slash and a prefix length; host bits may be set.

    Args:
        text: Any text.
        leading_zeros: Accept leading zeros in the address. The prefix length may always have them.

    Reference:
        kube-openapi strfmt/default.go, isCIDR; k8s.io/utils/net, ParseCIDRSloppy.
    """
    address, _, length = text.partition("/")
    width = bits(_without_zeros(address) if leading_zeros else address)
    digits = _PREFIX_LENGTH.fullmatch(length)
    return width is not None and digits is not None and int(digits[1]) <= width


def is_mac(text: str) -> bool:
    """
    Return whether *text* is a MAC address of 6, 8 or 20 bytes in any of Go's notations.

    Reference:
        Go's net.ParseMAC.
    """
    return _MAC.fullmatch(text) is not None


def _without_zeros(text: str) -> str:
    return _LEADING_ZEROS.sub("", text)
