"""
Amounts as Kubernetes writes them: `1`, `500m`, `1.5Gi`, `12e6`.

The server keeps an amount in 64 bits as long as it can, and in a decimal number without limits from there on; which of
both it is shows in what is asked of it.

Reference:
    apimachinery pkg/api/resource: quantity.go, amount.go, suffix.go.
"""

from __future__ import annotations

import decimal
import math
import re
from dataclasses import dataclass, replace
from typing import Final

from pytest_crd.engine.cel.errors import UnsupportedExpressionError
from pytest_crd.engine.cel.values.celvalues import MAX_INT, MIN_INT

DECIMAL_SI: Final = "DecimalSI"
BINARY_SI: Final = "BinarySI"
DECIMAL_EXPONENT: Final = "DecimalExponent"
_TEXT: Final = re.compile(r"([-+]?)0*([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[-+]?[0-9]*)", re.ASCII)
_DECIMAL: Final = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY: Final = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_EXPONENT: Final = re.compile(r"[eE]([-+]?[0-9]+)")
_FORMAT_WRONG: Final = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
_NANO: Final = -9
# The server calculates with as many digits as are asked for, for hours.
_MOST_DIGITS: Final = 20_000
# Fewer than Python reads and writes in any case.
_READ_AT_ONCE: Final = 600


class QuantityError(ValueError):
    """A text that is no quantity; the message is the server's."""


@dataclass(frozen=True, slots=True)
class Amount:
    """
    An amount.

    Attributes:
        number: The number.
        scale: The power of ten that it is to be multiplied by.
        format: How it is written.
        big: Whether the server keeps it as a number without limits.
        text: How it was written, if that is how the server writes it too.
    """

    number: int
    scale: int
    format: str
    big: bool = False
    text: str = ""

    @property
    def sign(self) -> int:
        """-1, 0 or 1."""
        return (self.number > 0) - (self.number < 0)

    def as_int64(self) -> int | None:
        """Return the amount as an int64, or None: also if it is a whole number, but was written with a fraction."""
        if self.big or self.scale < 0:
            return None
        if self.number == 0:
            return 0
        if self.scale > 18:
            return None
        number = self.number * 10**self.scale
        return number if MIN_INT <= number <= MAX_INT else None

    def __float__(self) -> float:
        """Return the amount as a double, roughly, as the server does."""
        try:
            base = float(self.number)
        except OverflowError:
            base = math.inf * self.sign
        if not self.scale:
            return base
        power = 0.0 if self.scale < -323 else math.inf if self.scale > 308 else float(f"1e{self.scale}")
        return base * power

    def __str__(self) -> str:
        return self.text or _written(self)


def parse(text: str) -> Amount:
    """
    Return the amount that *text* says.

    Raises:
        QuantityError: It says none.

    Reference:
        resource.ParseQuantity.
    """
    found = _TEXT.fullmatch(text) if text else None
    if found is None:
        raise QuantityError(_FORMAT_WRONG)
    sign, digits, fraction, suffix = found[1], found[2] or "0", found[3] or "", found[4]
    if found[2] == "" and found[3] is None and not suffix:
        digits = "0"
    exponent, format_ = _suffix(suffix)
    amount = _small(text, sign, (digits, fraction), exponent, format_)
    return amount if amount is not None else _big(sign, digits + fraction, len(fraction), exponent, format_)


def _suffix(suffix: str) -> tuple[int, str]:
    """Return the exponent that a suffix says, of ten or of two, and how such amounts are written."""
    if suffix in _DECIMAL:
        return _DECIMAL[suffix], DECIMAL_SI
    if suffix in _BINARY:
        return _BINARY[suffix], BINARY_SI
    found = _EXPONENT.fullmatch(suffix)
    if found is None or not MIN_INT <= (exponent := _number(found[1])) <= MAX_INT:
        raise QuantityError("unable to parse quantity's suffix")
    # What is left of it in 32 bits.
    return (exponent + 2**31) % 2**32 - 2**31, DECIMAL_EXPONENT


def _number(digits: str) -> int:
    """Return the whole number that *digits* say; Python refuses to read long ones at once."""
    return int(digits) if len(digits) <= _READ_AT_ONCE else int(decimal.Decimal(digits))


def _digits(number: int) -> str:
    """Return the digits of a whole number; Python refuses to write many at once."""
    return str(number) if number.bit_length() <= _READ_AT_ONCE else str(decimal.Decimal(number))


def _small(text: str, sign: str, number_: tuple[str, str], exponent: int, format_: str) -> Amount | None:
    """Return the amount, if its digits before and behind the point surely fit into 64 bits."""
    digits, fraction = number_
    scale, factor = exponent, 1
    room = 18 - len(digits) - len(fraction)
    if format_ == BINARY_SI:
        scale, factor = 0, 1 << exponent
        room = -1 if fraction else 15 - len(digits) - exponent * 3 // 10 - 1
    scale -= len(fraction)
    if room < 0 or scale < _NANO:
        return None
    value = int(digits + fraction)
    number = value * factor
    shifted = digits + fraction
    if format_ == BINARY_SI:
        kept = exponent % 10 == 0 and value & 7 != 0
    else:
        kept = scale % 3 == 0 and not shifted.endswith("000") and shifted[0] != "0"
    return Amount(-number if sign == "-" else number, scale, format_, text=text if kept or text == "0" else "")


def _big(sign: str, digits: str, places: int, exponent: int, format_: str) -> Amount:
    """Return the amount as a number without limits, rounded up to nanos."""
    number, scale = _number(digits), -places
    if format_ == BINARY_SI:
        number <<= exponent
    else:
        scale += exponent
    number, scale = _rounded_up(number, scale)
    if format_ == BINARY_SI:
        if number > MAX_INT * 10**9:
            number, scale = MAX_INT, 0
        elif 0 < number < 10**9:
            format_ = DECIMAL_SI
    return Amount(-number if sign == "-" else number, scale, format_, big=True)


def _rounded_up(number: int, scale: int) -> tuple[int, int]:
    """Return the number in nanos, rounded up."""
    if scale >= _NANO:
        _check_digits(scale - _NANO)
        return number * 10 ** (scale - _NANO), _NANO
    if _NANO - scale > _MOST_DIGITS:
        return int(number > 0), _NANO
    return -(-number // 10 ** (_NANO - scale)), _NANO


def _check_digits(count: int) -> None:
    if count > _MOST_DIGITS:
        raise UnsupportedExpressionError(f"quantities with {count} digits")


def compare(left: Amount, right: Amount) -> int:
    """Return -1, 0 or 1: *left* is less than, equal to or more than *right*."""
    if left.sign != right.sign or not left.sign:
        return (left.sign > right.sign) - (left.sign < right.sign)
    first, second = _aligned(left, right)
    return (first > second) - (first < second)


def _aligned(left: Amount, right: Amount) -> tuple[int, int]:
    """Return the numbers of both at the smaller one of the scales."""
    scale = min(left.scale, right.scale)
    _check_digits(max(left.scale, right.scale) - scale)
    return left.number * 10 ** (left.scale - scale), right.number * 10 ** (right.scale - scale)


def add(left: Amount, right: Amount) -> Amount:
    """Return the sum, written as *left* is unless that is zero."""
    format_ = left.format if left.number else right.format
    small = None if left.big or right.big else _small_sum(left, right)
    if small is not None:
        return replace(small, format=format_, text="")
    first, second = _aligned(left, right)
    return Amount(first + second, min(left.scale, right.scale), format_, big=True)


def _small_sum(left: Amount, right: Amount) -> Amount | None:
    """Return the sum of two amounts of 64 bits, or None if it is none."""
    if not right.number:
        return left
    if not left.number:
        return right
    scale = min(left.scale, right.scale)
    if max(left.scale, right.scale) - scale > 18:
        return None
    first, second = _aligned(left, right)
    in_range = all(MIN_INT <= number <= MAX_INT for number in (first, second, first + second))
    return Amount(first + second, scale, left.format) if in_range else None


def subtract(left: Amount, right: Amount) -> Amount:
    """Return the difference, written as *left* is unless that is zero."""
    is_small = not (left.big or right.big)
    if right.number == MIN_INT and is_small and _small_sum(left, right) is not None:
        return add(left, right)  # its negative is no int64, and Go's is the number itself
    return add(left, replace(right, number=-right.number))


def _written(amount: Amount) -> str:
    """Return an amount in the server's canonical form."""
    if not amount.number:
        return "0"
    format_ = amount.format
    if format_ == BINARY_SI:
        whole, exact = _whole(amount)
        if exact and abs(whole) >= 1024:
            number, times = _without_factors(whole, 1024)
            return f"{_digits(number)}{_SUFFIXES_OF_TWO.get(times * 10, '')}"
        format_ = DECIMAL_SI
    number, times = _without_factors(amount.number, 10)
    exponent = amount.scale + times
    number *= 10 ** (exponent % 3)
    exponent -= exponent % 3
    if format_ == DECIMAL_SI:
        return f"{_digits(number)}{_SUFFIXES_OF_TEN.get(exponent, '')}"
    return f"{_digits(number)}e{exponent}" if exponent else _digits(number)


def _whole(amount: Amount) -> tuple[int, bool]:
    """Return an amount rounded away from zero, and whether it was whole."""
    if amount.scale >= 0:
        _check_digits(amount.scale)
        return amount.number * 10**amount.scale, True
    whole, rest = divmod(abs(amount.number), 10**-amount.scale)
    return (whole + bool(rest)) * amount.sign, not rest


def _without_factors(number: int, factor: int) -> tuple[int, int]:
    """Return *number* divided by *factor* as often as nothing is left, and how often that was."""
    times = 0
    while number % factor == 0:
        number //= factor
        times += 1
    return number, times


_SUFFIXES_OF_TEN: Final = {exponent: suffix for suffix, exponent in _DECIMAL.items()}
_SUFFIXES_OF_TWO: Final = {exponent: suffix for suffix, exponent in _BINARY.items()}
