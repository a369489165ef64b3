"""Unquoted words that the server reads as booleans are found at all places."""

from __future__ import annotations

import pytest

from pytest_crd.engine.yaml import yamlreader, yamlscalar


def _words(text: str) -> list[tuple[int, tuple[str | int, ...], str, str, bool]]:
    return [
        (word.line, word.path, word.written, word.value, word.is_key)
        for document in yamlreader.read(text)
        for word in document.bare_booleans
    ]


@pytest.mark.parametrize("word", sorted(yamlscalar.BARE_BOOLEANS))
@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("a: WORD", ("a",)),
        ("a: WORD # a comment", ("a",)),
        ("a:\tWORD\r\nb: 1\r\n", ("a",)),
        ("a:\n- WORD\n", ("a", 0)),
        ("{a: [1,WORD]}", ("a", 1)),
        ('{"a":WORD}', ("a",)),
        ("a:\n  &anchor WORD", ("a",)),
        ("a: {b: c, d: WORD , e: f}", ("a", "d")),
    ],
)
def test_a_value_is_found(word: str, text: str, path: tuple[str | int, ...]) -> None:
    ((_, word_path, written, value, is_key),) = _words(text.replace("WORD", word))

    assert (word_path, written, is_key) == (path, word, False)
    assert value == ("true" if yamlscalar.value(word) else "false")


@pytest.mark.parametrize(
    "text", ["on: 1", "? on\n: 1", "{on: 1}", "{a: {on: 1}}", "a: {\n  b: 1, on : 1}", "a:\n- on: 1"]
)
def test_a_key_is_found(text: str) -> None:
    ((_, path, written, value, is_key),) = _words(text)

    assert (path[-1], written, value, is_key) == ("true", "on", "true", True)


@pytest.mark.parametrize(
    "text",
    [
        "a: 'on'",
        'a: "no"',
        "a: true\nFalse: TRUE",
        "a: |\n  on\n",
        "a: !!str on",
        "a: on and off",
        "a: only",
        '{"on": "no"}',
    ],
)
def test_texts_and_explicit_booleans_are_not_reported(text: str) -> None:
    assert not _words(text)


def test_words_of_all_documents_have_their_lines() -> None:
    text = "a: 1\nb: {on: x}\n---\nbase: &base\n  mode: off\nx: [*base, {<<: *base, y: 1}]\n"

    assert _words(text) == [
        (2, ("b", "true"), "on", "true", True),
        (5, ("base", "mode"), "off", "false", False),
        (5, ("x", 0, "mode"), "off", "false", False),
        (5, ("x", 1, "mode"), "off", "false", False),
        (6, ("x", 1, "true"), "y", "true", True),
    ]


def test_words_are_searched_for_once() -> None:
    (document,) = yamlreader.read("a: on\n")

    assert document.bare_booleans is document.bare_booleans
