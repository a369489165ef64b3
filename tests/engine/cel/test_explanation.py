"""Explanations of failed rules: the deciding parts with their values."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.engine import profile
from pytest_crd.engine.cel import explanation
from pytest_crd.engine.cel.run.interpreter import COST_LIMIT
from pytest_crd.engine.cel.types import celtypes
from pytest_crd.engine.cel.values import workload
from pytest_crd.engine.rules import environments

ENVIRONMENT = environments.stored(profile.named("1.37")).extend({"self": celtypes.DYN})
SELF = {
    "max": 10,
    "replicas": 11,
    "on": False,
    "name": "web",
    "nested": {"a": {"b": 1}},
    "sizes": [1, 2, 3],
    "items": [{"n": 1}, {"n": -5}, {}],
    "labels": {"a": "x", "b": ""},
}

NO_QUANTITY = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"

COSTLY = "… explaining the rest would cost more than a rule may"


def _reasons(text: str, **options: Any) -> list[str]:
    checked = ENVIRONMENT.compile(text)
    return [*explanation.find_reasons(checked, ENVIRONMENT.functions, {"self": SELF}, **options).lines]


def test_an_explanation_ends_at_work_without_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    doubled = f"[self.max]{'.map(a, [a, a])' * 12}"

    assert _reasons(f"{doubled} == {doubled}")[-1] != COSTLY
    monkeypatch.setattr(workload, "MOST", 1000)
    assert _reasons(f"({doubled} == {doubled}) != self.on")[-1] == COSTLY


def test_an_optional_value_is_cut() -> None:
    lines = _reasons(f"optional.of([self.max]{'.map(a, [a, a])' * 30}) == optional.of([self.max])")

    assert max(map(len, lines)) < 2_000


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("self.replicas <= self.max", ["self.replicas = 11", "self.max = 10"]),
        ("self.replicas <= 10", ["self.replicas = 11"]),
        ("self.on", ["self.on = false"]),
        ("self['on']", ['self["on"] = false']),
        ("has(self.off)", ["has(self.off) = false"]),
        ("self.nested.a.b > 1", ["self.nested.a.b = 1"]),
        ("self.name.startsWith('x')", ['self.name = "web"']),
        ("self.name in ['a', 'b']", ['self.name = "web"']),
        ("self.sizes[self.max - 9] > 5", ["self.sizes[self.max - 9] = 2", "self.max - 9 = 1", "self.max = 10"]),
        ("size(self.sizes) > 5", ["size(self.sizes) = 3", "self.sizes = [1, 2, 3]"]),
        ("sets.contains(self.sizes, [7])", ["self.sizes = [1, 2, 3]"]),
        ("[dyn('a'), self.name] == ['b', 'c']", ['self.name = "web"']),
        ("{'a': self.max} == {'b': 1}", ["self.max = 10"]),
        ("quantity(self.name + '1').isGreaterThan(quantity('2'))", None),
        ("quantity(string(self.max)) == quantity('2')", None),
        ("duration('1h') > duration('2h')", []),
        ("false", []),
    ],
)
def test_comparisons_and_calls_are_explained_by_their_operands(text: str, parts: list[str] | None) -> None:
    expected = {
        "quantity(string(self.max)) == quantity('2')": [
            'quantity(string(self.max)) = kubernetes.Quantity("10")',
            'string(self.max) = "10"',
            "self.max = 10",
        ],
        "quantity(self.name + '1').isGreaterThan(quantity('2'))": [
            f'quantity(self.name + "1") = error: {NO_QUANTITY}',
            'self.name + "1" = "web1"',
            'self.name = "web"',
        ],
    }
    assert _reasons(text) == (expected[text] if parts is None else parts)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("self.max == 10 && self.on && self.name == 'db'", ["self.on = false"]),
        ("self.on || self.name == 'db'", ["self.on = false", 'self.name = "web"']),
        ("!(self.max == 10 && self.replicas == 11)", ["self.max = 10", "self.replicas = 11"]),
        ("!(self.on || self.max == 10 || self.replicas == 11)", ["self.max = 10"]),
        ("self.max == 10 && self.gone > 1", ["self.gone = error: no such key: gone"]),
        ("self.gone > 1 && self.on", ["self.on = false"]),
        ("self.max == 10 ? self.on : self.replicas > 1", ["self.max = 10", "self.on = false"]),
        ("self.max == 9 ? self.on : self.replicas > 90", ["self.max = 10", "self.replicas = 11"]),
        ("self.gone > 1 ? self.on : false", ["self.gone = error: no such key: gone"]),
    ],
)
def test_logical_operators_are_explained_by_their_deciding_operands(text: str, parts: list[str]) -> None:
    assert _reasons(text) == parts


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("self.items.all(x, x.n > 0)", ['x (self.items[1]) = {"n": -5}', "x.n = -5"]),
        ("self.sizes.all(x, x < 3)", ["x (self.sizes[2]) = 3"]),
        ("self.items.all(x, x.n > -9)", ["x (self.items[2]) = {}", "x.n = error: no such key: n"]),
        ("self.items.all(i, x, x.n > i)", ["i = 1", 'x (self.items[1]) = {"n": -5}', "x.n = -5"]),
        ("self.labels.all(k, k != 'b')", ['k (a key of self.labels) = "b"']),
        ("self.labels.all(k, v, v != '')", ['k = "b"', 'v (self.labels["b"]) = ""']),
        ("self.sizes.exists(x, x > 9)", ["self.sizes = [1, 2, 3]"]),
        ("self.labels.exists(k, k == 'z')", ['self.labels = {"a": "x", "b": ""}']),
        ("!self.sizes.exists(x, x > 1)", ["x (self.sizes[1]) = 2"]),
        ("!self.sizes.all(x, x > 0)", ["self.sizes = [1, 2, 3]"]),
        ("self.sizes.exists_one(x, x > 1)", ["self.sizes = [1, 2, 3]"]),
        ("self.max.all(x, x > 1)", ["self.max = 10"]),
        (
            "self.items.all(x, self.sizes.exists(y, y < x.n))",
            ['x (self.items[0]) = {"n": 1}', "self.sizes = [1, 2, 3]"],
        ),
        (
            "self.sizes.filter(x, x > 1).size() == 3",
            [
                "self.sizes.filter(x, x > 1).size() = 2",
                "self.sizes.filter(x, x > 1) = [2, 3]",
                "self.sizes = [1, 2, 3]",
            ],
        ),
        (
            "self.?gone.optMap(x, x + 1).hasValue()",
            ["self.?gone.optMap(x, x + 1) = optional.none()", "self.?gone = optional.none()"],
        ),
        ("self.?on.optFlatMap(x, self.?max) == optional.of(1)", None),
    ],
)
def test_loops_are_explained_by_their_deciding_element(text: str, parts: list[str] | None) -> None:
    expected = ["self.?on.optFlatMap(x, self.?max) = optional.of(10)", "self.?on = optional.of(false)"]
    assert _reasons(text) == (expected if parts is None else parts)


def test_internal_errors_are_explained_like_other_errors() -> None:
    assert _reasons("dyn(bytes(self.name)) in ['a'] && self.max == 10") == [
        'dyn(bytes(self.name)) = b"web"',
        'bytes(self.name) = b"web"',
        'self.name = "web"',
    ]


def test_explanations_are_truncated_at_the_maximum_number_of_parts() -> None:
    assert _reasons("self.replicas <= self.max", most=1) == [
        "self.replicas = 11",
        "… and more; only the first 1 are shown",
    ]
    assert _reasons("self.replicas <= self.max || self.max >= self.replicas", most=2) == [
        "self.replicas = 11",
        "self.max = 10",
    ]


def test_parts_that_cost_too_much_are_omitted() -> None:
    text = "self.max == 10 && self.on && self.a.all(x, self.a.exists(y, y == x + 1))"
    checked = ENVIRONMENT.compile(f"{text} || self.a.all(x, self.a.all(y, y < 0)) || self.max > 10")
    few, many = (
        explanation.find_reasons(
            checked, ENVIRONMENT.functions, {"self": {**SELF, "a": list(range(count)), "on": True}}
        )
        for count in (3, 2000)
    )

    assert [*few.lines] == [
        "x (self.a[2]) = 2",
        "self.a = [0, 1, 2]",
        "x (self.a[0]) = 0",
        "y (self.a[0]) = 0",
        "self.max = 10",
    ]
    assert many.lines == (COSTLY,)


def test_all_parts_share_the_cost_limit_of_one_evaluation() -> None:
    checked = ENVIRONMENT.compile(" && ".join(["self.a.all(x, x >= 0)"] * 100))
    reasons = explanation.find_reasons(checked, ENVIRONMENT.functions, {"self": {"a": list(range(COST_LIMIT // 20))}})

    assert reasons.lines == (COSTLY,)


def test_many_cheap_parts_exceed_the_cost_limit_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explanation, "COST_LIMIT", 3)

    assert _reasons("self.replicas <= self.max") == ["self.replicas = 11", COSTLY]


def test_find_parts_returns_all_parts() -> None:
    checked = ENVIRONMENT.compile("self.max > 1 && self.items.exists(x, x.n < 0)")
    parts = explanation.find_parts(checked, ENVIRONMENT.functions, {"self": SELF}, most=100)

    assert [*parts.lines] == [
        "self.max > 1 = true",
        "self.max = 10",
        "self.items.exists(x, x.n < 0) = true",
        'self.items = [{"n": 1}, {"n": -5}, {}]',
        'x (self.items[1]) = {"n": -5}',
        "x.n = -5",
    ]
