"""Addresses: what is seen of them."""

from __future__ import annotations

from pytest_crd.engine.cel.library.ip import parse
from pytest_crd.engine.cel.values import celvalues


def test_an_address_has_the_size_of_its_bytes() -> None:
    assert celvalues.size(parse("1.2.3.4")) == 4


def test_values_of_libraries_show_their_type_to_who_debugs() -> None:
    assert repr(parse("1.2.3.4")) == "<net.IP 1.2.3.4>"
