"""
Kubernetes' library for quantities.

Reference:
    k8s.io/apiserver pkg/cel/library/quantity.go; pkg/cel/quantity.go.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from pytest_crd.engine.cel.errors import EvaluationError
from pytest_crd.engine.cel.library import amounts, costing
from pytest_crd.engine.cel.library.amounts import Amount, QuantityError
from pytest_crd.engine.cel.types.celtypes import BOOL, DOUBLE, INT, STRING, Type, struct
from pytest_crd.engine.cel.types.functions import Function, Library, Overload
from pytest_crd.engine.cel.values.celvalues import Opaque, Value

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
        return _compare(self, other) == 0

    def __str__(self) -> str:
        return str(self.amount)


def _parse(text: str) -> Quantity:
    try:
        return Quantity(amounts.parse(text))
    except QuantityError as error:
        raise EvaluationError(str(error)) from None


def _is_quantity(text: str) -> bool:
    try:
        amounts.parse(text)
    except QuantityError:
        return False
    return True


def _compare(left: Quantity, right: Quantity) -> int:
    return amounts.compare(left.amount, right.amount)


def _as_integer(quantity: Quantity) -> int:
    number = quantity.amount.as_int64()
    if number is None:
        raise EvaluationError("cannot convert value to integer")
    return number


def _amount(value: Any) -> Amount:
    """Return the amount of a quantity or an int."""
    return value.amount if isinstance(value, Quantity) else Amount(value, 0, amounts.DECIMAL_EXPONENT)


def _add(left: Quantity, right: Any) -> Quantity:
    return Quantity(amounts.add(left.amount, _amount(right)))


def _subtract(left: Quantity, right: Any) -> Quantity:
    return Quantity(amounts.subtract(left.amount, _amount(right)))


def library() -> Library:
    """Return the quantity library."""
    return Library("kubernetes.quantity", _FUNCTIONS)


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


_once: Final = costing.traversal()
_estimate_once: Final = costing.estimate_traversal()
_PAIR: Final = (TYPE, TYPE)

_FUNCTIONS: Final = (
    Function(
        "quantity", (Overload("string_to_quantity", (STRING,), TYPE, _parse, cost=_once, estimate=_estimate_once),)
    ),
    Function(
        "isQuantity",
        (Overload("is_quantity_string", (STRING,), BOOL, _is_quantity, cost=_once, estimate=_estimate_once),),
    ),
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
