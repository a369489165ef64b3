"""Objects reduced to the parts that an effect needs."""

from __future__ import annotations

from typing import Any

from pytest_crd.synthesis import shrinking

HEAD = {"apiVersion": "a/v1", "kind": "A", "metadata": {"name": "a"}}


def test_unneeded_fields_are_removed_and_apiversion_kind_and_metadata_stay() -> None:
    resource = {**HEAD, "spec": {"a": 1, "b": {"c": [1, 2, 3], "d": {"e": 1}}}, "status": {"x": "y"}}

    small = shrinking.shrink(resource, lambda candidate: 2 in candidate.get("spec", {}).get("b", {}).get("c", []))

    assert small == {**HEAD, "spec": {"b": {"c": [2]}}}
    assert resource["spec"] == {"a": 1, "b": {"c": [1, 2, 3], "d": {"e": 1}}}


def test_unneeded_fields_of_remaining_items_are_removed() -> None:
    resource = {**HEAD, "items": [{"a": 1, "b": 2}] * 5}

    small = shrinking.shrink(resource, lambda candidate: sum("a" in item for item in candidate.get("items", [])) >= 2)

    assert small == {**HEAD, "items": [{"a": 1}, {"a": 1}]}


def test_no_more_is_tried_than_the_budget_allows() -> None:
    tried: list[Any] = []

    def holds(candidate: Any) -> bool:
        tried.append(candidate)
        return bool(len(candidate.get("items", ())) >= 900)

    small = shrinking.shrink({**HEAD, "items": [{"a": "b" * 500}] * 1000}, holds, budget=40_000)

    assert len(small["items"]) == 1000
    assert len(tried) < 20
