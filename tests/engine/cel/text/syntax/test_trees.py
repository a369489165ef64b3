"""Agreement of the fast parser with the parser for syntax errors."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from pytest_crd.engine.cel.dialect import Dialect
from pytest_crd.engine.cel.source import Source
from pytest_crd.engine.cel.text import macros, parser
from pytest_crd.engine.cel.text.building import Builder
from pytest_crd.engine.cel.text.syntax import trees
from pytest_crd.engine.cel.text.syntax.trees import misformat

MACROS = {
    (macro.name, macro.argument_count, macro.is_member): macro
    for macro in (*macros.STANDARD, *macros.OPTIONAL_MAP, *macros.TWO_VARIABLES)
}


def outline(node: Any, positions: Any) -> Any:
    """Return *node* with positions instead of ids."""
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
def test_both_parsers_build_the_same_trees(text: str) -> None:
    fast = parser.parse(text, MACROS, Dialect())
    builder = Builder(Source(text), MACROS, Dialect())
    slow = trees.read(builder, Dialect())

    assert not builder.problems
    assert outline(slow, builder.positions) == outline(fast.root, fast.positions)


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
