"""
Kubernetes' library for quantities.

Reference:
    k8s.io/apiserver pkg/cel/library/quantity.go; pkg/cel/quantity.go.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from pytest_crd import lazyimport
from pytest_crd.engine.cel.errors import EvaluationError
from pytest_crd.engine.cel.library import amounts, costing
from pytest_crd.engine.cel.library.amounts import Amount, QuantityError
from pytest_crd.engine.cel.types.celtypes import BOOL, DOUBLE, INT, STRING, Type, struct
from pytest_crd.engine.cel.types.functions import Function, Library, Overload
from pytest_crd.engine.cel.values.celvalues import Opaque, Value

if TYPE_CHECKING:
    from pytest_crd.engine.cel.library import boundedamounts
else:
    boundedamounts = lazyimport.module("pytest_crd.engine.cel.library.boundedamounts")

TYPE: Final = struct("kubernetes.Quantity")


class Quantity(Opaque):
    """Quantity as a CEL value."""

    __slots__ = ("amount",)

    type_name = TYPE.name

    def __init__(self, amount: Amount) -> None:
        self.amount = amount

    def equal(self, other: Value) -> bool:
        """Return whether *other* is the same amount; raise EvaluationError for other types."""
        if not isinstance(other, Quantity):
            raise EvaluationError("no such overload")
        return self.amount.compare(other.amount) == 0

    def __str__(self) -> str:
        return str(self.amount)


def _compare(left: Quantity, right: Quantity) -> int:
    return left.amount.compare(right.amount)


def _as_integer(quantity: Quantity) -> int:
    number = quantity.amount.as_int64()
    if number is None:
        raise EvaluationError("cannot convert value to integer")
    return number


def _amount(value: Any) -> Amount:
    """Return the amount of a quantity or an int."""
    return value.amount if isinstance(value, Quantity) else Amount(value, 0, amounts.DECIMAL_EXPONENT)


def _add(left: Quantity, right: Any) -> Quantity:
    return Quantity(left.amount.add(_amount(right)))


def _subtract(left: Quantity, right: Any) -> Quantity:
    return Quantity(left.amount.subtract(_amount(right)))


def library(*, rounds_digits: bool) -> Library:
    """
    Return the quantity library.

    Args:
        rounds_digits: Whether quantities keep 29 digits; they keep all otherwise.
    """
    return Library("kubernetes.quantity", (*_constructors(rounds_digits=rounds_digits), *_FUNCTIONS))


def _constructors(*, rounds_digits: bool) -> tuple[Function, Function]:
    """Return the functions that read texts."""

    def parse(text: str) -> Amount:
        return boundedamounts.parse(text) if rounds_digits else amounts.parse(text)

    def quantity(text: str) -> Quantity:
        try:
            return Quantity(parse(text))
        except QuantityError as error:
            raise EvaluationError(str(error)) from None

    def is_quantity(text: str) -> bool:
        try:
            parse(text)
        except QuantityError:
            return False
        return True

    cost, estimate = costing.traversal(), costing.estimate_traversal()
    return (
        Function(
            "quantity", (Overload("string_to_quantity", (STRING,), TYPE, quantity, cost=cost, estimate=estimate),)
        ),
        Function(
            "isQuantity", (Overload("is_quantity_string", (STRING,), BOOL, is_quantity, cost=cost, estimate=estimate),)
        ),
    )


def _cheap(
    name: str, *overloads: tuple[str, tuple[Type, ...], Type, Callable[..., Any]], is_member: bool = True
) -> Function:
    """Return a function that costs 1."""
    declared = (
        Overload(
            id_, parameters, result, call, is_member=is_member, cost=costing.unit_cost, estimate=costing.estimate_one
        )
        for id_, parameters, result, call in overloads
    )
    return Function(name, tuple(declared))


_PAIR: Final = (TYPE, TYPE)

_FUNCTIONS: Final = (
    _cheap("sign", ("quantity_sign", (TYPE,), INT, lambda quantity: quantity.amount.sign), is_member=False),
    _cheap("isGreaterThan", ("quantity_is_greater_than", _PAIR, BOOL, lambda left, right: _compare(left, right) > 0)),
    _cheap("isLessThan", ("quantity_is_less_than", _PAIR, BOOL, lambda left, right: _compare(left, right) < 0)),
    _cheap("compareTo", ("quantity_compare_to", _PAIR, INT, _compare)),
    _cheap("asApproximateFloat", ("quantity_get_float", (TYPE,), DOUBLE, lambda quantity: float(quantity.amount))),
    _cheap("asInteger", ("quantity_get_int", (TYPE,), INT, _as_integer)),
    _cheap(
        "isInteger", ("quantity_is_integer", (TYPE,), BOOL, lambda quantity: quantity.amount.as_int64() is not None)
    ),
    _cheap("add", ("quantity_add", _PAIR, TYPE, _add), ("quantity_add_int", (TYPE, INT), TYPE, _add)),
    _cheap("sub", ("quantity_sub", _PAIR, TYPE, _subtract), ("quantity_sub_int", (TYPE, INT), TYPE, _subtract)),
)
