"""Two objects are equal by JSON type, and of two that are not, only the differences remain."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.cases import comparison
from pytest_crd.cases.comparison import Item, Order, Remainder
from pytest_crd.engine.schema import structural
from pytest_crd.engine.schema.structural import Structural

ITEM = {"type": "object", "properties": {"name": {"type": "string"}, "n": {"type": "integer"}}}
LIST_MAP = {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"], "items": ITEM}
SCHEMA = structural.from_schema(
    {
        "type": "object",
        "properties": {"items": LIST_MAP, "plain": {"type": "array", "items": ITEM}},
        "additionalProperties": LIST_MAP,
    }
)
A, B, C = {"name": "a"}, {"name": "b"}, {"name": "c"}


def _compare(
    expected: Any, actual: Any, *, schema: Structural | None = SCHEMA, subset: bool = False
) -> Remainder | None:
    return comparison.compare(expected, actual, schema, subset=subset)


@pytest.mark.parametrize(
    ("expected", "actual", "remains"),
    [
        pytest.param({"a": 1}, {"a": 1}, None, id="equal objects leave nothing"),
        pytest.param({"a": 1, "b": 2}, {"b": 2, "a": 1}, None, id="the order of keys is nothing"),
        pytest.param({"a": 1}, {"a": "1"}, ({"a": 1}, {"a": "1"}), id="types count"),
        pytest.param({"a": True}, {"a": 1}, ({"a": True}, {"a": 1}), id="a boolean is no number"),
        pytest.param({"a": 1}, {}, ({"a": 1}, {}), id="what is missing stands on one side"),
        pytest.param({}, {"a": None}, ({}, {"a": None}), id="a null is something"),
        pytest.param({"a": {}}, {"a": []}, ({"a": {}}, {"a": []}), id="an object is no list"),
        pytest.param(
            {"a": {"b": 1, "c": 2}}, {"a": {"b": 1, "c": 3}}, ({"a": {"c": 2}}, {"a": {"c": 3}}), id="equal keys go"
        ),
        pytest.param({"plain": [1, 2]}, {"plain": [1, 2]}, None, id="equal lists leave nothing"),
        pytest.param(
            {"plain": [1, 3]},
            {"plain": [1, 2, 3]},
            ({"plain": {Item(1, 1): 3}}, {"plain": {Item(1, 1): 2, Item(None, 2): 3}}),
            id="items without list-map keys are compared by position",
        ),
        pytest.param(
            {"plain": [1, 2, 3]},
            {"plain": [1, 3]},
            ({"plain": {Item(1, 1): 2, Item(2, None): 3}}, {"plain": {Item(1, 1): 3}}),
            id="also behind a missing item",
        ),
        pytest.param(
            {"plain": [1, 2]},
            {"plain": [1, 3]},
            ({"plain": {Item(1, 1): 2}}, {"plain": {Item(1, 1): 3}}),
            id="a changed item is a pair",
        ),
        pytest.param(
            {"items": [A, C]},
            {"items": [A, B, C]},
            ({"items": {}}, {"items": {Item(None, 1, 'name="b"'): B}}),
            id="items of a list map belong together by key",
        ),
        pytest.param(
            {"items": [A, B]},
            {"items": [B, A]},
            ({"items": {Order(): 'name="a", name="b"'}}, {"items": {Order(): 'name="b", name="a"'}}),
            id="the order of a list map counts",
        ),
        pytest.param(
            {"items": [A, C, {"name": "d"}]},
            {"items": [C | {"n": 1}, B, A]},
            (
                {
                    "items": {
                        Order(): 'name="a", name="c"',
                        Item(1, 0, 'name="c"'): {},
                        Item(2, None, 'name="d"'): {"name": "d"},
                    }
                },
                {
                    "items": {
                        Order(): 'name="c", name="a"',
                        Item(1, 0, 'name="c"'): {"n": 1},
                        Item(None, 1, 'name="b"'): B,
                    }
                },
            ),
            id="keys pair items in any order, with others between them",
        ),
        pytest.param(
            {"items": [A, A]},
            {"items": [A]},
            ({"items": {Item(1, None): A}}, {"items": {}}),
            id="keys that are not unique are no keys",
        ),
        pytest.param(
            {"items": [{"n": 1}]},
            {"items": [A]},
            ({"items": {Item(0, 0): {"n": 1}}}, {"items": {Item(0, 0): A}}),
            id="items without their key are matched by place",
        ),
        pytest.param(
            {"other": [A]},
            {"other": [A, B]},
            ({"other": {}}, {"other": {Item(None, 1, 'name="b"'): B}}),
            id="the schema of additional properties counts",
        ),
    ],
)
def test_only_differences_remain(expected: Any, actual: Any, remains: tuple[Any, Any] | None) -> None:
    results = _compare(expected, actual)

    assert results == (None if remains is None else Remainder(*remains))


@pytest.mark.parametrize(
    ("expected", "actual", "holds"),
    [
        pytest.param({}, {"a": 1}, True, id="more keys are fine"),
        pytest.param({"a": 1}, {}, False, id="a missing key is not"),
        pytest.param({"items": [B]}, {"items": [A, B, C]}, True, id="a list map may have more items"),
        pytest.param({"items": [B, A]}, {"items": [A, B, C]}, False, id="in their order"),
        pytest.param({"items": []}, {"items": []}, True, id="an empty list map is empty"),
        pytest.param({"items": []}, {"items": [A]}, False, id="an empty list map has no items"),
        pytest.param({"items": [{"name": "z"}]}, {"items": [A]}, False, id="a list map must have the items stated"),
        pytest.param(
            {"plain": [{"n": 1}]}, {"plain": [{"n": 1, "name": "a"}]}, True, id="items of a list may have more keys"
        ),
        pytest.param({"plain": [1]}, {"plain": [1, 2]}, False, id="another list may not have more items"),
        pytest.param({"plain": [1, 2]}, {"plain": [1]}, False, id="nor fewer"),
    ],
)
def test_a_subset_may_be_less(expected: Any, actual: Any, holds: object) -> None:
    assert (_compare(expected, actual, subset=True) is None) == holds


def test_without_a_schema_objects_are_compared_all_the_same() -> None:
    actual = _compare({"a": {"b": [1]}}, {"a": {"b": [2]}}, schema=None)

    assert actual == Remainder({"a": {"b": {Item(0, 0): 1}}}, {"a": {"b": {Item(0, 0): 2}}})


def test_a_path_has_the_index_of_the_actual_item() -> None:
    assert comparison.spell(["spec", "items", Item(0, 2), "name"]) == "spec.items[2].name"
    assert comparison.spell(["spec", "items", Item(1, None)]) == "spec.items[1]"


@pytest.mark.parametrize(
    ("spelling", "values"),
    [
        pytest.param("spec.a", [{"b": 1}], id="an object"),
        pytest.param("spec.a.b", [1, 2], id="a key with a dot is spelled like a path"),
        pytest.param("spec.items[1]", ["y"], id="an item"),
        pytest.param("spec.c", [], id="nothing"),
        pytest.param("", [], id="the whole is no path"),
    ],
)
def test_values_are_found_by_how_their_path_is_spelled(spelling: str, values: list[Any]) -> None:
    value = {"spec": {"a": {"b": 1}, "a.b": 2, "items": ["x", "y"]}}

    assert list(comparison.find_values(value, spelling)) == values


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ([f"a{index % 2}" for index in range(20_000)], [f"a{index % 3}" for index in range(20_000)]),
        ([str(index) for index in range(3_000)], [str(index) for index in range(1, 3_001)]),
    ],
)
def test_a_long_list_is_compared_by_position(expected: list[str], actual: list[str]) -> None:
    remainder = comparison.compare(expected, actual, None)

    assert remainder is not None
    differing = [index for index, entry in enumerate(expected) if actual[index] != entry]
    assert [item.index for item in remainder.expected] == differing
    assert [item.index for item in remainder.actual] == differing


@pytest.mark.parametrize("items", ["items", "plain"])
def test_expected_and_contains_pair_items_alike(items: str) -> None:
    expected, actual = [A | {"n": 1}, C], [A, C | {"n": 2}]

    for subset in (False, True):
        remainder = _compare({items: expected}, {items: actual}, subset=subset)
        assert remainder is not None
        assert [(item.expected, item.actual) for item in remainder.expected[items]] == [(0, 0), (1, 1)][
            : 1 if subset else 2
        ]


def test_the_compared_part_of_a_list_map_is_in_its_own_order() -> None:
    assert comparison.select_compared({"items": [C, A]}, {"items": [A, B, C]}, SCHEMA) == {"items": [A, C]}
    assert comparison.select_compared({"items": []}, {"items": [A]}, SCHEMA) == {"items": [A]}


def test_stated_paths_are_those_of_items_on_both_sides() -> None:
    stated = comparison.find_stated({"items": [B, C]}, {"items": [A, B]}, SCHEMA)

    assert [*stated] == [(), ("items",), ("items", 1), ("items", 1, "name")]
