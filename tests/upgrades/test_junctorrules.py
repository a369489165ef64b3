"""Junctors as CEL rules."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.upgrades import dependentrules

TYPES = {
    "type": "object",
    "properties": {"a": {"type": "string"}, "n": {"type": "number"}, "a-b": {"type": "integer"}},
}


@pytest.mark.parametrize(
    ("junctor", "value", "rule"),
    [
        ("not", {"required": ["a", "a-b"]}, "(!((has(self.a)) && (has(self.a__dash__b))))"),
        ("anyOf", [{"required": ["a"]}, {}], "(((has(self.a))) || (true))"),
        ("allOf", [{"required": ["a"]}, {"type": "object"}], "(((has(self.a))) && (true))"),
        (
            "oneOf",
            [{"required": ["a"]}, {"required": ["n"]}],
            "((((has(self.a))) ? 1 : 0) + (((has(self.n))) ? 1 : 0) == 1)",
        ),
        (
            "not",
            {"properties": {"n": {"minimum": 3}, "a": {"pattern": "^x", "maxLength": 2}}},
            '(!((!has(self.n) || (self.n >= 3.0)) && (!has(self.a) || (self.a.matches("^x")) && (size(self.a) <= 2))))',
        ),
        ("anyOf", [{"properties": {"a": {"enum": ["x", "y"]}}}], '(((!has(self.a) || (self.a in ["x", "y"]))))'),
        ("anyOf", [{"properties": {"a": {"not": {"enum": ["x"]}}}}], '(((!has(self.a) || (!((self.a in ["x"]))))))'),
    ],
)
def test_a_junctor_is_a_rule(junctor: str, value: Any, rule: str) -> None:
    assert dependentrules.translate_junctor(junctor, value, TYPES) == rule


@pytest.mark.parametrize(
    "value",
    [{"maxProperties": 1}, {"properties": {"a": {"enum": [None]}}}, {"required": ["1st"]}],
    ids=["number of fields", "null", "name without an identifier"],
)
def test_a_junctor_with_an_unknown_keyword_has_no_rule(value: Any) -> None:
    assert dependentrules.translate_junctor("not", value, TYPES) is None
