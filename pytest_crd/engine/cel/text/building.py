"""
Construction of syntax trees: node ids, macro expansion, and balanced chains of `&&` and `||`.

Reference:
    cel-go parser/helper.go; parser/parser.go, expandMacro.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from pytest_crd.engine.cel.dialect import Dialect
from pytest_crd.engine.cel.errors import Problem
from pytest_crd.engine.cel.source import Source
from pytest_crd.engine.cel.text import ast
from pytest_crd.engine.cel.text.ast import Node
from pytest_crd.engine.cel.text.literals import LiteralError
from pytest_crd.engine.cel.text.macros import Macro, MacroError

# Macros by name, number of arguments, and presence of a target.
MacroTable: TypeAlias = Mapping[tuple[str, int, bool], Macro]

RESERVED = frozenset(
    [
        "as",
        "break",
        "const",
        "continue",
        "else",
        "false",
        "for",
        "function",
        "if",
        "import",
        "in",
        "let",
        "loop",
        "package",
        "namespace",
        "null",
        "return",
        "true",
        "var",
        "void",
        "while",
    ]
)


class Builder:
    """
    Builder of one syntax tree; collects problems.

    Attributes:
        source: The text of the expression.
        positions: Offsets by node id.
        problems: Problems in the order of detection.
        accumulator: Name of the accumulator of comprehensions.
    """

    def __init__(self, source: Source, macros: MacroTable, dialect: Dialect) -> None:
        """Create a builder for *source* that expands *macros*."""
        self.source = source
        self.positions = [0]
        self.problems: list[Problem] = []
        self.accumulator = dialect.accumulator
        self._macros = macros
        self._expanding = 0

    def id_at(self, offset: int) -> int:
        """Return the id of a new node at *offset*."""
        self.positions.append(offset)
        return len(self.positions) - 1

    def new_id(self) -> int:
        """Return the id of a new node in the macro under expansion."""
        return self.id_at(self._expanding)

    def report(self, offset: int, message: str) -> Node:
        """Record a problem at *offset* and return a placeholder node."""
        self.problems.append(Problem(self.source.location(offset), message))
        return ast.Constant(self.id_at(offset), None)

    def literal(self, offset: int, read: Callable[..., Any], text: str, **options: bool) -> Node:
        """Return the constant with the value of *read* for *text*; report a LiteralError."""
        try:
            value = read(text, **options)
        except LiteralError as error:
            return self.report(offset, str(error))
        return ast.Constant(self.id_at(offset), value)

    def call(self, offset: int, function: str, target: Node | None, arguments: Sequence[Node]) -> Node:
        """Return a call at *offset*, or the expansion of a macro; report a MacroError."""
        macro = self._macros.get((function, len(arguments), target is not None))
        if macro is None:
            return ast.Call(self.id_at(offset), function, target, tuple(arguments))
        self._expanding = offset
        try:
            return macro.expand(self, target, arguments)
        except MacroError as error:
            return self.report(self.positions[error.node.id], error.message)

    def operation(self, offset: int, function: str, *operands: Node) -> Node:
        """Return the call of an operator, which is never a macro."""
        return ast.Call(self.id_at(offset), function, None, operands)

    def chain(self, function: str, terms: Sequence[Node], offsets: Sequence[int]) -> Node:
        """Return *terms* joined by an associative operator at *offsets*, as a balanced tree."""

        def join(low: int, high: int) -> Node:
            middle = (low + high + 1) // 2
            first = terms[middle] if middle == low else join(low, middle - 1)
            second = terms[middle + 1] if middle == high else join(middle + 1, high)
            return self.operation(offsets[middle], function, first, second)

        return join(0, len(offsets) - 1)

    def copy(self, node: Node) -> Node:  # noqa: PLR0911 - one for each kind of node
        """Return a deep copy of *node* with new ids."""
        new_id = self.id_at(self.positions[node.id])
        match node:
            case ast.Constant():
                return ast.Constant(new_id, node.value)
            case ast.Identifier():
                return ast.Identifier(new_id, node.name)
            case ast.Select():
                return ast.Select(new_id, self.copy(node.operand), node.field, node.test_only)
            case ast.Call():
                target = node.target and self.copy(node.target)
                return ast.Call(new_id, node.function, target, self._copy_all(node.arguments))
            case ast.ListLiteral():
                return ast.ListLiteral(new_id, self._copy_all(node.elements), node.optional_indices)
            case ast.MapLiteral():
                return ast.MapLiteral(new_id, tuple([self._copy_entry(entry) for entry in node.entries]))
            case ast.StructLiteral():
                return ast.StructLiteral(
                    new_id, node.type_name, tuple([self._copy_field(field) for field in node.fields])
                )
            case _:
                parts = self._copy_all((node.range, node.init, node.condition, node.step, node.result))
                range_, init, condition, step, result = parts
                names = (node.variable, node.second_variable, node.accumulator)
                return ast.Comprehension(new_id, range_, *names, init, condition, step, result)

    def _copy_all(self, nodes: Sequence[Node]) -> tuple[Node, ...]:
        return tuple([self.copy(node) for node in nodes])

    def _copy_entry(self, entry: ast.Entry) -> ast.Entry:
        return ast.Entry(self.new_id(), self.copy(entry.key), self.copy(entry.value), entry.optional)

    def _copy_field(self, field: ast.FieldValue) -> ast.FieldValue:
        return ast.FieldValue(self.new_id(), field.name, self.copy(field.value), field.optional)
