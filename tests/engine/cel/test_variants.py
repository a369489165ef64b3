"""Variants of expressions: one operand or quantifier that no longer decides."""

from __future__ import annotations

import pytest

from pytest_crd.engine import profile
from pytest_crd.engine.cel.text import spelling
from pytest_crd.engine.cel.types import celtypes
from pytest_crd.engine.cel.variants import ExpressionVariant, find_variants
from pytest_crd.engine.rules import environments

ENVIRONMENT = environments.stored(profile.named("1.37")).extend(dict.fromkeys("abcdefghx", celtypes.DYN))


def _find(text: str) -> list[ExpressionVariant]:
    return [*find_variants(ENVIRONMENT.compile(text).parsed.root)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", []),
        ("a && b", ["true && b", "a && true"]),
        ("a || b || c", ["false || b || c", "a || false || c", "a || b || false"]),
        ("!(a && b)", ["!(true && b)", "!(a && true)"]),
        ("a ? b && c : d", ["a ? true && c : d", "a ? b && true : d"]),
        # An operand that cannot decide has no variant.
        ("!a || (a && b)", ["false || a && b", "!a || false", "!a || a && true"]),
        ("x.all(i, i > 1)", ["x.exists(i, i > 1)"]),
        ("x.exists(i, i.y.all(j, j))", ["x.all(i, i.y.all(j, j))", "x.exists(i, i.y.exists(j, j))"]),
        ("x.filter(i, i > 1 && i < 3).size() == 0", []),
        ("type(x.all(i, i)) == bool", ["type(x.exists(i, i)) == bool"]),
        ("(a ? x.all(i, i) : b).c", ["(a ? x.exists(i, i) : b).c"]),
        ("(a ? x.all(i, i) : b).contains(c)", ["(a ? x.exists(i, i) : b).contains(c)"]),
        (
            "(a ? b : x.all(i, i)).all(j, j)",
            ["(a ? b : x.all(i, i)).exists(j, j)", "(a ? b : x.exists(i, i)).all(j, j)"],
        ),
        # More parts than can be compared: all operands count.
        (" && ".join([*"abcdefgh", "x"]), 9),
    ],
)
def test_each_operand_and_quantifier_has_a_variant(text: str, expected: list[str] | int) -> None:
    found = [spelling.expression(variant.root) for variant in _find(text)]

    assert (len(found) if isinstance(expected, int) else found) == expected


def test_words_name_the_place_of_the_change() -> None:
    words = [variant.words for variant in _find("x.all(i, a || i)")]

    assert words == [
        "all instead of exists in x.all(i, a || i)",
        "the operand a",
        "the operand i",
    ]
