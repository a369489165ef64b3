"""
Compile-time check of `format` calls on literals: whether each clause fits its argument.

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
# For each clause letter, the accepted types and the error message for other types.
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
    """Return the problems of *call*, a call of `format`, with their nodes; empty unless text and arguments are literals."""
    text = call.target
    if len(call.arguments) != 1 or not isinstance(text, ast.Constant) or not isinstance(text.value, str):
        return []
    arguments = call.arguments[0]
    if not isinstance(arguments, ast.ListLiteral):
        return []
    try:
        position = 0
        for letter in textformat.clauses(text.value, len(arguments.elements)):
            allowed, problem = _CLAUSES[letter]
            argument = arguments.elements[position]
            mismatch = next(_find_mismatches(argument, allowed, checked, deep=letter == "s"), None)
            if mismatch is not None:
                actual = checked.types[mismatch.id].name
                return [(mismatch, f"error during formatting: {problem}, was given {actual}")]
            position += 1
    except EvaluationError as error:
        return [(call, str(error))]
    if len(arguments.elements) > position:
        count = len(arguments.elements)
        return [(call, f"too many arguments supplied to string.format (expected {position}, got {count})")]
    return []


def _find_mismatches(
    node: Node, allowed: frozenset[TypeKind], checked: CheckedExpression, *, deep: bool
) -> Iterator[Node]:
    """Yield *node* if its type is not in *allowed*; with *deep*, also check the elements of list and map literals."""
    kind = checked.types[node.id].kind
    if kind is not TypeKind.DYN and kind not in allowed:
        yield node
    parts: Sequence[Node] = ()
    if deep and isinstance(node, ast.ListLiteral):
        parts = node.elements
    elif deep and isinstance(node, ast.MapLiteral):
        parts = [part for entry in node.entries for part in (entry.key, entry.value)]
    for part in parts:
        yield from _find_mismatches(part, allowed, checked, deep=deep)
