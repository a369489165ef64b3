"""
Attributes: a variable or another operand, and what is selected from it by fields, keys and indices.

Costs: each qualifier that is reached costs 1, whether it is found or not, and the attribute itself 1 unless it is a
branch of a conditional, which cel-go resolves without observing it. A test for presence costs its qualifiers only.

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
"""What stands in the slot of an accumulator that nobody has asked for."""


class Attribute(abc.ABC):
    """Something that can be qualified."""

    @abc.abstractmethod
    def qualify(self, qualifier: Qualifier) -> None:
        """Select by *qualifier* from what was selected so far."""

    @abc.abstractmethod
    def compile(self, *, observed: bool, as_key: bool = False) -> Evaluate:
        """
        Return what resolves the attribute.

        Args:
            observed: Whether its own cost counts.
            as_key: Whether it says what is selected from another one, which no error does that a list has as an item.
        """


@dataclass(slots=True)
class Qualified(Attribute):
    """
    An attribute with one origin.

    Attributes:
        qualifiers: What is selected from it.
        flattens: Whether an optional in an optional is one optional once the attribute is resolved.
    """

    qualifiers: list[Qualifier] = field(default_factory=list, init=False)
    flattens: bool = field(default=False, init=False)

    def qualify(self, qualifier: Qualifier) -> None:
        """Select by *qualifier* from what was selected so far."""
        self.qualifiers.append(qualifier)

    @abc.abstractmethod
    def _origin(self, own: int) -> Evaluate:
        """Return what evaluates the origin, and costs *own*."""

    def compile(self, *, observed: bool, as_key: bool = False) -> Evaluate:
        """Return what evaluates the origin and selects from it."""
        origin = self._origin(int(observed))
        if self.flattens:
            origin = _flattened(origin)
        if not self.qualifiers:
            return origin
        if all(type(qualifier.key) is str and not qualifier.optional for qualifier in self.qualifiers):
            keys = [qualifier.key for qualifier in self.qualifiers]
            if self.qualifiers[-1].test_only:
                return _presence(origin, keys)
            return _fields(origin, keys)
        return _general(origin, self.qualifiers, as_key=as_key)


@dataclass(slots=True)
class Variable(Qualified):
    """A variable of the evaluation."""

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
    """An element, key or index of a comprehension."""

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
    What a comprehension builds; its first value is made when somebody asks for it, and it may be an error.

    Attributes:
        slot: Where it stands.
        init: What makes its first value.
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
    """Set the accumulator in *slot* to its first value, which may be an error, and return it."""
    value: Any
    try:
        value = init(frame)
    except EvaluationError as error:
        value = error
    frame.slots[slot] = value
    return value


@dataclass(slots=True)
class Relative(Qualified):
    """Any expression from which something is selected."""

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
    """A conditional: what is selected from it is selected from the branch that is taken."""

    condition: Evaluate
    truthy: Attribute
    falsy: Attribute

    def qualify(self, qualifier: Qualifier) -> None:
        """Select from both branches."""
        self.truthy.qualify(qualifier)
        self.falsy.qualify(qualifier)

    def compile(self, *, observed: bool, as_key: bool = False) -> Evaluate:  # noqa: ARG002 - it has no cost of its own
        """Return what resolves the branch that is taken."""
        condition = self.condition
        truthy = self.truthy.compile(observed=False, as_key=as_key)
        falsy = self.falsy.compile(observed=False, as_key=as_key)

        def conditional(frame: Frame) -> Value:
            taken = condition(frame)
            if taken is True:
                return truthy(frame)
            if taken is False:
                return falsy(frame)
            raise EvaluationError("no such overload")

        return conditional


def test_presence(attribute: Attribute) -> Evaluate:
    """Return what says whether an attribute, whose last qualifier is the test, is there."""
    resolve = attribute.compile(observed=False)
    # cel-go takes back the cost of the attribute, also of a conditional, which had none.
    refund = 1 if isinstance(attribute, Conditional) else 0

    def presence(frame: Frame) -> bool:
        frame.cost -= refund
        found = resolve(frame)
        return found.has_value if type(found) is Optional else found

    return presence


def _flattened(origin: Evaluate) -> Evaluate:
    """Return what makes one optional of optionals in each other; the innermost one that is empty has a null."""

    def resolve(frame: Frame) -> Value:
        value = origin(frame)
        if type(value) is not Optional or not value.has_value or type(value.value) is not Optional:
            return value
        inner: Value = value.value
        while type(inner) is Optional:
            inner = inner.value if inner.has_value else None
        return Optional(inner)

    return resolve


def _fields(origin: Evaluate, keys: Sequence[str]) -> Evaluate:
    """Return what selects fields, one after the other."""
    count = len(keys)

    def resolve(frame: Frame) -> Value:
        value = whole = origin(frame)
        for key in keys:
            if type(value) is not dict:
                return _slowly(frame, whole, keys)
            value = value.get(key, MISSING)
        if value is MISSING:
            return _slowly(frame, whole, keys)
        frame.cost += count
        return value

    return resolve


def _slowly(frame: Frame, value: Value, keys: Sequence[str]) -> Value:
    """Select fields from what is no dict, or has something else in it, or misses one."""
    if type(value) is Optional:
        return _resolve(frame, value, [Qualifier(key) for key in keys])
    for key in keys:
        frame.cost += 1
        value = value.find(key) if isinstance(value, MapValue) else look_up(value, key, testing=False)
        if value is MISSING:
            raise EvaluationError(f"no such key: {key}")
    return value


def _presence(origin: Evaluate, keys: Sequence[str]) -> Evaluate:
    """Return what says whether the last of some fields, each in the one before it, is there."""
    *inner, last = keys
    test = Qualifier(last, test_only=True)
    qualifiers = [*map(Qualifier, inner), test]

    def resolve(frame: Frame) -> Value:
        value = origin(frame)
        if type(value) is Optional:
            return _resolve(frame, value, qualifiers)
        if inner:
            value = _slowly(frame, value, inner)
        if type(value) is dict:
            frame.cost += 1
            return last in value
        return test.select(frame, value)

    return resolve


def _general(origin: Evaluate, qualifiers: Sequence[Qualifier], *, as_key: bool) -> Evaluate:
    return lambda frame: _resolve(frame, origin(frame), qualifiers, as_key=as_key)


def _resolve(frame: Frame, value: Value, qualifiers: Sequence[Qualifier], *, as_key: bool = False) -> Value:
    """Select by all *qualifiers*; from an optional on, or from an optional qualifier on, the result is an optional."""
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
        value = qualifier.find(frame, value)
        if value is MISSING:
            return NONE
    if isinstance(value, EvaluationError):
        if optional:
            return Optional.unreadable(value)
        raise invalid_key(value) if as_key else value.with_traceback(None)
    return Optional(value) if optional else value
