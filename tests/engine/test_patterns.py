"""Patterns: RE2 as the server has it, and errors in the words of Go's regexp."""

from __future__ import annotations

import pytest

from pytest_crd.engine.golang import patterns
from pytest_crd.engine.golang.patterns import PatternError


@pytest.mark.parametrize(
    ("pattern", "text", "matches"),
    [
        pytest.param("b", "abc", True, id="a pattern is not anchored"),
        pytest.param("^b", "abc", False, id="unless it says so"),
        pytest.param("^a$", "a\n", False, id="a dollar is the end of the text, not of the line"),
        pytest.param(r"^\d$", "\u0663", False, id="classes are ASCII"),
        pytest.param("", "", True, id="the empty pattern"),
        pytest.param(r"^\\C$", r"\C", True, id="an escaped backslash before C"),
        pytest.param("^(?P<name>a)$", "a", True, id="a named group"),
    ],
)
def test_patterns_match_as_in_go(pattern: str, text: str, *, matches: bool) -> None:
    assert patterns.compile(pattern)(text) is matches
    assert patterns.problem_of(pattern) == ""


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ("[a", "missing closing ]: `[a`"),
        ("(a", "missing closing ): `(a`"),
        ("a)", "unexpected ): `a)`"),
        ("*", "missing argument to repetition operator: `*`"),
        ("a**", "invalid nested repetition operator: `**`"),
        ("a{1001}", "invalid repeat count: `{1001}`"),
        ("(?=a)", "invalid or unsupported Perl syntax: `(?=`"),
        ("[z-a]", "invalid character class range: `z-a`"),
        (r"\1", r"invalid escape sequence: `\1`"),
        (r"a\C", r"invalid escape sequence: `\C`"),
        ("(?P<n\u00e4>a)", "invalid named capture: `(?P<n\u00e4>`"),
        ("a\\", "trailing backslash at end of expression: ``"),
    ],
)
def test_problems_are_worded_as_go_words_them(pattern: str, problem: str) -> None:
    assert patterns.problem_of(pattern) == f"error parsing regexp: {problem}"


def test_a_pattern_that_does_not_compile_is_an_error() -> None:
    with pytest.raises(PatternError):
        patterns.compile("(")


def test_a_pattern_is_compiled_once() -> None:
    assert patterns.compile("^once$") is patterns.compile("^once$")
