"""Values printed as Go prints them: the server's messages quote strings with `%q` and numbers with `%v`."""

from __future__ import annotations

import json
import math
from typing import Final

from pytest_crd.engine.jsonvalue import JSONValue

_ESCAPES: Final = {
    "\a": "\\a",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\v": "\\v",
    '"': '\\"',
    "\\": "\\\\",
}
_MIN_EXPONENT: Final = -4
_MAX_EXPONENT: Final = 21


def quote(text: str) -> str:
    """
    Return *text* as Go's `%q`: double-quoted, with what cannot be printed escaped.

    Reference:
        strconv.Quote.
    """
    return '"' + "".join(map(_quoted, text)) + '"'


def _quoted(char: str) -> str:
    if (escape := _ESCAPES.get(char)) is not None:
        return escape
    if char == " " or (char.isprintable() and not char.isspace()):
        return char
    code = ord(char)
    if code < 0x20 or code == 0x7F:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def number(value: float) -> str:
    """
    Return a number as Go's `%v`: shortest digits, an exponent from 1e+21 on and below 1e-04.

    Args:
        value: An int64 (printed whole) or a float64.

    Reference:
        fmt `%v` of float64, which is strconv.FormatFloat(f, 'g', -1, 64) with %e from 21 digits on.
    """
    if isinstance(value, int):
        return str(value)
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else ("+Inf" if value > 0 else "-Inf")
    mantissa, _, exponent_text = f"{value!r}".replace("E", "e").partition("e")
    sign, digits, exponent = _decimal(mantissa, int(exponent_text or 0))
    if digits == "0":
        return f"{sign}0"
    if _MIN_EXPONENT <= exponent < _MAX_EXPONENT:
        return sign + _fixed(digits, exponent)
    fraction = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{fraction}e{'-' if exponent < 0 else '+'}{abs(exponent):02d}"


def _decimal(mantissa: str, exponent: int) -> tuple[str, str, int]:
    """Return sign, significant digits and the decimal exponent of the first digit."""
    sign = "-" if mantissa.startswith("-") else ""
    whole, _, fraction = mantissa.lstrip("-").partition(".")
    digits = (whole + fraction).lstrip("0")
    leading = len(whole + fraction) - len(digits)
    return sign, digits.rstrip("0") or "0", exponent + len(whole) - 1 - leading


def _fixed(digits: str, exponent: int) -> str:
    if exponent < 0:
        return f"0.{'0' * (-exponent - 1)}{digits}"
    if len(digits) <= exponent + 1:
        return digits + "0" * (exponent + 1 - len(digits))
    return f"{digits[: exponent + 1]}.{digits[exponent + 1 :]}"


def marshal(value: JSONValue) -> str:
    """
    Return *value* as Go's json.Marshal writes it: keys sorted, no blanks, `<`, `>`, `&` and line separators escaped.

    Reference:
        encoding/json, Marshal with HTML escaping on.
    """
    if isinstance(value, dict):
        return "{" + ",".join(f"{marshal(key)}:{marshal(value[key])}" for key in sorted(value)) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(marshal, value)) + "]"
    if isinstance(value, str):
        return _marshalled_string(value)
    if isinstance(value, float):
        return _marshalled_float(value)
    return json.dumps(value)


def _marshalled_string(text: str) -> str:
    quoted = json.dumps(text, ensure_ascii=False)
    for char in "<>&\u2028\u2029":
        quoted = quoted.replace(char, f"\\u{ord(char):04x}")
    return quoted


def _marshalled_float(value: float) -> str:
    """Write a float64 as encoding/json does: an exponent only below 1e-6 and from 1e21 on, without a padding zero."""
    text = number(value)
    magnitude = abs(value)
    if value and magnitude < 1e-4 and magnitude >= 1e-6:
        sign, digits, exponent = _decimal(*_split(repr(value)))
        return sign + _fixed(digits, exponent)
    mantissa, separator, exponent_text = text.partition("e")
    if not separator:
        return text
    return f"{mantissa}e{exponent_text[0]}{exponent_text[1:].lstrip('0')}" if exponent_text[0] == "-" else text


def _split(text: str) -> tuple[str, int]:
    mantissa, _, exponent = text.partition("e")
    return mantissa, int(exponent or 0)
