"""The door: states in which a rule of a version is what is wanted."""

from __future__ import annotations

import contextlib
import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from pytest_crd import engine
from pytest_crd.engine.rules.compilation import OLD_SELF, SELF
from pytest_crd.synthesis import objectplaces
from pytest_crd.synthesis.demands import Demand
from pytest_crd.synthesis.objectplaces import Steps
from pytest_crd.synthesis.rulegoals.evaluation import EnoughError, PartEvaluator, VersionRules
from pytest_crd.synthesis.rulegoals.state import Editor, Ref, State
from pytest_crd.synthesis.rulegoals.truth import Solver
from pytest_crd.synthesis.schemavalues import Maker

# How many ways are tried of each part, and how many evaluations there may be: a little of everything first.
_EFFORTS: Final = ((2, 400), (6, 600), (24, 1000), (160, 2500))
_HASTY: Final = ((2, 150), (6, 250))
# An object with so many parts takes long to be evaluated.
_LARGE: Final = 1000
_OF_LARGE: Final = ((2, 12),)


@dataclass(frozen=True)
class RuleGoals:
    """
    Makes rules of a version true or false.

    Attributes:
        version: The version.
        root: What its schema asks of an object.
        maker: Makes values.
    """

    version: engine.Version
    root: Demand
    maker: Maker

    @cached_property
    def _rules(self) -> VersionRules:
        return VersionRules(self.version)

    def needs_old(self, base: Steps, index: int) -> bool:
        """Return whether the rule at *index* of the value at *base* is run on changes alone."""
        found = self._rules.at(base, index)
        return found is not None and found.needs_old

    def find(  # noqa: PLR0913 - a rule, what it is to be, and of what
        self, base: Steps, index: int, *, wanted: bool, new: Any, old: Any = None, hasty: bool = False
    ) -> Iterator[State]:
        """
        Yield states in which a rule is true or false, the nearest first, each object once.

        Args:
            base: Where the value of the rule stands.
            index: Which of the rules of the schema there.
            wanted: What the rule is to be.
            new: The object.
            old: What it replaces; None where it is created.
            hasty: Whether little is tried, as there are many objects of which it is asked.
        """
        found = self._rules.at(base, index)
        if found is None:
            return
        scope = {SELF: Ref(base), OLD_SELF: Ref(base, is_old=True)}
        seen: set[str] = set()
        for effort, most in _efforts(new, hasty=hasty):
            evaluation = PartEvaluator(self._rules, base, found, most)
            solver = Solver(evaluation, Editor(self.root, self.maker), effort)
            with contextlib.suppress(EnoughError):
                for state in solver.make(evaluation.root, wanted, State(new, old), scope):
                    key = json.dumps((state.new, state.old), sort_keys=True)
                    if key not in seen:
                        seen.add(key)
                        yield state


def _efforts(resource: Any, *, hasty: bool) -> tuple[tuple[int, int], ...]:
    if sum(1 for _ in itertools.islice(objectplaces.all_steps(resource), _LARGE)) == _LARGE:
        return _OF_LARGE
    return _HASTY if hasty else _EFFORTS
