"""Amounts of Kubernetes 1.38, with the answers of its own packages."""

from __future__ import annotations

import pytest

from pytest_crd.engine.cel.library import quantity
from pytest_crd.engine.cel.library.amounts import Amount, QuantityError

LONG = "1234567890123456789012345678901"


@pytest.mark.parametrize(
    ("text", "written", "number", "double"),
    [
        (LONG, "1234567890123456789012345679k", None, 1.2345678901234568e30),
        (f"-{LONG}.5", "-1234567890123456789012345679k", None, -1.2345678901234568e30),
        ("-9223372036854775808", "-9223372036854775808", -9223372036854775808, -9.223372036854776e18),
        ("-9223372036854775809", "-9223372036854775809", None, -9.223372036854776e18),
        ("1000E", "1e21", None, 1e21),
        ("-1.5e21", "-1500e18", None, -1.5e21),
        ("3.1055042841080107e56", "310550428410801070e39", None, 3.105504284108011e56),
        ("0e400", "0", 0, 0.0),
        ("1e-10", "1e-9", None, 1e-9),
        ("123456789.12345678912", "123456789123456790n", None, 1.2345678912345679e8),
        (f"{'1' * 75}Ei", "9223372036854775807", None, 9.223372036854776e18),
        (f"0.{'1' * 80}Ki", "113777777778n", None, 113.777777778),
        ("0.0001Ki", "102400u", None, 0.1024),
        ("0.0000000000Ki", "0", None, 0.0),
        ("7.9Ei", "9108079886394091110400m", None, 9.108079886394092e18),
        ("1.5e-2147483648", "150e2147483646", None, float("inf")),
        ("1.5e-2147483647", "1e-9", None, 1e-9),
        ("1e4294967297", "10", 10, 10.0),
    ],
)
def test_amounts_keep_29_digits_and_their_exponents(text: str, written: str, number: int | None, double: float) -> None:
    amount = quantity.parse_bounded(text)

    assert (str(amount), amount.as_int64(), float(amount)) == (written, number, double)


@pytest.mark.parametrize(
    ("text", "problem"),
    [("-.Pi", "unable to parse numeric part"), ("1e-2147483648", "unable to parse quantity's suffix")],
)
def test_texts_without_a_digit_and_with_the_lowest_exponent_are_no_amounts(text: str, problem: str) -> None:
    with pytest.raises(QuantityError, match=problem):
        quantity.parse_bounded(text)


@pytest.mark.parametrize(
    ("left", "right", "order"),
    [
        ("1e2147483640", "1e299", 1),
        ("-1e2147483640", "-1e299", -1),
        ("1e299", "2e2147483640", -1),
        (LONG, "12345678901234567890123456790e2", 0),
        ("1e30", "-1e30", 1),
        ("0", "0e9", 0),
    ],
)
def test_amounts_of_any_size_are_compared(left: str, right: str, order: int) -> None:
    assert quantity.parse_bounded(left).compare(quantity.parse_bounded(right)) == order


@pytest.mark.parametrize(
    ("left", "right", "total"),
    [
        ("1Gi", "1e60", "931322574615478515625000000009313225746154785156250Gi"),
        ("1e60", "-1Gi", "999999999999999999999999999990e30"),
        ("1e28", "1n", "10000000000000000000000000000100e-3"),
        ("7Ei", "14Ei", "17293822569102704639"),
        ("0.0000000000", "1Ki", "1Ki"),
        ("1Ki", "0.0000000000", "1Ki"),
        ("9223372036854775807", "1", "9223372036854775808"),
        ("1500m", "1.5", "3"),
    ],
)
def test_terms_that_are_too_fine_are_rounded_away_from_zero(left: str, right: str, total: str) -> None:
    assert str(quantity.parse_bounded(left).add(quantity.parse_bounded(right))) == total


def test_the_lowest_integer_is_subtracted_exactly() -> None:
    lowest = quantity.parse_bounded("-9223372036854775808")

    assert str(quantity.parse_bounded("0").subtract(lowest)) == "9223372036854775808"
    assert str(quantity.parse_bounded("1").subtract(lowest)) == "9223372036854775809"
    assert str(lowest.subtract(Amount(1, 0, "DecimalExponent"))) == "-9223372036854775809"


def test_a_sum_beyond_the_binary_suffixes_has_digits_alone() -> None:
    total: Amount = quantity.parse_bounded("4Ei")
    for _ in range(8):
        total = total.add(total)

    assert str(total) == "1180591620717411303424"
