"""JSON Patch follows RFC 6902, and an impossible operation has a reason."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from pytest_crd.cases import jsonpatch

VALUE = {"a": {"b": [1, 2, 3], "c/d": 1, "e~f": 2}, "g": None}


def _apply(*operations: dict[str, Any]) -> Any:
    return jsonpatch.apply(VALUE, operations)


@pytest.mark.parametrize(
    ("operation", "place", "value"),
    [
        pytest.param({"op": "add", "path": "/a/x", "value": 1}, ("a", "x"), 1, id="add a field"),
        pytest.param({"op": "add", "path": "/g", "value": {"h": 1}}, ("g",), {"h": 1}, id="add over a field"),
        pytest.param({"op": "add", "path": "/a/b/1", "value": 9}, ("a", "b"), [1, 9, 2, 3], id="insert an item"),
        pytest.param({"op": "add", "path": "/a/b/3", "value": 9}, ("a", "b"), [1, 2, 3, 9], id="add behind the last"),
        pytest.param({"op": "add", "path": "/a/b/-", "value": 9}, ("a", "b"), [1, 2, 3, 9], id="append an item"),
        pytest.param({"op": "add", "path": "", "value": [1]}, (), [1], id="add the whole value"),
        pytest.param({"op": "add", "path": "/a/", "value": 1}, ("a", ""), 1, id="add a field without a name"),
        pytest.param({"op": "remove", "path": "/a/b/0"}, ("a", "b"), [2, 3], id="remove an item"),
        pytest.param({"op": "remove", "path": "/a/c~1d"}, ("a",), {"b": [1, 2, 3], "e~f": 2}, id="remove a field"),
        pytest.param({"op": "add", "path": "/g", "value": "ab", "times": 3}, ("g",), "ababab", id="repeat a text"),
        pytest.param(
            {"op": "replace", "path": "/g", "value": [1, {}], "times": 2}, ("g",), [1, {}, 1, {}], id="repeat items"
        ),
        pytest.param({"op": "replace", "path": "/a/e~0f", "value": 3}, ("a", "e~f"), 3, id="replace a field"),
        pytest.param({"op": "replace", "path": "/g", "value": 3}, ("g",), 3, id="replace a null"),
        pytest.param({"op": "replace", "path": "", "value": 3}, (), 3, id="replace the whole value"),
        pytest.param({"op": "move", "from": "/a/b/0", "path": "/a/b/2"}, ("a", "b"), [2, 3, 1], id="move an item"),
        pytest.param({"op": "move", "from": "/a", "path": "/a"}, (), VALUE, id="move to where it is"),
        pytest.param({"op": "copy", "from": "/a/b", "path": "/g"}, ("g",), [1, 2, 3], id="copy a list"),
        pytest.param({"op": "copy", "from": "/a/b", "path": "/a/b/0"}, ("a", "b", 0), [1, 2, 3], id="copy into itself"),
        pytest.param({"op": "test", "path": "/a/b", "value": [1, 2, 3]}, (), VALUE, id="a test that passes"),
    ],
)
def test_an_operation_is_done(operation: dict[str, Any], place: tuple[str | int, ...], value: Any) -> None:
    before = copy.deepcopy(VALUE)

    actual = _apply(operation)

    for step in place:
        actual = actual[step]
    assert actual == value
    assert before == VALUE


@pytest.mark.parametrize(
    ("operation", "words"),
    [
        ({"op": "add", "path": "/x/y", "value": 1}, "add '/x/y': there is no '/x'"),
        ({"op": "add", "path": "/a/x/y", "value": 1}, "add '/a/x/y': there is no '/a/x'; there are b, c/d, e~f"),
        ({"op": "add", "path": "/a/b/5", "value": 1}, "add '/a/b/5': the list has only 3 items"),
        ({"op": "add", "path": "/a/b/-/x", "value": 1}, "add '/a/b/-/x': there is no '/a/b/-'"),
        ({"op": "add", "path": "/a/b/01", "value": 1}, "add '/a/b/01': '01' is no index of a list"),
        ({"op": "add", "path": "/g/x", "value": 1}, "add '/g/x': '/g' is neither an object nor a list"),
        ({"op": "add", "path": "/a~2", "value": 1}, "add '/a~2': '~2' is no escape; ~ is written ~0, / is ~1"),
        ({"op": "remove", "path": "/a/b/3"}, "remove '/a/b/3': nothing is there"),
        ({"op": "remove", "path": "/a/b/-"}, "remove '/a/b/-': nothing is there"),
        ({"op": "remove", "path": "/a/x"}, "remove '/a/x': nothing is there; there are b, c/d, e~f"),
        ({"op": "remove", "path": ""}, "remove '': the whole value cannot be removed"),
        ({"op": "replace", "path": "/a/x", "value": 1}, "replace '/a/x': nothing is there; there are b, c/d, e~f"),
        (
            {"op": "add", "path": "/g", "value": 1, "times": 2},
            "add '/g': 'times' is for a text or a list, not for integer",
        ),
        (
            {"op": "add", "path": "/g", "value": "ab", "times": 2_000_000},
            "add '/g': 4,000,000 characters are too many",
        ),
        (
            {"op": "replace", "path": "/g", "value": [1], "times": 10**9},
            "replace '/g': 1,000,000,000 items are too many",
        ),
        ({"op": "move", "from": "/a", "path": "/a/b"}, "move '/a/b': '/a' cannot be moved into itself"),
        ({"op": "copy", "from": "/x", "path": "/y"}, "copy '/y': nothing is there; there are a, g"),
        ({"op": "test", "path": "/a/b/0", "value": True}, "test '/a/b/0': the value there is another"),
    ],
)
def test_an_impossible_operation_has_a_reason(operation: dict[str, Any], words: str) -> None:
    with pytest.raises(jsonpatch.PatchError) as caught:
        _apply({"op": "test", "path": "/g", "value": None}, operation)

    assert str(caught.value).startswith(words)
    assert caught.value.index == 1


def test_items_that_are_repeated_share_nothing() -> None:
    actual = _apply(
        {"op": "add", "path": "/g", "value": [{"x": 1}], "times": 2}, {"op": "replace", "path": "/g/0/x", "value": 2}
    )

    assert actual["g"] == [{"x": 2}, {"x": 1}]


def test_operations_share_nothing_with_their_values() -> None:
    shared = {"x": 1}

    actual = _apply(
        {"op": "add", "path": "/g", "value": shared},
        {"op": "copy", "from": "/g", "path": "/h"},
        {"op": "replace", "path": "/g/x", "value": 2},
    )

    assert (shared, actual["g"], actual["h"]) == ({"x": 1}, {"x": 2}, {"x": 1})
