"""Messages of syntax errors that pass through Sprintf."""

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
def test_percent_signs_are_interpreted_as_format_clauses(message: str, printed: str) -> None:
    assert misformat(message) == printed
