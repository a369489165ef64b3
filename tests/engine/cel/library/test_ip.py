"""IP addresses as CEL values."""

from __future__ import annotations

from pytest_crd.engine.cel.library.ip import parse
from pytest_crd.engine.cel.values import celvalues


def test_the_size_of_an_address_is_its_length_in_bytes() -> None:
    assert celvalues.size(parse("1.2.3.4")) == 4


def test_the_repr_of_library_values_has_their_type() -> None:
    assert repr(parse("1.2.3.4")) == "<net.IP 1.2.3.4>"
