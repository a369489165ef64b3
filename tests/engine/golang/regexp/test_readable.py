"""Representatives of character sets, the most readable first."""

from __future__ import annotations

import pytest

from pytest_crd.engine.golang.regexp import readable, runesets
from pytest_crd.engine.golang.regexp.patterns import tree
from pytest_crd.engine.golang.regexp.patterntree import Chars


@pytest.mark.parametrize(
    ("pattern", "begin"),
    [
        ("[^a-c]", "defg"),
        (r"\W", " .-/!"),
        ("[-0A!~b]", "b0A-!~"),
        (r"\s", " \t"),
        ("[\n\r]", "\n\r"),
        ("[a\u0378\u00e9]", "a\u00e9"),
        (r"[\x{D800}\x{E000}]", "\ue000"),
        (r"[\x{D800}]", ""),
    ],
)
def test_characters_are_ordered_by_readability(pattern: str, begin: str) -> None:
    root = tree(pattern)
    assert isinstance(root, Chars)

    characters = readable.characters(root.runes)

    assert characters[: len(begin)] == begin
    assert len(set(characters)) == len(characters)
    assert all(runesets.contains(root.runes, ord(char)) for char in characters)


def test_ranks_order_characters_by_readability() -> None:
    assert sorted("\u00e9 ~A1za", key=readable.rank) == ["a", "z", "1", "A", " ", "~", "\u00e9"]
