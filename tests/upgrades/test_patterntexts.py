"""Texts between two patterns: what either matches alone."""

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
def test_texts_that_one_pattern_matches_alone_are_found_of_both(left: str, right: str, texts: list[str]) -> None:
    assert list(patterntexts.between([left], [right])) == texts


def test_texts_are_as_long_as_other_keywords_ask_for() -> None:
    assert list(patterntexts.between(["^[a-z-]+$"], ["^[a-z]+$"], Lengths(4, 4))) == ["aaa-"]
