"""
Proofs that another value of one part of an object cannot make a true rule false.

A rule is a combination of conditions by `&&`, `||`, `!`, `?:` and quantifiers. If each condition that reads the part is at least as true as
before, or at most as true behind `!`, then the rule is at least as true as before, whatever the rest of the object is. An error is
between false and true.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pytest_crd.engine.cel.errors import EvaluationError
from pytest_crd.engine.cel.text import ast
from pytest_crd.engine.cel.text.ast import Node
from pytest_crd.engine.rules.compilation import SELF
from pytest_crd.engine.schema.schemamap import Each, Place
from pytest_crd.synthesis.objectplaces import Steps
from pytest_crd.synthesis.rulegoals import ruleparts, rulereads
from pytest_crd.synthesis.rulegoals.evaluation import PartEvaluator
from pytest_crd.synthesis.rulegoals.rulereads import RuleRead, Scope
from pytest_crd.synthesis.rulegoals.state import Ref, State

# The sign of a comparison: 1 if it stays true while its first operand grows, -1 while it shrinks.
_SIGNS: Final = {"_<_": -1, "_<=_": -1, "_>_": 1, "_>=_": 1}
_QUANTIFIERS: Final = frozenset({"all", "exists"})


@dataclass(frozen=True, slots=True)
class Side:
    """
    A rule of one version, with an object.

    Attributes:
        evaluator: The evaluator of the rule.
        resource: The object, in which a default of the version is the value of the part.
        base: The steps of the rule's value.
    """

    evaluator: PartEvaluator
    resource: Any
    base: Steps

    def value(self, node: Node, elements: Mapping[str, Steps]) -> Any:
        """Return the value of a part of the rule; if its evaluation fails, the error. *elements* has the steps of loop variables."""
        variables = {name: Ref((*self.base, *steps)) for name, steps in elements.items()}
        return self.evaluator.value(node, State(self.resource), {**variables, SELF: Ref(self.base)})


@dataclass(frozen=True, slots=True)
class Proof:
    """
    The comparison of two versions of one rule.

    Attributes:
        old: The rule with the old value of the part.
        new: The same rule with the new value.
        place: The place of the part, below the value of the rule.
        steps: The steps of the part, below the value of the rule.
    """

    old: Side
    new: Side
    place: Place
    steps: Steps

    def holds(self) -> bool:
        """Return True if the rule is never less true with the new value."""
        return self._grows(self.old.evaluator.root, self.new.evaluator.root, 1, rulereads.SELVES)

    def _reads(self, node: Node, scope: Scope) -> list[rulereads.RuleRead]:
        return [read for read in rulereads.find_reads(node, scope) if read.depends_on(self.place)]

    def _grows(self, old: Node, new: Node, sign: int, scope: Scope) -> bool:
        """Return True if a condition is at least as true with the new value; for the sign -1, at most; for 0, equal."""
        if not self._reads(old, scope):
            return True
        if isinstance(old, ast.Call) and isinstance(new, ast.Call):
            if old.function in {"_&&_", "_||_"}:
                return self._all_grow(old.arguments, new.arguments, sign, scope)
            if old.function == "!_":
                return self._all_grow(old.arguments, new.arguments, -sign, scope)
            if old.function == "_?_:_" and ruleparts.macro_of(old) is None:
                is_same = self._grows(old.arguments[0], new.arguments[0], 0, scope)
                return is_same and self._all_grow(old.arguments[1:], new.arguments[1:], sign, scope)
        if isinstance(old, ast.Comprehension) and isinstance(new, ast.Comprehension):
            first, second = ruleparts.loop(old), ruleparts.loop(new)
            target_reads = rulereads.find_target_reads(first, scope)
            if first.name in _QUANTIFIERS and not any(read.depends_on(self.place) for read in target_reads):
                return self._all_grow(first.arguments, second.arguments, sign, rulereads.enter_loop(old, scope))
        return self._compare(old, new, sign, scope)

    def _all_grow(self, old: Iterable[Node], new: Iterable[Node], sign: int, scope: Scope) -> bool:
        return all(self._grows(*pair, sign, scope) for pair in zip(old, new, strict=True))

    def _compare(self, old: Node, new: Node, sign: int, scope: Scope) -> bool:
        """Compare conditions that have no inner conditions."""
        if self._is_determined(old, scope):
            before, after = (_truth(value) for value in self._values(old, new, scope))
            return (after - before) * sign >= 0 if sign else before == after
        if not (isinstance(old, ast.Call) and isinstance(new, ast.Call) and len(ruleparts.operands(old)) == 2):
            return False
        own = [index for index, operand in enumerate(ruleparts.operands(old)) if self._reads(operand, scope)]
        if len(own) != 1 or not self._is_determined(ruleparts.operands(old)[own[0]], scope):
            return False
        index = own[0]
        values = self._values(ruleparts.operands(old)[index], ruleparts.operands(new)[index], scope)
        direction = _SIGNS.get(old.function, 0) * (1 if index == 0 else -1) * sign
        return _is_ordered(*values, direction)

    def _is_determined(self, node: Node, scope: Scope) -> bool:
        """Return True if an expression reads the part and nothing else."""
        parts = list(ruleparts.every(node))
        own = {name for part in parts if (macro := ruleparts.macro_of(part)) is not None for name in macro.variables}
        names = {part.name for part in parts if isinstance(part, ast.Identifier)} - own
        if own & scope.keys() or not names <= {SELF, *self._elements(scope)}:
            return False
        return all(read.is_within(self.place) for read in rulereads.find_reads(node, scope))

    def _values(self, old: Node, new: Node, scope: Scope) -> tuple[Any, Any]:
        elements = self._elements(scope)
        return self.old.value(old, elements), self.new.value(new, elements)

    def _elements(self, scope: Scope) -> dict[str, Steps]:
        """Return the steps of the items around the part, by the name of their loop variable."""
        return {
            name: self.steps[: len(steps)]
            for name, steps in scope.items()
            if steps and self.place[: len(steps)][-1:] == (Each.ITEM,) and RuleRead(steps).depends_on(self.place)
        }


def _truth(value: Any) -> int:
    """Return 1 for true, -1 for false, and 0 for an error."""
    return 0 if isinstance(value, EvaluationError) else 1 if value is True else -1


def _is_ordered(before: Any, after: Any, direction: int) -> bool:
    """Return True if a value is the same, or if a number grows, or shrinks for the direction -1."""
    if isinstance(before, EvaluationError) or type(before) is not type(after):
        return False
    if bool(before == after):
        return True
    is_number = isinstance(before, int | float) and not isinstance(before, bool)
    return is_number and direction != 0 and (after - before) * direction > 0
