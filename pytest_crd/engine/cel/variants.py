"""
Variants of an expression: another value of one operand or quantifier.

A variant differs from its expression in one place: an operand of `&&` or `||` no longer decides, or `all` is `exists`, or the other way
round. A value for which both have the same result does not show that this place matters. Variants are not type-checked again: they share
the node ids, and so the types, of their expression.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final, NamedTuple

from pytest_crd.engine.cel.text import ast, spelling
from pytest_crd.engine.cel.text.ast import Node

# The value of an operand that leaves the decision to the other one.
_NEUTRAL: Final = {"_&&_": True, "_||_": False}
_CONNECTIVES: Final = frozenset({*_NEUTRAL, "!_"})
# More parts have too many combinations of values.
_MOST_PARTS: Final = 8
_OTHER_QUANTIFIER: Final = {"_&&_": ("_||_", "all", "exists"), "_||_": ("_&&_", "exists", "all")}


class ExpressionVariant(NamedTuple):
    """
    A variant.

    Attributes:
        root: The changed expression.
        words: The place of the change, for people.
    """

    root: Node
    words: str


def find_variants(root: Node) -> Iterator[ExpressionVariant]:
    """Yield the variants of an expression, outer places first. A variant with equal results for all values of its parts is left out."""
    return (variant for variant in _vary(root) if not _are_equal(root, variant.root))


def _vary(node: Node) -> Iterator[ExpressionVariant]:
    match node:
        case ast.Call():
            yield from _vary_call(node)
        case ast.Select():
            yield from (ExpressionVariant(replace(node, operand=root), words) for root, words in _vary(node.operand))
        case ast.Comprehension():
            yield from _vary_loop(node)


def _vary_call(node: ast.Call) -> Iterator[ExpressionVariant]:
    for index, argument in enumerate(node.arguments):
        is_same = isinstance(argument, ast.Call) and argument.function == node.function
        if node.function in _NEUTRAL and not is_same:
            neutral = ast.Constant(argument.id, _NEUTRAL[node.function])
            yield ExpressionVariant(
                _with_argument(node, index, neutral), f"the operand {spelling.expression(argument)}"
            )
        yield from (ExpressionVariant(_with_argument(node, index, root), words) for root, words in _vary(argument))
    if node.target is not None:
        yield from (ExpressionVariant(replace(node, target=root), words) for root, words in _vary(node.target))


def _are_equal(first: Node, second: Node) -> bool:
    """Return True if two formulas have equal results for any values of their parts; False if they have too many parts."""
    parts = sorted({*_parts(first), *_parts(second)})
    if len(parts) > _MOST_PARTS:
        return False
    assignments = (
        dict(zip(parts, values, strict=True)) for values in itertools.product((False, True), repeat=len(parts))
    )
    return all(_value(first, values) == _value(second, values) for values in assignments)


def _parts(node: Node) -> Iterator[str]:
    """Yield the texts of the parts of a formula that are no formulas."""
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        return
    if isinstance(node, ast.Call) and node.function in _CONNECTIVES:
        for argument in node.arguments:
            yield from _parts(argument)
    else:
        yield spelling.expression(node)


def _value(node: Node, values: Mapping[str, bool]) -> bool:
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        return node.value
    if not isinstance(node, ast.Call) or node.function not in _CONNECTIVES:
        return values[spelling.expression(node)]
    arguments = [_value(argument, values) for argument in node.arguments]
    if node.function == "!_":
        return not arguments[0]
    return all(arguments) if node.function == "_&&_" else any(arguments)


def _with_argument(node: ast.Call, index: int, argument: Node) -> ast.Call:
    return replace(node, arguments=(*node.arguments[:index], argument, *node.arguments[index + 1 :]))


def _vary_loop(node: ast.Comprehension) -> Iterator[ExpressionVariant]:
    """Yield the variants of a macro's loop; the steps of loops that are no quantifiers stay as they are."""
    step, first = node.step, node.init
    if isinstance(step, ast.Call) and isinstance(first, ast.Constant) and isinstance(first.value, bool):
        function, name, other = _OTHER_QUANTIFIER[step.function]
        swapped = replace(node, init=replace(first, value=not first.value), step=replace(step, function=function))
        yield ExpressionVariant(swapped, f"{name} instead of {other} in {spelling.expression(node)}")
        for root, words in _vary(step.arguments[1]):
            yield ExpressionVariant(replace(node, step=_with_argument(step, 1, root)), words)
    yield from (ExpressionVariant(replace(node, range=root), words) for root, words in _vary(node.range))
