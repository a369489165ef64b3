"""Patches that turn one object into another."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_crd.cases import casepatch
from pytest_crd.engine import jsonvalue
from pytest_crd.generation import objectpatch

SCALARS = st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from([0.5, 1.0]) | st.sampled_from(["", "a", "b"])
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["a", "b/c", "~"]), inner, max_size=3),
    max_leaves=8,
)
LONG: Any = st.sampled_from(["a" * 200, [1] * 50, [{"a": "b" * 101}], "ab" * 100, [1, True] * 50])
OBJECTS = st.dictionaries(st.sampled_from(["a", "b/c", "~"]), VALUES | LONG, max_size=3)


@given(OBJECTS, OBJECTS)
def test_a_patch_makes_one_object_of_another(base: dict[str, Any], wanted: dict[str, Any]) -> None:
    patch = objectpatch.create_patch(base, wanted)

    if patch is None:
        assert jsonvalue.equal(base, wanted)
    else:
        assert jsonvalue.equal(casepatch.apply(base, patch), wanted)


@pytest.mark.parametrize(
    ("base", "wanted", "patch"),
    [
        pytest.param({"a": 1}, {"a": 1}, None, id="alike"),
        pytest.param({"a": 1}, {"a": True}, {"a": True}, id="another type"),
        pytest.param({"a": {"b": 1, "c": 2}}, {"a": {"b": 1, "c": 3}}, {"a": {"c": 3}}, id="deep"),
        pytest.param({"a": {"b": 1}}, {"a": {}}, {"a": {"b": None}}, id="removed"),
        pytest.param({"a": [1]}, {"a": [1, None]}, {"a": [1, None]}, id="a null in a list"),
        pytest.param(
            {"a": [1]},
            {"a": [{"b": [{"c": None}]}]},
            [{"op": "replace", "path": "/a", "value": [{"b": [{"c": None}]}]}],
            id="a null of an object in a list",
        ),
        pytest.param({}, {"a": {"b": None}}, [{"op": "add", "path": "/a", "value": {"b": None}}], id="a null"),
        pytest.param({"a/b": 1}, {"a/b": None}, [{"op": "replace", "path": "/a~1b", "value": None}], id="escaped"),
        pytest.param(
            {"a": 1, "b": 1},
            {"b": None},
            [{"op": "remove", "path": "/a"}, {"op": "replace", "path": "/b", "value": None}],
            id="a null and a removal",
        ),
        pytest.param(
            {},
            {"a": "x" * 101},
            [{"op": "add", "path": "/a", "value": "x", "times": 101}],
            id="a text that repeats itself",
        ),
        pytest.param(
            {"a": {}},
            {"a": {"b/c": [{"d": [1] * 21}]}},
            [
                {"op": "add", "path": "/a/b~1c", "value": [{"d": [1]}]},
                {"op": "replace", "path": "/a/b~1c/0/d", "value": [1], "times": 21},
            ],
            id="a list that repeats itself, in something new",
        ),
        pytest.param(
            {"a": "x", "b": 1},
            {"a": "x" * 101},
            [{"op": "replace", "path": "/a", "value": "x", "times": 101}, {"op": "remove", "path": "/b"}],
            id="a text that was short, and a removal",
        ),
        pytest.param({}, {"a": "xy" * 100}, {"a": "xy" * 100}, id="a text that does not"),
    ],
)
def test_a_merge_patch_is_preferred(base: dict[str, Any], wanted: dict[str, Any], patch: Any) -> None:
    assert objectpatch.create_patch(base, wanted) == patch
