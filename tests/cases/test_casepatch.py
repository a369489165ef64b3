"""Patches of case files are the server's, but operations and nulls of missing fields are mistakes with a place."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from pytest_crd.cases import casepatch

VALUE = {"a": {"b": [1, 2, 3], "c/d": 1, "e~f": 2}, "g": None}


@pytest.mark.parametrize(
    ("operation", "place", "value"),
    [
        pytest.param({"op": "add", "path": "/a/x", "value": 1}, ("a", "x"), 1, id="add a field"),
        pytest.param({"op": "add", "path": "/a/b/1", "value": 9}, ("a", "b"), [1, 9, 2, 3], id="insert an item"),
        pytest.param({"op": "add", "path": "/a/b/-", "value": 9}, ("a", "b"), [1, 2, 3, 9], id="append an item"),
        pytest.param({"op": "remove", "path": "/a/c~1d"}, ("a",), {"b": [1, 2, 3], "e~f": 2}, id="remove a field"),
        pytest.param({"op": "add", "path": "/g", "value": "ab", "times": 3}, ("g",), "ababab", id="repeat a text"),
        pytest.param(
            {"op": "replace", "path": "/g", "value": [1, {}], "times": 2}, ("g",), [1, {}, 1, {}], id="repeat items"
        ),
        pytest.param({"op": "replace", "path": "/a/e~0f", "value": 3}, ("a", "e~f"), 3, id="replace a field"),
        pytest.param({"op": "replace", "path": "/g", "value": 3}, ("g",), 3, id="replace a null"),
        pytest.param({"op": "replace", "path": "", "value": {"h": 3}}, (), {"h": 3}, id="replace the whole object"),
        pytest.param({"op": "move", "from": "/a/b/0", "path": "/a/b/2"}, ("a", "b"), [2, 3, 1], id="move an item"),
        pytest.param({"op": "copy", "from": "/a/b", "path": "/g"}, ("g",), [1, 2, 3], id="copy a list"),
        pytest.param({"op": "test", "path": "/a/b", "value": [1, 2, 3]}, (), VALUE, id="a test that passes"),
    ],
)
def test_an_operation_is_applied(operation: dict[str, Any], place: tuple[str | int, ...], value: Any) -> None:
    before = copy.deepcopy(VALUE)

    actual = casepatch.apply(VALUE, (operation,))

    for step in place:
        actual = actual[step]
    assert actual == value
    assert before == VALUE


@pytest.mark.parametrize(
    ("operation", "message"),
    [
        (
            {"op": "add", "path": "/x/y", "value": 1},
            "add '/x/y': add operation does not apply: doc is missing path: \"/x/y\": missing value",
        ),
        (
            {"op": "add", "path": "/a/b/5", "value": 1},
            "add '/a/b/5': error in add for path: '/a/b/5': Unable to access invalid index: 5: invalid index referenced",
        ),
        (
            {"op": "remove", "path": "/a/x"},
            "remove '/a/x': error in remove for path: '/a/x': Unable to remove nonexistent key: x: missing value",
        ),
        (
            {"op": "remove", "path": ""},
            "remove '': remove operation does not apply: doc is missing path: \"\": missing value",
        ),
        ({"op": "replace", "path": "/a/x", "value": 1}, "replace '/a/x': nothing is at /a/x"),
        ({"op": "copy", "from": "/x", "path": "/y"}, "copy '/y': nothing is at /x"),
        ({"op": "copy", "from": "/x/z", "path": "/y"}, "copy '/y': nothing is at /x/z"),
        ({"op": "test", "path": "/a/x", "value": None}, "test '/a/x': nothing is at /a/x"),
        ({"op": "test", "path": "/a/b/0", "value": True}, "test '/a/b/0': testing value /a/b/0 failed: test failed"),
        (
            {"op": "add", "path": "/g", "value": 1, "times": 2},
            "add '/g': 'times' is for a text or a list, not for integer",
        ),
        ({"op": "add", "path": "/g", "value": "ab", "times": 2_000_000}, "add '/g': 4,000,000 characters are too many"),
        (
            {"op": "replace", "path": "/g", "value": [1], "times": 10**9},
            "replace '/g': 1,000,000,000 items are too many",
        ),
    ],
)
def test_a_failing_operation_has_an_index_and_a_reason(operation: dict[str, Any], message: str) -> None:
    with pytest.raises(casepatch.PatchError) as caught:
        casepatch.apply(VALUE, [{"op": "add", "path": "/h", "value": 1}, operation])

    assert (str(caught.value), caught.value.place) == (message, (1,))


def test_a_list_and_a_text_may_have_three_million_parts() -> None:
    assert (
        len(casepatch.repeat_value({"op": "add", "path": "/g", "value": "ab", "times": 1_500_000})["value"])
        == 3_000_000
    )


def test_repeated_items_and_values_are_changed_one_by_one() -> None:
    shared = {"x": 1}
    operations = [
        {"op": "add", "path": "/g", "value": [shared], "times": 2},
        {"op": "copy", "from": "/g/0", "path": "/h"},
        {"op": "replace", "path": "/g/0/x", "value": 2},
    ]

    actual = casepatch.apply(VALUE, operations)

    assert (shared, actual["g"], actual["h"]) == ({"x": 1}, [{"x": 2}, {"x": 1}], {"x": 1})


def test_a_merge_patch_is_applied() -> None:
    patched = casepatch.apply(VALUE, {"a": {"b": [1, None], "c/d": None}, "g": None, "i": {"j": 1}})

    assert patched == {"a": {"b": [1, None], "e~f": 2}, "i": {"j": 1}}


@pytest.mark.parametrize(
    ("patch", "place", "written"),
    [
        pytest.param({"x": None}, ("x",), "x", id="a missing field"),
        pytest.param({"a": {"e~f": None, "x": None}}, ("a", "x"), "a.x", id="a missing field of an object"),
        pytest.param({"x": {"y": None}}, ("x", "y"), "x.y", id="a missing object"),
        pytest.param({"a": {"b": {"y": None}}}, ("a", "b", "y"), "a.b.y", id="a list in the place of the object"),
        pytest.param(
            {"a": {"b": [0, {"y": None}]}},
            ("a", "b", 1, "y"),
            "a.b[1].y",
            id="an object in a list, whose null is dropped",
        ),
    ],
)
def test_a_null_that_removes_nothing_has_a_place(patch: Any, place: tuple[str | int, ...], written: str) -> None:
    with pytest.raises(casepatch.PatchError) as caught:
        casepatch.apply(VALUE, patch)

    message = f"the null at {written} removes nothing; to send a null, write operations (`op: add`)"
    assert (str(caught.value), caught.value.place) == (message, place)


@pytest.mark.parametrize(
    ("patch", "patched"),
    [
        pytest.param({"x": None}, VALUE, id="a null of a missing field"),
        pytest.param([{"op": "replace", "path": "/x", "value": 1}], {**VALUE, "x": 1}, id="a missing field"),
        pytest.param([{"op": "remove", "path": "/x"}], {}, id="a failing operation"),
    ],
)
def test_a_preview_is_the_servers(patch: Any, patched: Any) -> None:
    assert casepatch.preview(VALUE, patch) == patched
