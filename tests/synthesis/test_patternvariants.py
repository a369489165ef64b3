"""Variants of patterns: a shorter class or repetition, or a missing anchor, and texts that tell them apart."""

from __future__ import annotations

import pytest

from pytest_crd.engine.golang.regexp import patterns
from pytest_crd.synthesis import patternvariants
from pytest_crd.synthesis.textsearch import Lengths


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("^[a-z]+$", ["[a-z]+$", "^[a-y]+$", "^[a-z]{1}$", "^[a-z]+"]),
        ("^[a-c0-9]$", ["[a-c0-9]$", "^[a-b0-9]$", "^[a-c0-8]$", "^[a-c0-9]"]),
        ("^a*b?$", ["a*b?$", "^a?b?$", "^a*b{0}$", "^a*b?"]),
        ("^a{2}$", ["a{2}$", "^a{3}$", "^a{2}"]),
        ("^a{1,3}$", ["a{1,3}$", "^a{1,2}$", "^a{1,3}"]),
        ("^a{2,}$", ["a{2,}$", "^a{2}$", "^a{2,}"]),
        ("^[a-a]$", ["[a-a]$", "^[a-a]"]),
        ("^a{1,1}$", ["a{1,1}$", "^a{1,1}"]),
        # Escapes, groups and members of classes are no repetitions or ranges.
        (r"^\*[*+.-]$", [r"\*[*+.-]$", r"^\*[*+.-]"]),
        (r"^(?:a)(?P<n>b)$", [r"(?:a)(?P<n>b)$", r"^(?:a)(?P<n>b)"]),
        (r"^[\w-]\d$", [r"[\w-]\d$", r"^[\w-]\d"]),
        ("[a-z]" * 33, []),
        # A place that does not matter has no variant.
        ("a*", []),
        ("^.*$", [".*$", "^.?$", "^.*"]),  # a dot matches no line break
    ],
)
def test_variants_differ_in_one_place_that_matters(pattern: str, expected: list[str]) -> None:
    assert [*patternvariants.find_variants(pattern)] == expected


def test_variants_differ_for_a_text_of_the_allowed_length() -> None:
    lengths = Lengths(2, 3)

    assert "^[a-z]{1}$" in patternvariants.find_variants("^[a-z]+$", lengths)
    assert "^a{1,5}$" not in patternvariants.find_variants("^a{1,6}$", lengths)


@pytest.mark.parametrize("pattern", ["^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", r"^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$", "^a$"])
def test_few_texts_tell_all_variants_apart(pattern: str) -> None:
    texts = [*patternvariants.choose_texts(pattern, [])]

    variants = patternvariants.find_variants(pattern)
    is_match = patterns.compile(pattern)
    assert len(texts) < len(variants) or len(variants) < 3
    for variant in variants:
        matches = patterns.compile(variant)
        assert any(matches(text) is not is_match(text) for text in texts)


def test_known_texts_are_not_chosen_again() -> None:
    texts = [*patternvariants.choose_texts("^[a-z]+$", [])]

    assert [*patternvariants.choose_texts("^[a-z]+$", texts)] == []
