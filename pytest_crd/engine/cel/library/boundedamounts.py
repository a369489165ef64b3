"""
Amounts of quantities since Kubernetes 1.38: at most 29 significant digits, and exponents of any size.

Reference:
    apimachinery v0.38 pkg/api/resource: quantity.go, amount.go.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from pytest_crd.engine.cel.library import amounts
from pytest_crd.engine.cel.library.amounts import BINARY_SI, DECIMAL_SI, NANO, Amount, Parts, QuantityError
from pytest_crd.engine.cel.values.celvalues import MAX_INT, MIN_INT

# The digits of the largest integer in 64 bits.
_SMALL_DIGITS: Final = 19
_MOST_DIGITS: Final = 29
_MOST_BINARY_DIGITS: Final = 70
# A sum is exact if its terms have exponents that are no further apart.
_WIDEST_GAP: Final = 29
_LOWEST_EXPONENT: Final = -(2**31)
_HIGHEST_EXPONENT: Final = 2**31 - 1


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


def parse(text: str) -> Amount:
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
