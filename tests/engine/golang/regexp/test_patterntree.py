"""What a pattern says: its flags, names and groups are gone, and RE2 is given the same."""

from __future__ import annotations

import pytest

from pytest_crd.engine import profile
from pytest_crd.engine.golang.regexp import patterns, re2pattern, runesets
from pytest_crd.engine.golang.regexp.error import PatternError
from pytest_crd.engine.golang.regexp.patterntree import EMPTY, Alternate, Assertion, Chars, Concat, Node, Repeat

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
def test_a_pattern_is_read_as_a_tree(pattern: str, root: Node) -> None:
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
def test_a_tree_is_written_for_re2(pattern: str, text: str) -> None:
    assert re2pattern.written(patterns.tree(pattern)) == (text, False)


def test_what_might_match_between_the_bytes_of_a_character_is_known() -> None:
    assert re2pattern.written(patterns.tree(r"a\B")) == (r"a\B", True)


def test_what_a_tree_is_made_of_depends_on_the_version() -> None:
    with pytest.raises(PatternError):
        patterns.tree("(?<n>a)", profile.named("1.21").go)
    assert patterns.tree("(?<n>a)", profile.named("1.32").go) == A
