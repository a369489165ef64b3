"""Escapes of different texts that look alike."""

from __future__ import annotations

import pytest

from pytest_crd.report import text


@pytest.mark.parametrize(
    ("texts", "told_apart"),
    [
        pytest.param(["\u00fc", "u\u0308"], ["\\u00fc", "u\\u0308"], id="composed and decomposed"),
        pytest.param(["\u0430b", "ab"], ["\\u0430b", "ab"], id="a Cyrillic letter"),
        pytest.param(["\u2019", "'"], ["\\u2019", "'"], id="a typographic quote"),
        pytest.param(["\U0001d41a", "a"], ["\\ud835\\udc1a", "a"], id="a mathematical letter"),
        pytest.param(["\u65e5", "\u6708"], ["\u65e5", "\u6708"], id="texts that look different stay as they are"),
        pytest.param(["\u00fc", "\u00fc", "u"], ["\u00fc", "\u00fc", "u"], id="so do equal texts"),
        pytest.param(["a", "b"], ["a", "b"], id="and ASCII"),
    ],
)
def test_texts_that_look_alike_are_escaped(texts: list[str], told_apart: list[str]) -> None:
    assert text.tell_apart(texts) == told_apart


def test_lines_of_a_diff_keep_their_signs() -> None:
    assert text.tell_lines_apart(["-\u00fc", "+u\u0308", " \u65e5", ""]) == [
        "-\\u00fc",
        "+u\\u0308",
        " \u65e5",
        "",
    ]
