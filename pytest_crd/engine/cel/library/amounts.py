"""
Amounts of Kubernetes quantities: `1`, `500m`, `1.5Gi`, `12e6`.

The server stores an amount in 64 bits if possible, otherwise as a decimal number of any size. The results of some
functions depend on this representation.

Reference:
    apimachinery pkg/api/resource: quantity.go, amount.go, suffix.go.
"""

from __future__ import annotations

import decimal
import math
import re
from dataclasses import dataclass, replace
from typing import Final

from pytest_crd import lazyre
from pytest_crd.engine.cel.errors import UnsupportedExpressionError
from pytest_crd.engine.cel.values.celvalues import MAX_INT, MIN_INT

DECIMAL_SI: Final = "DecimalSI"
BINARY_SI: Final = "BinarySI"
DECIMAL_EXPONENT: Final = "DecimalExponent"
_TEXT: Final = lazyre.compile(r"([-+]?)0*+([0-9]*+)(?:\.([0-9]*+))?([eEinumkKMGTP]*[-+]?[0-9]*)", re.ASCII)
_DECIMAL: Final = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY: Final = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_EXPONENT: Final = lazyre.compile(r"[eE]([-+]?[0-9]+)")
_FORMAT_WRONG: Final = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
_NANO: Final = -9
# The server has no limit, and may compute for hours.
_MOST_DIGITS: Final = 20_000
# Below Python's limit on conversions between int and str.
_READ_AT_ONCE: Final = 600


class QuantityError(ValueError):
    """Text that is not a quantity; the message is the server's."""


@dataclass(frozen=True, slots=True)
class Amount:
    """
    Amount of a quantity.

    Attributes:
        number: The significand.
        scale: The power of ten.
        format: The format of the canonical form.
        big: The server stores it as a decimal of any size.
        text: The original text if it is canonical, else empty.
    """

    number: int
    scale: int
    format: str
    big: bool = False
    text: str = ""

    @property
    def sign(self) -> int:
        """Sign: -1, 0 or 1."""
        return (self.number > 0) - (self.number < 0)

    def as_int64(self) -> int | None:
        """Return the amount as int64; None if it exceeds int64, or if its scale is negative even for a whole number."""
        if self.big or self.scale < 0:
            return None
        if self.number == 0:
            return 0
        if self.scale > 18:
            return None
        number = self.number * 10**self.scale
        return number if MIN_INT <= number <= MAX_INT else None

    def __float__(self) -> float:
        """Return the amount as a double with the server's rounding."""
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
    Parse an amount.

    Raises:
        QuantityError: The text is not a quantity.

    Reference:
        resource.ParseQuantity.
    """
    match = _TEXT.fullmatch(text) if text else None
    if match is None:
        raise QuantityError(_FORMAT_WRONG)
    sign, digits, fraction, suffix = match[1], match[2] or "0", match[3] or "", match[4]
    if match[2] == "" and match[3] is None and not suffix:
        digits = "0"
    exponent, format_ = _suffix(suffix)
    amount = _small(text, sign, (digits, fraction), exponent, format_)
    return amount if amount is not None else _big(sign, digits + fraction, len(fraction), exponent, format_)


def _suffix(suffix: str) -> tuple[int, str]:
    """Return the exponent of a suffix, of ten or of two, and the format; raise QuantityError for other suffixes."""
    if suffix in _DECIMAL:
        return _DECIMAL[suffix], DECIMAL_SI
    if suffix in _BINARY:
        return _BINARY[suffix], BINARY_SI
    match = _EXPONENT.fullmatch(suffix)
    if match is None or not MIN_INT <= (exponent := _number(match[1])) <= MAX_INT:
        raise QuantityError("unable to parse quantity's suffix")
    # Go converts the exponent to int32, which wraps around.
    return (exponent + 2**31) % 2**32 - 2**31, DECIMAL_EXPONENT


def _number(digits: str) -> int:
    """Return *digits* as an integer; Python's `int` refuses long texts."""
    return int(digits) if len(digits) <= _READ_AT_ONCE else int(decimal.Decimal(digits))


def _digits(number: int) -> str:
    """Return the digits of an integer; Python's `str` refuses large numbers."""
    return str(number) if number.bit_length() <= _READ_AT_ONCE else str(decimal.Decimal(number))


def _small(text: str, sign: str, number_: tuple[str, str], exponent: int, format_: str) -> Amount | None:
    """Return the amount if its digits are certain to fit into 64 bits, else None."""
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
        is_canonical = exponent % 10 == 0 and value & 7 != 0
    else:
        is_canonical = scale % 3 == 0 and not shifted.endswith("000") and shifted[0] != "0"
    return Amount(-number if sign == "-" else number, scale, format_, text=text if is_canonical or text == "0" else "")


def _big(sign: str, digits: str, places: int, exponent: int, format_: str) -> Amount:
    """Return the amount as a decimal of any size, rounded up to nanos."""
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
    """Return the number rounded up to nanos, and its scale."""
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
    """Return -1, 0 or 1 if *left* is less than, equal to or greater than *right*."""
    if left.sign != right.sign or not left.sign:
        return (left.sign > right.sign) - (left.sign < right.sign)
    first, second = _aligned(left, right)
    return (first > second) - (first < second)


def _aligned(left: Amount, right: Amount) -> tuple[int, int]:
    """Return both numbers at the smaller scale."""
    scale = min(left.scale, right.scale)
    _check_digits(max(left.scale, right.scale) - scale)
    return left.number * 10 ** (left.scale - scale), right.number * 10 ** (right.scale - scale)


def add(left: Amount, right: Amount) -> Amount:
    """Return the sum in the format of *left*, or of *right* if *left* is zero."""
    format_ = left.format if left.number else right.format
    small = None if left.big or right.big else _small_sum(left, right)
    if small is not None:
        return replace(small, format=format_, text="")
    first, second = _aligned(left, right)
    return Amount(first + second, min(left.scale, right.scale), format_, big=True)


def _small_sum(left: Amount, right: Amount) -> Amount | None:
    """Return the sum of two 64-bit amounts, or None if it exceeds 64 bits."""
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
    """Return the difference in the format of *left*, or of *right* if *left* is zero."""
    is_small = not (left.big or right.big)
    if right.number == MIN_INT and is_small and _small_sum(left, right) is not None:
        return add(left, right)  # Go's negation of the lowest int64 is the number itself
    return add(left, replace(right, number=-right.number))


def rounded_up(amount: Amount, scale: int) -> Amount:
    """
    Return an amount rounded away from zero to a multiple of a power of ten.

    Args:
        amount: The amount.
        scale: The power.

    Reference:
        resource.Quantity.RoundUp.
    """
    if amount.scale >= scale:
        return amount
    whole, rest = divmod(abs(amount.number), 10 ** (scale - amount.scale))
    if not rest:
        return amount
    return replace(amount, number=(whole + 1) * amount.sign, scale=scale, text="")


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
    """Return an amount rounded away from zero, and whether it was a whole number."""
    if amount.scale >= 0:
        _check_digits(amount.scale)
        return amount.number * 10**amount.scale, True
    whole, rest = divmod(abs(amount.number), 10**-amount.scale)
    return (whole + bool(rest)) * amount.sign, not rest


def _without_factors(number: int, factor: int) -> tuple[int, int]:
    """Return *number* without its factors *factor*, and their count."""
    times = 0
    while number % factor == 0:
        number //= factor
        times += 1
    return number, times


_SUFFIXES_OF_TEN: Final = {exponent: suffix for suffix, exponent in _DECIMAL.items()}
_SUFFIXES_OF_TWO: Final = {exponent: suffix for suffix, exponent in _BINARY.items()}
