"""Media types as Go reads them."""

from __future__ import annotations

import pytest

from pytest_crd.engine.golang import mime
from pytest_crd.engine.golang.mime import MediaTypeError


@pytest.mark.parametrize(
    ("text", "media_type"),
    [
        ("application/json", "application/json"),
        ("Text/Plain; charset=utf-8", "text/plain"),
        ("text/plain;charset=utf-8;CHARSET=utf-8 ; ", "text/plain"),
        ('text/plain; a="x; \\"y\\""; b=""', "text/plain"),
        ("text", "text"),
    ],
)
def test_media_types_are_read_without_parameters(text: str, media_type: str) -> None:
    assert mime.parse_media_type(text) == media_type


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (" ", "mime: no media type"),
        ("text plain", "mime: expected slash after first token"),
        ("text/", "mime: expected token after slash"),
        ("text/plain x", "mime: unexpected content after media subtype"),
        ("text/plain; charset", "mime: invalid media parameter"),
        ('text/plain; a="\\"', "mime: invalid media parameter"),
        ("text/plain; a=1; a=2", "mime: duplicate parameter name"),
    ],
)
def test_malformed_media_types_are_refused_with_gos_message(text: str, problem: str) -> None:
    with pytest.raises(MediaTypeError) as error:
        mime.parse_media_type(text)
    assert str(error.value) == problem
