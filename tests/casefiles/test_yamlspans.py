"""Spans of the nodes of a YAML text."""

from __future__ import annotations

import pytest

from pytest_crd.casefiles import yamlspans
from pytest_crd.engine import jsonvalue
from pytest_crd.engine.yaml.yamlstream import UnreadableError

_DEEP = jsonvalue.MAX_DEPTH - 1


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("a: 1\n---\nb: *c\n", 3, "unknown anchor 'c' referenced"),
        ("a: 1\n---\n? *c\n: 1\n", 3, "unknown anchor 'c' referenced"),
        (f"a: {'[' * 400}{']' * 400}\n", 1, "nested more than 256 levels deep"),
        (f"{'- ' * 5_000}1\n", 1, "nested more than 256 levels deep"),
        ("[\n" * 5_000 + "]" * 5_000, 258, "nested more than 256 levels deep"),
        ("a: 1\n---\nb: [\n", 4, "did not find expected node content"),
        ("a: \ud800\n", 1, "surrogate"),
    ],
)
def test_unreadable_texts_have_an_error_with_a_line(text: str, line: int, message: str) -> None:
    with pytest.raises(UnreadableError, match=message) as caught:
        yamlspans.find_spans(text)

    assert caught.value.line == line


@pytest.mark.parametrize(
    "text", ["[" * _DEEP + "]" * _DEEP, "- " * _DEEP + "1", f"a: &a 1\nb: [*a, {'[' * 200}{']' * 200}]"]
)
def test_readable_depth_has_spans(text: str) -> None:
    [root] = yamlspans.find_spans(text).documents

    assert len([*root.walk()]) >= 200
