"""
Comprehensions: the loops that macros expand to.

The expansions of the macros are recognized and run as Python loops. The costs are those of the expanded steps.

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
    Common parts of all loops.

    Attributes:
        range: Evaluates the list or map.
        variable: Slot of the element or key; with two variables, of the index or key.
        second: Slot of the element or value; None for loops with one variable.
        accumulator: Slot of the accumulator.
        result: Evaluates the result after the last step.
    """

    range: Evaluate
    variable: int
    second: int | None
    accumulator: int
    result: Evaluate

    def begin(self, frame: Frame) -> Iterable[Value]:
        """
        Return the values of the first variable in order; iteration also sets the second variable.

        Raises:
            EvaluationError: The range is not a list or map.
        """
        values = self.range(frame)
        # Reset after evaluating the range, which may contain the same comprehension.
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
    """Return pairs of key and value, or of index and element; raise EvaluationError for other types."""
    if is_map(values):
        return ((key, find_or_error(values, key)) for key in values)
    if is_list(values):
        return enumerate(values)
    raise EvaluationError(f"unsupported comprehension range type: {go_type(values)}")


def replace_range_errors(evaluate: Evaluate) -> Evaluate:
    """Return *evaluate* with all its errors replaced by the error of an unsupported range type."""

    def run(frame: Frame) -> Value:
        try:
            return evaluate(frame)
        except EvaluationError as error:
            raise EvaluationError(f"unsupported comprehension range type: {go_type(error)}") from None

    return run


def fold(loop: Loop, step: Evaluate) -> Evaluate:
    """Return a function that runs the loop over all elements, even after an error, which a later step may absorb."""
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
    Return a function that evaluates `all` or `exists`.

    Args:
        loop: The loop.
        predicate: Evaluates the condition for an element.
        stop: The deciding value of *predicate*: False for `all`, True for `exists`.
        cost: Cost of the loop condition.
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


def only_one(loop: Loop, predicate: Evaluate, *, charges_failed: bool) -> Evaluate:
    """
    Return a function that evaluates `exists_one`; each match costs 2 besides the cost of *predicate*.

    Without *charges_failed*, a match after an error costs 1: its addition fails.
    """
    variable = loop.variable

    def run(frame: Frame) -> bool:
        problem: EvaluationError | None = None
        count = 0
        slots, limit = frame.slots, frame.limit
        for slots[variable] in loop.begin(frame):
            try:
                matched = predicate(frame)
            except EvaluationError as error:
                problem = error
            else:
                if matched is True:
                    frame.cost += 2 if charges_failed or problem is None else 1
                    count += 1
                elif matched is not False:
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
    Return a function that evaluates `map`, `filter` or `transformList`.

    Args:
        loop: The loop.
        element: Evaluates an element of the result.
        where: Evaluates the filter condition; None to take all elements.
        cost: Cost of appending an element, without that of *element*.
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
                decision = outcome(where, frame)
                if decision is False:
                    continue
                if decision is not True:
                    problem = decision if isinstance(decision, EvaluationError) else EvaluationError("no such overload")
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


def collect_strictly(loop: Loop, element: Evaluate, where: Evaluate | None, cost: int) -> Evaluate:
    """Return a function that evaluates `map`, `filter` or `transformList` as `collect`, and adds nothing to a list after an error."""
    variable = loop.variable

    def run(frame: Frame) -> Value:
        problem: EvaluationError | None = None
        results: list[Value] = []
        slots, limit = frame.slots, frame.limit
        for slots[variable] in loop.begin(frame):
            if frame.cost > limit:
                raise CostLimitError(frame.cost)
            decision = True if where is None else outcome(where, frame)
            if decision is False:
                continue
            if decision is not True:
                problem = decision if isinstance(decision, EvaluationError) else EvaluationError("no such overload")
                continue
            frame.cost += 1
            if problem is None:
                try:
                    results.append(element(frame))
                except EvaluationError as error:
                    problem = error
                else:
                    frame.cost += cost - 1
        frame.cost += 1
        if problem is not None:
            raise problem.with_traceback(None)
        return results

    return run
