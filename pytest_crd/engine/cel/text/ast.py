"""
Expressions as trees.

The parser makes them and nobody changes them: what the checker finds out about a node stands beside the tree, under the node's id.

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
    """A literal of a scalar type, as the run-time value it stands for."""

    id: int
    value: Any


@dataclass(slots=True, eq=False)
class Identifier:
    """A name; one that must not be looked up in the scopes of comprehensions begins with a dot."""

    id: int
    name: str


@dataclass(slots=True, eq=False)
class Select:
    """The field of an operand, `operand.field`; with *test_only* the question whether there is one, `has(operand.field)`."""

    id: int
    operand: Node
    field: str
    test_only: bool = False


@dataclass(slots=True, eq=False)
class Call:
    """The call of a function: `function(arguments)`, or `target.function(arguments)`; operators are functions too."""

    id: int
    function: str
    target: Node | None
    arguments: tuple[Node, ...]


@dataclass(slots=True, eq=False)
class ListLiteral:
    """A list, `[a, ?b]`; the elements at *optional_indices* are left out where they have no value."""

    id: int
    elements: tuple[Node, ...]
    optional_indices: frozenset[int] = frozenset()


@dataclass(slots=True, eq=False)
class Entry:
    """An entry of a map literal; an *optional* one is left out where its value has none."""

    id: int
    key: Node
    value: Node
    optional: bool = False


@dataclass(slots=True, eq=False)
class MapLiteral:
    """A map, `{key: value}`."""

    id: int
    entries: tuple[Entry, ...]


@dataclass(slots=True, eq=False)
class FieldValue:
    """A field of a struct literal; an *optional* one is left out where its value has none."""

    id: int
    name: str
    value: Node
    optional: bool = False


@dataclass(slots=True, eq=False)
class StructLiteral:
    """An object of a named type, `Type{field: value}`."""

    id: int
    type_name: str
    fields: tuple[FieldValue, ...]


@dataclass(slots=True, eq=False)
class Comprehension:
    """
    A loop over a list or a map, which macros expand to.

    Attributes:
        range: What is looped over.
        variable: Name of the element or the map's key; with a second variable, of the list's index or the map's key.
        second_variable: Name of the element or the map's value; None where the loop has one variable.
        accumulator: Name of what the loop builds.
        init: The accumulator's first value.
        condition: Whether to go on, asked before each step.
        step: The accumulator's next value.
        result: The value of the whole, in which the accumulator is known and the variables are not.
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
    An expression that is well formed.

    Attributes:
        source: Its text.
        root: Its tree, with macros expanded.
        positions: Where each node stands, by its id: an offset in code points.
    """

    source: Source
    root: Node
    positions: Sequence[int]
