"""Macros found again: the call that a comprehension was made from, for whoever shows an expression to people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, cast

from pytest_crd.engine.cel.text import ast
from pytest_crd.engine.cel.text.ast import Node
from pytest_crd.engine.cel.text.macros import UNUSED

QUANTIFIERS: Final = {"_&&_": "all", "_||_": "exists"}
"""The macros that ask for every element, or for any, by what joins the answers."""


@dataclass(frozen=True, slots=True)
class MacroCall:
    """
    A call of a macro, `target.name(variables, arguments)`.

    Attributes:
        name: Its name; of two that mean the same, the usual one.
        target: What is looped over, or the optional.
        variables: The names of the variables.
        arguments: The expressions after these.
    """

    name: str
    target: Node
    variables: tuple[str, ...]
    arguments: tuple[Node, ...]


def of_comprehension(node: ast.Comprehension) -> MacroCall:
    """Return the macro that *node* was made from: nothing but macros makes comprehensions."""
    variables = (node.variable,) if node.second_variable is None else (node.variable, node.second_variable)
    name, arguments = _loop(node, cast("ast.Call", node.step), has_two_variables=len(variables) > 1)
    return MacroCall(name, node.range, variables, arguments)


def of_conditional(node: ast.Call) -> MacroCall | None:
    """Return the `optMap` or `optFlatMap` that the conditional *node* was made from; None for any other."""
    condition, value, _ = node.arguments
    name = "optFlatMap"
    if isinstance(value, ast.Call) and value.arguments:
        name, value = "optMap", value.arguments[0]
    if not isinstance(value, ast.Comprehension) or value.variable != UNUSED:
        return None
    target = cast("Node", cast("ast.Call", condition).target)
    return MacroCall(name, target, (value.accumulator,), (value.result,))


def _loop(node: ast.Comprehension, step: ast.Call, *, has_two_variables: bool) -> tuple[str, tuple[Node, ...]]:
    """Return the name of the macro and its arguments behind the variables, by the form of the loop's *step*."""
    if step.function in QUANTIFIERS:
        return QUANTIFIERS[step.function], (step.arguments[1],)
    where: tuple[Node, ...] = ()
    if step.function == "_?_:_":
        where, step = (step.arguments[0],), cast("ast.Call", step.arguments[1])
    if step.function == "cel.@mapInsert":
        name = "transformMap" if len(step.arguments) == 3 else "transformMapEntry"
        return name, (*where, step.arguments[-1])
    if isinstance(node.init, ast.Constant):
        return "exists_one", where
    (element,) = cast("ast.ListLiteral", step.arguments[1]).elements
    if has_two_variables:
        return "transformList", (*where, element)
    if where and isinstance(element, ast.Identifier) and element.name == node.variable:
        return "filter", where
    return "map", (*where, element)
