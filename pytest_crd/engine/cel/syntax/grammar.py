"""
The grammar of expressions.

Reference:
    cel-go parser/gen/CEL.g4, the parser rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final

from pytest_crd.engine.cel.lexer import BYTES, EOF, ESCAPED_IDENTIFIER, FLOAT, IDENTIFIER, INT, STRING, UINT
from pytest_crd.engine.cel.syntax.network import Choice, Element, Many, Maybe, Network, Rule, Some, Suffixes, Token

# In the order in which messages list them.
_ORDER: Final = (
    EOF,
    *("==", "!=", "in", "<", "<=", ">=", ">", "&&", "||", "[", "]", "{", "}", "(", ")", ".", ",", "-", "!", "?", ":"),
    *("+", "*", "/", "%", "true", "false", "null"),
    *(FLOAT, INT, UINT, STRING, BYTES, IDENTIFIER, ESCAPED_IDENTIFIER),
)
_NAMED: Final = frozenset(_ORDER[-7:])


def display(tokens: frozenset[str]) -> str:
    """Return how messages write a set of tokens."""
    shown = [token if token in _NAMED or token == EOF else f"'{token}'" for token in sort(tokens)]
    return shown[0] if len(shown) == 1 else "{" + ", ".join(shown) + "}"


def sort(tokens: frozenset[str]) -> list[str]:
    """Return *tokens* in the order of messages."""
    return [token for token in _ORDER if token in tokens]


def conjure(kind: str) -> str:
    """Return the text of a token that is missing."""
    return "<missing undefined>" if kind in _NAMED else f"<missing '{kind}'>"


@cache
def network(*, escaped_identifiers: bool) -> Network:
    """Return the network of the grammar: that since cel-go 0.23, which has *escaped_identifiers*, or that before."""
    rules = _operations() | _members(escaped_identifiers=escaped_identifiers) | _initializers()
    if escaped_identifiers:
        rules["optField"] = [Maybe([_token("?", "opt")]), Rule("escapeIdent", "name")]
        rules["escapeIdent"] = [
            Choice(
                {
                    "SimpleIdentifier": [_token(IDENTIFIER, "id")],
                    "EscapedIdentifier": [_token(ESCAPED_IDENTIFIER, "id")],
                }
            )
        ]
    else:
        rules["optField"] = [Maybe([_token("?", "opt")]), _token(IDENTIFIER, "id")]
    return Network(rules)


def _token(kind: str, label: str = "", *, many: bool = False) -> Token:
    return Token(frozenset({kind}), label, many)


def _operations() -> dict[str, Sequence[Element]]:
    """Return the rules from the whole expression to signs."""
    relations = Token(frozenset({"<", "<=", ">=", ">", "==", "!=", "in"}), "op")
    products = Token(frozenset({"*", "/", "%"}), "op")
    sums = Token(frozenset({"+", "-"}), "op")
    return {
        "start": [Rule("expr", "e"), _token(EOF)],
        "expr": [
            Rule("conditionalOr", "e"),
            Maybe([_token("?", "op"), Rule("conditionalOr", "e1"), _token(":"), Rule("expr", "e2")]),
        ],
        "conditionalOr": [
            Rule("conditionalAnd", "e"),
            Many([_token("||", "ops", many=True), Rule("conditionalAnd", "e1", many=True)]),
        ],
        "conditionalAnd": [
            Rule("relation", "e"),
            Many([_token("&&", "ops", many=True), Rule("relation", "e1", many=True)]),
        ],
        "relation": [
            Rule("calc", "e"),
            Suffixes({"Relation": (1, [relations, Rule("relation", "right", precedence=2)])}),
        ],
        "calc": [
            Rule("unary", "e"),
            Suffixes(
                {
                    "Calc": (2, [products, Rule("calc", "right", precedence=3)]),
                    "Calc ": (1, [sums, Rule("calc", "right", precedence=2)]),
                }
            ),
        ],
        "unary": [
            Choice(
                {
                    "MemberExpr": [Rule("member", "e")],
                    "LogicalNot": [Some([_token("!", "ops", many=True)]), Rule("member", "e")],
                    "Negate": [Some([_token("-", "ops", many=True)]), Rule("member", "e")],
                }
            )
        ],
    }


def _members(*, escaped_identifiers: bool) -> dict[str, Sequence[Element]]:
    """Return the rules of selections, calls, names and literals."""
    field: Element = Rule("escapeIdent", "id") if escaped_identifiers else _token(IDENTIFIER, "id")
    call: list[Element] = [_token("(", "op"), Maybe([Rule("exprList", "args")]), _token(")")]
    primary: dict[str, Sequence[Element]] = {}
    if escaped_identifiers:
        primary["Ident"] = [Maybe([_token(".", "leadingDot")]), _token(IDENTIFIER, "id")]
        primary["GlobalCall"] = [Maybe([_token(".", "leadingDot")]), _token(IDENTIFIER, "id"), *call]
    else:
        primary["Ident"] = [Maybe([_token(".", "leadingDot")]), _token(IDENTIFIER, "id"), Maybe(call)]
    primary |= {
        "Nested": [_token("("), Rule("expr", "e"), _token(")")],
        "CreateList": [_token("[", "op"), Maybe([Rule("listInit", "elems")]), Maybe([_token(",")]), _token("]")],
        "CreateStruct": [
            _token("{", "op"),
            Maybe([Rule("mapInitializerList", "entries")]),
            Maybe([_token(",")]),
            _token("}"),
        ],
        "CreateMessage": [
            Maybe([_token(".", "leadingDot")]),
            _token(IDENTIFIER, "ids", many=True),
            Many([_token(".", "ops", many=True), _token(IDENTIFIER, "ids", many=True)]),
            _token("{", "op"),
            Maybe([Rule("fieldInitializerList", "entries")]),
            Maybe([_token(",")]),
            _token("}"),
        ],
        "ConstantLiteral": [Rule("literal", "e")],
    }
    return {
        "member": [
            Rule("primary", "e"),
            Suffixes(
                {
                    "Select": (3, [_token(".", "op"), Maybe([_token("?", "opt")]), field]),
                    "MemberCall": (
                        2,
                        [
                            _token(".", "op"),
                            _token(IDENTIFIER, "id"),
                            _token("(", "open"),
                            Maybe([Rule("exprList", "args")]),
                            _token(")"),
                        ],
                    ),
                    "Index": (1, [_token("[", "op"), Maybe([_token("?", "opt")]), Rule("expr", "index"), _token("]")]),
                }
            ),
        ],
        "primary": [Choice(primary)],
        "literal": [
            Choice(
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
    """Return the rules of what stands between brackets and braces."""

    def pairs(left: str, label: str) -> list[Element]:
        return [
            Rule(left, label, many=True),
            _token(":", "cols", many=True),
            Rule("expr", "values", many=True),
        ]

    return {
        "exprList": [Rule("expr", "e", many=True), Many([_token(","), Rule("expr", "e", many=True)])],
        "listInit": [Rule("optExpr", "elems", many=True), Many([_token(","), Rule("optExpr", "elems", many=True)])],
        "fieldInitializerList": [*pairs("optField", "fields"), Many([_token(","), *pairs("optField", "fields")])],
        "mapInitializerList": [*pairs("optExpr", "keys"), Many([_token(","), *pairs("optExpr", "keys")])],
        "optExpr": [Maybe([_token("?", "opt")]), Rule("expr", "e")],
    }
