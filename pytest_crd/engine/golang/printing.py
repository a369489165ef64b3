"""
Values in Go's notation: server messages quote strings with `%q` and print numbers with `%v`.

Printable characters are those in Unicode 15.0, whatever the Unicode version of Python.
"""

from __future__ import annotations

import bisect
import functools
import itertools
import json
import math
import re
from collections.abc import Mapping
from typing import Final

from pytest_crd import lazyre
from pytest_crd.engine.jsonvalue import JSONValue

# The Go types of JSON values, as `%T` prints them.
GO_TYPES: Final[Mapping[type, str]] = {
    type(None): "<nil>",
    bool: "bool",
    int: "int64",
    float: "float64",
    str: "string",
    list: "[]interface {}",
    dict: "map[string]interface {}",
}
# The escapes of `%q`, and of the strings of CEL.
ESCAPES: Final = {
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
# Bytes that are not UTF-8, as Python's `surrogateescape` represents them.
_BYTES: Final = lazyre.compile("[\udc80-\udcff]")
# Characters that Go escapes in JSON although it is optional.
_ESCAPED: Final = {char: f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}
# Floats that Python writes differently from Go: with an exponent, or with a zero fraction. Most strings have another end.
_OWN_EXPONENT: Final = lazyre.compile(r"e[-+][0-9]{2,3}(?=[,\]}\s]|\Z)")
_OWN_FRACTION: Final = lazyre.compile(r"\.0(?=[,\]}\s]|\Z)")
_STRING_OR_FLOAT: Final = lazyre.compile(
    r'"(?:[^"\\]|\\.)*+"?|(?<![0-9])-?[0-9]++(?:\.[0-9]+(?:e[-+]?[0-9]+)?|e[-+]?[0-9]+)'
)


def quote(text: str) -> str:
    """
    Return *text* as Go's `%q`: double-quoted, with unprintable characters escaped.

    Args:
        text: Any text. Bytes that are not UTF-8 are lone surrogates (`surrogateescape`) and are printed as bytes.

    Reference:
        strconv.Quote.
    """
    is_plain = text.isascii() and text.isprintable() and '"' not in text and "\\" not in text
    return f'"{text}"' if is_plain else '"' + "".join(map(_quoted, text)) + '"'


def _quoted(char: str) -> str:
    if (escape := ESCAPES.get(char)) is not None:
        return escape
    if is_printable(char):
        return char
    code = ord(char)
    if _is_byte(char):
        return f"\\x{code & 0xFF:02x}"
    if code < 0x20 or code == 0x7F:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def replace_bytes(text: str) -> str:
    """Replace each byte in *text* that is not UTF-8 by U+FFFD, as Go does when it writes JSON."""
    return text if text.isascii() else _BYTES.sub("\ufffd", text)


def _is_byte(char: str) -> bool:
    """Return whether *char* represents a byte that is not UTF-8 (Python's `surrogateescape`)."""
    return "\udc80" <= char <= "\udcff"


def number(value: float) -> str:
    """
    Return *value* as Go's `%v`: shortest digits, with an exponent from 1e+06 on and below 1e-04.

    Args:
        value: An int64 (printed whole) or a float64.

    Reference:
        fmt `%v` of float64, which is strconv.FormatFloat(f, 'g', -1, 64).
    """
    return str(value) if isinstance(value, int) else _float(value, fixed_from=-4, exponent_from=6)


def _float(value: float, *, fixed_from: int, exponent_from: int) -> str:
    """Write *value* without exponent if its decimal exponent is in the range, else with an exponent of two digits."""
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else ("+Inf" if value > 0 else "-Inf")
    mantissa, _, exponent_text = repr(value).partition("e")
    sign, digits, exponent = _decimal(mantissa, int(exponent_text or 0))
    if digits == "0":
        return f"{sign}0"
    if fixed_from <= exponent < exponent_from:
        return sign + _fixed(digits, exponent)
    fraction = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{fraction}e{'-' if exponent < 0 else '+'}{abs(exponent):02d}"


def _decimal(mantissa: str, exponent: int) -> tuple[str, str, int]:
    """Return sign, significant digits, and the decimal exponent of the first digit."""
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


def json_value(value: JSONValue) -> str:
    """Return a JSON value as printed by Go's `%v`: `map[a:1 b:[x <nil>]]`, with unquoted strings."""
    if isinstance(value, dict):
        return f"map[{' '.join(f'{key}:{json_value(value[key])}' for key in sorted(value))}]"
    if isinstance(value, list):
        return f"[{' '.join(map(json_value, value))}]"
    if value is None:
        return "<nil>"
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else number(value)


def marshal(value: JSONValue, *, sort_keys: bool = True) -> str:
    """
    Return *value* as Go's json.Marshal writes it: sorted keys, no blanks, `<`, `>`, `&` and line separators escaped.

    Args:
        value: The value.
        sort_keys: False for the fields of a struct, which are in order already.

    Reference:
        encoding/json, Marshal with HTML escaping on.
    """
    return respell_json(json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=sort_keys))


def respell_json(text: str) -> str:
    """
    Return JSON text of Python's `json` with strings and numbers in Go's notation; keys keep their order.

    Args:
        text: JSON, written with `ensure_ascii=False`.

    Reference:
        encoding/json, Marshal with HTML escaping on.
    """
    escaped = _escaped(text)
    # Two searches that begin with a letter take a third of the time of one for both.
    has_own_float = _OWN_EXPONENT.search(escaped) or _OWN_FRACTION.search(escaped)
    return _STRING_OR_FLOAT.sub(_respelled, escaped) if has_own_float else escaped


def _respelled(match: re.Match[str]) -> str:
    token = match[0]
    return token if token.startswith('"') else _marshalled_float(float(token))


def _escaped(text: str) -> str:
    for (
        char,
        escape,
    ) in _ESCAPED.items():  # much faster than str.translate, and than a search for all of these characters
        text = text.replace(char, escape)
    return text


def _marshalled_float(value: float) -> str:
    """Write a float64 as encoding/json does: an exponent only below 1e-6 and from 1e21 on, e-9 instead of e-09."""
    return _float(value, fixed_from=-6, exponent_from=21).replace("e-0", "e-")


def is_printable(char: str) -> bool:
    """
    Return whether Go prints *char* unescaped: letters, marks, numbers, punctuation, symbols and the ASCII space.

    Args:
        char: One code point.

    Reference:
        Go strconv.IsPrint; Go 1.21 to 1.26 know Unicode 15.0.
    """
    if char.isascii():
        return " " <= char <= "~"
    return bisect.bisect_right(_boundaries(), ord(char)) % 2 == 1


@functools.cache
def _boundaries() -> tuple[int, ...]:
    """Return the code points at which runs of printable characters begin and end, alternately."""
    return tuple(itertools.accumulate(int(step, 36) for step in _STEPS.split()))


# Lengths of the runs in base 36, alternately not printable and printable.
_STEPS: Final = """
w 2n y c 1 ju 2 6 4 7 1 1 1 k 1 b1 1 12 2 1e 2 3 1 1j 8 r 4 6 h m 1 5c 1 1c 2 1n 2 2t e 1n 2 1d 2 f 1 s 2 1 1 b
5 v 9 22 1 4h 1 8 2 2 2 m 1 7 1 1 3 4 2 9 2 2 2 4 8 1 4 2 1 5 2 p 2 3 1 6 4 2 2 m 1 7 1 2 1 2 1 2 2 1 1 5 4 2 2
3 3 1 7 4 1 1 7 h a 3 1 9 1 3 1 m 1 7 1 2 1 5 2 a 1 3 1 3 2 1 f 4 2 c 7 7 1 3 1 8 2 2 2 m 1 7 1 2 1 5 2 9 2 2 2
3 7 3 4 2 1 5 2 i a 2 1 6 3 3 1 4 3 2 1 1 1 2 3 2 3 3 3 c 4 5 3 3 1 4 2 1 6 1 e l 5 d 1 3 1 n 1 g 2 9 1 3 1 4 7
2 1 3 2 1 2 4 2 a 7 m 1 3 1 n 1 a 1 5 2 9 1 3 1 4 7 2 6 2 1 4 2 a 1 3 c d 1 3 1 1f 1 3 1 6 4 g 2 q 1 3 1 i 3 o 1
9 1 1 2 7 3 1 4 6 1 1 1 8 6 a 2 3 c 1m 4 t 11 2 1 1 1 5 1 o 1 1 1 n 2 5 1 1 1 7 1 a 2 4 w 20 1 10 4 13 1 10 1 f
1 d 11 5i 1 1 5 1 2 ah 1 4 2 7 1 1 1 4 2 15 1 4 2 x 1 4 2 7 1 1 1 4 2 f 1 1l 1 4 2 1v 2 w 3 q 6 2e 2 6 2 hs 1 s
3 2h 7 m 9 o 9 k c d 1 3 1 2 c 2m 2 a 6 a 6 e 1 b 6 2h 7 17 5 1y a v 1 c 4 c 4 1 3 16 2 5 b 18 4 q 6 b 3 1q 2 1t
1 t 2 b 6 a 6 e 2 v 1d 25 3 1b 1 38 8 1o 3 f 3 1o 7 17 2 b 8 17 5 eu 2 6 2 12 2 6 2 8 1 1 1 1 1 1 1 v 2 1h 1 f 1
e 2 6 1 j 2 3 1 9 h o 8 1b h 2 2 r 1 d 3 x f x f 3w 4 if p b l 1ec 2 w 1 9p 5 19 1 1 5 1 2 1k 7 2 e o 9 7 1 7 1
7 1 7 1 7 1 7 1 7 1 7 1 3i y q 1 2h c 5y q c 5 1r 1 2e 2 2v 5 17 1 2m 1 2c c 1b 1 mlp 3 1j 9 9o k 54 8 5n 5 2 1
1 1 5 o 1n 3 a 6 1k 8 1y 8 c 6 38 b u 3 26 1 b 4 x 1 1j 9 e 2 a 2 2v o s a 6 2 6 2 6 9 7 1 7 1 1o 4 3i 2 a 6 8mc
c n 4 1d 6is a6 2 2y 12 7 c 5 5 q 1 5 1 1 1 2 1 2 1 3h g cd 2 1i 7 1 w 16 6 1f 1 j 1 4 4 5 1 3r 4 5a 3 6 2 6 2 6
2 3 3 7 1 7 d 2 2 c 1 q 1 j 1 2 1 f 2 e y 3f 5 3 4 19 3 2g 1 d 3 1 1b 1a 3m t 3 1d f s 4 10 9 u 5 17 5 u 1 11 4
e 16 4e 2 a 6 10 4 10 4 14 8 1g b c 1 f 1 7 1 2 1 b 1 f 1 7 1 2 1v 8n 9 m a 8 o 6 1 16 1 9 1x 6 2 1 1 18 1 2 3 1
2 n 1 20 8 9 1c j 1 2 5 x 3 r 5 1 1s 1k 4 k 2 1e 1 2 5 8 1 3 1 t 2 3 4 a 7 9 7 1s w 13 4 c 9 1i 3 t 2 r 5 q 7 4
c 7 28 21 1j 1f d 1f 7 1a 8 a 86 v 1 16 1 3 2 2 23 17 8 16 m q 12 s k n 9 26 4 10 9 1q 1 5 d p 7 a 6 1h 1 i 8 13
9 2o 1 k b i 1 1b 1q 7 1 1 1 4 1 f 1 b 6 1n 5 a 6 4 1 8 2 2 2 m 1 7 1 2 1 5 1 a 2 2 2 3 2 1 6 1 5 7 2 7 3 5 3v
2k 1 5 u 20 8 a 4m 1i 2 12 y 1x b a 6 d j 1m 6 a 1i r 2 f 4 n 55 1o 2s 2b c 8 2 1 2 8 1 2 1 u 1 2 2 c 9 a 1y 8 2
1a 2 b r 20 8 2b d 21 7 a 6u 9 1 19 1 e a t 3 w 2 m 1 e 21 7 1 2 1 18 3 1 1 2 1 9 8 a 6 6 1 2 1 11 1 2 1 6 7 a
8m p 7 h 1 15 3 s 2e 1 f 1e d pn 2u 33 1 5 b 5g 218 2r d ts g m 33e g7 6nt ft 7 v 1 a 4 29 1 a 6 u 2 6 a 1y a a
1 7 1 l 5 j j4 2j 2t 23 4 1l 7 h 1s 5 b 2 e 4qg 8 ye 16 9 6w7 4 1 7 1 2 1 83 f 1 t 3 2 1 e 4 8 b0 1s4 2z 5 d 3 9
7 a 2 4 3mo 1a 2 n 9 38 1o 6u a 13 2 22 8 34 l 1y 3e k c k c 2f 9 p 3r 2d 1 1z 1 2 2 1 2 2 2 4 1 c 1 1 1 7 1 1t
1 4 2 8 1 7 1 s 1 4 1 5 1 1 3 7 1 9g 2 84 2 ji f 5 1 f uo v 6 6 5x 7 1 h 2 7 1 2 1 5 5 1q x 1 34 19 3 e 2 a 4 2
8w v h 1m 5 1 cw 16 km 7 1 4 1 2 1 f 1 5h 2 g 15 24 4 a 4 2 lt 1w 24 1p 5e 4 1 r 1 2 1 1 2 1 1 a 1 4 1 1 1 1 6 1
4 1 1 1 1 1 1 3 1 2 1 1 2 1 1 1 1 1 1 1 1 1 1 2 1 1 2 4 1 7 1 4 1 4 1 1 1 a 1 h 5 3 1 5 1 h 1g 2 7i 18 4 2s c f
2 f 1 f 1 11 a 4u 1k t d 18 4 9 7 2 e 6 4a rc 4 h 3 d 3 3b 4 2n 6 c 4 1 f c 4 1k 8 a 6 14 8 u 2 2 26 9g c e 2 d
3 9 7 1a 1 7 8 e 4 9 7 9 7 43 1 1j 11 a sm wyo w 37e 6 66 2 4g2 e 5rl 2e7 f2 15u 3t7 5 38g f9e8 6o
"""
