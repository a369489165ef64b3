"""Values at the steps of an object."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.synthesis import objectplaces

SOURCE = {"a": 2, "b": {"c": 1}, "l": [{"x": 1}, {"x": 2}]}


@pytest.mark.parametrize(
    ("target", "steps", "expected"),
    [
        ({"a": 1}, ("a",), {"a": 2}),
        ({"a": 1, "z": 1}, ("z",), {"a": 1}),
        ({"a": 1}, ("z",), {"a": 1}),
        ({"a": 1}, ("b", "c"), {"a": 1, "b": {"c": 1}}),
        ({"b": {"c": 5, "d": 6}}, ("b", "c"), {"b": {"c": 1, "d": 6}}),
        ({"b": 5}, ("b", "c"), {"b": {"c": 1}}),
        ({"a": 1}, (), {"a": 1}),
        ({"l": [{"x": 5, "y": 6}, 7]}, ("l", 0, "x"), {"l": [{"x": 1, "y": 6}, 7]}),
        ({"l": [1, 2, 3]}, ("l", 2), {"l": [1, 2]}),
        ({"l": [1]}, ("l", 1), {"l": [1]}),
        ({"z": [1]}, ("z", 0), {}),
    ],
)
def test_a_value_is_copied_at_the_nearest_common_place(
    target: Any, steps: tuple[str | int, ...], expected: Any
) -> None:
    assert objectplaces.copy_value(SOURCE, target, steps) == expected
