"""
Numbers: parsing and formatting as in Go, and division with rounding toward zero.

Reference:
    Go strconv; cel-go common/types/overflow.go.
"""

from __future__ import annotations

import math
import re
from typing import Final

from pytest_crd import lazyre
from pytest_crd.engine.cel.values.celvalues import MAX_INT, MAX_UINT, MIN_INT

_MOST_DIGITS: Final = 20
_DECIMAL: Final = lazyre.compile(r"[-+]?(?:[0-9][0-9_]*+(?:\.[0-9_]*+)?|\.[0-9][0-9_]*)(?:[eE][-+]?[0-9][0-9_]*)?")
_HEX: Final = lazyre.compile(r"[-+]?0[xX]_?(?=[0-9a-fA-F.])([0-9a-fA-F_]*)(?:\.([0-9a-fA-F_]*))?[pP]([-+]?[0-9_]+)")
_SPECIAL: Final = lazyre.compile(r"nan|[-+]?inf(?:inity)?", re.IGNORECASE)
_BAD_UNDERSCORE: Final = lazyre.compile(r"_(?![0-9a-fA-F])|(?<![0-9a-fA-FxX])_")


def parse_int(text: str) -> int | None:
    """Return the int *text* in decimal digits with optional sign; None if it is invalid or exceeds int64."""
    digits = text[1:] if text[:1] in ("-", "+") else text
    number = _digits(digits)
    if number is None:
        return None
    number = -number if text[0] == "-" else number
    return number if MIN_INT <= number <= MAX_INT else None


def parse_uint(text: str) -> int | None:
    """Return the uint *text* in decimal digits without sign; None if it is invalid or exceeds uint64."""
    number = _digits(text)
    return number if number is not None and number <= MAX_UINT else None


def _digits(text: str) -> int | None:
    if not (text.isascii() and text.isdigit()):
        return None
    digits = text.lstrip("0")
    return int(digits or 0) if len(digits) <= _MOST_DIGITS else MAX_UINT + 1


def parse_double(text: str) -> float | None:
    """
    Return the double *text*; None if it is invalid or too large.

    Reference:
        Go strconv.ParseFloat.
    """
    if _SPECIAL.fullmatch(text):
        return float(text)
    if _BAD_UNDERSCORE.search(text):
        return None
    if _DECIMAL.fullmatch(text):
        number = float(text.replace("_", ""))
    elif match := _HEX.fullmatch(text):
        if not match[1] and not match[2]:
            return None
        try:
            number = float.fromhex(text.replace("_", ""))
        except OverflowError:
            return None
    else:
        return None
    return number if math.isfinite(number) else None


def fixed(number: float) -> str:
    """
    Return *number* with the fewest digits that identify it, without an exponent.

    Reference:
        Go strconv.FormatFloat(number, 'f', -1, 64).
    """
    if not math.isfinite(number):
        return "NaN" if math.isnan(number) else ("+Inf" if number > 0 else "-Inf")
    mantissa, _, exponent = repr(number).partition("e")
    if not exponent:
        return mantissa.removesuffix(".0")
    sign = "-" if number < 0 else ""
    whole, _, fraction = mantissa.lstrip("-").partition(".")
    digits = whole + fraction
    point = len(whole) + int(exponent)
    if point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    return sign + digits.ljust(point, "0")


def divide_whole(number: int, by: int) -> int:
    """Return the quotient rounded toward zero."""
    quotient = abs(number) // abs(by)
    return quotient if (number < 0) == (by < 0) else -quotient


def remainder(number: int, by: int) -> int:
    """Return the remainder with the sign of *number*."""
    rest = abs(number) % abs(by)
    return -rest if number < 0 else rest
