"""Sizes of values in costs."""

from __future__ import annotations

from pytest_crd.engine.cel.errors import EvaluationError
from pytest_crd.engine.cel.library import costing
from pytest_crd.engine.cel.values.celvalues import Optional


def test_unreadable_optionals_have_size_1() -> None:
    unreadable = Optional.unreadable(EvaluationError("no"))

    assert costing.counted_inside(unreadable) == 1
    assert costing.counted_inside(Optional("abc")) == 3
