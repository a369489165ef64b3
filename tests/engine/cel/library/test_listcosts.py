"""Costs of list functions in older versions."""

from __future__ import annotations

import pytest

from pytest_crd.engine.cel.library import listcosts


@pytest.mark.parametrize(("depth", "cost"), [(1, 12), (0, 11), (-1, 10)])
def test_a_negative_depth_reduced_the_cost_of_flatten(depth: int, cost: int) -> None:
    assert listcosts.flattening_cost_unbounded([[[1]], depth], []) == cost
