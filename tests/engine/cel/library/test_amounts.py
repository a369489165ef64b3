"""Limits of quantities."""

from __future__ import annotations

import pytest
from support.expressions import evaluate

from pytest_crd.engine.cel.errors import UnsupportedExpressionError
from pytest_crd.engine.cel.library import amounts


def test_quantities_with_too_many_digits_are_not_supported() -> None:
    with pytest.raises(UnsupportedExpressionError, match="quantities with 99999"):
        evaluate("quantity('1e99999').isGreaterThan(quantity('1'))", {})


@pytest.mark.parametrize(("text", "rounded"), [("2000m", "2"), ("2001m", "3"), ("-1m", "-1"), ("5", "5")])
def test_amounts_are_rounded_away_from_zero(text: str, rounded: str) -> None:
    assert str(amounts.rounded_up(amounts.parse(text), 0)) == rounded


def test_a_text_without_a_digit_is_no_quantity() -> None:
    with pytest.raises(amounts.QuantityError, match="unable to parse numeric part of quantity"):
        amounts.parse("-.Pi")
