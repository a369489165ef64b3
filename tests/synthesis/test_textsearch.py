"""Texts that match one pattern and fail another: the shortest ones, or a proof that there are none."""

from __future__ import annotations

import itertools
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiers import examples

from pytest_crd.engine.golang.regexp import patterns
from pytest_crd.engine.golang.regexp.patterntree import PatternError
from pytest_crd.synthesis import textsearch
from pytest_crd.synthesis.textsearch import Lengths, Outcome

# One character of each kind that the patterns below distinguish.
ALPHABET: Final = "abc-\n"
SHORT_TEXTS: Final = ["".join(chars) for length in range(5) for chars in itertools.product(ALPHABET, repeat=length)]

ATOMS = st.sampled_from(["a", "b", r"\n", ".", "[ab]", "[^a]", r"\w", r"\W", "(?s:.)", "", r"[^\x00-\x{10FFFF}]"])
ASSERTIONS = st.sampled_from(["^", "$", r"\A", r"\z", r"\b", r"\B", "(?m:^)", "(?m:$)"])
REPETITIONS = st.sampled_from(["*", "+", "?", "{2}", "{1,2}", "{0,2}", "{0}", "{1,}", "*?"])


def larger(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Return patterns built from *inner* ones."""
    row = st.lists(inner, min_size=2, max_size=3)
    return st.one_of(
        row.map("".join),
        row.map("|".join).map("(?:{})".format),
        st.tuples(inner, REPETITIONS).map(lambda pair: f"({pair[0]}){pair[1]}"),
    )


PATTERNS = st.recursive(st.one_of(ATOMS, ASSERTIONS), larger, max_leaves=6)


@pytest.mark.parametrize(
    ("left", "right", "texts"),
    [
        ("^[a-z]{1,63}$", "^[a-z]{1,62}$", ["a" * 63]),
        ("^(a|b)+$", "^a+$", ["b", "ab", "ba"]),
        ("^[0-9]*$", r"^\d+$", [""]),
        ("(?i)abc", "abc", ["abC", "aBc", "aBC"]),
        ("foo|bar", "^foo|bar$", ["afoo", "bara", "barb"]),
        ("^[a-z]([-a-z0-9]*)$", "^[a-z]([-a-z0-9]*[a-z0-9])?$", ["a-", "aa-", "a0-"]),
        ("^([0-9]+(ms|s|m|h))+$", "^([0-9]+(s|m|h))+$", ["0ms", "00ms", "0h0ms"]),
        ("^.*$", "^.*[^/]$", ["", "/", "a/"]),
        ("a.c", r"a\.c", ["aac", "abc", "acc"]),
        (r"^a\b", "^a$", ["a-", "a-a", "a-b"]),
        ("foo", r"\bfoo\b", ["afoo", "ffoo", "fooa"]),
        ("(?m)^a$", "^a$", ["a\n", "\na", "a\na"]),
        (r"^\PL$", r"^[\x00-\x7f]$", ["\u00a1"]),
        (r"^[\x{D7FF}-\x{E000}]$", r"^\x{E000}$", ["\ud7ff"]),
        ("(?:x*" * 1100 + "a" + ")" * 1100, "[^b]", []),
    ],
)
def test_the_shortest_texts_between_two_patterns_are_found(left: str, right: str, texts: list[str]) -> None:
    answer = textsearch.find_texts([left], [right], wanted=3)

    assert list(answer.texts) == texts
    assert answer.outcome is (Outcome.FOUND if texts else Outcome.NONE)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("^[a-z]+$", "^[a-z][a-z]*$"),
        ("^(a|b)*$", "^(a*b*)*$"),
        (r"^\d{2}$", "^[0-9][0-9]$"),
        ("(?i)^k$", "^[kK\u212a]$"),
        ("a", "^.*a|\n.*a"),
        (r"a\b", r"a(?:\W|$)"),
        ("^(?:a?){3}$", "^a{0,3}$"),
        (r"\Ba\B", r"\wa\w"),
        (r"^[\x{D800}-\x{DFFF}]?$", "^$"),
    ],
)
def test_equivalent_patterns_are_proved_equivalent(left: str, right: str) -> None:
    assert textsearch.find_texts([left], [right]).outcome is Outcome.NONE
    assert textsearch.find_texts([right], [left]).outcome is Outcome.NONE


@pytest.mark.parametrize(
    ("lengths", "texts"),
    [
        (Lengths(5), ("aaaa-", "aaaaa-")),
        (Lengths(0, 1), ("-",)),
        (Lengths(0, 0), ()),
        (Lengths(2, 2), ("a-",)),
        (Lengths(3, 2), ()),
    ],
)
def test_texts_have_the_demanded_lengths(lengths: Lengths, texts: tuple[str, ...]) -> None:
    answer = textsearch.find_texts(["^[a-z-]+$"], ["^[a-z]+$"], lengths=lengths, wanted=2)

    assert answer == (texts, Outcome.FOUND if texts else Outcome.NONE)


@pytest.mark.parametrize(
    ("pattern", "length", "outcome"),
    [
        ("^[a-z]+$", 10_000, Outcome.FOUND),
        (r"^([a-z]+\.)+[a-z]+$", 10_000, Outcome.FOUND),
        ("^(aaaaaaa|bbbbbbbbbbb)*$", 10_000, Outcome.FOUND),
        ("^(ab)*$", 9_999, Outcome.NONE),
        ("^a{10}$", 9_999, Outcome.NONE),
        ("b$", 10_000, Outcome.FOUND),
    ],
)
def test_a_text_of_many_characters_is_found_at_once(pattern: str, length: int, outcome: Outcome) -> None:
    answer = textsearch.find_texts([pattern], lengths=Lengths(length, length))

    assert [len(text) for text in answer.texts] == [length] * (outcome is Outcome.FOUND)
    assert answer.outcome is outcome


def test_a_text_may_have_to_match_several_patterns() -> None:
    assert textsearch.find_texts(["a$", "^b", "^[a-c]{3}$"], ["a{2}", "bb"]).texts == ("bca",)


@pytest.mark.parametrize("pattern", ["(a|b)*a(a|b){20}", "(?:a{30}b?){33}" * 40])
def test_a_search_that_takes_too_many_steps_is_given_up(pattern: str) -> None:
    answer = textsearch.find_texts([f"c{pattern}"], [f"c{pattern}a?"], steps=20_000)

    assert answer == ((), Outcome.BUDGET_SPENT)


def test_no_steps_are_spent_on_texts_that_cannot_match() -> None:
    answer = textsearch.find_texts(["^c$"], ["^c$|(a|b)*a(a|b){20}$"], steps=20_000)

    assert answer == ((), Outcome.NONE)


def test_texts_found_before_the_budget_was_spent_are_returned() -> None:
    answers = [
        textsearch.find_texts(["a|(a|b)*b(a|b){20}$"], ["a{2}"], wanted=10_000, steps=steps) for steps in (5_000, 5_000)
    ]

    assert answers[0] == answers[1]
    assert answers[0].texts[0] == "a"


def test_a_pattern_that_does_not_compile_is_an_error() -> None:
    with pytest.raises(PatternError):
        textsearch.find_texts(["("])


@examples(200)
@given(PATTERNS)
def test_texts_of_a_pattern_match_and_are_the_shortest(pattern: str) -> None:
    matches = patterns.compile(pattern)
    answer = textsearch.find_texts([pattern], wanted=4)

    assert all(map(matches, answer.texts))
    assert [len(text) for text in answer.texts] == sorted(len(text) for text in answer.texts)
    of_some = [len(text) for text in SHORT_TEXTS if matches(text)]
    assert answer.outcome is not Outcome.BUDGET_SPENT
    assert (answer.outcome is Outcome.FOUND) or not of_some
    assert not of_some or len(answer.texts[0]) == min(of_some)


@examples(250)
@given(PATTERNS, PATTERNS)
def test_texts_between_two_patterns_agree_with_brute_force(left: str, right: str) -> None:
    matches_left, matches_right = patterns.compile(left), patterns.compile(right)
    tried = [text for text in SHORT_TEXTS if matches_left(text) and not matches_right(text)]

    answer = textsearch.find_texts([left], [right], lengths=Lengths(0, 4))

    assert answer.outcome is (Outcome.FOUND if tried else Outcome.NONE)
    assert [len(text) for text in answer.texts] == [len(text) for text in tried[:1]]


@examples(100)
@given(PATTERNS, PATTERNS, st.integers(0, 4))
def test_texts_of_each_length_agree_with_brute_force(left: str, right: str, length: int) -> None:
    matches_left, matches_right = patterns.compile(left), patterns.compile(right)
    there_are = any(matches_left(text) and not matches_right(text) for text in SHORT_TEXTS if len(text) == length)

    answer = textsearch.find_texts([left], [right], lengths=Lengths(length, length))

    assert (answer.outcome is Outcome.FOUND) is there_are
    assert [len(text) for text in answer.texts] == [length] * there_are
