"""Texts that match only the left or the right pattern."""

from __future__ import annotations

import pytest

from pytest_crd.synthesis.textsearch import Lengths
from pytest_crd.upgrades import patterntexts


@pytest.mark.parametrize(
    ("left", "right", "texts"),
    [
        ("^[a-z]{1,63}$", "^[a-z]{1,62}$", ["a" * 63]),
        ("^(a|b)+$", "^a+$", ["b", "ab", "ba"]),
        (r"^\d+$", "^[0-9]*$", [""]),
        ("(?i)abc", "abc", ["abC", "aBc", "aBC"]),
        ("^[ab]+$", "^[bc]+$", ["a", "aa", "ab", "c", "bc", "cb"]),
        ("^[a-z]+$", "^[a-z][a-z]*$", []),
    ],
)
def test_texts_that_match_only_one_pattern_are_found_for_both(left: str, right: str, texts: list[str]) -> None:
    assert list(patterntexts.find_distinguishing_texts([left], [right])) == texts


def test_texts_have_the_lengths_that_other_keywords_allow() -> None:
    assert list(patterntexts.find_distinguishing_texts(["^[a-z-]+$"], ["^[a-z]+$"], Lengths(4, 4))) == ["aaa-"]
