"""What is counted of values for the cost of a call."""

from __future__ import annotations

from pytest_crd.engine.cel.errors import EvaluationError
from pytest_crd.engine.cel.library import costing
from pytest_crd.engine.cel.values.celvalues import Optional


def test_an_optional_that_cannot_be_read_costs_as_much_as_what_has_no_size() -> None:
    unreadable = Optional.unreadable(EvaluationError("no"))

    assert costing.counted_inside(unreadable) == 1
    assert costing.counted_inside(Optional("abc")) == 3
