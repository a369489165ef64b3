"""Messages that were taken for a format."""

from __future__ import annotations

import pytest

from pytest_crd.engine.cel.text.syntax.misformatting import misformat


@pytest.mark.parametrize(
    ("message", "printed"),
    [
        ("at: '%'", "at: '%!'(MISSING)"),
        ("%%", "%"),
        ("a %", "a %!(NOVERB)"),
        ("%*d %.*f", "%!(BADWIDTH)%!d(MISSING) %!(BADPREC)%!f(MISSING)"),
        ("%+5.2s", "%!s(MISSING)"),
        ("%[1]d", "%!d(BADINDEX)"),
    ],
)
def test_percent_signs_were_taken_for_a_format_once(message: str, printed: str) -> None:
    assert misformat(message) == printed
