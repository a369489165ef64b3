"""
YAML scalars as JSON values and keys, as the API server resolves plain, quoted and tagged scalars.

Not PyYAML's resolution: the server reads with goyaml.v2, which supports `y` and `0o17` but no dates and no base 60.
"""

from __future__ import annotations

import base64
import binascii
import functools
import math
import struct
from datetime import date
from decimal import Decimal
from typing import Final

from pytest_crd import lazyre
from pytest_crd.engine import jsonvalue
from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONValue

# A scalar in goyaml before its conversion to JSON; may also be infinite, NaN or an integer up to 2**64-1.
Native = str | int | float | bool | None

# A plain scalar with another first character is a string; "" is the empty scalar.
HINTS: Final = frozenset("+-.0123456789yYnNtTfFoO~") | {""}
TAG_PREFIX: Final = "tag:yaml.org,2002:"
MERGE: Final = "<<"

_NUMBER_HINTS: Final = frozenset("+-0123456789")
_WORDS: Final[dict[str, Native]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"), True),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"), False),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), math.inf),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -math.inf),
}
# Plain words that are booleans in the server, and texts in YAML 1.2.
BARE_BOOLEANS: Final = frozenset(
    word for word, native in _WORDS.items() if isinstance(native, bool) and word.lower() not in {"true", "false"}
)
_BASED: Final = lazyre.compile(r"([-+]?)0(?:[xX]([0-9a-fA-F]+)|[bB]([01]+)|[oO]([0-7]+)|([0-7]*))\Z")
_SIGNED_BINARY: Final = lazyre.compile(r"0b([-+]?[01]+)\Z")
_FLOAT: Final = lazyre.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?\Z")
_POINT_FLOAT: Final = lazyre.compile(r"\.[0-9]+(?:_[0-9]+)*(?:[eE][-+]?[0-9]+(?:_[0-9]+)*)?\Z")
_TIMESTAMP: Final = lazyre.compile(
    r"([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})"
    r"(?:([Tt ])([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:[.,][0-9]+)?(?:(Z)|[-+]([0-9]{2}):([0-9]{2}))?)?\Z"
)
_NUMBER_ENDS: Final = frozenset("0123456789.abcdefABCDEF_")
_MAX_UINT64: Final = 2**64 - 1
_MAX_DECIMAL_DIGITS: Final = 20
_EXACT_FLOAT: Final = 2.0**53
_FIXED_NOTATION_LIMIT: Final = 1e21


class ScalarError(ValueError):
    """A scalar that the server cannot decode, or that JSON cannot hold; the message says which."""


def resolve(text: str) -> Native:
    """
    Return the value of a plain scalar without a tag.

    Args:
        text: The scalar, as the scanner folded it.

    Reference:
        go.yaml.in/yaml/v2 resolve.go, resolve.
    """
    hint = text[:1]
    if hint not in HINTS:
        return text
    if text in _WORDS:
        return _WORDS[text]
    if hint == ".":
        return _float(text.replace("_", ""), text) if _POINT_FLOAT.match(text) else text
    return _number(text) if hint in _NUMBER_HINTS else text


@functools.lru_cache(maxsize=4096)
def value(text: str) -> JSONValue:
    """
    Return the JSON value of a plain scalar without a tag.

    Raises:
        ScalarError: `.inf` and `.nan`, which JSON cannot hold.
    """
    return to_json(resolve(text))


@functools.lru_cache(maxsize=4096)
def key(text: str) -> str:
    """
    Return the JSON key of a plain scalar without a tag.

    Raises:
        ScalarError: null, or an integer beyond int64.
    """
    return to_key(resolve(text))


def resolve_tagged(text: str, tag: str) -> Native:
    """
    Return the value of a scalar with a tag, plain or quoted.

    Args:
        text: The scalar.
        tag: The tag in its long form; only YAML's own tags count, with any other tag the scalar is a string.

    Raises:
        ScalarError: The text is not of that type, or not base64.

    Reference:
        go.yaml.in/yaml/v2 resolve.go, resolve; decode.go, (*decoder).scalar.
    """
    name = tag.removeprefix(TAG_PREFIX) if tag.startswith(TAG_PREFIX) else ""
    if name == "binary":
        return _binary(text)
    if name not in _CHECKED_TAGS or (name == "timestamp" and _is_timestamp(text)):
        return text
    native = resolve(text)
    kind = _TAG_NAMES[type(native)]
    if kind == name:
        return native
    if name == "float" and type(native) is int and native <= jsonvalue.MAX_INT64:
        return float(native)
    raise ScalarError(f"cannot decode !!{kind} `{text}` as a !!{name}")


def to_json(native: Native) -> JSONValue:
    """
    Return *native* after a round trip through JSON text, as in the server's YAML.

    Raises:
        ScalarError: Infinity or NaN.

    Reference:
        sigs.k8s.io/yaml YAMLToJSON, then sigs.k8s.io/json: integral floats below 1e21 are written without a point.
    """
    if not isinstance(native, float):
        return float(native) if type(native) is int and native > jsonvalue.MAX_INT64 else native
    if not math.isfinite(native):
        raise ScalarError(f"json: unsupported value: {_not_finite(native)}")
    if not native.is_integer() or abs(native) >= _FIXED_NOTATION_LIMIT:
        return native
    # Beyond 2**53 Go writes and reads back the shortest digits, which are not the exact integer value of the float.
    written = int(native) if abs(native) <= _EXACT_FLOAT else int(Decimal(repr(native)))
    return written if jsonvalue.MIN_INT64 <= written <= jsonvalue.MAX_INT64 else native


def to_key(native: Native) -> str:
    """
    Return the JSON key of *native*.

    Raises:
        ScalarError: null, or an integer beyond int64.

    Reference:
        sigs.k8s.io/yaml yaml.go, convertToJSONableObject: floats are written with 32 bits.
    """
    if isinstance(native, str):
        return native
    if isinstance(native, bool):
        return "true" if native else "false"
    if native is None:
        raise ScalarError("null cannot be a key: quote it, or write a key before the colon")
    if isinstance(native, float):
        return _float_key(native)
    if native > jsonvalue.MAX_INT64:
        raise ScalarError(f"unsupported map key of type: uint64: quote the key, as in '{native}'")
    return str(native)


def go_syntax(native: Native) -> str:
    """Return a key in Go's `%#v` syntax, as the server's duplicate-key errors print it."""
    if isinstance(native, str):
        return printing.quote(native)
    if isinstance(native, bool) or native is None:
        return {True: "true", False: "false", None: "interface {}(nil)"}[native]
    if isinstance(native, float):
        return _general(Decimal(repr(native))) if math.isfinite(native) else _not_finite(native)
    return f"{native:#x}" if native > jsonvalue.MAX_INT64 else str(native)


_TAG_NAMES: Final[dict[type, str]] = {type(None): "null", bool: "bool", int: "int", float: "float", str: "str"}
_CHECKED_TAGS: Final = frozenset({"null", "bool", "int", "float", "timestamp"})


def _number(text: str) -> Native:
    if text[-1] not in _NUMBER_ENDS:
        return text  # such as the quantity 10Mi
    plain = text.replace("_", "")
    number = _integer(plain)
    if number is not None:
        return number
    if _FLOAT.match(plain):
        return _float(plain, text)
    if binary := _SIGNED_BINARY.match(plain):
        number = int(binary[1], 2)
        return number if jsonvalue.MIN_INT64 <= number <= jsonvalue.MAX_INT64 else text
    return text


def _integer(plain: str) -> int | None:
    """Return an int64, or an unsigned number without a sign; None for other texts."""
    digits = plain[1:] if plain[:1] in "-+" else plain
    if digits.isascii() and digits.isdecimal() and digits[0] != "0":
        if len(plain) > _MAX_DECIMAL_DIGITS:
            return None
        number = int(plain)
    elif based := _BASED.match(plain):
        sign, hexadecimal, binary, octal, bare_octal = based.groups()
        digits = hexadecimal or binary or octal or bare_octal or "0"
        number = int(sign + digits, 16 if hexadecimal else 2 if binary else 8)
    else:
        return None
    if jsonvalue.MIN_INT64 <= number <= jsonvalue.MAX_INT64:
        return number
    return number if number <= _MAX_UINT64 and plain[0].isdigit() else None


def _float(plain: str, text: str) -> float | str:
    number = float(plain)
    return number if math.isfinite(number) else text


def _binary(text: str) -> str:
    try:
        data = base64.b64decode(text.replace("\r", "").replace("\n", ""), validate=True)
    except (binascii.Error, ValueError):
        raise ScalarError("!!binary value contains invalid base64 data") from None
    # JSON text has one U+FFFD for every byte that is not UTF-8.
    return "".join("\ufffd" if "\udc80" <= char <= "\udcff" else char for char in data.decode(errors="surrogateescape"))


def _is_timestamp(text: str) -> bool:
    """Return whether goyaml reads *text* as a time; used for the tag `!!timestamp` only."""
    match = _TIMESTAMP.match(text)
    if match is None:
        return False
    year, month, day, separator, hour, minute, second, utc, zone_hour, zone_minute = match.groups(default="")
    if separator and bool(utc or zone_hour) == (separator == " "):
        return False
    if int(hour or 0) > 23 or int(minute or 0) > 59 or int(second or 0) > 59:
        return False
    if int(zone_hour or 0) > 24 or int(zone_minute or 0) > 60:
        return False
    try:
        # Go's calendar has a year 0, Python's does not; the calendar repeats every 400 years.
        date(int(year) or 400, int(month), int(day))
    except ValueError:
        return False
    return True


def _not_finite(number: float) -> str:
    return "NaN" if math.isnan(number) else "+Inf" if number > 0 else "-Inf"


def _float_key(number: float) -> str:
    single = _single(number)
    if not math.isfinite(single):
        return {"NaN": ".nan", "+Inf": ".inf", "-Inf": "-.inf"}[_not_finite(single)]
    shortest = next(text for digits in range(9) if _single(float(text := f"{single:.{digits}e}")) == single)
    return _general(Decimal(shortest))


def _single(number: float) -> float:
    """Return *number* rounded to 32 bits, which may be infinity."""
    try:
        return float(struct.unpack("<f", struct.pack("<f", number))[0])
    except OverflowError:
        return math.copysign(math.inf, number)


def _general(number: Decimal) -> str:
    """Return a decimal in Go's shortest `%g` form: with an exponent below 1e-04 and from 1e+06 on."""
    sign, digits, _ = number.as_tuple()
    text = "".join(map(str, digits)).rstrip("0") or "0"
    exponent = number.adjusted() if number else 0
    prefix = "-" if sign else ""
    if -4 <= exponent < 6:
        fixed = f"{abs(number):f}"
        return prefix + (fixed.rstrip("0").rstrip(".") if "." in fixed else fixed)
    fraction = f".{text[1:]}" if len(text) > 1 else ""
    return f"{prefix}{text[0]}{fraction}e{'-' if exponent < 0 else '+'}{abs(exponent):02d}"
