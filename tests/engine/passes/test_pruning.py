"""Pruning (KEP-2332): unspecified fields are dropped, and their paths reported."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from pytest_crd.engine.passes import pruning, rewriting
from pytest_crd.engine.schema import structural

PRESERVE = {"x-kubernetes-preserve-unknown-fields": True}
RESOURCE = {"type": "object", "x-kubernetes-embedded-resource": True}
AB = {"type": "object", "properties": {"a": {"type": "object", "properties": {"b": {"type": "integer"}}}}}


@pytest.mark.parametrize(
    ("schema", "value", "pruned", "paths"),
    [
        pytest.param(
            AB, {"a": {"b": 1, "x": 2}, "y": {"z": 1}}, {"a": {"b": 1}}, [("a", "x"), ("y",)], id="properties"
        ),
        pytest.param(
            AB, {"a": {"b": {"x": 1}}}, {"a": {"b": {}}}, [("a", "b", "x")], id="an object instead of a scalar"
        ),
        pytest.param(AB, {"a": 5}, {"a": 5}, [], id="a scalar instead of an object"),
        pytest.param(AB, {"a": [{"x": 1}]}, {"a": [{}]}, [("a", 0, "x")], id="a list instead of an object"),
        pytest.param(
            {"type": "array", "items": AB},
            [{"x": 1}, {"a": {}}, 3],
            [{}, {"a": {}}, 3],
            [(0, "x")],
            id="items of a list",
        ),
        pytest.param(
            {"type": "object", "additionalProperties": AB},
            {"k": {"a": {"x": 1}}, "l": 1},
            {"k": {"a": {}}, "l": 1},
            [("k", "a", "x")],
            id="values of a map",
        ),
        pytest.param(
            {"type": "object", "additionalProperties": True},
            {"k": {"x": 1}},
            {"k": {}},
            [("k", "x")],
            id="additionalProperties true keeps the key, not what is below",
        ),
        pytest.param(
            {**AB, **PRESERVE},
            {"a": {"x": 1}, "y": {"z": 1}},
            {"a": {}, "y": {"z": 1}},
            [("a", "x")],
            id="a preserved object is pruned below its properties",
        ),
        pytest.param(
            {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "array", **PRESERVE}}}},
            [{"a": [{"x": 1}], "y": 1}],
            [{"a": [{"x": 1}]}],
            [(0, "y")],
            id="a preserved list is not pruned",
        ),
        pytest.param(
            {"type": "array", "items": {"type": "object", **PRESERVE}}, [{"x": 1}], [{"x": 1}], [], id="preserved items"
        ),
        pytest.param(
            RESOURCE,
            {"apiVersion": "v1", "kind": "K", "metadata": {"x": 1}, "spec": 1},
            {"apiVersion": "v1", "kind": "K", "metadata": {"x": 1}},
            [("spec",)],
            id="the implicit fields of an embedded resource stay",
        ),
        pytest.param(
            {"type": "array", "items": RESOURCE},
            [{"kind": "K", "x": 1}],
            [{"kind": "K"}],
            [(0, "x")],
            id="and of those in a list",
        ),
    ],
)
def test_unspecified_fields_are_dropped(schema: dict[str, Any], value: Any, pruned: Any, paths: list[Any]) -> None:
    before = copy.deepcopy(value)
    result = rewriting.apply(pruning.compile(structural.from_schema(schema)), value)
    assert result.value == pruned
    assert sorted(result.paths) == sorted(paths)
    assert value == before


def test_without_a_schema_only_the_implicit_fields_of_a_resource_stay() -> None:
    resource = {"kind": "K", "spec": {"a": 1}}
    assert rewriting.apply(pruning.compile(None), resource).value == {}
    assert rewriting.apply(pruning.compile(None, resource_root=True), resource).value == {"kind": "K"}


def test_a_value_without_unknown_fields_is_returned_itself() -> None:
    value = {"a": {"b": 1}}
    assert rewriting.apply(pruning.compile(structural.from_schema(AB)), value).value is value


def test_one_compiled_pass_serves_many_values() -> None:
    prune = pruning.compile(structural.from_schema({"type": "object", "additionalProperties": AB}))
    assert prune({"k": {"x": 1}}, []) == {"k": {}}
    assert prune({"k": {"a": {"b": 1}}, "l": {"x": 1}}, []) == {"k": {"a": {"b": 1}}, "l": {}}
