"""
Checks of well-typed expressions: invalid literal arguments, and list and map literals of mixed types.

Reference:
    cel-go cel/validator.go; ext/formatting.go, stringFormatValidator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from pytest_crd.engine.cel.errors import CompileError, EvaluationError, Problem
from pytest_crd.engine.cel.library import textformat
from pytest_crd.engine.cel.text import ast
from pytest_crd.engine.cel.text.ast import Node
from pytest_crd.engine.cel.types.celtypes import Type, TypeKind
from pytest_crd.engine.cel.types.checked import CheckedExpression
from pytest_crd.engine.cel.values import re2patterns

_FORMAT: Final = "format"
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


def validate(checked: CheckedExpression) -> None:
    """
    Validate a type-checked expression.

    Raises:
        CompileError: A literal argument is invalid, or a list or map literal has mixed types.
    """
    validator = _Validator(checked)
    validator.visit(checked.parsed.root, in_format=False)
    if validator.problems:
        raise CompileError(checked.parsed.source, validator.problems)


class _Validator:
    """Validator of one expression."""

    def __init__(self, checked: CheckedExpression) -> None:
        self.problems: list[Problem] = []
        self._checked = checked

    def visit(self, node: Node, *, in_format: bool) -> None:
        """Validate *node* and its parts; *in_format* allows mixed types in the arguments of `format`."""
        if isinstance(node, ast.Call):
            name = self._checked.references[node.id].name
            self._literal_argument(name, node)
            if name == _FORMAT:
                in_format = True
                for place, message in validate_formats(node, self._checked):
                    self._report(place, message)
        elif isinstance(node, ast.ListLiteral) and not in_format:
            self._list(node)
        elif isinstance(node, ast.MapLiteral) and not in_format:
            self._map(node)
        if isinstance(node, ast.Select) and node.id in self._checked.references:
            return  # a name with dots
        for part in _parts(node, self._checked):
            self.visit(part, in_format=in_format)

    def _report(self, node: Node, message: str) -> None:
        location = self._checked.parsed.source.location(self._checked.parsed.positions[node.id])
        self.problems.append(Problem(location, message))

    def _literal_argument(self, function: str, call: ast.Call) -> None:
        """Report the first argument of a call if it is a literal that the function refuses."""
        if function not in _LITERAL_ARGUMENTS or not call.arguments:
            return
        argument = call.arguments[0]
        if not isinstance(argument, ast.Constant):
            return
        try:
            _LITERAL_ARGUMENTS[function](self._checked, call, argument)
        except EvaluationError:
            self._report(argument, f"invalid {function} argument")

    def _list(self, node: ast.ListLiteral) -> None:
        types = [
            self._type(element, optional=index in node.optional_indices) for index, element in enumerate(node.elements)
        ]
        expected = next((type_ for type_ in types if type_.kind is not TypeKind.UNSPECIFIED), None)
        begun = False
        for element, type_ in zip(node.elements, types, strict=True):
            begun = begun or type_ is expected
            if begun and expected is not None and type_ != expected:
                self._report_mixed(element, expected, type_)
                return

    def _map(self, node: ast.MapLiteral) -> None:
        keys = [self._type(entry.key, optional=False) for entry in node.entries]
        values = [self._type(entry.value, optional=entry.optional) for entry in node.entries]
        for entry, key, value in zip(node.entries, keys, values, strict=True):
            if key != keys[0]:
                self._report_mixed(entry.key, keys[0], key)
            if value != values[0]:
                self._report_mixed(entry.value, values[0], value)

    def _type(self, node: Node, *, optional: bool) -> Type:
        """Return the type of an element; for an optional element, the type of its value."""
        type_ = self._checked.types[node.id]
        return type_.parameters[0] if optional and type_.parameters else type_

    def _report_mixed(self, node: Node, expected: Type, actual: Type) -> None:
        self._report(node, f"expected type '{expected}' but found '{actual}'")


def _call(checked: CheckedExpression, call: ast.Call, argument: ast.Constant) -> None:
    """Call a conversion with a literal argument; raise EvaluationError if it fails."""
    overload = checked.references[call.id].overloads[0]
    assert overload.call is not None  # noqa: S101 - conversions have implementations
    overload.call(argument.value)


def _compile(checked: CheckedExpression, _: ast.Call, argument: ast.Constant) -> None:
    re2patterns.compile(argument.value, checked.go)


_LITERAL_ARGUMENTS: Final[Mapping[str, Callable[[CheckedExpression, ast.Call, ast.Constant], None]]] = {
    "duration": _call,
    "timestamp": _call,
    "matches": _compile,
}


def _parts(node: Node, checked: CheckedExpression) -> Sequence[Node]:  # noqa: PLR0911 - one for each kind of node
    """Return the child nodes of *node*."""
    match node:
        case ast.Select():
            return (node.operand,)
        case ast.Call():
            if node.target is None or checked.references[node.id].name != node.function:
                return node.arguments
            return (node.target, *node.arguments)
        case ast.ListLiteral():
            return node.elements
        case ast.MapLiteral():
            return [part for entry in node.entries for part in (entry.key, entry.value)]
        case ast.StructLiteral():
            return [field.value for field in node.fields]
        case ast.Comprehension():
            return (node.range, node.init, node.condition, node.step, node.result)
        case _:
            return ()


def validate_formats(call: ast.Call, checked: CheckedExpression) -> list[tuple[Node, str]]:
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
