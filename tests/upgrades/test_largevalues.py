"""Large values: rules that a server takes by its estimate may cost too much at run time."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.synthesis.demands import Demand
from pytest_crd.upgrades import largevalues
from pytest_crd.upgrades.upgradefindings import Kind
from upgrades.changes import JSON, NUMBER, OBJECT, TEXT, crd, obj
from upgrades.test_upgrades import judge, list_findings, only

RULE = "self.all(x, self.exists(y, y == x))"
SHORT: JSON = {**TEXT, "maxLength": 5}


def ruled(schema: JSON, *rules: str) -> JSON:
    return {**schema, "x-kubernetes-validations": [{"rule": rule} for rule in rules]}


def listed(items: JSON, most: int = 1000, **more: Any) -> JSON:
    return {"type": "array", "items": items, "maxItems": most, **more}


KEYED: dict[str, Any] = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["n"]}


@pytest.mark.long
@pytest.mark.parametrize(
    ("schema", "rule"),
    [
        pytest.param(listed(SHORT), RULE, id="texts"),
        pytest.param(
            listed({**SHORT, "enum": ["a", "b"]}, 600), "self.all(x, self.all(y, y == x || y != x))", id="enum"
        ),
        pytest.param(listed(NUMBER), RULE, id="numbers"),
        pytest.param(listed(SHORT, 1000, **{"x-kubernetes-list-type": "set"}), RULE, id="set"),
        pytest.param(
            listed(obj(("n",), n=SHORT, v=NUMBER), 800, **KEYED),
            "self.all(x, self.exists(y, y.n == x.n))",
            id="list map",
        ),
        pytest.param({**OBJECT, "additionalProperties": SHORT, "maxProperties": 1000}, RULE, id="map"),
        pytest.param(
            obj(a=listed(SHORT, 900), b=TEXT), "!has(self.a) || self.a.all(x, self.a.exists(y, y == x))", id="field"
        ),
    ],
)
def test_a_rule_that_costs_too_much_refuses_a_large_object(schema: JSON, rule: str) -> None:
    finding = only(judge(crd(schema), crd(ruled(schema, rule))))

    assert (finding.kind, finding.path) == (Kind.REFUSED, "spec.x")
    assert finding.words.endswith(
        f"no further validation rules will be run due to call cost exceeds limit for rule: {rule}"
    )
    assert finding.witness is not None
    assert finding.witness.note == "refused when created, and in any update of an object that is stored"


@pytest.mark.long
def test_rules_of_items_are_run_on_a_list_that_is_full() -> None:
    items = obj(a=SHORT)
    rules = [f"[{', '.join(map(str, range(1500)))}].all(x, x >= {number})" for number in (0, -1)]

    result = judge(crd(listed(ruled(items, rules[0]))), crd(listed(ruled(items, *rules))))

    assert "validation failed due to running out of cost budget" in result.findings[0].words


@pytest.mark.long
def test_an_object_that_the_old_crd_refuses_is_not_run() -> None:
    schema = ruled(listed(SHORT, 800), "self.size() < 3")

    result = judge(crd(schema), crd({**schema, **ruled({}, "self.size() < 3", RULE)}))

    assert list_findings(result) == []


@pytest.mark.long
def test_a_cheap_rule_needs_no_large_object() -> None:
    schema = listed(SHORT, 300)

    result = judge(crd(schema), crd(ruled(schema, RULE)))

    assert list_findings(result) == []
    assert result.undecided == ("spec.x x-kubernetes-validations",)


@pytest.mark.long
def test_a_rule_that_the_old_crd_needs_no_large_object_for_is_shown_by_a_small_one() -> None:
    schema = listed(SHORT)

    finding = only(judge(crd(schema), crd(ruled(schema, "self.all(x, self.all(y, x == 'a'))"))))

    assert finding.words.endswith("failed rule: self.all(x, self.all(y, x == 'a'))")


def make(schema: JSON) -> Any:
    return largevalues.find_large_values(Demand((schema,)), {"a"})[0]


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        pytest.param(obj(a=NUMBER, b=NUMBER), {"a": 0}, id="named field"),
        pytest.param(obj(("b",), a={**NUMBER, "minimum": 3}, b=NUMBER), {"a": 3, "b": 0}, id="required field"),
        pytest.param(listed(NUMBER, 3), [0, 1, 2], id="numbers"),
        pytest.param(listed({**NUMBER, "maximum": 1, "minimum": 0}, 3), [0, 1, 0], id="few numbers"),
        pytest.param(listed({"type": "boolean"}, 3), [True, False, True], id="booleans"),
        pytest.param(listed({**TEXT, "enum": ["a", "b"]}, 3), ["a", "b", "a"], id="enum"),
        pytest.param(listed({**TEXT, "maxLength": 3}, 2), ["aa0", "aa1"], id="texts"),
        pytest.param(listed({**TEXT, "maxLength": 0}, 2), ["", ""], id="empty texts"),
        pytest.param(listed({**TEXT, "pattern": "^[ab]$", "maxLength": 1}, 3), ["a", "b", "a"], id="pattern"),
        pytest.param({**TEXT, "pattern": "a^"}, "", id="pattern without texts"),
        pytest.param({"type": "array", "maxItems": 0}, [{}], id="no items"),
        pytest.param({**OBJECT, "additionalProperties": NUMBER, "maxProperties": 2}, {"key0": 0, "key1": 1}, id="map"),
    ],
)
def test_values_are_as_large_as_the_schema_allows(schema: JSON, expected: Any) -> None:
    assert make(schema) == expected


@pytest.mark.long
def test_values_without_limits_fit_in_a_request() -> None:
    assert len(make(TEXT)) == 1_000_000
    assert 5_000 < len(make(listed(TEXT, 2**40))) <= 10_000
    assert len(make({"type": "array", "items": {**TEXT, "minLength": 1000}})) == 998
