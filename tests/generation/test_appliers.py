"""Cases in which two managers apply values at each declared list or map type."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from synthesis import versions
from synthesis.versions import fields

from pytest_crd.cases import caserunner, loader
from pytest_crd.cases.objectsources import resolve
from pytest_crd.cases.subject import CaseSubject
from pytest_crd.generation import generate

TEXT = {"type": "string"}
LIST, KEYS, MAP = "x-kubernetes-list-type", "x-kubernetes-list-map-keys", "x-kubernetes-map-type"
BY_NAME = {LIST: "map", KEYS: ["name"]}
RULES = "x-kubernetes-validations"


def items(schema: Any, **more: Any) -> dict[str, Any]:
    return {"type": "array", "items": schema, **more}


def generate_cases(spec: dict[str, Any], **more: Any) -> dict[str, dict[str, Any]]:
    """Return the generated cases about two managers, by their places."""
    version = versions.create_version(spec, required=False, **more)
    (case_file,) = loader.load(generate([version]).text, source="f")
    cases = [case for case in case_file.cases if case.name.endswith(": two managers apply")]
    for case in cases:
        assert caserunner.run(resolve(case, Path()), CaseSubject(version)).holds, case.name
    return {case.name.partition(":")[0]: dict(case.declared) for case in cases}


def second(case: dict[str, Any]) -> Any:
    return case["steps"][1]["input"]


@pytest.mark.parametrize(
    ("schema", "sent", "expectation"),
    [
        pytest.param(
            items(TEXT, **{LIST: "set"}),
            {"spec": {"a": ["b"]}},
            {"contains": {"spec": {"a": ["a", "b"]}}, "managers": {"operator": ['spec.a[="b"]']}},
            id="a set",
        ),
        pytest.param(
            items({**fields(name=TEXT, port={"type": "integer", "default": 80}), "required": ["name"]}, **BY_NAME),
            {"spec": {"a": [{"name": "b"}]}},
            {
                "contains": {"spec": {"a": [{"name": "a", "port": 80}, {"name": "b", "port": 80}]}},
                "managers": {"operator": ['spec.a[name="b"]']},
            },
            id="a map of items",
        ),
        pytest.param(
            items(TEXT, **{LIST: "atomic"}),
            {"spec": {"a": []}},
            {"conflicts": [{"manager": "gitops", "field": "spec.a"}]},
            id="an atomic list",
        ),
        pytest.param(
            {"type": "object", "additionalProperties": TEXT, "minProperties": 1, MAP: "atomic"},
            {"spec": {"a": {}}},
            {"conflicts": [{"manager": "gitops", "field": "spec.a"}]},
            id="an atomic map",
        ),
    ],
)
def test_two_managers_share_values_as_the_type_allows(schema: Any, sent: Any, expectation: Any) -> None:
    case = generate_cases(fields(a=schema))["spec.a"]

    assert second(case) == sent
    assert {key: value for key, value in case.items() if key not in {"name", "steps"}} == expectation


def test_values_inside_an_item_are_applied_with_the_keys_of_the_item() -> None:
    inner = items(TEXT, **{LIST: "set"})
    spec = fields(a=items({**fields(name=TEXT, tags=inner), "required": ["name"]}, **BY_NAME))

    case = generate_cases(spec)["spec.a.*.tags"]

    assert second(case) == {"spec": {"a": [{"name": "a", "tags": ["b"]}]}}
    assert case["managers"] == {"operator": ['spec.a[name="a"]']}


def test_values_inside_an_atomic_parent_have_no_case() -> None:
    inner = items(TEXT, **{LIST: "set"})
    spec = fields(
        a=items(fields(tags=inner)), b={**fields(tags=inner), "required": ["tags"], MAP: "atomic"}, c=items(TEXT)
    )

    assert [*generate_cases(spec)] == ["spec.b"]


def test_the_status_is_applied_through_its_subresource() -> None:
    status = fields(conditions=items({**fields(type=TEXT), "required": ["type"]}, **{LIST: "map", KEYS: ["type"]}))

    version = {"root": {"properties": {"status": status}}, "subresources": {"status": {}}}
    case = generate_cases(fields(a=TEXT), **version)["status.conditions"]

    assert second(case) == {"status": {"conditions": [{"type": "b"}]}}
    assert case["managers"] == {"operator": ['status.conditions[type="b"]']}


def test_if_two_items_are_invalid_the_servers_error_is_expected() -> None:
    (error,) = generate_cases(fields(a=items(TEXT, **{LIST: "set"}, maxItems=1)))["spec.a"]["errors"]
    assert error["field"] == "spec.a"
    spec = {**fields(a=items(TEXT, **{LIST: "set"})), RULES: [{"rule": "!has(self.a) || self.a.size() < 2"}]}
    (error,) = generate_cases(spec)["spec.a"]["errors"]
    assert error["field"] == "spec"


def test_a_set_whose_items_are_all_alike_has_no_case() -> None:
    assert generate_cases(fields(a=items({**TEXT, "enum": ["x"]}, **{LIST: "set"}))) == {}


def test_lists_that_are_always_absent_or_empty_have_no_case() -> None:
    spec = {**fields(a=items(TEXT, **{LIST: "atomic"})), RULES: [{"rule": "!has(self.a)"}]}
    assert generate_cases(spec) == {}
    empty = fields(a=items(TEXT, **{LIST: "atomic"}, maxItems=0))
    assert generate_cases(empty) == {}
