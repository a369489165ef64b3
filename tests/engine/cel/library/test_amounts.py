"""Limits of quantities."""

from __future__ import annotations

import pytest
from support.expressions import evaluate

from pytest_crd.engine.cel.errors import UnsupportedExpressionError


def test_quantities_with_too_many_digits_are_not_supported() -> None:
    with pytest.raises(UnsupportedExpressionError, match="quantities with 99999"):
        evaluate("quantity('1e99999').isGreaterThan(quantity('1'))", {})
