"""Origins of values of a derived manifest in the original one."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.engine.crds import origins

ONE, TWO = {"rule": "1"}, {"rule": "2"}


@pytest.mark.parametrize(
    ("original", "changed", "steps", "origin"),
    [
        ({"a": [ONE, TWO]}, {"a": [ONE, TWO]}, ("a", 1), ("a", 1)),
        ({"a": [ONE, TWO]}, {"a": [TWO]}, ("a", 0), ("a", 1)),
        ({"a": [ONE]}, {"a": [TWO, ONE]}, ("a", 1, "rule"), ("a", 0, "rule")),
        ({"a": [ONE]}, {"a": [TWO, ONE]}, ("a", 0), None),
        ({"a": [ONE, ONE]}, {"a": [ONE, ONE]}, ("a", 1), ("a", 1)),
        ({"a": [ONE]}, {"a": [TWO]}, ("a", 0, "rule"), None),
        (
            {"a": [{"name": "v1", "b": ONE}, {"name": "v2", "b": TWO}]},
            {"a": [{"name": "v2", "b": TWO, "served": True}]},
            ("a", 0, "b"),
            ("a", 1, "b"),
        ),
        ({"a": [{"b": ONE, "c": 1}]}, {"a": [{"b": ONE}]}, ("a", 0, "b"), ("a", 0, "b")),
        ({"a": ONE}, {"a": ONE, "b": TWO}, ("b", "rule"), None),
        ({"a": {"b": 1}}, {"a": [ONE]}, ("a", 0), None),
        ({"a": [ONE]}, {"a": {"0": ONE}}, ("a", "0"), None),
        ({"a": None}, {}, ("a",), None),
        ({}, {}, ("a",), None),
    ],
    ids=[
        "the same place",
        "one before it was removed",
        "one was put before it",
        "a new one",
        "two of a kind",
        "another value",
        "the version of that name",
        "the same place where the item is another",
        "a new key",
        "a list that was a mapping",
        "a mapping that was a list",
        "removed",
        "never there",
    ],
)
def test_the_origin_of_a_value_is_an_equal_value(
    original: Any, changed: Any, steps: tuple[str | int, ...], origin: tuple[str | int, ...] | None
) -> None:
    assert origins.find_origin(original, changed, steps) == origin
