"""Formats for IP addresses, CIDRs and MAC addresses, in Go's grammar and Kubernetes' extensions."""

from __future__ import annotations

import pytest

from pytest_crd.engine.formats import addresses


@pytest.mark.parametrize(
    ("text", "bits"),
    [
        pytest.param("10.0.0.1", 32, id="four numbers"),
        pytest.param("10.0.0.01", None, id="a leading zero"),
        pytest.param("10.0.0.256", None, id="a number beyond a byte"),
        pytest.param("10.0.1", None, id="three numbers"),
        pytest.param("\u0661.0.0.1", None, id="a digit that is not ASCII"),
        pytest.param("::1", 128, id="an IPv6 address"),
        pytest.param("::ffff:10.0.0.1", 128, id="an IPv6 address that ends in an IPv4 address"),
        pytest.param("::00001", None, id="a group of five digits"),
        pytest.param("1:2:3:4:5:6:7::8", None, id="two colons that stand for no group"),
        pytest.param("fe80::1%eth0", None, id="a zone"),
        pytest.param("", None, id="nothing"),
    ],
)
def test_only_ip_addresses_have_bits(text: str, bits: int | None) -> None:
    assert addresses.bits(text) == bits


@pytest.mark.parametrize(
    ("text", "strict", "sloppy"),
    [
        pytest.param("10.0.0.1", True, True, id="four numbers"),
        pytest.param("010.000.0.0000001", False, True, id="leading zeros are ignored where they are tolerated"),
        pytest.param("::1.2.3.4", True, True, id="an IPv6 address with a dotted quad counts as well"),
        pytest.param("::00001:1.2.3.04", False, True, id="and its zeros are ignored as well"),
        pytest.param("::1", False, False, id="an IPv6 address without a dot does not"),
        pytest.param("10.0.0.256", False, False, id="no byte"),
        pytest.param("::1.2.3.4%x", False, False, id="no zone"),
    ],
)
def test_ipv4_addresses_contain_a_dotted_quad(text: str, *, strict: bool, sloppy: bool) -> None:
    assert addresses.is_ipv4(text, leading_zeros=False) is strict
    assert addresses.is_ipv4(text, leading_zeros=True) is sloppy


@pytest.mark.parametrize(
    ("text", "accepted"),
    [
        pytest.param("2001:DB8::1", True, id="hexadecimal digits in upper case"),
        pytest.param("::1.2.3.4", True, id="a dotted quad at the end"),
        pytest.param("::1.2.3.04", False, id="a leading zero in it"),
        pytest.param("1.2.3.4", False, id="an IPv4 address"),
        pytest.param("::1%1", False, id="a zone"),
    ],
)
def test_ipv6_addresses_are_parsed_strictly(text: str, *, accepted: bool) -> None:
    assert addresses.is_ipv6(text) is accepted


@pytest.mark.parametrize(
    ("text", "strict", "sloppy"),
    [
        pytest.param("10.0.0.0/8", True, True, id="a network"),
        pytest.param("10.1.2.3/8", True, True, id="bits of the host part may be set"),
        pytest.param("10.0.0.0/032", True, True, id="leading zeros in the length are ignored in any case"),
        pytest.param("010.0.0.0/8", False, True, id="those in the address only where they are tolerated"),
        pytest.param("::/128", True, True, id="an IPv6 network"),
        pytest.param("::1.2.3.4/64", True, True, id="an IPv6 network with a dotted quad"),
        pytest.param("10.0.0.0/33", False, False, id="a length beyond the address"),
        pytest.param("::/129", False, False, id="a length beyond an IPv6 address"),
        pytest.param("10.0.0.0", False, False, id="no length"),
        pytest.param("10.0.0.0/", False, False, id="an empty length"),
        pytest.param("10.0.0.0/+8", False, False, id="a sign"),
        pytest.param("10.0.0.0/8/", False, False, id="a second slash"),
        pytest.param("/8", False, False, id="no address"),
        pytest.param("fe80::%1/64", False, False, id="a zone"),
    ],
)
def test_a_cidr_is_an_address_with_a_prefix_length(text: str, *, strict: bool, sloppy: bool) -> None:
    assert addresses.is_cidr(text, leading_zeros=False) is strict
    assert addresses.is_cidr(text, leading_zeros=True) is sloppy


@pytest.mark.parametrize(
    ("text", "accepted"),
    [
        pytest.param("01:23:45:67:89:ab", True, id="six bytes with colons"),
        pytest.param("01-23-45-67-89-AB", True, id="with dashes, in upper case"),
        pytest.param("0123.4567.89ab", True, id="in pairs with dots"),
        pytest.param("0123456789ab", True, id="with nothing between"),
        pytest.param("01:23:45:67:89:ab:cd:ef", True, id="eight bytes"),
        pytest.param(":".join(["00"] * 20), True, id="twenty bytes"),
        pytest.param(".".join(["0000"] * 10), True, id="twenty bytes in pairs"),
        pytest.param("00" * 20, True, id="twenty bytes with nothing between"),
        pytest.param("01:23:45:67:89", False, id="five bytes"),
        pytest.param("01:23:45:67:89:ab:cd", False, id="seven bytes"),
        pytest.param("01-23:45:67:89:ab", False, id="two separators"),
        pytest.param("0123-4567-89ab", False, id="pairs with dashes"),
        pytest.param("1:2:3:4:5:6", False, id="one digit for a byte"),
        pytest.param("01:23:45:67:89:ag", False, id="no hexadecimal digit"),
        pytest.param("", False, id="nothing"),
    ],
)
def test_a_mac_address_has_6_8_or_20_bytes(text: str, *, accepted: bool) -> None:
    assert addresses.is_mac(text) is accepted
