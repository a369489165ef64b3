"""Recovery of macro calls from the comprehensions that they were expanded to, for output to users."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, cast

from pytest_crd.engine.cel.text import ast
from pytest_crd.engine.cel.text.ast import Node
from pytest_crd.engine.cel.text.macros import UNUSED

QUANTIFIERS: Final = {"_&&_": "all", "_||_": "exists"}
"""Quantifier macros by the operator of their step."""


@dataclass(frozen=True, slots=True)
class MacroCall:
    """
    Call of a macro, `target.name(variables, arguments)`.

    Attributes:
        name: Name of the macro; of two synonyms, the usual one.
        target: The range, or the optional.
        variables: Names of the variables.
        arguments: The arguments after the variables.
    """

    name: str
    target: Node
    variables: tuple[str, ...]
    arguments: tuple[Node, ...]


def recover_from_comprehension(node: ast.Comprehension) -> MacroCall:
    """Return the macro call that *node* was expanded from; only macros create comprehensions."""
    variables = (node.variable,) if node.second_variable is None else (node.variable, node.second_variable)
    name, arguments = _loop(node, cast("ast.Call", node.step), has_two_variables=len(variables) > 1)
    return MacroCall(name, node.range, variables, arguments)


def recover_from_conditional(node: ast.Call) -> MacroCall | None:
    """Return the `optMap` or `optFlatMap` call that *node* was expanded from; None for other conditionals."""
    condition, value, _ = node.arguments
    name = "optFlatMap"
    if isinstance(value, ast.Call) and value.arguments:
        name, value = "optMap", value.arguments[0]
    if not isinstance(value, ast.Comprehension) or value.variable != UNUSED:
        return None
    target = cast("Node", cast("ast.Call", condition).target)
    return MacroCall(name, target, (value.accumulator,), (value.result,))


def _loop(node: ast.Comprehension, step: ast.Call, *, has_two_variables: bool) -> tuple[str, tuple[Node, ...]]:
    """Return the name of the macro and its arguments after the variables, from the loop's *step*."""
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
