"""IP addresses in Go's grammar."""

from __future__ import annotations

import pytest

from pytest_crd.engine.golang import netip
from pytest_crd.engine.golang.netip import AddressError


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("1.2.3.4", 4),
        ("0.0.0.255", 4),
        ("::", 6),
        ("::%en0", 6),
        ("::1", 6),
        ("1::", 6),
        ("fe80::1%25", 6),
        ("1:2:3:4:5:6:7:8", 6),
        ("1:2:3:4:5:6:1.2.3.4", 6),
        ("::ffff:1.2.3.4", 6),
        ("1:2:3:4:5:6:7::", 6),
    ],
)
def test_addresses_have_version_4_or_6(text: str, version: int) -> None:
    assert netip.version(text) == version


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "unable to parse IP"),
        ("abc", "unable to parse IP"),
        ("%en0:", "missing IPv6 address"),
        ("01.2.3.4", "IPv4 field has octet with leading zero"),
        ("1.2.3.256", "IPv4 field has value >255"),
        ("1.2.x.4", 'unexpected character (at "x.4")'),
        ("1..3.4", 'IPv4 field must have at least one digit (at ".3.4")'),
        (".1", 'IPv4 field must have at least one digit (at ".1")'),
        ("1.", 'IPv4 field must have at least one digit (at ".")'),
        ("1.2.3.4.5", "IPv4 address too long"),
        ("1.2.3", "IPv4 address too short"),
        ("::1%", "zone must be a non-empty string"),
        (":", 'each colon-separated field must have at least one digit (at ":")'),
        ("12345::", 'each group must have 4 or less digits (at "12345::")'),
        ("1:2", "address string too short"),
        ("1:2.3.4.5", 'embedded IPv4 address must replace the final 2 fields of the address (at "2.3.4.5")'),
        (
            "::1:2:3:4:5:6:7:1.2.3.4",
            'too many hex fields to fit an embedded IPv4 at the end of the address (at "1.2.3.4")',
        ),
        ("::1.2.3", "IPv4 address too short"),
        ("1:x", 'each colon-separated field must have at least one digit (at "x")'),
        ("1x:", 'unexpected character, want colon (at "x:")'),
        ("1:", 'colon must be followed by more characters (at ":")'),
        ("1::2::3", 'multiple :: in address (at ":3")'),
        ("1:2:3:4:5:6:7:8:9", 'trailing garbage after address (at "9")'),
        ("1:2:3:4:5:6:7:8::", "the :: must expand to at least one field of zeros"),
        ("::1:2:3:4:5:6:7:8", "the :: must expand to at least one field of zeros"),
    ],
)
def test_invalid_addresses_are_refused_with_gos_message(text: str, problem: str) -> None:
    with pytest.raises(AddressError) as raised:
        netip.version(text)
    assert str(raised.value) == f'ParseAddr("{text}"): {problem}'
