"""
What the interpreter does itself: operators that take errors for values, equality, optionals and literals.

Reference:
    cel-go interpreter/interpretable.go, evalAnd, evalOr, evalEq, evalNe, evalList, evalMap, evalSetMembership; cel/library.go,
    evalOptionalOr, evalOptionalOrValue.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from pytest_crd.engine.cel.errors import EvaluationError, InternalError
from pytest_crd.engine.cel.run.calls import outcome
from pytest_crd.engine.cel.run.frames import Evaluate, Frame
from pytest_crd.engine.cel.types import protomessages
from pytest_crd.engine.cel.types.functions import Implementation, RuntimeCost
from pytest_crd.engine.cel.values import equality
from pytest_crd.engine.cel.values.celvalues import Optional, Value
from pytest_crd.engine.cel.values.display import show
from pytest_crd.engine.cel.values.maps import KeyedMap, identity


def both(left: Evaluate, right: Evaluate) -> Evaluate:
    """Return `left && right`."""
    return _junctor(left, right, decides=False)


def either(left: Evaluate, right: Evaluate) -> Evaluate:
    """Return `left || right`."""
    return _junctor(left, right, decides=True)


def _junctor(left: Evaluate, right: Evaluate, *, decides: bool) -> Callable[[Frame], bool]:
    """Return what one operand decides if it is *decides*, whatever the other is: also an error."""
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


def equals(left: Evaluate, right: Evaluate, cost: RuntimeCost) -> Evaluate:
    """Return `left == right`; *cost*: what comparing costs, also where an operand is an error."""

    def run(frame: Frame) -> bool:
        try:
            value = left(frame)
        except EvaluationError as error:
            other = outcome(right, frame)
            frame.cost += cost((error, other), error)
            raise
        try:
            other = right(frame)
        except EvaluationError as error:
            frame.cost += cost((value, error), error)
            raise
        kind = type(value)
        if kind is type(other) and kind in _QUICK:
            frame.cost += 1 if kind is not str else _text_cost(value, other)
            return value == other  # type: ignore[no-any-return] # of two texts, numbers or bools
        try:
            answer = equality.equal(value, other)
        except EvaluationError:
            frame.cost += cost((value, other), None)
            raise
        frame.cost += cost((value, other), None)
        return answer

    return run


_QUICK: Final = frozenset({str, int, bool})


def _text_cost(value: str, other: str) -> int:
    smaller = min(len(value), len(other))
    return 1 if 0 < smaller <= 10 else math.ceil(smaller * 0.1)


def differs(left: Evaluate, right: Evaluate, cost: RuntimeCost) -> Evaluate:
    """Return `left != right`; values that cannot be compared differ."""

    def run(frame: Frame) -> bool:
        value = outcome(left, frame)
        other = outcome(right, frame)
        for operand in (value, other):
            if isinstance(operand, EvaluationError):
                frame.cost += cost((value, other), None)
                raise operand
        answer = not equality.is_equal(value, other)
        frame.cost += cost((value, other), None)
        return answer

    return run


def either_optional(left: Evaluate, right: Evaluate, of_others: Implementation) -> Evaluate:
    """Return `left.or(right)`: the first of two optionals that has a value; *of_others*: of what is none."""

    def run(frame: Frame) -> Value:
        value = left(frame)
        if type(value) is not Optional:
            return of_others(value)
        return value if value.has_value else right(frame)

    return run


def value_or(left: Evaluate, right: Evaluate, of_others: Implementation) -> Evaluate:
    """Return `left.orValue(right)`: an optional's value, or another; *of_others*: of what is no optional."""

    def run(frame: Frame) -> Value:
        value = left(frame)
        if type(value) is not Optional:
            return of_others(value)
        return value.value if value.has_value else right(frame)

    return run


def list_literal(elements: Sequence[Evaluate], optional: Sequence[bool], cost: int) -> Evaluate:
    """Return a list; of its *optional* elements those that have a value."""
    if not any(optional):

        def plain(frame: Frame) -> Value:
            frame.cost += cost
            return [element(frame) for element in elements]

        return plain

    def run(frame: Frame) -> Value:
        frame.cost += cost
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
        return values

    return run


def map_literal(entries: Sequence[tuple[Evaluate, Evaluate, bool]], cost: int) -> Evaluate:
    """Return a map; of its entries, each a key, a value and whether it is optional, those that have a value."""

    def run(frame: Frame) -> Value:
        frame.cost += cost
        result = KeyedMap()
        for make_key, make_value, is_optional in entries:
            key = make_key(frame)
            value = make_value(frame)
            if type(key) is bytes:
                frame.cost -= cost  # which the server counts once the map is made
                raise _unhashable()
            if is_optional:
                if type(value) is not Optional:
                    shown = f"'{show(key)}' from non-optional value {show(value)}"
                    raise EvaluationError(f"cannot initialize optional entry {shown}")
                if not value.has_value:
                    result.remove(key)
                    continue
                value = value.value
            result.set(key, value)
        return result.simplified()

    return run


def struct_literal(type_name: str, fields: Sequence[tuple[str, Evaluate, bool]], cost: int) -> Evaluate:
    """Return an object; of its fields, each a name, a value and whether it is optional, those that have a value."""

    def run(frame: Frame) -> Value:
        frame.cost += cost
        values: dict[str, Value] = {}
        for name, make_value, is_optional in fields:
            value = make_value(frame)
            if is_optional:
                if type(value) is not Optional:
                    shown = f"'{name}' from non-optional value {show(value)}"
                    raise EvaluationError(f"cannot initialize optional entry {shown}")
                if not value.has_value:
                    values.pop(name, None)
                    continue
                value = value.value
            values[name] = value
        return protomessages.make(type_name, values)

    return run


def member_of(element: Evaluate, members: frozenset[Any]) -> Evaluate:
    """Return whether an element is one of constants, which costs nothing."""

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
    """Return the failure of the server's code where it takes bytes for what keys can be."""
    return InternalError("internal error: runtime error: hash of unhashable type types.Bytes")
