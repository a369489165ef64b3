"""
The check of calls of `format` on a literal with a list literal: whether each clause is for its argument.

Reference:
    cel-go ext/formatting.go, stringFormatValidator, stringFormatChecker.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from pytest_crd.engine.cel.errors import EvaluationError
from pytest_crd.engine.cel.library import textformat
from pytest_crd.engine.cel.text import ast
from pytest_crd.engine.cel.text.ast import Node
from pytest_crd.engine.cel.types.celtypes import TypeKind
from pytest_crd.engine.cel.types.checked import CheckedExpression

_NUMBERS: Final = frozenset({TypeKind.INT, TypeKind.UINT})
_DOUBLES: Final = frozenset({TypeKind.DOUBLE, TypeKind.STRING})
_TEXTS: Final = frozenset(
    {
        *(
            TypeKind.LIST,
            TypeKind.MAP,
            TypeKind.INT,
            TypeKind.UINT,
            TypeKind.DOUBLE,
            TypeKind.BOOL,
            TypeKind.STRING,
            TypeKind.TIMESTAMP,
            TypeKind.BYTES,
        ),
        *(TypeKind.DURATION, TypeKind.TYPE, TypeKind.NULL),
    }
)
_HEXADECIMAL: Final = (
    _NUMBERS | {TypeKind.STRING, TypeKind.BYTES},
    "only integers, byte buffers, and strings can be formatted as hex",
)
# By the letter of a clause: what it is for, and what is said where it is given something else.
_CLAUSES: Final = {
    "s": (
        _TEXTS,
        "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps",
    ),
    "d": (_NUMBERS, "decimal clause can only be used on integers"),
    "f": (_DOUBLES, "fixed-point clause can only be used on doubles"),
    "e": (_DOUBLES, "scientific clause can only be used on doubles"),
    "b": (_NUMBERS | {TypeKind.BOOL}, "only integers and bools can be formatted as binary"),
    "x": _HEXADECIMAL,
    "X": _HEXADECIMAL,
    "o": (_NUMBERS, "octal clause can only be used on integers"),
}


def validate(call: ast.Call, checked: CheckedExpression) -> list[tuple[Node, str]]:
    """Return what is wrong with *call*, a call of `format`, and at which node; nothing where it is not made of literals."""
    text = call.target
    if len(call.arguments) != 1 or not isinstance(text, ast.Constant) or not isinstance(text.value, str):
        return []
    arguments = call.arguments[0]
    if not isinstance(arguments, ast.ListLiteral):
        return []
    try:
        taken = 0
        for letter in textformat.clauses(text.value, len(arguments.elements)):
            allowed, words = _CLAUSES[letter]
            argument = arguments.elements[taken]
            wrong = next(_unsuited(argument, allowed, checked, deep=letter == "s"), None)
            if wrong is not None:
                given = checked.types[wrong.id].name
                return [(wrong, f"error during formatting: {words}, was given {given}")]
            taken += 1
    except EvaluationError as error:
        return [(call, str(error))]
    if len(arguments.elements) > taken:
        count = len(arguments.elements)
        return [(call, f"too many arguments supplied to string.format (expected {taken}, got {count})")]
    return []


def _unsuited(node: Node, allowed: frozenset[TypeKind], checked: CheckedExpression, *, deep: bool) -> Iterator[Node]:
    """Yield *node* if it is of no kind that is *allowed*; with *deep*, also the parts of list and map literals."""
    kind = checked.types[node.id].kind
    if kind is not TypeKind.DYN and kind not in allowed:
        yield node
    parts: Sequence[Node] = ()
    if deep and isinstance(node, ast.ListLiteral):
        parts = node.elements
    elif deep and isinstance(node, ast.MapLiteral):
        parts = [part for entry in node.entries for part in (entry.key, entry.value)]
    for part in parts:
        yield from _unsuited(part, allowed, checked, deep=deep)
