"""The entry point of rule goals: states in which a rule of a version is true or false."""

from __future__ import annotations

import contextlib
import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from pytest_crd import engine
from pytest_crd.engine.cel import variants
from pytest_crd.engine.cel.text.ast import Node
from pytest_crd.engine.rules.compilation import OLD_SELF, SELF
from pytest_crd.synthesis import objectplaces
from pytest_crd.synthesis.demands import Demand
from pytest_crd.synthesis.objectplaces import Steps
from pytest_crd.synthesis.rulegoals.evaluation import EnoughError, PartEvaluator, Scope, VersionRules
from pytest_crd.synthesis.rulegoals.state import Editor, Ref, State
from pytest_crd.synthesis.rulegoals.truth import Solver
from pytest_crd.synthesis.schemavalues import Maker

# The number of states to try for each part, and the budget of evaluations; small values come first.
_EFFORTS: Final = ((2, 400), (6, 600), (24, 1000), (160, 2500))
_HASTY: Final = ((2, 150), (6, 250))
_MOST_EFFORTS: Final = 2
# The budget of an evaluation for a caller.
_MOST_EVALUATED: Final = 10_000
# The number of states with the opposite value to try for each state of a variant.
_MOST_OF_BOTH: Final = 12
# An object with this many parts takes long to evaluate.
_LARGE: Final = 1000
_OF_LARGE: Final = ((2, 12),)


@dataclass(frozen=True)
class RuleGoals:
    """
    A solver that makes rules of a version true or false.

    Attributes:
        version: The version.
        root: The demand on the whole object.
        maker: The source of values.
    """

    version: engine.CrdVersion
    root: Demand
    maker: Maker

    @cached_property
    def _rules(self) -> VersionRules:
        return VersionRules(self.version)

    def needs_old(self, base: Steps, index: int) -> bool:
        """Return True if the rule at *index* of the value at *base* is evaluated for updates only."""
        rule = self._rules.at(base, index)
        return rule is not None and rule.needs_old

    def find_states(  # noqa: PLR0913 - a rule, its wanted value, and the objects
        self,
        base: Steps,
        index: int,
        *,
        wanted: bool,
        new: Any,
        old: Any = None,
        hasty: bool = False,
        fixed: Steps | None = None,
    ) -> Iterator[State]:
        """
        Yield states in which a rule has the value *wanted*, the nearest first; nothing if there is no such rule.

        No state is yielded twice.

        Args:
            base: The steps of the rule's value.
            index: The index of the rule in its schema.
            wanted: The wanted value of the rule.
            new: The object.
            old: The object that *new* replaces; None if *new* is created.
            hasty: Whether the effort is small, for callers with many objects.
            fixed: The steps of a part of *new* that must not change; None if all may.
        """
        rule = self._rules.at(base, index)
        if rule is None:
            return
        scope = {SELF: Ref(base), OLD_SELF: Ref(base, is_old=True)}
        keys: set[str] = set()
        for effort, most in _efforts(new, hasty=hasty):
            evaluation = PartEvaluator(self._rules, base, rule, most)
            solver = Solver(evaluation, Editor(self.root, self.maker, fixed), effort)
            with contextlib.suppress(EnoughError):
                for state in solver.make(evaluation.root, wanted, State(new, old), scope):
                    key = json.dumps((state.new, state.old), sort_keys=True)
                    if key not in keys:
                        keys.add(key)
                        yield state

    def evaluator(self, base: Steps, index: int) -> PartEvaluator | None:
        """Return an evaluator of the rule at *index* of the value at *base*; None if there is no such rule."""
        rule = self._rules.at(base, index)
        return None if rule is None else PartEvaluator(self._rules, base, rule, _MOST_EVALUATED)

    def find_deciding_states(
        self, base: Steps, index: int, variant: int, *, new: Any, old: Any = None
    ) -> Iterator[State]:
        """
        Yield states in which a rule and one of its variants have different results.

        Args:
            base: The steps of the rule's value.
            index: The index of the rule in its schema.
            variant: The index of the variant in `engine.cel.variants`.
            new: The object.
            old: The object that *new* replaces; None if *new* is created.
        """
        rule = self._rules.at(base, index)
        assert rule is not None  # noqa: S101 - it has the variant
        scope = {SELF: Ref(base), OLD_SELF: Ref(base, is_old=True)}
        varied = list(variants.find_variants(rule.expression.checked.parsed.root))[variant].root
        for effort, most in _efforts(new, hasty=False)[:_MOST_EFFORTS]:
            evaluation = PartEvaluator(self._rules, base, rule, most)
            solver = Solver(evaluation, Editor(self.root, self.maker), effort)
            with contextlib.suppress(EnoughError):
                yield from _decide(solver, evaluation, varied, State(new, old), scope)

    def decides(self, base: Steps, index: int, variant: int, new: Any, old: Any = None) -> bool:
        """Return True if a rule and a variant have different results; arguments as in `find_deciding_states`."""
        rule = self._rules.at(base, index)
        assert rule is not None  # noqa: S101 - it has the variant
        evaluation = PartEvaluator(self._rules, base, rule, 2)
        scope = {SELF: Ref(base), OLD_SELF: Ref(base, is_old=True)}
        varied = list(variants.find_variants(evaluation.root))[variant].root
        return _differ(evaluation, varied, State(new, old), scope)

    def count_variants(self, base: Steps, index: int) -> int:
        """Return the number of variants of a rule."""
        rule = self._rules.at(base, index)
        return 0 if rule is None else sum(1 for _ in variants.find_variants(rule.expression.checked.parsed.root))


def _decide(solver: Solver, evaluation: PartEvaluator, varied: Node, state: State, scope: Scope) -> Iterator[State]:
    """Yield states in which a rule and the variant *varied* differ: the solver sets one result, then the opposite result of the other."""
    for wanted in (True, False):
        for first, second in ((varied, evaluation.root), (evaluation.root, varied)):
            for near in solver.make(first, wanted, state, scope):
                if _differ(evaluation, varied, near, scope):
                    yield near
                for both in itertools.islice(solver.make(second, not wanted, near, scope), _MOST_OF_BOTH):
                    if _differ(evaluation, varied, both, scope):
                        yield both


def _differ(evaluation: PartEvaluator, varied: Node, state: State, scope: Scope) -> bool:
    """Return True if the rule is true or false, and the variant *varied* has another result."""
    result, other = (evaluation.value(node, state, scope) for node in (evaluation.root, varied))
    return isinstance(result, bool) and other is not result


def _efforts(resource: Any, *, hasty: bool) -> tuple[tuple[int, int], ...]:
    if sum(1 for _ in itertools.islice(objectplaces.all_steps(resource), _LARGE)) == _LARGE:
        return _OF_LARGE
    return _HASTY if hasty else _EFFORTS
