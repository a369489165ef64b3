"""Reads of a rule: the places below its value that its result may depend on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple, TypeAlias

from pytest_crd.engine.cel.text import ast
from pytest_crd.engine.cel.text.ast import Node
from pytest_crd.engine.cel.text.macrocalls import MacroCall
from pytest_crd.engine.rules.compilation import OLD_SELF, SELF
from pytest_crd.engine.rules.escaping import unescape
from pytest_crd.engine.schema.schemamap import Each, Place
from pytest_crd.synthesis.rulegoals import ruleparts

# A step of a read: a name, or None for any item, key or computed index.
Steps: TypeAlias = tuple[str | None, ...]
# The variables of an expression with the place of their values; None if the value is computed.
Scope: TypeAlias = "Mapping[str, Steps | None]"

# Loops that return no elements of their list or map.
_READING_VARIABLES: Final = frozenset({"all", "exists", "exists_one", "map"})
SELVES: Final[Scope] = {SELF: (), OLD_SELF: ()}


class RuleRead(NamedTuple):
    """
    A read of a rule.

    Attributes:
        steps: The steps below the value of the rule.
        is_presence: Whether only the presence of the value is read.
    """

    steps: Steps
    is_presence: bool = False

    def depends_on(self, place: Place) -> bool:
        """Return True if a change at *place*, relative to the value of the rule, may change the result of the read."""
        if self.is_presence and len(place) > len(self.steps):
            return False
        return all(
            step is None or isinstance(own, Each) or own == step for own, step in zip(place, self.steps, strict=False)
        )

    def is_within(self, place: Place) -> bool:
        """Return True if the read value is at *place* or inside."""
        return len(self.steps) >= len(place) and self.depends_on(place)


def find_reads(node: Node, scope: Scope = SELVES) -> Iterator[RuleRead]:
    """Yield the reads of an expression."""
    steps = find_steps(node, scope)
    if steps is not None:
        yield RuleRead(steps)
    elif isinstance(node, ast.Select) and node.test_only and (outer := find_steps(node.operand, scope)) is not None:
        yield RuleRead((*outer, unescape(node.field) or node.field), is_presence=True)
    elif (macro := ruleparts.macro_of(node)) is not None:
        yield from find_target_reads(macro, scope)
        inner = enter_loop(node, scope)
        for argument in macro.arguments:
            yield from find_reads(argument, inner)
    else:
        for part in ruleparts.inner(node):
            yield from find_reads(part, scope)


def find_target_reads(macro: MacroCall, scope: Scope) -> Iterator[RuleRead]:
    """Yield the reads of the list or map of a loop; most loops read elements through their variables alone."""
    steps = find_steps(macro.target, scope)
    if steps is not None and macro.name in _READING_VARIABLES:
        yield RuleRead(steps, is_presence=True)
    else:
        yield from find_reads(macro.target, scope)


def enter_loop(node: Node, scope: Scope) -> Scope:
    """Return the scope inside of the loop *node*."""
    macro = ruleparts.macro_of(node)
    assert macro is not None  # noqa: S101 - the callers know
    outer = find_steps(macro.target, scope)
    element = None if outer is None else (*outer, None)
    return {**scope, **dict.fromkeys(macro.variables, element)}


def find_steps(node: Node, scope: Scope) -> Steps | None:
    """Return the steps of the value that an expression selects; None if it is computed."""
    match node:
        case ast.Identifier():
            return scope.get(node.name)
        case ast.Select(test_only=False):
            outer = find_steps(node.operand, scope)
            return None if outer is None else (*outer, unescape(node.field) or node.field)
        case ast.Call():
            return _find_steps_of_call(node, scope)
    return None


def _find_steps_of_call(node: ast.Call, scope: Scope) -> Steps | None:
    name, operands = ruleparts.name_of(node), ruleparts.operands(node)
    if name in ruleparts.TRANSPARENT:
        return find_steps(operands[0], scope)
    outer = find_steps(operands[0], scope) if name in ruleparts.INDICES else None
    if outer is None:
        return None
    key = operands[1]
    return (*outer, key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else None)
