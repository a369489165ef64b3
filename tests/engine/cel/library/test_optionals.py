"""Zero values of types."""

from __future__ import annotations

import pytest

from pytest_crd.engine.cel.library import optionals
from pytest_crd.engine.cel.library.ip import parse
from pytest_crd.engine.cel.values import celvalues
from pytest_crd.engine.cel.values.celvalues import NONE, Duration, Timestamp, TypeValue, UInt, Value


@pytest.mark.parametrize(
    "value", [None, False, 0, 0.0, UInt(0), "", b"", [], {}, Duration(0), Timestamp(-62135596800)], ids=repr
)
def test_zero_values_are_recognized(value: Value) -> None:
    assert optionals.is_zero(value)


@pytest.mark.parametrize(
    "value",
    [True, 1, UInt(1), "a", [0], Duration(1), Timestamp(0), TypeValue("int"), NONE, parse("::")],
    ids=celvalues.type_name,
)
def test_other_values_are_not_zero(value: Value) -> None:
    assert not optionals.is_zero(value)
