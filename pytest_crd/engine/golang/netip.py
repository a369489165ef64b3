"""Parser of IP addresses with the errors of Go's `netip`."""

from __future__ import annotations

from typing import Final

from pytest_crd import lazyre
from pytest_crd.engine.golang import printing

_HEX: Final = lazyre.compile(r"[0-9A-Fa-f]*")
_DECISIVE: Final = lazyre.compile(r"[.:%]")
_GROUPS: Final = 8
_EMBEDDED_AT: Final = 6
_NO_DIGIT: Final = "each colon-separated field must have at least one digit"
_NOT_LAST: Final = "embedded IPv4 address must replace the final 2 fields of the address"
_NO_ROOM: Final = "too many hex fields to fit an embedded IPv4 at the end of the address"


class AddressError(ValueError):
    """Text that is not an IP address; the message is Go's."""

    def __init__(self, text: str, problem: str, at: str = "") -> None:
        """Create from the whole *text*, the *problem* and the rest of the text *at* the error."""
        where = f" (at {printing.quote(at)})" if at else ""
        super().__init__(f"ParseAddr({printing.quote(text)}): {problem}{where}")


def version(text: str) -> int:
    """
    Return the IP version of the address *text*, 4 or 6; an IPv6 address may have a zone.

    Raises:
        AddressError: It is not an IP address.

    Reference:
        net/netip, ParseAddr.
    """
    decisive = _DECISIVE.search(text)
    if decisive is None:
        raise AddressError(text, "unable to parse IP")
    if decisive[0] == "%":
        raise AddressError(text, "missing IPv6 address")
    if decisive[0] == ".":
        _check_ipv4(text, text)
        return 4
    _check_ipv6(text)
    return 6


def _check_ipv4(part: str, whole: str) -> None:
    """Raise AddressError if *part* is not an IPv4 address; *whole* is the text in the message."""
    digits, dots = "", 0
    for index, char in enumerate(part):
        if "0" <= char <= "9":
            if digits == "0":
                raise AddressError(whole, "IPv4 field has octet with leading zero")
            digits += char
            if int(digits) > 255:
                raise AddressError(whole, "IPv4 field has value >255")
        elif char != ".":
            raise AddressError(whole, "unexpected character", part[index:])
        elif index in (0, len(part) - 1) or part[index - 1] == ".":
            raise AddressError(whole, "IPv4 field must have at least one digit", part[index:])
        elif dots == 3:
            raise AddressError(whole, "IPv4 address too long")
        else:
            digits, dots = "", dots + 1
    if dots < 3:
        raise AddressError(whole, "IPv4 address too short")


def _check_ipv6(text: str) -> None:
    rest, percent, zone = text.partition("%")
    if percent and not zone:
        raise AddressError(text, "zone must be a non-empty string")
    if rest == "::":
        return
    has_gap = rest.startswith("::")
    rest = rest[2:] if has_gap else rest
    groups = 0
    while groups < _GROUPS and rest:
        size = _size_of_group(rest, text)
        if rest[size:].startswith("."):
            _check_embedded(rest, text, groups, has_gap=has_gap)
            groups, rest = groups + 2, ""
        else:
            groups += 1
            rest, gap = _after_group(rest[size:], text, has_gap=has_gap)
            has_gap = has_gap or gap
    if rest:
        raise AddressError(text, "trailing garbage after address", rest)
    if groups < _GROUPS and not has_gap:
        raise AddressError(text, "address string too short")
    if groups == _GROUPS and has_gap:
        raise AddressError(text, "the :: must expand to at least one field of zeros")


def _size_of_group(rest: str, text: str) -> int:
    """Return the number of hexadecimal digits at the start of *rest*; raise AddressError if it is not 1 to 4."""
    digits = _HEX.match(rest)
    size = digits.end() if digits else 0
    if size > 4:
        raise AddressError(text, "each group must have 4 or less digits", rest)
    if not size:
        raise AddressError(text, _NO_DIGIT, rest)
    return size


def _check_embedded(rest: str, text: str, groups: int, *, has_gap: bool) -> None:
    """Raise AddressError unless *rest* is an IPv4 address that may end the IPv6 address after *groups* groups."""
    if not has_gap and groups != _EMBEDDED_AT:
        raise AddressError(text, _NOT_LAST, rest)
    if groups > _EMBEDDED_AT:
        raise AddressError(text, _NO_ROOM, rest)
    _check_ipv4(rest, text)


def _after_group(rest: str, text: str, *, has_gap: bool) -> tuple[str, bool]:
    """Skip the colon after a group; return the rest and whether the colon began the gap `::`."""
    if rest and rest[0] != ":":
        raise AddressError(text, "unexpected character, want colon", rest)
    if rest == ":":
        raise AddressError(text, "colon must be followed by more characters", rest)
    rest = rest[1:]
    if not rest.startswith(":"):
        return rest, False
    if has_gap:
        raise AddressError(text, "multiple :: in address", rest)
    return rest[1:], True
