"""
Kubernetes' library for quantities.

Since Kubernetes 1.38, amounts have at most 29 significant digits, and exponents of any size.

Reference:
    k8s.io/apiserver pkg/cel/library/quantity.go; pkg/cel/quantity.go; apimachinery v0.38 pkg/api/resource: quantity.go, amount.go.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

from pytest_crd.engine.cel.errors import EvaluationError
from pytest_crd.engine.cel.library import amounts, costing
from pytest_crd.engine.cel.library.amounts import BINARY_SI, DECIMAL_SI, NANO, Amount, Parts, QuantityError
from pytest_crd.engine.cel.types.celtypes import BOOL, DOUBLE, INT, STRING, Type, struct
from pytest_crd.engine.cel.types.functions import Function, Library, Overload
from pytest_crd.engine.cel.values.celvalues import MAX_INT, MIN_INT, Opaque, Value

TYPE: Final = struct("kubernetes.Quantity")
# The digits of the largest integer in 64 bits.
_SMALL_DIGITS: Final = 19
_MOST_DIGITS: Final = 29
_MOST_BINARY_DIGITS: Final = 70
# A sum is exact if its terms have exponents that are no further apart.
_WIDEST_GAP: Final = 29
_LOWEST_EXPONENT: Final = -(2**31)
_HIGHEST_EXPONENT: Final = 2**31 - 1


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
    parse = parse_bounded if rounds_digits else amounts.parse

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


@dataclass(frozen=True, slots=True)
class BoundedAmount(Amount):
    """Amount with the arithmetic of 1.38."""

    def compare(self, other: Amount) -> int:
        """Return -1, 0 or 1 if it is less than, equal to or greater than *other*."""
        if self.sign != other.sign or not self.sign:
            return (self.sign > other.sign) - (self.sign < other.sign)
        order, other_order = _order(self), _order(other)
        if order != other_order:
            return self.sign if order > other_order else -self.sign
        return amounts.compare(self, other)

    def add(self, other: Amount) -> Amount:
        """Return the sum in the format of this amount, or of *other* if this one is zero."""
        format_ = self.format if self.number else other.format
        small = None if self.big or other.big else amounts.small_sum(self, other)
        if small is not None:
            return BoundedAmount(small.number, small.scale, format_)
        if not self.number or not other.number:
            term = other if other.number else self
            return BoundedAmount(term.number, term.scale, format_, big=True)
        terms = _rounded(self, other.scale - _WIDEST_GAP), _rounded(other, self.scale - _WIDEST_GAP)
        scale = min(term.scale for term in terms)
        number = sum(term.number * 10 ** (term.scale - scale) for term in terms)
        return BoundedAmount(number, scale, format_, big=True)

    def subtract(self, other: Amount) -> Amount:
        """Return the difference in the format of this amount, or of *other* if this one is zero."""
        return self.add(replace(other, number=-other.number, big=other.big or other.number == MIN_INT))

    def __float__(self) -> float:
        """Return the amount as a double; zero has no exponent."""
        return Amount.__float__(self) if self.number else 0.0

    def __str__(self) -> str:
        return self.text or amounts.canonical_text(self, names_exponents=True)


def parse_bounded(text: str) -> Amount:
    """
    Parse an amount; digits beyond the 29th are rounded away from zero.

    Raises:
        QuantityError: The text is not a quantity.

    Reference:
        resource.ParseQuantity.
    """
    parts = amounts.split(text)
    amount = _small(text, parts)
    return amount if amount is not None else _big(parts)


def _small(text: str, parts: Parts) -> Amount | None:
    """Return the amount if it fits into 64 bits, else None."""
    digits = parts.digits + parts.fraction
    scale, factor = parts.exponent, 1
    room = _SMALL_DIGITS - len(digits)
    if parts.format == BINARY_SI:
        scale, factor, room = 0, 1 << parts.exponent, amounts.binary_room(parts)
    scale = amounts.wrapped(scale - len(parts.fraction))
    if room < 0 or scale < NANO:
        return None
    number = int(digits) * factor * (-1 if parts.sign == "-" else 1)
    if not MIN_INT <= number <= MAX_INT:
        return None
    # The text of 19 digits is not kept.
    keeps_text = text == "0" or (amounts.is_canonical(parts, digits, scale) and (room > 0 or parts.format == BINARY_SI))
    return BoundedAmount(number, scale, parts.format, text=text if keeps_text else "")


def _big(parts: Parts) -> Amount:
    """Return the amount as a decimal of any size, rounded up to nanos."""
    if not parts.has_number:
        raise QuantityError(amounts.NUMBER_WRONG)
    digits = (parts.digits + parts.fraction).lstrip("0") or "0"
    is_binary = parts.format == BINARY_SI
    number, dropped = _significant(digits, _MOST_BINARY_DIGITS if is_binary else _MOST_DIGITS)
    scale = dropped - len(parts.fraction)
    if is_binary:
        return _signed(
            _capped(_rounded(BoundedAmount(number << parts.exponent, scale, BINARY_SI, big=True), NANO)), parts
        )
    if parts.exponent == _LOWEST_EXPONENT:
        raise QuantityError(amounts.SUFFIX_WRONG)
    scale = min(scale + parts.exponent, _HIGHEST_EXPONENT)
    return _signed(_rounded(BoundedAmount(number, scale, parts.format, big=True), NANO), parts)


def _significant(digits: str, most: int) -> tuple[int, int]:
    """Return the number of the first *most* digits, rounded up, and the count of other digits."""
    number = int(digits[:most])
    return number + bool(digits[most:].strip("0")), max(len(digits) - most, 0)


def _signed(amount: Amount, parts: Parts) -> Amount:
    return replace(amount, number=-amount.number) if parts.sign == "-" else amount


def _capped(amount: Amount) -> Amount:
    """Return an amount with a binary suffix: at most 64 bits, and in the decimal format below 1."""
    if amount.compare(Amount(MAX_INT, 0, BINARY_SI)) > 0:
        return replace(amount, number=MAX_INT, scale=0)
    if amount.number and amount.compare(Amount(1, 0, BINARY_SI)) < 0:
        return replace(amount, format=DECIMAL_SI)
    return amount


def _rounded(amount: Amount, scale: int) -> Amount:
    """Return an amount rounded away from zero to a multiple of a power of ten; zero keeps its scale."""
    if amount.scale >= scale or not amount.number:
        return amount
    if _order(amount) <= scale:
        return replace(amount, number=amount.sign, scale=scale)
    whole, rest = divmod(abs(amount.number), 10 ** (scale - amount.scale))
    return replace(amount, number=(whole + bool(rest)) * amount.sign, scale=scale)


def _order(amount: Amount) -> int:
    """Return the count of digits before the point of an amount that is not zero; negative below 0.1."""
    return len(amounts.digits_of(abs(amount.number))) + amount.scale
