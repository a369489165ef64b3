"""Texts for patterns, checked with the server's pattern matcher."""

from __future__ import annotations

import itertools

import pytest

from pytest_crd.engine.golang.regexp import patterns as matching
from pytest_crd.synthesis import matchingtexts

PATTERNS = {
    "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$": "a",
    r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?\.)+[a-z]{2,}$": "a.aa",
    "^$|^a{3}$": "",
    "^(a|b)c?$": "a",
    r"^\d+(ms|s|m)$": "0ms",
    r"^\w\s\S\D\W$": "a aa ",
    "^[^a-c]$": "d",
    "^[]a]$": "a",
    "^[-+]?[0-9]{1,3}$": "0",
    "^[+-]$": "-",
    r"^[\d.]{2}$": "00",
    r"^[[:alpha:]_]+$": "a",
    r"^[[:upper:]][[:digit:]][[:xdigit:]][[:space:]]$": "A0a ",
    r"^\x41\x{42}\.\/\t$": "AB./\t",
    r"^\p{L}\p{Lu}\pN$": "aA0",
    "^(?i)ab$": "ab",
    "^(?:ab|cd)$": "ab",
    "^(?P<name>a)(?<other>b)(?i:c)$": "abc",
    r"\Aa\z": "a",
    "^a+?b*?c??$": "a",
    "^.{2}$": "aa",
    "^[à-ü]$": "à",
    "^[!-/]$": "-",
    "a{b": "a{b",
    "^x{2,}$": "xx",
    r"^\Qa.b\E$": "a.b",
    r"^\p{Greek}$": "\u0370",
    "^(?i)Yes$": "Yes",
    r"^\bab\b$": "ab",
    "(?:x*" * 1100 + "a" + ")" * 1100: "a",
}


@pytest.mark.parametrize(("pattern", "shortest"), PATTERNS.items())
def test_the_first_text_is_the_simplest(pattern: str, shortest: str) -> None:
    assert next(matchingtexts.texts(pattern)) == shortest


@pytest.mark.parametrize("pattern", PATTERNS)
def test_texts_match_their_pattern(pattern: str) -> None:
    matches = matching.compile(pattern)
    texts = list(matchingtexts.texts(pattern))

    assert len(set(texts)) == len(texts)
    assert [text for text in texts if not matches(text)] == []


def test_texts_of_one_pattern_differ() -> None:
    texts = list(itertools.islice(matchingtexts.texts("^(a|b)[x-z]+$"), 6))

    assert texts[:4] == ["ax", "axx", "axxx", "axxxxx"]
    assert "by" in texts


@pytest.mark.parametrize(
    ("pattern", "length", "text"),
    [
        ("^[a-z]+$", 4, "aaaa"),
        ("^[a-z]+$", 1, "a"),
        ("^[a-z]{2,4}$", 4, "aaaa"),
        ("^[a-z]{2,4}$", 5, None),
        ("^[a-z]{2,4}$", 1, None),
        ("^(a|bb)$", 2, "bb"),
        (r"^([a-z]+\.)+[a-z]+$", 9, "a.a.a.a.a"),
        ("^(ab)*c*$", 5, "ababc"),
        ("^(a(b?)c)*$", 4, "acac"),
        ("^(a*b){3}$", 2, None),
        ("^(a*b){3}$", 5, "aabbb"),
        ("^(a*b){3}$", 6, "ababab"),
        ("^(^)*a$", 1, "a"),
        ("^(^)*a$", 2, None),
        ("^https://", 10, "https://aa"),
        ("^(yes|no)$", 2, "no"),
        ("^(yes|no)$", 4, None),
        ("(", 2, None),
    ],
)
def test_texts_are_stretched_to_a_length_if_the_pattern_allows(pattern: str, length: int, text: str | None) -> None:
    assert matchingtexts.find_text_of_length(pattern, length) == text


@pytest.mark.parametrize("pattern", ["(a", "a)", "[a", r"a\1", "\\"])
def test_invalid_patterns_have_no_texts(pattern: str) -> None:
    assert list(matchingtexts.texts(pattern)) == []
