"""Matching of patterns with RE2, and errors of Go's regexp."""

from __future__ import annotations

import pytest
import re2

from pytest_crd.engine import profile
from pytest_crd.engine.golang.regexp import patterns
from pytest_crd.engine.golang.regexp.patterns import PatternTooLargeError
from pytest_crd.engine.golang.regexp.patterntree import PatternError


@pytest.mark.parametrize(
    ("pattern", "text", "matches"),
    [
        pytest.param("b", "abc", True, id="a pattern is not anchored"),
        pytest.param("^b", "abc", False, id="unless it says so"),
        pytest.param("^a$", "a\n", False, id="a dollar is the end of the text, not of the line"),
        pytest.param(r"^\d$", "\u0663", False, id="classes are ASCII"),
        pytest.param("^a.$", "a\n", False, id="a dot is no newline"),
        pytest.param("^(?s)a.$", "a\n", True, id="unless a flag says so"),
        pytest.param("", "", True, id="the empty pattern"),
        pytest.param(r"^\\C$", r"\C", True, id="an escaped backslash before C"),
        pytest.param("^(?P<name>a)$", "a", True, id="a named group"),
        pytest.param("^(?<name>a)(?<name>b)$", "ab", True, id="named groups, twice the same in a short form"),
        pytest.param(
            r"^[\p{L}\p{N}]{1,500}$",
            "\u00e9" * 500,
            True,
            id="large classes, often repeated",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            r"^\pL{500}$", "a" * 499, False, id="a large class, repeated once too seldom", marks=pytest.mark.slow
        ),
        pytest.param(r"^\p{lOwErCaSe-letter}$", "a", True, id="names of classes in any spelling"),
        pytest.param(r"^\p{^Lu}\P{^Lu}$", "aA", True, id="classes that are negated in their braces"),
        pytest.param(r"^\p{Assigned}\P{Cn}\p{Any}\p{ASCII}$", "aaaa", True, id="classes that are no categories"),
        pytest.param(r"^(?i)\p{LC}$", "\u0345", False, id="cased letters, which case adds nothing to"),
        pytest.param(r"^(?i)\p{L}$", "\u0345", True, id="letters, to which case adds a mark"),
        pytest.param("(?i)^k$", "\u212a", True, id="the sign of the Kelvin is a k without its case"),
        pytest.param("(?i)^[^k]$", "\u212a", False, id="a negated class without its case"),
        pytest.param(r"(?i)^\w[[:^alpha:]]$", "\u017f1", True, id="classes of ASCII without their case"),
        pytest.param("^((?i)a)A$", "aa", False, id="flags hold until their group ends"),
        pytest.param("^(?i:a)(?i-i)A$", "AA", True, id="flags that are taken back"),
        pytest.param("^(?i)a(?-i:b)$", "AB", False, id="flags that are taken back for a group"),
        pytest.param(r"^\p{upperCASE letter}$", "A", True, id="blanks in the name of a class"),
        pytest.param("(?:x*" * 1100 + "a" + ")" * 1100, "a", True, id="what follows each other is one level"),
        pytest.param(r"^\p{greek}\p{Greek}$", "\u03b1\u03b2", True, id="scripts"),
        pytest.param("(?m)^b$", "a\nb\nc", True, id="lines"),
        pytest.param("^.$", "\n", False, id="a dot is no end of a line"),
        pytest.param("(?s)^.$", "\n", True, id="unless it says so too"),
        pytest.param(r"\B", "a\u00e9a", False, id="no boundary is found between the bytes of a character"),
        pytest.param(r"^[]a\]-]+[^]]$", "]a-b", True, id="brackets and hyphens in classes"),
        pytest.param(r"^[\x00-\x{10FFFF}][^\x00-\x{10FFFF}]?$", "a", True, id="classes of everything and of nothing"),
        pytest.param(r"^[\d\pL[:space:]]+$", "a 1", True, id="classes in a class"),
        pytest.param(r"^[[:]+$", "[:", True, id="what only begins like a class with a name"),
        pytest.param(r"^\Qa.b*\E*$", "a.b**", True, id="quoted"),
        pytest.param(r"^\Qa", "a", True, id="quoted to the end"),
        pytest.param(r"^\x41\x{42}\103\07\0\t\.\_$", "ABC\a\0\t._", True, id="escapes"),
        pytest.param(
            "^a{2}b{2,}c{1,2}?d{0}e{,2}f{01}g{$", "aabbbce{,2}f{01}g{", True, id="counts, and braces that are literals"
        ),
        pytest.param("^(?:a{500}){2}$", "a" * 1000, True, id="as many repetitions as there may be"),
        pytest.param("^(?:(?:a{1000}){0}){1000}b$", "b", True, id="repetitions that are repeated never do not count"),
        pytest.param("(" * 999 + "a" + ")" * 999, "a", True, id="as deep as there may be"),
        pytest.param("(" * 999 + "a|[bc]" + ")" * 999, "c", True, id="characters to choose from are one class"),
        pytest.param("(?:" * 3000 + "a" + ")" * 3000, "a", True, id="groups that capture nothing are not deep"),
        pytest.param("^(|a||b)$", "", True, id="empty alternatives"),
        pytest.param("^a(?i)*$", "aaa", True, id="flags between a character and its repetition"),
    ],
)
def test_patterns_match_as_in_go(pattern: str, text: str, *, matches: bool) -> None:
    assert patterns.compile(pattern)(text) is matches
    assert patterns.find_problem(pattern) == ""


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
        ("[\\", "trailing backslash at end of expression: ``"),
        ("[a\\]", "missing closing ]: `[a\\]`"),
        ("(?<=a)", "invalid named capture: `(?<=a)`"),
        ("(?<n-n>a)", "invalid named capture: `(?<n-n>`"),
        ("(?P<n", "invalid named capture: `(?P<n`"),
        ("(?P<", "invalid or unsupported Perl syntax: `(?P`"),
        ("(?<", "invalid or unsupported Perl syntax: `(?<`"),
        ("(?i", "invalid or unsupported Perl syntax: `(?i`"),
        ("(?i-)", "invalid or unsupported Perl syntax: `(?i-)`"),
        ("(?--i)", "invalid or unsupported Perl syntax: `(?--`"),
        (r"\p", r"invalid character class range: `\p`"),
        (r"\p{L", r"invalid character class range: `\p{L`"),
        (r"\p{Old_Italic}", r"invalid character class range: `\p{Old_Italic}`"),
        (r"[\PX]", r"invalid character class range: `\PX`"),
        ("[[:foo:]]", "invalid character class range: `[:foo:]`"),
        (r"\x4g", r"invalid escape sequence: `\x4g`"),
        (r"\x", r"invalid escape sequence: `\x`"),
        (r"\x{}", r"invalid escape sequence: `\x{}`"),
        (r"\x{110000}", r"invalid escape sequence: `\x{110000`"),
        (r"\x{1", r"invalid escape sequence: `\x{1`"),
        (r"\8", r"invalid escape sequence: `\8`"),
        (r"[\b]", r"invalid escape sequence: `\b`"),
        ("a{2}{3}", "invalid nested repetition operator: `{2}{3}`"),
        ("(|*?)", "missing argument to repetition operator: `*?`"),
        ("(a{501}){2}", "invalid repeat count: `{2}`"),
        ("a{3,2}", "invalid repeat count: `{3,2}`"),
        ("a{99999999999,}", "invalid repeat count: `{99999999999,}`"),
    ],
)
def test_invalid_patterns_have_gos_message(pattern: str, problem: str) -> None:
    assert patterns.find_problem(pattern) == f"error parsing regexp: {problem}"


def test_the_error_of_an_unclosed_group_quotes_the_whole_pattern() -> None:
    assert patterns.find_problem("b(a") == "error parsing regexp: missing closing ): `b(a`"


@pytest.mark.parametrize(
    "pattern", ["(" * 1000 + "a" + ")" * 1000, "(x" * 501 + "a" + ")" * 501, "(" * 999 + "ab|c" + ")" * 999]
)
def test_patterns_nested_too_deeply_are_refused(pattern: str) -> None:
    assert patterns.find_problem(pattern) == f"error parsing regexp: expression nests too deeply: `{pattern}`"


@pytest.mark.parametrize(
    ("pattern", "version", "compiles"),
    [
        (r"\p{Letter}", "1.35", True),
        (r"\p{Letter}", "1.34", False),
        (r"\p{Cn}", "1.34", False),
        (r"\p{Any}\p{Lu}\p{Greek}", "1.34", True),
        (r"\p{Phags_Pa}", "1.35", False),
        (r"\p{Phags_Pa}", "1.34", True),
        ("(?<n>a)", "1.32", True),
        ("(?<n>a)", "1.21", False),
    ],
)
def test_syntax_depends_on_the_go_release_of_the_version(pattern: str, version: str, *, compiles: bool) -> None:
    assert (patterns.find_problem(pattern, profile.named(version).go) == "") is compiles


def test_class_c_contains_unassigned_characters_since_1_35() -> None:
    matches = [patterns.compile(r"^\pC$", profile.named(version).go)("\u0378") for version in ("1.34", "1.35")]
    assert matches == [False, True]


def test_large_patterns_are_compiled_with_a_higher_memory_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns, "_USUAL_MEMORY", 1 << 16)

    matches = patterns.compile(r"^[\p{L}\p{N}]{20}$")

    assert matches("\u00e9" * 20)
    assert not matches("\u00e9" * 19)


def test_other_errors_of_re2_are_raised_as_bugs() -> None:
    with pytest.raises(re2.error, match="missing"):
        patterns._compiled("(")


@pytest.mark.parametrize(
    ("memory", "count", "limit"), [(16 << 20, 1, "0 GiB"), pytest.param(1 << 30, 200, "1 GiB", marks=pytest.mark.slow)]
)
def test_patterns_beyond_the_memory_limit_raise_an_error(
    memory: int, count: int, limit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patterns, "_MOST_MEMORY", memory)
    pattern = r"\pL{1000}" * count + f"{memory}"
    assert patterns.find_problem(pattern) == ""
    with pytest.raises(PatternTooLargeError, match=f"takes more than {limit} to match"):
        patterns.compile(pattern)


def test_invalid_patterns_raise_an_error() -> None:
    with pytest.raises(PatternError):
        patterns.compile("(")


def test_compiled_patterns_are_cached() -> None:
    assert patterns.compile("^once$") is patterns.compile("^once$")
