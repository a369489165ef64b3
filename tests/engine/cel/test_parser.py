"""Trees of expressions: what is read fast and what is read as the server reads it come to the same."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from pytest_crd.engine.cel import ast, macros, parser
from pytest_crd.engine.cel.building import Builder
from pytest_crd.engine.cel.dialect import Dialect
from pytest_crd.engine.cel.errors import CompileError
from pytest_crd.engine.cel.limits import deep_recursion
from pytest_crd.engine.cel.source import Source
from pytest_crd.engine.cel.syntax import trees
from pytest_crd.engine.cel.syntax.misformatting import misformat
from pytest_crd.engine.cel.values import UInt

MACROS = {
    (macro.name, macro.argument_count, macro.is_member): macro
    for macro in (*macros.STANDARD, *macros.OPTIONAL_MAP, *macros.TWO_VARIABLES)
}


def literal(text: str, dialect: Dialect) -> Any:
    root = parser.parse(text, {}, dialect).root
    assert isinstance(root, ast.Constant)
    return root.value


def outline(node: Any, positions: Any) -> Any:
    """Return *node* without ids, but with its place."""
    if dataclasses.is_dataclass(node):
        fields = {field.name: getattr(node, field.name) for field in dataclasses.fields(node)}
        place = positions[fields.pop("id")]
        return type(node).__name__, place, {name: outline(value, positions) for name, value in fields.items()}
    return [outline(part, positions) for part in node] if isinstance(node, tuple) else node


@pytest.mark.parametrize(
    "text",
    [
        "a ? b : c ? d : e",
        "a && b && c || d && e || f",
        "1 + 2 * 3 - 4 % 5 / 6 == 7 && 8 in [9]",
        "!a && !!b || -c < --d",
        "-1 + - 1.5e3 - -a",
        "a.b.c(d, e)[f].?g[?h].`i-j`",
        ".a.b(.c())",
        "[1, ?a, [], ] == {'a': 1, ?b: c,}",
        "a.b.C{d: 1, ?e: f, `g/h`: i,} != .D{}",
        "x.all(y, has(y.z) && y.map(i, j, i > j, i).exists_one(k, k))",
        "o.optMap(v, v + 1)",
        "'a' + \"b\" + r'\\c' + '''d\n''' + '\\x41\\u00e9\\U0001F600\\101\\n\\?'",
        "b'a\\xff\\n\\'' + b'''\\377''' + br'\\x' == b\"é\"",
        "0x1F + 1u - 0xFFu < 1.5 && true != false == null // end",
        "(a)\n.b\r\n\t(c)",
    ],
)
def test_both_parsers_make_the_same_trees(text: str) -> None:
    fast = parser.parse(text, MACROS, Dialect())
    builder = Builder(Source(text), MACROS, Dialect())
    slow = trees.read(builder, Dialect())

    assert not builder.problems
    assert outline(slow, builder.positions) == outline(fast.root, fast.positions)


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
def test_literals(text: str, value: Any) -> None:
    if value is None:
        with pytest.raises(CompileError, match=r"invalid|unable to unescape string"):
            parser.parse(text, {}, Dialect())
    else:
        assert literal(text, Dialect()) == value


def test_surrogates_became_replacement_characters_once() -> None:
    assert literal("'\\ud800'", Dialect(strict_code_points=False)) == "\ufffd"
    with pytest.raises(CompileError, match="unable to unescape string"):
        parser.parse("'\\U00110000'", {}, Dialect(strict_code_points=False))


def test_too_long_expressions_are_not_read() -> None:
    with pytest.raises(CompileError) as caught:
        parser.parse("a" * 100_001, {}, Dialect())

    assert str(caught.value) == (
        "ERROR: <input>:-1:0: expression code point size exceeds limit: size: 100001, limit 100000"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("a.`b` +", "1:8: Syntax error: mismatched input '<EOF>' expecting", id="a name in backquotes"),
        pytest.param("((.)", "1:4: Syntax error: no viable alternative at input '.)'", id="no alternative"),
        pytest.param(".A{b c}", "1:6: Syntax error: missing ':' at 'c'", id="a broken struct"),
    ],
)
def test_words_of_syntax_errors(text: str, message: str) -> None:
    with pytest.raises(CompileError) as caught:
        parser.parse(text, MACROS, Dialect())

    assert str(caught.value).startswith(f"ERROR: <input>:{message}")


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


def test_deep_expressions_nest_deeper_than_python_may() -> None:
    with deep_recursion():
        root: Any = parser.parse("[" * 249 + "]" * 249, {}, Dialect()).root

    for _ in range(248):
        (root,) = root.elements
    assert root.elements == ()
