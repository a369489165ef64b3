"""Messages of syntax errors."""

from __future__ import annotations

import pytest

from pytest_crd.engine.cel.dialect import Dialect
from pytest_crd.engine.cel.errors import CompileError
from pytest_crd.engine.cel.text import parser


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("a.`b` +", "1:8: Syntax error: mismatched input '<EOF>' expecting", id="a name in backquotes"),
        pytest.param("((.)", "1:4: Syntax error: no viable alternative at input '.)'", id="no alternative"),
        pytest.param(".A{b c}", "1:6: Syntax error: missing ':' at 'c'", id="a broken struct"),
    ],
)
def test_syntax_errors_have_antlrs_message(text: str, message: str) -> None:
    with pytest.raises(CompileError) as caught:
        parser.parse(text, {}, Dialect())

    assert str(caught.value).startswith(f"ERROR: <input>:{message}")
