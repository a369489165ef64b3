"""The search for an object that a rule alone refuses, or for a change that it refuses."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from pytest_crd import engine
from pytest_crd.engine.schema import schemamap
from pytest_crd.engine.schema.schemamap import RULES, Place
from pytest_crd.synthesis import repair
from pytest_crd.synthesis.objectchanges import Change, Mutation
from pytest_crd.synthesis.placement import Held, Placer
from pytest_crd.synthesis.repair import Judge, Keep, KeepAll, NotFoundError, Resource, Search
from pytest_crd.synthesis.rulegoals.state import State

_MOST_TRIALS: Final = 150
# How many of the objects are tried for which the rule is false, how many of them are repaired, and with how many trials each.
_MOST_SOLVED: Final = 60
_MOST_REPAIRED: Final = 6
_MOST_TO_MEND: Final = 30
# Whether a rule has found an error.
_IsRule: TypeAlias = Callable[[engine.FieldError], bool]


class RefusedByRule(NamedTuple):
    """
    An object that a rule refuses.

    Attributes:
        outside: The object; None where none was found.
        answer: What the server answers to a change.
        old: What is changed; None where the object is refused when it is created.
    """

    outside: Resource | None = None
    answer: engine.Response | None = None
    old: Resource | None = None


@dataclass(frozen=True)
class RuleSearch:
    """
    The search for an object that a rule refuses.

    Attributes:
        placer: Makes objects.
        place: Where the rule stands in the schema.
        index: Which of the rules there it is.
        held: An accepted object, and where in it the value of the rule stands.
    """

    placer: Placer
    place: Place
    index: int
    held: Held

    def run(self) -> RefusedByRule:
        """Return an object for which the rule is false, else one for which it cannot be evaluated, else a change."""
        steps = self.held[1]
        if not self.placer.goals.needs_old(steps, self.index):
            outside = self._created()
            if outside is not None:
                return RefusedByRule(outside)
        if "oldSelf" not in self._text:
            return RefusedByRule()
        return self._changed()

    @functools.cached_property
    def _text(self) -> str:
        text: str = self.placer.node(self.place).structure[RULES][self.index]["rule"]
        return text

    @functools.cached_property
    def _judge(self) -> Judge:
        return self.placer.judge(self.place)

    def _moves(self, resource: Resource) -> Iterator[Mutation]:
        return self.placer.mutator.of_rule(resource, self.held[1], self._text)

    def _states(self, old: Resource | None) -> Iterator[State]:
        inside, steps = self.held
        found = self.placer.goals.find(steps, self.index, wanted=False, new=inside, old=old)
        return itertools.islice(found, _MOST_SOLVED)

    def _created(self) -> Resource | None:
        # One for which the rule is false says more than one for which it cannot be evaluated.
        not_evaluated: list[Resource] = []

        def judge_and_keep(resource: Resource) -> engine.Response:
            answer = self._judge(resource)
            if _distance_from(self._is_it, answer) is None and any(map(is_failed_evaluation, answer.errors)):
                not_evaluated.append(resource)
            return answer

        is_false = functools.partial(_distance_from, self._is_it, is_false=True)
        found = self._solved(judge_and_keep, is_false) or self._searched(judge_and_keep, is_false)
        return found or next(iter(not_evaluated), None)

    def _solved(self, judge: Judge, distance: repair.Distance) -> Resource | None:
        """Return an object for which the rule was made false, and whatever else is refused in it was repaired."""
        refused: list[State] = []
        for state in self._states(None):
            answer = judge(state.new)
            if distance(answer) is None:
                found: Resource = state.new
                return found
            refused.append(state)
        return next(filter(None, (self._mended(judge, state) for state in refused[:_MOST_REPAIRED])), None)

    def _mended(self, judge: Judge, state: State) -> Resource | None:
        """Return the object of a state with whatever else is refused in it repaired; None where the rule does not refuse it then."""

        def distance(answer: engine.Response) -> tuple[int, ...] | None:
            others = [error for error in answer.errors if not self._is_it(error)]
            # What is no rule's may keep rules from being run.
            if blocking := sum(error.rule is None for error in others):
                return (2, blocking, len(others))
            if len(others) == len(answer.errors):
                return (3,)
            return (1, len(others)) if others else None

        def mutations(resource: Resource, error: engine.FieldError | None) -> Iterator[Change]:
            is_other = error is not None and not self._is_it(error)
            return self.placer.mutator.find(resource, error) if is_other else iter(())

        return _found(Search(judge, distance, mutations, keep=_kept(state.mutations)), state.new, _MOST_TO_MEND)

    def _changed(self) -> RefusedByRule:
        """
        Return a change for which the rule was made false.

        One that other rules refuse too, such as one of the whole value around, is better than none.
        """
        second = RefusedByRule()
        refused: list[tuple[Judge, State]] = []
        distance = functools.partial(_distance_from, self._is_it)
        for state in self._pairs():
            judge = self.placer.judge_of_change(self.place, state.old)
            answer = judge(state.new)
            if distance(answer) is None:
                return RefusedByRule(state.new, answer, state.old)
            if second.outside is None and any(map(self._is_it, answer.errors)):
                second = RefusedByRule(state.new, answer, state.old)
            refused.append((judge, state))
        for judge, state in refused[:_MOST_REPAIRED]:
            if (repaired := self._mended(judge, state)) is not None:
                return RefusedByRule(repaired, judge(repaired), state.old)
        return second

    def _pairs(self) -> Iterator[State]:
        """Yield states for which the rule may be false, of which what is changed is accepted; some of that is repaired."""
        refused: list[State] = []
        for state in self._states(self.held[0]):
            if not state.old_moves or self._judge(state.old).accepted:
                yield state
            else:
                refused.append(state)
        for state in refused[:_MOST_REPAIRED]:
            search = Search(self._judge, repair.acceptance, self.placer.mutator.find, keep=_kept(state.old_moves))
            if (old := _found(search, state.old, _MOST_TO_MEND)) is not None:
                yield State(state.new, old, state.mutations)
                yield State(state.change.applied(old), old, state.mutations)

    def _is_it(self, error: engine.FieldError) -> bool:
        """Return whether the rule has found *error*; another place may have one that says the same."""
        if error.rule is None or error.origin is None or error.origin.inner != (self.index,):
            return False
        return schemamap.place_of(error.origin.schema) == self.place

    def _searched(self, judge: Judge, distance: repair.Distance) -> Resource | None:
        """Return the nearest object that is answered as *distance* wants it, by mutations that the rule's text suggests alone."""
        return _found(Search(judge, distance, lambda one, _: self._moves(one)), self.held[0], _MOST_TRIALS)


def _kept(mutations: tuple[Mutation, ...]) -> KeepAll:
    return KeepAll(tuple(Keep(move.steps) for move in mutations))


def _found(search: Search, start: Resource, most: int) -> Resource | None:
    try:
        return search.run(start, most=most)
    except NotFoundError:
        return None


def _distance_from(is_it: _IsRule, answer: engine.Response, *, is_false: bool = False) -> tuple[int, ...] | None:
    """Return how far *answer* is from a refusal by the rule that *is_it* knows alone, which has to be false where *is_false*."""
    if answer.accepted:
        return (1,)
    others = sum(not is_it(error) for error in answer.errors)
    if others:
        return (2, others)
    return (0,) if is_false and any(map(is_failed_evaluation, answer.errors)) else None


def is_failed_evaluation(error: engine.FieldError) -> bool:
    """Return whether an error says that a rule could not be evaluated; else it is false."""
    return error.rule is not None and not error.rule.was_evaluated
