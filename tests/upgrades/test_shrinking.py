"""Objects without what is not needed."""

from __future__ import annotations

from typing import Any

from pytest_crd.upgrades import shrinking

HEAD = {"apiVersion": "a/v1", "kind": "A", "metadata": {"name": "a"}}


def test_what_is_not_needed_goes_and_what_every_object_has_stays() -> None:
    resource = {**HEAD, "spec": {"a": 1, "b": {"c": [1, 2, 3], "d": {"e": 1}}}, "status": {"x": "y"}}

    found = shrinking.smallest(resource, lambda one: 2 in one.get("spec", {}).get("b", {}).get("c", []))

    assert found == {**HEAD, "spec": {"b": {"c": [2]}}}
    assert resource["spec"] == {"a": 1, "b": {"c": [1, 2, 3], "d": {"e": 1}}}


def test_what_is_in_the_items_that_stay_goes_too() -> None:
    resource = {**HEAD, "items": [{"a": 1, "b": 2}] * 5}

    found = shrinking.smallest(resource, lambda one: sum("a" in item for item in one.get("items", [])) >= 2)

    assert found == {**HEAD, "items": [{"a": 1}, {"a": 1}]}


def test_no_more_is_tried_than_the_budget_allows() -> None:
    tried: list[Any] = []

    def holds(one: Any) -> bool:
        tried.append(one)
        return bool(len(one.get("items", ())) >= 900)

    found = shrinking.smallest({**HEAD, "items": [{"a": "b" * 500}] * 1000}, holds, budget=40_000)

    assert len(found["items"]) == 1000
    assert len(tried) < 20
