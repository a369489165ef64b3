"""Parser of expressions: literals, and limits of length and depth."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.engine.cel.dialect import Dialect
from pytest_crd.engine.cel.errors import CompileError
from pytest_crd.engine.cel.expressionlimits import deep_recursion
from pytest_crd.engine.cel.text import ast, parser
from pytest_crd.engine.cel.text.syntax import trees
from pytest_crd.engine.cel.values.celvalues import UInt


def literal(text: str, dialect: Dialect) -> Any:
    root = parser.parse(text, {}, dialect).root
    assert isinstance(root, ast.Constant)
    return root.value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        pytest.param("-9223372036854775808", -(2**63), id="the least int"),
        pytest.param("000000000000000000000000000001", 1, id="many zeros"),
        pytest.param("18446744073709551615u", UInt(2**64 - 1), id="the greatest uint"),
        pytest.param("'''a\r\nb\rc'''", "a\nb\nc", id="line breaks"),
        pytest.param("b'\\u0041'", None, id="a code point in bytes"),
        pytest.param("18446744073709551616u", None, id="too great a uint"),
        pytest.param("1e999", None, id="too great a double"),
        pytest.param("'\\ud800'", None, id="a surrogate"),
    ],
)
def test_literals_have_their_values(text: str, value: Any) -> None:
    if value is None:
        with pytest.raises(CompileError, match=r"invalid|unable to unescape string"):
            parser.parse(text, {}, Dialect())
    else:
        assert literal(text, Dialect()) == value


def test_old_dialects_replace_surrogates() -> None:
    assert literal("'\\ud800'", Dialect(strict_code_points=False)) == "\ufffd"
    with pytest.raises(CompileError, match="unable to unescape string"):
        parser.parse("'\\U00110000'", {}, Dialect(strict_code_points=False))


@pytest.mark.parametrize("text", ["{?'a': b}", "A{?a: b}", "[?a]", "a.?b", "a[?b]", "a ? -b : !c", ".a.b(c)"])
def test_well_formed_texts_are_read_without_the_slow_parser(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(trees, "read")

    parser.parse(text, {}, Dialect())


def test_expressions_beyond_the_length_limit_are_refused() -> None:
    with pytest.raises(CompileError) as caught:
        parser.parse("a" * 100_001, {}, Dialect())

    assert str(caught.value) == (
        "ERROR: <input>:-1:0: expression code point size exceeds limit: size: 100001, limit 100000"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("[" * 251 + "]" * 251, "-1:0: expression recursion limit exceeded: 250", id="depth"),
        pytest.param("a.b" + ".c" * 300 + " $", "-1:0: max recursion depth exceeded", id="depth of what is wrong"),
        pytest.param("[1 " * 40, "1:121: Syntax error: error recovery attempt limit exceeded: 30", id="recoveries"),
        pytest.param(
            "(1 2" + " 2" * 300 + ")", "-1:0: error recovery token lookahead limit exceeded: 256", id="skipped"
        ),
        pytest.param("$ " * 102, "1 more errors were truncated", id="syntax errors"),
        pytest.param("[" + "if," * 120 + "if]", "21 more errors were truncated", id="problems"),
        pytest.param("'" + "a" * 17_000 + "' + $", "1:17006: Syntax error: token recognition error at: '$'", id="line"),
    ],
)
def test_errors_beyond_limits_are_summarized(text: str, message: str) -> None:
    with deep_recursion(), pytest.raises(CompileError) as caught:
        parser.parse(text, {}, Dialect())

    assert message in {line.removeprefix("ERROR: <input>:") for line in str(caught.value).splitlines()}


def test_deep_expressions_exceed_pythons_recursion_limit() -> None:
    with deep_recursion():
        root: Any = parser.parse("[" * 249 + "]" * 249, {}, Dialect()).root

    for _ in range(248):
        (root,) = root.elements
    assert root.elements == ()
