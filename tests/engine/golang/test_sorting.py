"""Go's sort. The conformance tests of lists in tests/conformance/cel record the order of equal items."""

from __future__ import annotations

import operator
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_crd.engine.golang import sorting


@given(st.lists(st.integers(0, 40), max_size=200))
def test_items_are_sorted(numbers: list[int]) -> None:
    assert sorting.sort(numbers, operator.lt) == sorted(numbers)


@pytest.mark.parametrize("length", [13, 49, 50, 200, 1_000])
def test_items_are_sorted_whatever_their_initial_order(length: int) -> None:
    generator = random.Random(length)  # noqa: S311 - reproducible
    ascending = list(range(length))
    nearly = ascending[:]
    for at in (length // 3, length // 2):
        nearly[at], nearly[at - 2] = nearly[at - 2], nearly[at]
    turned = [1, 0, *ascending[2:-2], length - 1, length - 2]
    patterns = (
        turned,
        ascending,
        ascending[::-1],
        nearly,
        [0] * length,
        [at % 7 for at in ascending],
        generator.sample(ascending, length),
    )

    for pattern in patterns:
        assert sorting.sort(pattern, operator.lt) == sorted(pattern)


@pytest.mark.parametrize("length", [13, 14, 100])
def test_heapsort_sorts_only_its_part(length: int) -> None:
    generator = random.Random(length)  # noqa: S311 - reproducible
    numbers = [generator.randrange(length) for _ in range(length)]
    rest = sorting._Sorting([-1, *numbers, length], operator.lt)
    rest.sort(1, length + 1, 0)

    assert rest.items == [-1, *sorted(numbers), length]


def test_heapsort_orders_equal_items_as_go_does() -> None:
    """The expected order was printed by Go's own function."""
    rest = sorting._Sorting([index * 7 % 4 * 100 + index for index in range(20)], lambda a, b: a // 100 < b // 100)
    rest.sort(0, 20, 0)

    least = [8, 12, 0, 4, 16, 111, 119, 103, 115, 107]
    assert rest.items == [*least, 206, 202, 210, 214, 218, 313, 305, 309, 317, 301]
