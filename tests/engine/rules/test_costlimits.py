"""Limits that a schema lacks, so that an expression is above its budget."""

from __future__ import annotations

from typing import Any

from pytest_crd.engine import profile
from pytest_crd.engine.rules import costlimits, trial
from pytest_crd.engine.rules.costlimits import Remedy
from pytest_crd.engine.schema.schemamap import SchemaNode

KUBERNETES = profile.named(profile.DEFAULT)
BUDGET = 10_000_000


def _remedy(properties: dict[str, Any], text: str) -> Remedy:
    spec = {"type": "object", "properties": properties}
    node = SchemaNode({"type": "object", "properties": {"spec": spec}}).properties["spec"]
    return costlimits.find_remedy(node, KUBERNETES, text, budget=BUDGET)


def _named(remedy: Remedy) -> list[tuple[str, str]]:
    return [(limit.schema.path, limit.keyword) for limit in remedy.missing]


TEXTS = {"type": "array", "items": {"type": "string"}}


def test_only_limits_that_lower_the_cost_are_missing() -> None:
    remedy = _remedy({"a": TEXTS, "b": TEXTS, "c": {"type": "string", "enum": ["x"]}}, "self.a.all(x, x == self.c)")

    assert _named(remedy) == [("spec.a", "maxItems")]
    assert remedy.limits == {"maxItems": 1_000}


def test_a_large_schema_is_searched_by_the_fields_that_the_expression_names() -> None:
    many = {f"f{index}": TEXTS for index in range(40)}

    remedy = _remedy({**many, "a": TEXTS}, "self.a.all(x, self.a.exists(y, y == x))")

    assert _named(remedy) == [("spec.a", "maxItems"), ("spec.a[*]", "maxLength")]


def test_the_proposed_limits_suffice_and_larger_ones_do_not() -> None:
    rule = "self.a.all(x, self.a.exists_one(y, y == x))"
    remedy = _remedy({"a": TEXTS}, rule)
    sizes = [remedy.limits["maxItems"], {200: 500, 500: 1_000}[remedy.limits["maxItems"]]]

    costs = []
    for size in sizes:
        limited = {**TEXTS, "maxItems": size, "items": {"type": "string", "maxLength": remedy.limits["maxLength"]}}
        node = SchemaNode({"type": "object", "properties": {"a": limited}})
        costs.append(trial.estimate(node, KUBERNETES, rule).total)
    assert costs[0] == remedy.estimate.total <= BUDGET < costs[1]
