"""
Grammar of expressions.

Reference:
    cel-go parser/gen/CEL.g4, the parser rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final

from pytest_crd.engine.cel.text.lexer import BYTES, EOF, ESCAPED_IDENTIFIER, FLOAT, IDENTIFIER, INT, STRING, UINT
from pytest_crd.engine.cel.text.syntax.network import (
    Alternatives,
    Element,
    GrammarRule,
    Many,
    Maybe,
    Network,
    Some,
    Suffixes,
    TokenElement,
)

# Token kinds in the order of messages.
_ORDER: Final = (
    EOF,
    *("==", "!=", "in", "<", "<=", ">=", ">", "&&", "||", "[", "]", "{", "}", "(", ")", ".", ",", "-", "!", "?", ":"),
    *("+", "*", "/", "%", "true", "false", "null"),
    *(FLOAT, INT, UINT, STRING, BYTES, IDENTIFIER, ESCAPED_IDENTIFIER),
)
_NAMED: Final = frozenset(_ORDER[-7:])


def display(tokens: frozenset[str]) -> str:
    """Return a set of tokens as messages print it."""
    names = [token if token in _NAMED or token == EOF else f"'{token}'" for token in sort(tokens)]
    return names[0] if len(names) == 1 else "{" + ", ".join(names) + "}"


def sort(tokens: frozenset[str]) -> list[str]:
    """Return *tokens* in the order of messages."""
    return [token for token in _ORDER if token in tokens]


def conjure(kind: str) -> str:
    """Return the text of a token inserted for a missing one."""
    return "<missing undefined>" if kind in _NAMED else f"<missing '{kind}'>"


@cache
def network(*, escaped_identifiers: bool) -> Network:
    """Return the network of the grammar: with *escaped_identifiers* since cel-go 0.23, without before."""
    rules = _operations() | _members(escaped_identifiers=escaped_identifiers)
    rules |= _primaries(escaped_identifiers=escaped_identifiers) | _literals() | _initializers()
    if escaped_identifiers:
        rules["optField"] = [Maybe([_token("?", "opt")]), GrammarRule("escapeIdent", "name")]
        rules["escapeIdent"] = [
            Alternatives(
                {
                    "SimpleIdentifier": [_token(IDENTIFIER, "id")],
                    "EscapedIdentifier": [_token(ESCAPED_IDENTIFIER, "id")],
                }
            )
        ]
    else:
        rules["optField"] = [Maybe([_token("?", "opt")]), _token(IDENTIFIER, "id")]
    return Network(rules)


def _token(kind: str, label: str = "", *, many: bool = False) -> TokenElement:
    return TokenElement(frozenset({kind}), label, many)


def _operations() -> dict[str, Sequence[Element]]:
    """Return the rules from the whole expression down to signs."""
    relations = TokenElement(frozenset({"<", "<=", ">=", ">", "==", "!=", "in"}), "op")
    products = TokenElement(frozenset({"*", "/", "%"}), "op")
    sums = TokenElement(frozenset({"+", "-"}), "op")
    return {
        "start": [GrammarRule("expr", "e"), _token(EOF)],
        "expr": [
            GrammarRule("conditionalOr", "e"),
            Maybe([_token("?", "op"), GrammarRule("conditionalOr", "e1"), _token(":"), GrammarRule("expr", "e2")]),
        ],
        "conditionalOr": [
            GrammarRule("conditionalAnd", "e"),
            Many([_token("||", "ops", many=True), GrammarRule("conditionalAnd", "e1", many=True)]),
        ],
        "conditionalAnd": [
            GrammarRule("relation", "e"),
            Many([_token("&&", "ops", many=True), GrammarRule("relation", "e1", many=True)]),
        ],
        "relation": [
            GrammarRule("calc", "e"),
            Suffixes({"Relation": (1, [relations, GrammarRule("relation", "right", precedence=2)])}),
        ],
        "calc": [
            GrammarRule("unary", "e"),
            Suffixes(
                {
                    "Calc": (2, [products, GrammarRule("calc", "right", precedence=3)]),
                    "Calc ": (1, [sums, GrammarRule("calc", "right", precedence=2)]),
                }
            ),
        ],
        "unary": [
            Alternatives(
                {
                    "MemberExpr": [GrammarRule("member", "e")],
                    "LogicalNot": [Some([_token("!", "ops", many=True)]), GrammarRule("member", "e")],
                    "Negate": [Some([_token("-", "ops", many=True)]), GrammarRule("member", "e")],
                }
            )
        ],
    }


def _members(*, escaped_identifiers: bool) -> dict[str, Sequence[Element]]:
    """Return the rules of selections, member calls and indices."""
    field: Element = GrammarRule("escapeIdent", "id") if escaped_identifiers else _token(IDENTIFIER, "id")
    select: list[Element] = [_token(".", "op"), Maybe([_token("?", "opt")]), field]
    call: list[Element] = [_token(".", "op"), _token(IDENTIFIER, "id"), *_arguments("open")]
    index: list[Element] = [_token("[", "op"), Maybe([_token("?", "opt")]), GrammarRule("expr", "index"), _token("]")]
    return {
        "member": [
            GrammarRule("primary", "e"),
            Suffixes({"Select": (3, select), "MemberCall": (2, call), "Index": (1, index)}),
        ]
    }


def _arguments(label: str) -> list[Element]:
    return [_token("(", label), Maybe([GrammarRule("exprList", "args")]), _token(")")]


def _primaries(*, escaped_identifiers: bool) -> dict[str, Sequence[Element]]:
    """Return the rule of names, global calls, and expressions in brackets or braces."""
    primary: dict[str, Sequence[Element]]
    if escaped_identifiers:
        primary = {"Ident": _name(), "GlobalCall": [*_name(), *_arguments("op")]}
    else:
        primary = {"Ident": [*_name(), Maybe(_arguments("op"))]}
    primary |= {
        "Nested": [_token("("), GrammarRule("expr", "e"), _token(")")],
        "CreateList": [_token("[", "op"), *_items(GrammarRule("listInit", "elems"), "]")],
        "CreateStruct": [_token("{", "op"), *_items(GrammarRule("mapInitializerList", "entries"), "}")],
        "CreateMessage": [
            Maybe([_token(".", "leadingDot")]),
            _token(IDENTIFIER, "ids", many=True),
            Many([_token(".", "ops", many=True), _token(IDENTIFIER, "ids", many=True)]),
            _token("{", "op"),
            *_items(GrammarRule("fieldInitializerList", "entries"), "}"),
        ],
        "ConstantLiteral": [GrammarRule("literal", "e")],
    }
    return {"primary": [Alternatives(primary)]}


def _name() -> list[Element]:
    return [Maybe([_token(".", "leadingDot")]), _token(IDENTIFIER, "id")]


def _items(items: GrammarRule, end: str) -> list[Element]:
    """Return the elements after an opening bracket: optional items, an optional trailing comma, and *end*."""
    return [Maybe([items]), Maybe([_token(",")]), _token(end)]


def _literals() -> dict[str, Sequence[Element]]:
    """Return the rule of scalar literals."""
    return {
        "literal": [
            Alternatives(
                {
                    "Int": [Maybe([_token("-", "sign")]), _token(INT, "tok")],
                    "Uint": [_token(UINT, "tok")],
                    "Double": [Maybe([_token("-", "sign")]), _token(FLOAT, "tok")],
                    "String": [_token(STRING, "tok")],
                    "Bytes": [_token(BYTES, "tok")],
                    "BoolTrue": [_token("true", "tok")],
                    "BoolFalse": [_token("false", "tok")],
                    "Null": [_token("null", "tok")],
                }
            )
        ],
    }


def _initializers() -> dict[str, Sequence[Element]]:
    """Return the rules of items inside brackets and braces."""

    def pairs(left: str, label: str) -> list[Element]:
        return [
            GrammarRule(left, label, many=True),
            _token(":", "cols", many=True),
            GrammarRule("expr", "values", many=True),
        ]

    return {
        "exprList": [GrammarRule("expr", "e", many=True), Many([_token(","), GrammarRule("expr", "e", many=True)])],
        "listInit": [
            GrammarRule("optExpr", "elems", many=True),
            Many([_token(","), GrammarRule("optExpr", "elems", many=True)]),
        ],
        "fieldInitializerList": [*pairs("optField", "fields"), Many([_token(","), *pairs("optField", "fields")])],
        "mapInitializerList": [*pairs("optExpr", "keys"), Many([_token(","), *pairs("optExpr", "keys")])],
        "optExpr": [Maybe([_token("?", "opt")]), GrammarRule("expr", "e")],
    }
