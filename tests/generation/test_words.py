"""Names of cases."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.engine.schema.schemamap import Each
from pytest_crd.generation import words

RULES = "x-kubernetes-validations"


@pytest.mark.parametrize(
    ("keyword", "schema", "value", "inside", "outside"),
    [
        ("minimum", {}, 3, "3 is large enough", "3 is too small"),
        ("maximum", {}, 3, "3 is small enough", "3 is too large"),
        ("multipleOf", {"multipleOf": 5}, 7, "7 is a multiple of 5", "7 is no multiple of 5"),
        ("minLength", {}, "a", "1 character is long enough", "1 character is too short"),
        ("maxLength", {}, "abc", "3 characters are short enough", "3 characters are too long"),
        ("minItems", {}, [1, 2], "2 items are enough", "2 items are too few"),
        ("maxItems", {}, [1], "1 item is few enough", "1 item is too many"),
        ("maxProperties", {}, {}, "0 fields are few enough", "0 fields are too many"),
        ("pattern", {}, "a!", '"a!" matches the pattern', '"a!" does not match the pattern'),
        ("format", {"format": "date"}, "x", '"x" is a valid date', '"x" is no valid date'),
        ("enum", {}, None, "null is allowed", "null is not allowed"),
        ("oneOf", {}, [1], "(1) fits oneOf", "(1) does not fit oneOf"),
        ("required a[0]::b", {}, {}, "a(0):b is there", "a(0):b is missing"),
        (
            "x-kubernetes-list-type",
            {"x-kubernetes-list-type": "map"},
            [],
            "keys that differ are allowed",
            "the same key twice is refused",
        ),
        (
            "x-kubernetes-list-type",
            {"x-kubernetes-list-type": "set"},
            [],
            "items that differ are allowed",
            "the same item twice is refused",
        ),
        (
            f"{RULES}[1]",
            {RULES: [{"rule": "true"}, {"rule": "self[0] > 1"}]},
            1,
            "keeps the rule 'self(0) > 1'",
            "breaks the rule 'self(0) > 1'",
        ),
        (
            f"{RULES}[0]",
            {RULES: [{"rule": "true", "message": "say\n yes"}]},
            1,
            "keeps the rule 'say yes'",
            "breaks the rule 'say yes'",
        ),
    ],
)
def test_both_sides_of_a_boundary_are_described(
    keyword: str, schema: dict[str, Any], value: Any, inside: str, outside: str
) -> None:
    assert words.describe_boundary(keyword, schema, value, holds=True) == inside
    assert words.describe_boundary(keyword, schema, value, holds=False) == outside


def test_values_without_a_size_satisfy_size_limits() -> None:
    assert words.describe_boundary("maxLength", {"maxLength": 3}, 7, holds=True) == "7 is short enough"


def test_long_values_and_rules_are_shortened() -> None:
    assert words.format_value("a" * 100) == '"' + "a" * 39 + "…"
    assert words.describe_rule({"rule": "a" * 200}) == "a" * 100 + "…"


def test_a_place_has_no_brackets() -> None:
    assert words.format_place(("spec", "items", Each.ITEM, "labels", Each.VALUE)) == "spec.items.*.labels.*"
    assert words.format_place(()) == "the object"


def test_names_are_unique() -> None:
    names = {"a", "a (2)"}

    assert [words.make_unique("a", names), words.make_unique("a", names), words.make_unique("b", names)] == [
        "a (3)",
        "a (4)",
        "b",
    ]
