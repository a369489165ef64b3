"""
Syntax trees of expressions.

Trees are immutable once parsed. The checker stores its results separately, by node id.

Reference:
    cel-go common/ast/expr.go, Expr; common/ast/ast.go, AST.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from pytest_crd.engine.cel.source import Source


@dataclass(slots=True, eq=False)
class Constant:
    """Scalar literal with its run-time value."""

    id: int
    value: Any


@dataclass(slots=True, eq=False)
class Identifier:
    """Name; a leading dot skips the scopes of comprehensions."""

    id: int
    name: str


@dataclass(slots=True, eq=False)
class Select:
    """Field selection `operand.field`; with *test_only* the presence test `has(operand.field)`."""

    id: int
    operand: Node
    field: str
    test_only: bool = False


@dataclass(slots=True, eq=False)
class Call:
    """Function call `function(arguments)` or `target.function(arguments)`, or an operator."""

    id: int
    function: str
    target: Node | None
    arguments: tuple[Node, ...]


@dataclass(slots=True, eq=False)
class ListLiteral:
    """List `[a, ?b]`; elements at *optional_indices* are omitted if they are empty optionals."""

    id: int
    elements: tuple[Node, ...]
    optional_indices: frozenset[int] = frozenset()


@dataclass(slots=True, eq=False)
class Entry:
    """Entry of a map literal; an *optional* entry is omitted if its value is an empty optional."""

    id: int
    key: Node
    value: Node
    optional: bool = False


@dataclass(slots=True, eq=False)
class MapLiteral:
    """Map `{key: value}`."""

    id: int
    entries: tuple[Entry, ...]


@dataclass(slots=True, eq=False)
class FieldValue:
    """Field of a struct literal; an *optional* field is omitted if its value is an empty optional."""

    id: int
    name: str
    value: Node
    optional: bool = False


@dataclass(slots=True, eq=False)
class StructLiteral:
    """Object of a named type, `Type{field: value}`."""

    id: int
    type_name: str
    fields: tuple[FieldValue, ...]


@dataclass(slots=True, eq=False)
class Comprehension:
    """
    Loop over a list or map, the expansion of a macro.

    Attributes:
        range: The list or map.
        variable: Name of the list element or map key; with a second variable, of the list index or map key.
        second_variable: Name of the list element or map value; None for loops with one variable.
        accumulator: Name of the accumulator.
        init: Initial value of the accumulator.
        condition: Loop condition, evaluated before each step.
        step: Next value of the accumulator.
        result: Value of the comprehension; it can use the accumulator, but not the variables.
    """

    id: int
    range: Node
    variable: str
    second_variable: str | None
    accumulator: str
    init: Node
    condition: Node
    step: Node
    result: Node


Node: TypeAlias = "Constant | Identifier | Select | Call | ListLiteral | MapLiteral | StructLiteral | Comprehension"


@dataclass(slots=True, eq=False)
class ParsedExpression:
    """
    Well-formed expression.

    Attributes:
        source: The text.
        root: The tree, with macros expanded.
        positions: Offset of each node in code points, by node id.
    """

    source: Source
    root: Node
    positions: Sequence[int]
