"""
Checks of well-typed expressions: invalid literal arguments, and list and map literals of mixed types.

Reference:
    cel-go cel/validator.go; ext/formatting.go, stringFormatValidator.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from pytest_crd.engine.cel import formatvalidator
from pytest_crd.engine.cel.errors import CompileError, EvaluationError, Problem
from pytest_crd.engine.cel.text import ast
from pytest_crd.engine.cel.text.ast import Node
from pytest_crd.engine.cel.types.celtypes import Type, TypeKind
from pytest_crd.engine.cel.types.checked import CheckedExpression
from pytest_crd.engine.cel.values import re2patterns

_FORMAT: Final = "format"


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
                for place, message in formatvalidator.validate(node, self._checked):
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
