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
from typing import Final, NamedTuple

from pytest_crd import lazyre
from pytest_crd.engine.cel.errors import UnsupportedExpressionError
from pytest_crd.engine.cel.values.celvalues import MAX_INT, MIN_INT

DECIMAL_SI: Final = "DecimalSI"
BINARY_SI: Final = "BinarySI"
DECIMAL_EXPONENT: Final = "DecimalExponent"
_TEXT: Final = lazyre.compile(r"([-+]?)(0*+)([0-9]*+)(?:\.([0-9]*+))?([eEinumkKMGTP]*[-+]?[0-9]*)", re.ASCII)
_DECIMAL: Final = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY: Final = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_EXPONENT: Final = lazyre.compile(r"[eE]([-+]?[0-9]+)")
_FORMAT_WRONG: Final = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
SUFFIX_WRONG: Final = "unable to parse quantity's suffix"
NUMBER_WRONG: Final = "unable to parse numeric part of quantity"
NANO: Final = -9
# The exponent of the largest power of ten in a double.
_HIGHEST_POWER: Final = 308
# The highest multiple of 3 in an int32.
_HIGHEST_EXPONENT: Final = 2**31 - 2
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
        return base * _power_of_ten(self.scale)

    def compare(self, other: Amount) -> int:
        """Return -1, 0 or 1 if it is less than, equal to or greater than *other*."""
        return compare(self, other)

    def add(self, other: Amount) -> Amount:
        """Return the sum in the format of this amount, or of *other* if this one is zero."""
        return add(self, other)

    def subtract(self, other: Amount) -> Amount:
        """Return the difference in the format of this amount, or of *other* if this one is zero."""
        return subtract(self, other)

    def __str__(self) -> str:
        return self.text or canonical_text(self)


def _power_of_ten(exponent: int) -> float:
    """
    Return a power of ten as Go's `math.Pow10` does: the product of two powers, and not always the nearest double.

    Args:
        exponent: The exponent, at least that of nanos.
    """
    if exponent > _HIGHEST_POWER:
        return math.inf
    coarse, fine = divmod(abs(exponent), 32)
    if exponent >= 0:
        return float(f"1e{coarse * 32}") * float(f"1e{fine}")
    return float(f"1e-{coarse * 32}") / float(f"1e{fine}")


class Parts(NamedTuple):
    """
    Parts of the text of a quantity.

    Attributes:
        sign: `-`, `+` or nothing.
        digits: The digits before the point without leading zeros, `0` if there are none.
        fraction: The digits after the point.
        exponent: The exponent of the suffix, of two for the format BinarySI, else of ten.
        format: The format.
        has_number: Whether there is a digit before the suffix.
    """

    sign: str
    digits: str
    fraction: str
    exponent: int
    format: str
    has_number: bool


def parse(text: str) -> Amount:
    """
    Parse an amount.

    Raises:
        QuantityError: The text is not a quantity.

    Reference:
        resource.ParseQuantity.
    """
    parts = split(text)
    amount = _small(text, parts)
    return amount if amount is not None else _big(parts)


def split(text: str) -> Parts:
    """Return the parts of the text of a quantity; raise QuantityError for other texts."""
    match = _TEXT.fullmatch(text) if text else None
    if match is None:
        raise QuantityError(_FORMAT_WRONG)
    exponent, format_ = _suffix(match[5])
    return Parts(match[1], match[3] or "0", match[4] or "", exponent, format_, bool(match[2] or match[3] or match[4]))


def _suffix(suffix: str) -> tuple[int, str]:
    """Return the exponent of a suffix, of ten or of two, and the format; raise QuantityError for other suffixes."""
    if suffix in _DECIMAL:
        return _DECIMAL[suffix], DECIMAL_SI
    if suffix in _BINARY:
        return _BINARY[suffix], BINARY_SI
    match = _EXPONENT.fullmatch(suffix)
    if match is None or not MIN_INT <= (exponent := _number(match[1])) <= MAX_INT:
        raise QuantityError(SUFFIX_WRONG)
    # Go converts the exponent to int32, which wraps around.
    return wrapped(exponent), DECIMAL_EXPONENT


def wrapped(number: int) -> int:
    """Return an integer as Go converts it to int32."""
    return (number + 2**31) % 2**32 - 2**31


def _number(digits: str) -> int:
    """Return *digits* as an integer; Python's `int` refuses long texts."""
    return int(digits) if len(digits) <= _READ_AT_ONCE else int(decimal.Decimal(digits))


def digits_of(number: int) -> str:
    """Return the digits of an integer; Python's `str` refuses large numbers."""
    return str(number) if number.bit_length() <= _READ_AT_ONCE else str(decimal.Decimal(number))


def _small(text: str, parts: Parts) -> Amount | None:
    """Return the amount if its digits are certain to fit into 64 bits, else None."""
    digits = parts.digits + parts.fraction
    scale, factor = parts.exponent, 1
    room = 18 - len(digits)
    if parts.format == BINARY_SI:
        scale, factor, room = 0, 1 << parts.exponent, binary_room(parts)
    scale -= len(parts.fraction)
    if room < 0 or scale < NANO:
        return None
    number = int(digits) * factor
    text = text if is_canonical(parts, digits, scale) or text == "0" else ""
    return Amount(-number if parts.sign == "-" else number, scale, parts.format, text=text)


def binary_room(parts: Parts) -> int:
    """Return the number of digits that 64 bits are certain to hold beyond a number with a binary suffix."""
    return -1 if parts.fraction else 15 - len(parts.digits) - parts.exponent * 3 // 10 - 1


def is_canonical(parts: Parts, digits: str, scale: int) -> bool:
    """Return whether a server keeps the text of an amount with these *digits* and this *scale*."""
    if parts.format == BINARY_SI:
        return parts.exponent % 10 == 0 and int(digits) & 7 != 0
    return scale % 3 == 0 and not digits.endswith("000") and digits[0] != "0"


def _big(parts: Parts) -> Amount:
    """Return the amount as a decimal of any size, rounded up to nanos."""
    if not parts.has_number:
        raise QuantityError(NUMBER_WRONG)
    number, scale, format_ = _number(parts.digits + parts.fraction), -len(parts.fraction), parts.format
    if format_ == BINARY_SI:
        number <<= parts.exponent
    else:
        scale += parts.exponent
    number, scale = _rounded_up(number, scale)
    if format_ == BINARY_SI:
        if number > MAX_INT * 10**9:
            number, scale = MAX_INT, 0
        elif 0 < number < 10**9:
            format_ = DECIMAL_SI
    return Amount(-number if parts.sign == "-" else number, scale, format_, big=True)


def _rounded_up(number: int, scale: int) -> tuple[int, int]:
    """Return the number rounded up to nanos, and its scale."""
    if scale >= NANO:
        _check_digits(scale - NANO)
        return number * 10 ** (scale - NANO), NANO
    if NANO - scale > _MOST_DIGITS:
        return int(number > 0), NANO
    return -(-number // 10 ** (NANO - scale)), NANO


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
    small = None if left.big or right.big else small_sum(left, right)
    if small is not None:
        return replace(small, format=format_, text="")
    first, second = _aligned(left, right)
    return Amount(first + second, min(left.scale, right.scale), format_, big=True)


def small_sum(left: Amount, right: Amount) -> Amount | None:
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
    if right.number == MIN_INT and is_small and small_sum(left, right) is not None:
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


def canonical_text(amount: Amount, *, names_exponents: bool = False) -> str:
    """
    Return an amount in the server's canonical form.

    Args:
        amount: The amount.
        names_exponents: Whether exponents without a suffix are written, as in `1e21`. They are lost otherwise.
    """
    if not amount.number:
        return "0"
    format_ = amount.format
    if format_ == BINARY_SI:
        whole, exact = _whole(amount)
        format_ = DECIMAL_SI
        if exact and abs(whole) >= 1024:
            number, times = _without_factors(whole, 1024)
            if not (names_exponents and times) or times * 10 in _SUFFIXES_OF_TWO:
                return f"{digits_of(number)}{_SUFFIXES_OF_TWO.get(times * 10, '')}"
            format_ = DECIMAL_EXPONENT
    number, times = _without_factors(amount.number, 10)
    exponent = min((amount.scale + times) // 3 * 3, _HIGHEST_EXPONENT)
    number *= 10 ** (amount.scale + times - exponent)
    power = f"e{exponent}" if exponent else ""
    if format_ == DECIMAL_SI:
        power = _SUFFIXES_OF_TEN.get(exponent, power if names_exponents else "")
    return digits_of(number) + power


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
