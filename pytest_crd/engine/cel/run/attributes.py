"""
Attributes: a variable or another operand with a chain of fields, keys and indices.

Costs: each evaluated qualifier costs 1, even if nothing is selected. The attribute itself costs 1, except in the branch
of a conditional, which cel-go resolves without observing it. A presence test costs its qualifiers only.

Reference:
    cel-go interpreter/attributes.go; interpreter/interpretable.go, evalAttr, evalTestOnly, evalWatchAttr.
"""

from __future__ import annotations

import abc
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from pytest_crd.engine.cel.errors import EvaluationError
from pytest_crd.engine.cel.run.frames import Evaluate, Frame
from pytest_crd.engine.cel.run.qualifiers import Qualifier, invalid_key, look_up
from pytest_crd.engine.cel.values.celvalues import MISSING, NONE, ListValue, MapValue, Optional, Value

UNSET: Final = object()
"""Content of an accumulator's slot before its first use."""


class Attribute(abc.ABC):
    """Operand that can be qualified."""

    @abc.abstractmethod
    def qualify(self, qualifier: Qualifier) -> None:
        """Append *qualifier*."""

    @abc.abstractmethod
    def compile(self, *, observed: bool, as_key: bool = False) -> Evaluate:
        """
        Return a function that resolves the attribute.

        Args:
            observed: Count the attribute's own cost.
            as_key: The attribute is the key of another one; an error that is a list item is then reported as an invalid
                key.
        """


@dataclass(slots=True)
class Qualified(Attribute):
    """
    Attribute with a single operand.

    Attributes:
        qualifiers: The qualifiers in order.
        flattens: Flatten nested optionals of the operand.
        charges_errors: An optional selection that fails costs as much as another one.
    """

    qualifiers: list[Qualifier] = field(default_factory=list, init=False)
    flattens: bool = field(default=False, init=False)
    charges_errors: bool = field(default=False, init=False)

    def qualify(self, qualifier: Qualifier) -> None:
        """Append *qualifier*."""
        self.qualifiers.append(qualifier)

    @abc.abstractmethod
    def _origin(self, own: int) -> Evaluate:
        """Return a function that evaluates the operand and adds *own* to the cost."""

    def compile(self, *, observed: bool, as_key: bool = False) -> Evaluate:
        """Return a function that evaluates the operand and applies the qualifiers."""
        origin = self._origin(int(observed))
        if self.flattens:
            origin = _flattened(origin)
        if not self.qualifiers:
            return origin
        if all(type(qualifier.key) is str and not qualifier.optional for qualifier in self.qualifiers):
            keys = [qualifier.key for qualifier in self.qualifiers]
            if self.qualifiers[-1].test_only:
                return _presence(origin, keys, charges_errors=self.charges_errors)
            return _fields(origin, keys, charges_errors=self.charges_errors)
        return _general(origin, self.qualifiers, as_key=as_key, charges_errors=self.charges_errors)


@dataclass(slots=True)
class Variable(Qualified):
    """Variable of the environment."""

    name: str

    def _origin(self, own: int) -> Evaluate:
        name = self.name

        def variable(frame: Frame) -> Value:
            frame.cost += own
            try:
                return frame.variables[name]
            except KeyError:
                raise EvaluationError(f"no such attribute(s): {name}") from None

        return variable


@dataclass(slots=True)
class LoopVariable(Qualified):
    """Element, key or index of a comprehension."""

    slot: int

    def _origin(self, own: int) -> Evaluate:
        slot = self.slot

        def element(frame: Frame) -> Value:
            frame.cost += own
            value = frame.slots[slot]
            if isinstance(value, EvaluationError):
                raise value.with_traceback(None)
            return value

        return element


@dataclass(slots=True)
class Accumulator(Qualified):
    """
    Accumulator of a comprehension; its initial value is computed on first use and may be an error.

    Attributes:
        slot: Index of its slot in the frame.
        init: Computes the initial value.
    """

    slot: int
    init: Evaluate

    def _origin(self, own: int) -> Evaluate:
        slot, init = self.slot, self.init

        def accumulator(frame: Frame) -> Value:
            frame.cost += own
            value = frame.slots[slot]
            if value is UNSET:
                value = first_value(frame, slot, init)
            if isinstance(value, EvaluationError):
                raise value.with_traceback(None)
            return value

        return accumulator


def first_value(frame: Frame, slot: int, init: Evaluate) -> Any:
    """Initialize the accumulator in *slot* and return its value, which may be an error."""
    value: Any
    try:
        value = init(frame)
    except EvaluationError as error:
        value = error
    frame.slots[slot] = value
    return value


@dataclass(slots=True)
class Relative(Qualified):
    """Attribute with any other expression as operand."""

    operand: Evaluate

    def _origin(self, own: int) -> Evaluate:
        operand = self.operand
        if not own:
            return operand

        def evaluate(frame: Frame) -> Value:
            frame.cost += own
            return operand(frame)

        return evaluate


@dataclass(slots=True)
class Conditional(Attribute):
    """Conditional operand; qualifiers apply to both branches."""

    condition: Evaluate
    truthy: Attribute
    falsy: Attribute

    def qualify(self, qualifier: Qualifier) -> None:
        """Append *qualifier* to both branches."""
        self.truthy.qualify(qualifier)
        self.falsy.qualify(qualifier)

    def compile(self, *, observed: bool, as_key: bool = False) -> Evaluate:  # noqa: ARG002 - it has no cost of its own
        """Return a function that resolves the selected branch."""
        condition = self.condition
        truthy = self.truthy.compile(observed=False, as_key=as_key)
        falsy = self.falsy.compile(observed=False, as_key=as_key)

        def conditional(frame: Frame) -> Value:
            decision = condition(frame)
            if decision is True:
                return truthy(frame)
            if decision is False:
                return falsy(frame)
            raise EvaluationError("no such overload")

        return conditional


def test_presence(attribute: Attribute, *, refunds: bool) -> Evaluate:
    """Return a function that tests whether the attribute has a value; its last qualifier is the test."""
    resolve = attribute.compile(observed=False)
    # Before 0.33, cel-go refunds the cost of the attribute, even for a conditional, which did not have this cost.
    refund = 1 if refunds and isinstance(attribute, Conditional) else 0

    def presence(frame: Frame) -> bool:
        frame.cost -= refund
        result = resolve(frame)
        return result.has_value if type(result) is Optional else result

    return presence


def _flattened(origin: Evaluate) -> Evaluate:
    """Return a function that flattens nested optionals; if the innermost is empty, the result contains null."""

    def resolve(frame: Frame) -> Value:
        value = origin(frame)
        if type(value) is not Optional or not value.has_value or type(value.value) is not Optional:
            return value
        inner: Value = value.value
        while type(inner) is Optional:
            inner = inner.value if inner.has_value else None
        return Optional(inner)

    return resolve


def _fields(origin: Evaluate, keys: Sequence[str], *, charges_errors: bool) -> Evaluate:
    """Return a function that selects fields in sequence."""
    count = len(keys)

    def resolve(frame: Frame) -> Value:
        value = whole = origin(frame)
        for key in keys:
            if type(value) is not dict:
                return _slowly(frame, whole, keys, charges_errors=charges_errors)
            value = value.get(key, MISSING)
        if value is MISSING:
            return _slowly(frame, whole, keys, charges_errors=charges_errors)
        frame.cost += count
        return value

    return resolve


def _slowly(frame: Frame, value: Value, keys: Sequence[str], *, charges_errors: bool) -> Value:
    """Select fields if a value is not a dict or lacks a field; raise EvaluationError for a missing field."""
    if type(value) is Optional:
        return _resolve(frame, value, [Qualifier(key) for key in keys], charges_errors=charges_errors)
    for key in keys:
        frame.cost += 1
        value = value.find(key) if isinstance(value, MapValue) else look_up(value, key, testing=False)
        if value is MISSING:
            raise EvaluationError(f"no such key: {key}")
    return value


def _presence(origin: Evaluate, keys: Sequence[str], *, charges_errors: bool) -> Evaluate:
    """Return a function that tests for the last field after selecting the fields before it."""
    *inner, last = keys
    test = Qualifier(last, test_only=True)
    qualifiers = [*map(Qualifier, inner), test]

    def resolve(frame: Frame) -> Value:
        value = origin(frame)
        if type(value) is Optional:
            return _resolve(frame, value, qualifiers, charges_errors=charges_errors)
        if inner:
            value = _slowly(frame, value, inner, charges_errors=charges_errors)
        if type(value) is dict:
            frame.cost += 1
            return last in value
        return test.select(frame, value)

    return resolve


def _general(origin: Evaluate, qualifiers: Sequence[Qualifier], *, as_key: bool, charges_errors: bool) -> Evaluate:
    return lambda frame: _resolve(frame, origin(frame), qualifiers, as_key=as_key, charges_errors=charges_errors)


def _resolve(
    frame: Frame, value: Value, qualifiers: Sequence[Qualifier], *, as_key: bool = False, charges_errors: bool
) -> Value:
    """Apply all *qualifiers*; after an optional value or an optional qualifier the result is an optional."""
    optional = False
    if type(value) is Optional:
        if not value.has_value:
            return value
        value, optional = value.value, True
        if isinstance(value, ListValue | MapValue):
            value = value.unwrapped()
    for qualifier in qualifiers:
        optional = optional or qualifier.optional
        if not optional:
            value = qualifier.select(frame, value)
            continue
        try:
            value = qualifier.find(frame, value)
        except EvaluationError:
            frame.cost += charges_errors
            raise
        if value is MISSING:
            return NONE
    if isinstance(value, EvaluationError):
        if optional:
            return Optional.unreadable(value)
        raise invalid_key(value) if as_key else value.with_traceback(None)
    return Optional(value) if optional else value
