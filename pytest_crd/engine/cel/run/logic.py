"""
Operators that the interpreter implements itself: logic with errors as operands, equality, optionals and literals.

Reference:
    cel-go interpreter/interpretable.go, evalAnd, evalOr, evalEq, evalNe, evalList, evalMap, evalSetMembership;
    cel/library.go, evalOptionalOr, evalOptionalOrValue.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from pytest_crd.engine.cel.errors import EvaluationError, InternalError
from pytest_crd.engine.cel.run.calls import outcome
from pytest_crd.engine.cel.run.frames import Evaluate, Frame
from pytest_crd.engine.cel.types.functions import Implementation, RuntimeCost
from pytest_crd.engine.cel.values import equality
from pytest_crd.engine.cel.values.celvalues import Optional, Value
from pytest_crd.engine.cel.values.display import show
from pytest_crd.engine.cel.values.maps import KeyedMap, identity


def both(left: Evaluate, right: Evaluate) -> Evaluate:
    """Return a function that evaluates `left && right`."""
    return _junctor(left, right, decides=False)


def either(left: Evaluate, right: Evaluate) -> Evaluate:
    """Return a function that evaluates `left || right`."""
    return _junctor(left, right, decides=True)


def _junctor(left: Evaluate, right: Evaluate, *, decides: bool) -> Callable[[Frame], bool]:
    """Return a function that evaluates `&&` or `||`; one operand equal to *decides* outweighs an error of the other."""
    otherwise = not decides

    def run(frame: Frame) -> bool:
        problem: EvaluationError | None = None
        try:
            first = left(frame)
            if first is decides:
                return not otherwise
            if first is not otherwise:
                problem = EvaluationError("no such overload")
        except EvaluationError as error:
            problem = error
        try:
            second = right(frame)
            if second is decides:
                return not otherwise
            if second is not otherwise and problem is None:
                problem = EvaluationError("no such overload")
        except EvaluationError as error:
            problem = problem or error
        if problem is not None:
            raise problem.with_traceback(None)
        return otherwise

    return run


def equals(left: Evaluate, right: Evaluate, cost: RuntimeCost, *, evaluates_both: bool) -> Evaluate:
    """
    Return a function that evaluates `left == right` and adds *cost*, even if an operand is an error.

    *evaluates_both* evaluates *right* also if *left* is an error.
    """

    def run(frame: Frame) -> bool:
        try:
            first = left(frame)
        except EvaluationError as error:
            second = outcome(right, frame) if evaluates_both else None
            frame.cost += cost((error, second), error)
            raise
        try:
            second = right(frame)
        except EvaluationError as error:
            frame.cost += cost((first, error), error)
            raise
        kind = type(first)
        if kind is type(second) and kind in _QUICK:
            frame.cost += 1 if kind is not str else _text_cost(first, second)
            return first == second  # type: ignore[no-any-return] # of two texts, numbers or bools
        try:
            answer = equality.equal(first, second)
        except EvaluationError:
            frame.cost += cost((first, second), None)
            raise
        frame.cost += cost((first, second), None)
        return answer

    return run


_QUICK: Final = frozenset({str, int, bool})


def _text_cost(left: str, right: str) -> int:
    smaller = min(len(left), len(right))
    return 1 if 0 < smaller <= 10 else math.ceil(smaller * 0.1)


def differs(left: Evaluate, right: Evaluate, cost: RuntimeCost, *, evaluates_both: bool) -> Evaluate:
    """Return a function that evaluates `left != right`, as `equals`; values that cannot be compared differ."""

    def run(frame: Frame) -> bool:
        first = outcome(left, frame)
        second = outcome(right, frame) if evaluates_both or not isinstance(first, EvaluationError) else None
        for operand in (first, second):
            if isinstance(operand, EvaluationError):
                frame.cost += cost((first, second), None)
                raise operand
        answer = not equality.is_equal(first, second)
        frame.cost += cost((first, second), None)
        return answer

    return run


def either_optional(left: Evaluate, right: Evaluate, handle_value: Implementation) -> Evaluate:
    """Return a function that evaluates `left.or(right)`; *handle_value* handles a non-optional left operand."""

    def run(frame: Frame) -> Value:
        value = left(frame)
        if type(value) is not Optional:
            return handle_value(value)
        return value if value.has_value else right(frame)

    return run


def value_or(left: Evaluate, right: Evaluate, handle_value: Implementation) -> Evaluate:
    """Return a function that evaluates `left.orValue(right)`; *handle_value* handles a non-optional left operand."""

    def run(frame: Frame) -> Value:
        value = left(frame)
        if type(value) is not Optional:
            return handle_value(value)
        return value.value if value.has_value else right(frame)

    return run


def list_literal(
    elements: Sequence[Evaluate], optional: Sequence[bool], cost: int, *, charges_failed: bool
) -> Evaluate:
    """Return a function that builds a list and omits *optional* elements without a value; *charges_failed* adds *cost* in any case."""
    first, last = (cost, 0) if charges_failed else (0, cost)
    if not any(optional):

        def plain(frame: Frame) -> Value:
            frame.cost += first
            values = [element(frame) for element in elements]
            frame.cost += last
            return values

        return plain

    def run(frame: Frame) -> Value:
        frame.cost += first
        values = []
        for element, is_optional in zip(elements, optional, strict=True):
            value = element(frame)
            if is_optional:
                if type(value) is not Optional:
                    problem = f"cannot initialize optional list element from non-optional value {show(value)}"
                    raise EvaluationError(problem)
                if not value.has_value:
                    continue
                value = value.value
            values.append(value)
        frame.cost += last
        return values

    return run


def map_literal(entries: Sequence[tuple[Evaluate, Evaluate, bool]], cost: int, *, charges_failed: bool) -> Evaluate:
    """Return a function that builds a map from key, value and optional flag; empty optional entries are omitted."""
    first, last = (cost, 0) if charges_failed else (0, cost)

    def run(frame: Frame) -> Value:
        frame.cost += first
        result = KeyedMap()
        for make_key, make_value, is_optional in entries:
            key = make_key(frame)
            value = make_value(frame)
            if type(key) is bytes:
                frame.cost -= first  # the server adds this cost only after building the map
                raise _unhashable()
            if is_optional:
                if type(value) is not Optional:
                    conversion = f"'{show(key)}' from non-optional value {show(value)}"
                    raise EvaluationError(f"cannot initialize optional entry {conversion}")
                if not value.has_value:
                    result.remove(key)
                    continue
                value = value.value
            result.set(key, value)
        frame.cost += last
        return result.simplified()

    return run


def struct_literal(
    make: Callable[[Mapping[str, Value]], Value],
    fields: Sequence[tuple[str, Evaluate, bool]],
    cost: int,
    *,
    charges_failed: bool,
) -> Evaluate:
    """Return a function that builds an object from name, value and optional flag; empty optional fields are omitted."""
    first, last = (cost, 0) if charges_failed else (0, cost)

    def run(frame: Frame) -> Value:
        frame.cost += first
        values: dict[str, Value] = {}
        for name, make_value, is_optional in fields:
            value = make_value(frame)
            if is_optional:
                if type(value) is not Optional:
                    conversion = f"'{name}' from non-optional value {show(value)}"
                    raise EvaluationError(f"cannot initialize optional entry {conversion}")
                if not value.has_value:
                    values.pop(name, None)
                    continue
                value = value.value
            values[name] = value
        frame.cost += last
        return make(values)

    return run


def member_of(element: Evaluate, members: frozenset[Any]) -> Evaluate:
    """Return a function that tests whether a value is in a constant list, which costs nothing."""

    def run(frame: Frame) -> bool:
        value = element(frame)
        if type(value) is bytes:
            raise _unhashable()
        return identity(value) in members

    return run


ALTERNATIVES: Final[Mapping[str, Callable[..., Evaluate]]] = {"or": either_optional, "orValue": value_or}
COMPARISONS: Final[Mapping[str, Callable[..., Evaluate]]] = {"_==_": equals, "_!=_": differs}
OPERATORS: Final[Mapping[str, Callable[..., Evaluate]]] = {
    "_&&_": both,
    "_||_": either,
}


def _unhashable() -> InternalError:
    """Return the failure of the server's interpreter for bytes as a map key."""
    return InternalError("internal error: runtime error: hash of unhashable type types.Bytes")
