"""Parts of a rule's tree: operands, literals, functions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from pytest_crd.engine.cel.text import ast, macrocalls
from pytest_crd.engine.cel.text.ast import Node
from pytest_crd.engine.cel.text.macrocalls import MacroCall

# Calls that read a part of their first operand: `a[b]`, `a.?b`.
INDICES: Final = frozenset({"_[_]", "_[?_]", "_?._"})
# Functions that return their only operand.
TRANSPARENT: Final = frozenset({"dyn", "optional.of", "value", "optional.ofNonZeroValue"})
_NAMESPACED: Final = frozenset(
    {
        *("optional.of", "optional.none", "optional.ofNonZeroValue", "ip.isCanonical", "format.named"),
        *("sets.contains", "sets.equivalent", "sets.intersects"),
    }
)


def name_of(node: ast.Call) -> str:
    """Return the name of the called function with its namespace."""
    name = f"{node.target.name}.{node.function}" if isinstance(node.target, ast.Identifier) else ""
    return name if name in _NAMESPACED else node.function


def operands(node: ast.Call) -> tuple[Node, ...]:
    """Return the operands of a call: its target, if that is a value, and its arguments."""
    return node.arguments if node.target is None or name_of(node) in _NAMESPACED else (node.target, *node.arguments)


def loop(node: ast.Comprehension) -> MacroCall:
    """Return the macro that was expanded to a loop."""
    return macrocalls.recover_from_comprehension(node)


def macro_of(node: Node) -> MacroCall | None:
    """Return the macro that was expanded to *node*; None if *node* is not an expansion."""
    if isinstance(node, ast.Comprehension):
        return loop(node)
    if isinstance(node, ast.Call) and node.function == "_?_:_":
        return macrocalls.recover_from_conditional(node)
    return None


def inner(node: Node) -> tuple[Node, ...]:
    """Return the direct parts of *node*."""
    if (macro := macro_of(node)) is not None:
        return (macro.target, *macro.arguments)
    match node:
        case ast.Select():
            return (node.operand,)
        case ast.Call():
            return operands(node)
        case ast.ListLiteral():
            return node.elements
        case ast.MapLiteral():
            return tuple(part for entry in node.entries for part in (entry.key, entry.value))
    return ()


def flattened(node: ast.Call) -> list[Node]:
    """Return the operands of a chain of one operator."""
    parts: list[Node] = []
    for argument in node.arguments:
        is_same = isinstance(argument, ast.Call) and argument.function == node.function
        parts += flattened(argument) if is_same and isinstance(argument, ast.Call) else [argument]
    return parts


def every(node: Node) -> Iterator[Node]:
    """Yield *node* and all of its parts, outer ones first."""
    yield node
    for part in inner(node):
        yield from every(part)


def literals(node: Node) -> list[Any]:
    """Return the texts and numbers in *node*, without duplicates."""
    values: list[Any] = []
    for part in every(node):
        if (
            isinstance(part, ast.Constant)
            and isinstance(part.value, str | int | float)
            and not isinstance(part.value, bool)
        ):
            values += (
                [] if any(type(part.value) is type(value) and part.value == value for value in values) else [part.value]
            )
    return values


def functions(node: Node) -> set[str]:
    """Return the names of the functions that *node* calls."""
    return {name_of(part) for part in every(node) if isinstance(part, ast.Call)}
