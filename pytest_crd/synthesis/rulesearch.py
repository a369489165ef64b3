"""The search for an object, or an update, that only one rule refuses."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from pytest_crd import engine
from pytest_crd.engine.schema import schemamap
from pytest_crd.engine.schema.schemamap import RULES, Place
from pytest_crd.synthesis import repair
from pytest_crd.synthesis.objectchanges import Change, Mutation
from pytest_crd.synthesis.placement import PlacedValue, Placer
from pytest_crd.synthesis.repair import Judge, Keep, KeepAll, NotFoundError, Resource, Search
from pytest_crd.synthesis.rulegoals.state import State

_MOST_TRIALS: Final = 150
# The numbers of objects that violate the rule to try and to repair, and of trials for each repair.
_MOST_SOLVED: Final = 60
_MOST_REPAIRED: Final = 6
_MOST_TO_MEND: Final = 30
# The number of states to try for a variant of the rule, and of repairs in vain: other rules contradict many states.
_MOST_DECIDING: Final = 24
_MOST_IN_VAIN: Final = 4
# A predicate that is true for errors of a given rule.
_IsRuleError: TypeAlias = Callable[[engine.FieldError], bool]


class RuleWrite(NamedTuple):
    """
    A write of a value with a rule.

    Attributes:
        new: The object.
        old: The object that *new* replaces; None if *new* is created.
    """

    new: Resource
    old: Resource | None = None


class RefusedByRule(NamedTuple):
    """
    An object that a rule refuses.

    Attributes:
        outside: The object; None if none was found.
        answer: The server's answer to an update.
        old: The object that *outside* replaces; None if *outside* is refused when it is created.
    """

    outside: Resource | None = None
    answer: engine.Response | None = None
    old: Resource | None = None


@dataclass(frozen=True)
class RuleSearch:
    """
    The search for an object that a rule refuses.

    Attributes:
        placer: The source of objects.
        place: The place of the rule in the schema.
        index: The index of the rule there.
        placed: An accepted object, and the steps of the rule's value in it.
    """

    placer: Placer
    place: Place
    index: int
    placed: PlacedValue

    def run(self) -> RefusedByRule:
        """Return an object for which the rule is false; else one for which it cannot be evaluated; else an update."""
        steps = self.placed[1]
        if not self.placer.goals.needs_old(steps, self.index):
            outside = self._find_create()
            if outside is not None:
                return RefusedByRule(outside)
        if "oldSelf" not in self._text:
            return RefusedByRule()
        return self._find_update()

    def find_deciding(self, tried: Iterable[RuleWrite]) -> Iterator[RuleWrite]:
        """
        Yield writes for which variants of the rule have another result; one write may do for several variants.

        Args:
            tried: Writes that are known; no others are searched for their variants.
        """
        steps, goals = self.placed[1], self.placer.goals
        waiting = [*range(goals.count_variants(steps, self.index))]

        def decide(write: RuleWrite) -> bool:
            decided = [item for item in waiting if goals.decides(steps, self.index, item, *write)]
            waiting[:] = [item for item in waiting if item not in decided]
            return bool(decided)

        for write in tried:
            decide(write)
        for variant in tuple(waiting):
            if variant in waiting and (found := self.find_deciding_write(variant)) is not None and decide(found):
                yield found

    def find_deciding_write(self, variant: int) -> RuleWrite | None:
        """Return a write that is accepted, or refused by the rule alone, for which a variant has another result; None if none was found."""
        inside, steps = self.placed
        needs_old = "oldSelf" in self._text
        states = self.placer.goals.find_deciding_states(
            steps, self.index, variant, new=inside, old=inside if needs_old else None
        )
        repairs = _MOST_IN_VAIN
        for state in itertools.islice(states, _MOST_DECIDING):
            if needs_old and not self._judge(state.old).accepted:
                continue
            judge = self.placer.judge_of_change(self.place, state.old) if needs_old else self._judge
            answer = judge(state.new)
            is_refused = any(map(self._is_of_rule, answer.errors))
            resource = state.new
            if not (answer.accepted or all(map(self._is_of_rule, answer.errors))):
                if not repairs:
                    continue
                repaired = self._repair(judge, state) if is_refused else self._accept(judge, state)
                if repaired is None:
                    repairs -= 1
                    continue
                resource = repaired
            if self.placer.goals.decides(steps, self.index, variant, resource, state.old):
                return RuleWrite(resource, state.old)
        return None

    def _accept(self, judge: Judge, state: State) -> Resource | None:
        """Return the object of *state* with all errors repaired; None if that fails."""
        search = Search(judge, repair.acceptance, self.placer.mutator.find_changes, keep=_keep_changed(state.mutations))
        return _run_search(search, state.new, _MOST_TO_MEND)

    @functools.cached_property
    def _text(self) -> str:
        text: str = self.placer.node(self.place).structure[RULES][self.index]["rule"]
        return text

    @functools.cached_property
    def _judge(self) -> Judge:
        return self.placer.judge(self.place)

    def _moves(self, resource: Resource) -> Iterator[Mutation]:
        return self.placer.mutator.vary_rule_values(resource, self.placed[1], self._text)

    def _states(self, old: Resource | None) -> Iterator[State]:
        inside, steps = self.placed
        states = self.placer.goals.find_states(steps, self.index, wanted=False, new=inside, old=old)
        return itertools.islice(states, _MOST_SOLVED)

    def _find_create(self) -> Resource | None:
        # A false rule is a better example than a rule that fails to evaluate.
        not_evaluated: list[Resource] = []

        def judge_and_keep(resource: Resource) -> engine.Response:
            answer = self._judge(resource)
            if _distance_from_rule(self._is_of_rule, answer) is None and any(map(is_failed_evaluation, answer.errors)):
                not_evaluated.append(resource)
            return answer

        is_false = functools.partial(_distance_from_rule, self._is_of_rule, is_false=True)
        refused = self._solve(judge_and_keep, is_false) or self._search(judge_and_keep, is_false)
        return refused or next(iter(not_evaluated), None)

    def _solve(self, judge: Judge, distance: repair.Distance) -> Resource | None:
        """Return an object for which the rule was made false and all other errors were repaired; None if none was found."""
        refused: list[State] = []
        for state in self._states(None):
            answer = judge(state.new)
            if distance(answer) is None:
                resource: Resource = state.new
                return resource
            refused.append(state)
        return next(filter(None, (self._repair(judge, state) for state in refused[:_MOST_REPAIRED])), None)

    def _repair(self, judge: Judge, state: State) -> Resource | None:
        """Return the object of *state* with all other errors repaired; None if the rule does not refuse it in the end."""

        def distance(answer: engine.Response) -> tuple[int, ...] | None:
            others = [error for error in answer.errors if not self._is_of_rule(error)]
            # Errors outside of rules may prevent rules from running.
            if blocking := sum(error.rule is None for error in others):
                return (2, blocking, len(others))
            if len(others) == len(answer.errors):
                return (3,)
            return (1, len(others)) if others else None

        def mutations(resource: Resource, error: engine.FieldError | None) -> Iterator[Change]:
            is_other = error is not None and not self._is_of_rule(error)
            return self.placer.mutator.find_changes(resource, error) if is_other else iter(())

        return _run_search(
            Search(judge, distance, mutations, keep=_keep_changed(state.mutations)), state.new, _MOST_TO_MEND
        )

    def _find_update(self) -> RefusedByRule:
        """
        Return an update for which the rule was made false.

        An update that other rules refuse as well, such as a rule of the parent, is better than none.
        """
        second = RefusedByRule()
        refused: list[tuple[Judge, State]] = []
        distance = functools.partial(_distance_from_rule, self._is_of_rule)
        for state in self._pairs():
            judge = self.placer.judge_of_change(self.place, state.old)
            answer = judge(state.new)
            if distance(answer) is None:
                return RefusedByRule(state.new, answer, state.old)
            if second.outside is None and any(map(self._is_of_rule, answer.errors)):
                second = RefusedByRule(state.new, answer, state.old)
            refused.append((judge, state))
        for judge, state in refused[:_MOST_REPAIRED]:
            if (repaired := self._repair(judge, state)) is not None:
                return RefusedByRule(repaired, judge(repaired), state.old)
        return second

    def _pairs(self) -> Iterator[State]:
        """Yield states with an accepted old object that may violate the rule; some old objects are repaired."""
        refused: list[State] = []
        for state in self._states(self.placed[0]):
            if not state.old_moves or self._judge(state.old).accepted:
                yield state
            else:
                refused.append(state)
        for state in refused[:_MOST_REPAIRED]:
            search = Search(
                self._judge, repair.acceptance, self.placer.mutator.find_changes, keep=_keep_changed(state.old_moves)
            )
            if (old := _run_search(search, state.old, _MOST_TO_MEND)) is not None:
                yield State(state.new, old, state.mutations)
                yield State(state.change.applied(old), old, state.mutations)

    def _is_of_rule(self, error: engine.FieldError) -> bool:
        """Return True if *error* is of the rule; an equal rule at another place does not count."""
        if error.rule is None or error.origin is None or error.origin.inner != (self.index,):
            return False
        return schemamap.place_of(error.origin.schema) == self.place

    def _search(self, judge: Judge, distance: repair.Distance) -> Resource | None:
        """Return the nearest object with an answer of no *distance*, using only mutations from the rule's text."""
        return _run_search(
            Search(judge, distance, lambda resource, _: self._moves(resource)), self.placed[0], _MOST_TRIALS
        )


def _keep_changed(mutations: tuple[Mutation, ...]) -> KeepAll:
    return KeepAll(tuple(Keep(move.steps) for move in mutations))


def _run_search(search: Search, start: Resource, most: int) -> Resource | None:
    try:
        return search.run(start, most=most)
    except NotFoundError:
        return None


def _distance_from_rule(
    is_rule_error: _IsRuleError, answer: engine.Response, *, is_false: bool = False
) -> tuple[int, ...] | None:
    """Return the distance of *answer* from a refusal by one rule only; if *is_false*, the rule must be false and not fail to evaluate."""
    if answer.accepted:
        return (1,)
    others = sum(not is_rule_error(error) for error in answer.errors)
    if others:
        return (2, others)
    return (0,) if is_false and any(map(is_failed_evaluation, answer.errors)) else None


def is_failed_evaluation(error: engine.FieldError) -> bool:
    """Return True if the error's rule could not be evaluated, as opposed to being false."""
    return error.rule is not None and not error.rule.was_evaluated
