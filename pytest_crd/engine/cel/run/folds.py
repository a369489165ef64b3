"""
Comprehensions: loops, which macros expand to.

What the macros make is recognized and run without going through the steps that it is spelled in; the costs are those of the steps.

Reference:
    cel-go interpreter/interpretable.go, evalFold, folder.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, cast

from pytest_crd.engine.cel.errors import CostLimitError, EvaluationError
from pytest_crd.engine.cel.run.attributes import UNSET
from pytest_crd.engine.cel.run.calls import outcome
from pytest_crd.engine.cel.run.frames import Evaluate, Frame
from pytest_crd.engine.cel.run.qualifiers import go_type
from pytest_crd.engine.cel.values.celvalues import Value, find_or_error, is_list, is_map


@dataclass(frozen=True, slots=True)
class Loop:
    """
    What all loops have.

    Attributes:
        range: What is looped over.
        variable: The slot of the element or key; with two variables, of the index or key.
        second: The slot of the element or value; None where there is one variable.
        accumulator: The accumulator's slot.
        result: What makes the result, after the last step.
    """

    range: Evaluate
    variable: int
    second: int | None
    accumulator: int
    result: Evaluate

    def begin(self, frame: Frame) -> Iterable[Value]:
        """
        Return what the slot of the variable is to be set to, step by step; the second variable is set beside it.

        Raises:
            EvaluationError: There is nothing to loop over.
        """
        values = self.range(frame)
        # Set after the range was evaluated, in which the same comprehension may stand.
        frame.slots[self.accumulator] = UNSET
        if self.second is not None:
            return self._pairs(frame.slots, _entries(values), self.second)
        if is_list(values) or is_map(values):
            return cast("Iterable[Value]", values)
        raise EvaluationError(f"got '{go_type(values)}', expected iterable type")

    def _pairs(self, slots: list[Any], pairs: Iterable[tuple[Value, Value]], second: int) -> Iterator[Value]:
        for key, slots[second] in pairs:
            yield key


def _entries(values: Value) -> Iterable[tuple[Value, Value]]:
    """Return keys or indices with what stands there."""
    if is_map(values):
        return ((key, find_or_error(values, key)) for key in values)
    if is_list(values):
        return enumerate(values)
    raise EvaluationError(f"unsupported comprehension range type: {go_type(values)}")


def without_range_of(evaluate: Evaluate) -> Evaluate:
    """Return *evaluate*, whose errors are but of a type that cannot be looped over."""

    def run(frame: Frame) -> Value:
        try:
            return evaluate(frame)
        except EvaluationError as error:
            raise EvaluationError(f"unsupported comprehension range type: {go_type(error)}") from None

    return run


def fold(loop: Loop, step: Evaluate) -> Evaluate:
    """Return the loop that goes through all elements; after an error too, which a later step may make up for."""
    variable, accumulator, result = loop.variable, loop.accumulator, loop.result

    def run(frame: Frame) -> Value:
        slots, limit = frame.slots, frame.limit
        for slots[variable] in loop.begin(frame):
            slots[accumulator] = outcome(step, frame)
            if frame.cost > limit:
                raise CostLimitError(frame.cost)
        return result(frame)

    return run


def quantifier(loop: Loop, predicate: Evaluate, *, stop: bool, cost: int) -> Evaluate:  # noqa: C901 - flat, to be fast
    """
    Return `all` or `exists`.

    Args:
        loop: The loop.
        predicate: What is asked of each element.
        stop: The answer that decides: False for `all`, True for `exists`.
        cost: Of asking whether it is decided.
    """
    variable, per_step, otherwise = loop.variable, cost + 1, not stop

    def run(frame: Frame) -> bool:
        problem: EvaluationError | None = None
        decided = False
        slots, limit = frame.slots, frame.limit
        for slots[variable] in loop.begin(frame):
            if decided:
                frame.cost += cost
                break
            frame.cost += per_step
            try:
                answer = predicate(frame)
            except EvaluationError as error:
                problem = problem or error
            else:
                if answer is stop:
                    decided = True
                elif answer is not otherwise:
                    problem = problem or EvaluationError("no such overload")
            if frame.cost > limit:
                raise CostLimitError(frame.cost)
        frame.cost += 1
        if decided:
            return stop
        if problem is not None:
            raise problem.with_traceback(None)
        return otherwise

    return run


def only_one(loop: Loop, predicate: Evaluate) -> Evaluate:
    """Return `exists_one`, for which each element costs what *predicate* does, and counting it 2."""
    variable = loop.variable

    def run(frame: Frame) -> bool:
        problem: EvaluationError | None = None
        count = 0
        slots, limit = frame.slots, frame.limit
        for slots[variable] in loop.begin(frame):
            try:
                counted = predicate(frame)
            except EvaluationError as error:
                problem = error
            else:
                if counted is True:
                    frame.cost += 2
                    count += 1
                elif counted is not False:
                    problem = EvaluationError("no such overload")
            if frame.cost > limit:
                raise CostLimitError(frame.cost)
        frame.cost += 2
        if problem is not None:
            raise problem.with_traceback(None)
        return count == 1

    return run


def collect(loop: Loop, element: Evaluate, where: Evaluate | None, cost: int) -> Evaluate:
    """
    Return `map`, `filter` or `transformList`: the list of what *element* makes of the elements for which *where* holds.

    Args:
        loop: The loop.
        element: What makes an element of the result.
        where: Which elements are taken; None: all.
        cost: Of adding an element, without that of *element*.
    """
    variable = loop.variable

    def run(frame: Frame) -> Value:
        problem: EvaluationError | None = None
        results: list[Value] = []
        slots, limit = frame.slots, frame.limit
        for slots[variable] in loop.begin(frame):
            if frame.cost > limit:
                raise CostLimitError(frame.cost)
            if where is not None:
                taken = outcome(where, frame)
                if taken is False:
                    continue
                if taken is not True:
                    problem = taken if isinstance(taken, EvaluationError) else EvaluationError("no such overload")
                    continue
            frame.cost += cost
            try:
                results.append(element(frame))
            except EvaluationError as error:
                problem = problem or error
        frame.cost += 1
        if problem is not None:
            raise problem.with_traceback(None)
        return results

    return run
