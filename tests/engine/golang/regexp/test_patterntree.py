"""Syntax trees of patterns, and their notation for RE2."""

from __future__ import annotations

import pytest

from pytest_crd.engine import profile
from pytest_crd.engine.golang.regexp import patterns, re2pattern, runesets
from pytest_crd.engine.golang.regexp.patterntree import (
    EMPTY,
    Alternate,
    Assertion,
    Chars,
    Concat,
    Node,
    PatternError,
    Repeat,
)

A = Chars(((0x61, 0x61),), 0x61)
B = Chars(((0x62, 0x62),), 0x62)
DIGIT = Chars(((0x30, 0x39),))


@pytest.mark.parametrize(
    ("pattern", "root"),
    [
        ("", EMPTY),
        ("a", A),
        ("(?P<name>a)", A),
        ("(?i)a", Chars(((0x41, 0x41), (0x61, 0x61)), 0x61)),
        (r"\x61", A),
        (r"\Qab\E", Concat((A, B))),
        ("[0-9]", DIGIT),
        (r"\d", DIGIT),
        (".", Chars(runesets.NO_NEWLINE)),
        ("(?s).", Chars(runesets.ALL)),
        ("a|b|", Alternate((A, B, EMPTY))),
        ("ab", Concat((A, B))),
        ("a(?:b|)", Concat((A, Alternate((B, EMPTY))))),
        ("a*", Repeat(A, 0, None)),
        ("a+?", Repeat(A, 1, None, is_lazy=True)),
        ("(?U)a?", Repeat(A, 0, 1, is_lazy=True)),
        ("(ab){2,5}", Repeat(Concat((A, B)), 2, 5)),
        ("a{3}", Repeat(A, 3, 3)),
        ("a{3,}", Repeat(A, 3, None)),
        ("a{0}", EMPTY),
        (r"^$\A\z", Concat((Assertion.TEXT_BEGIN, Assertion.TEXT_END) * 2)),
        ("(?m)^$", Concat((Assertion.LINE_BEGIN, Assertion.LINE_END))),
        (r"\b\B", Concat((Assertion.WORD_BOUNDARY, Assertion.NO_WORD_BOUNDARY))),
    ],
)
def test_patterns_are_parsed_into_trees(pattern: str, root: Node) -> None:
    assert patterns.tree(pattern) == root


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("", "(?:)"),
        ("a|[0-9]", "(?:a|[0-9])"),
        ("(?s).", "(?s:.)"),
        ("(ab)*?(a|b){2,}a{1,2}", "(?:ab)*?(?:a|b){2,}a{1,2}"),
        (r"[^\x00-\x{10FFFF}]", r"[^\x{0}-\x{10ffff}]"),
        (r"(?m)^\.$", r"(?m:^)\x{2e}(?m:$)"),
    ],
)
def test_trees_are_written_in_re2_syntax(pattern: str, text: str) -> None:
    assert re2pattern.write(patterns.tree(pattern)) == (text, False)


def test_patterns_that_might_split_characters_are_marked() -> None:
    assert re2pattern.write(patterns.tree(r"a\B")) == (r"a\B", True)


def test_the_syntax_tree_depends_on_the_go_release() -> None:
    with pytest.raises(PatternError):
        patterns.tree("(?<n>a)", profile.named("1.21").go)
    assert patterns.tree("(?<n>a)", profile.named("1.32").go) == A
