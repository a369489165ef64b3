"""
String function `format`.

Numbers are written as golang.org/x/text does for American English: `%f` with thousands separators, `%e` with
superscripts. The precision of `%e` is interpreted as its width.

Reference:
    cel-go ext/formatting.go.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from typing import Any, Final

from pytest_crd.engine.cel.errors import EvaluationError
from pytest_crd.engine.cel.values import conversions, numbers, workload
from pytest_crd.engine.cel.values.celvalues import UInt, Value, find_or_error, is_list, is_map, type_name
from pytest_crd.engine.golang import printing

_DEFAULT_PRECISION: Final = 6
_SUPERSCRIPTS: Final = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_TIMES: Final = "\u00d7"
_SPACED_TIMES: Final = "\u202f\u00d7\u202f"
_NO_VERB: Final = "%!(NOVERB)"
_NOT_FINITE: Final = ("NaN", "Infinity", "-Infinity")
_TEXTS: Final = frozenset(
    {
        "int",
        "uint",
        "double",
        "bool",
        "string",
        "bytes",
        "type",
        "google.protobuf.Timestamp",
        "google.protobuf.Duration",
    }
)


def format_text(text: str, arguments: Any, *, spaced_exponents: bool = False) -> str:
    """
    Return *text* with its clauses replaced by *arguments* in order.

    Args:
        text: The text.
        arguments: A list.
        spaced_exponents: `%e` puts spaces around the multiplication sign.

    Raises:
        EvaluationError: A clause is invalid, does not fit its argument, or has no argument.
    """
    parts: list[str] = []
    position = argument_index = length = 0
    while (percent := text.find("%", position)) >= 0:
        parts.append(text[position:percent])
        if text.startswith("%%", percent):
            parts.append("%")
            position = percent + 2
            continue
        if argument_index >= len(arguments):
            raise EvaluationError(f"index {argument_index} out of range")
        if percent + 1 == len(text):
            raise EvaluationError("unexpected end of string")
        clause, position = _clause(text, percent + 1, _SPACED_TIMES if spaced_exponents else _TIMES)
        try:
            part = clause(arguments[argument_index])
        except EvaluationError as error:
            raise EvaluationError(f"error during formatting: {error}") from None
        parts.append(part)
        length += len(part)
        workload.count_text(part)
        workload.check_length(length)
        argument_index += 1
    parts.append(text[position:])
    return "".join(parts)


def _clause(text: str, position: int, times: str) -> tuple[Callable[[Value], str], int]:
    """Return the formatter of the clause at *position* and the position after it; raise EvaluationError if invalid."""
    precision, position = _precision(text, position)
    letter = text[position]
    if letter == "f":
        return lambda value: _fixed(value, precision), position + 1
    if letter == "e":
        return lambda value: _scientific(value, precision, times), position + 1
    if (clause := _CLAUSES.get(letter)) is not None:
        return clause, position + 1
    # Go's message shows the first byte only.
    byte = chr(letter.encode("utf-8", "surrogatepass")[0])
    raise EvaluationError(f'could not parse formatting clause: unrecognized formatting clause "{byte}"')


def _precision(text: str, position: int) -> tuple[int, int]:
    """Return the precision at *position*, and the position after it."""
    if text[position] != ".":
        return _DEFAULT_PRECISION, position
    start = end = position + 1
    while end < len(text) and text[end] in "0123456789":
        end += 1
    problem = "could not parse formatting clause: error while parsing precision:"
    if end == len(text):
        raise EvaluationError(f"{problem} could not find end of precision specifier")
    digits = text[start:end]
    precision = numbers.parse_int(digits)
    if precision is None:
        why = "value out of range" if digits else "invalid syntax"
        atoi = f'strconv.Atoi: parsing "{digits}": {why}'
        raise EvaluationError(f"{problem} error while converting precision to integer: {atoi}")
    return precision, end


def _refuse(words: str, value: Value) -> EvaluationError:
    return EvaluationError(f"{words}, was given {type_name(value)}")


def _number(value: Value, clause: str) -> float:
    """Return the argument of a clause for doubles, or the double of a text like `NaN`; raise EvaluationError otherwise."""
    if type(value) is float:
        return value
    if isinstance(value, str) and value in _NOT_FINITE:
        return float(value)
    raise _refuse(f"{clause} clause can only be used on doubles", value)


def _fixed(value: Value, precision: int) -> str:
    number = _number(value, "fixed-point")
    if _is_unreadable(precision):
        return _NO_VERB
    if not math.isfinite(number):
        return _not_finite(number)
    # x/text stores the precision in 16 bits, the number of trailing zeros in 8.
    digits, zeros = _int16(precision), precision & 0xFF
    # With a negative precision, the digits are the shortest that identify the number.
    written = f"{number or 0.0:,.{digits}f}" if digits >= 0 else f"{Decimal(repr(number or 0.0)):,f}"
    whole, _, fraction = written.partition(".")
    fraction = fraction[:zeros].ljust(zeros, "0") + fraction[zeros:].rstrip("0")
    return f"{whole}.{fraction}" if fraction else whole


def _scientific(value: Value, width: int, times: str) -> str:
    number = _number(value, "scientific")
    if _is_unreadable(width):
        return _NO_VERB
    if not math.isfinite(number):
        written = _not_finite(number)
    else:
        mantissa, _, exponent = f"{number or 0.0:.6e}".partition("e")
        written = f"{mantissa}{times}10{exponent.removeprefix('+').translate(_SUPERSCRIPTS)}"
    return written.rjust(width & 0xFFFF)


def _is_unreadable(precision: int) -> bool:
    """Return whether the precision exceeds a million before its last digit, where Go stops parsing."""
    return precision // 10 > 1_000_000


def _int16(number: int) -> int:
    """Return *number* wrapped around to int16."""
    return (number + 0x8000) % 0x10000 - 0x8000


def _not_finite(number: float) -> str:
    if math.isnan(number):
        return "NaN"
    return "\u221e" if number > 0 else "-\u221e"


def _decimal(value: Value) -> str:
    if isinstance(value, UInt):
        return str(value.value)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise _refuse("decimal clause can only be used on integers", value)


def _binary(value: Value) -> str:
    if isinstance(value, UInt | int):
        return f"{_whole(value):b}"
    raise _refuse("only integers and bools can be formatted as binary", value)


def _octal(value: Value) -> str:
    if isinstance(value, UInt | int) and not isinstance(value, bool):
        return f"{_whole(value):o}"
    raise _refuse("octal clause can only be used on integers", value)


def _hexadecimal(value: Value) -> str:
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass").hex()
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, UInt | int) and not isinstance(value, bool):
        return f"{_whole(value):x}"
    raise _refuse("only integers, byte buffers, and strings can be formatted as hex", value)


def _whole(value: Any) -> int:
    return value.value if isinstance(value, UInt) else int(value)


def _text(value: Value) -> str:
    if is_list(value):
        return _list(value)
    if is_map(value):
        return _map(value)
    if value is None:
        return "null"
    if type_name(value) not in _TEXTS:
        kinds = "strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps"
        raise _refuse(f"string clause can only be used on {kinds}", value)
    try:
        return conversions.to_string(value)
    except EvaluationError as error:
        raise EvaluationError(f"could not convert argument {printing.quote(str(error))} to string") from None


def _list(values: Any) -> str:
    return workload.convert_text(f"[{', '.join(map(_element, workload.visit(values)))}]")


def _map(values: Any) -> str:
    entries = []
    for key in workload.visit(values):
        if not isinstance(key, str | bool | int | UInt):
            raise EvaluationError(f"no formatting function for map key of type {type_name(key)}")
        entries.append((_element(key), _element(find_or_error(values, key))))
    written = (f"{key}:{value}" for key, value in sorted(entries, key=lambda entry: entry[0]))
    return workload.convert_text(f"{{{', '.join(written)}}}")


def _element(value: Value) -> str:
    """Return an element of a list or map in literal notation; raise EvaluationError for unsupported types."""
    if type(value) is int:
        return str(value)
    if isinstance(value, str | bytes):
        return printing.quote(value) if isinstance(value, str) else f"b{printing.quote(_text(value))}"
    if type(value) is float:
        if math.isfinite(value):
            return f"{value:.6f}"
        return f'"{numbers.fixed(value)}"'
    name = type_name(value)
    if name.startswith("google.protobuf."):
        return f"{name.removeprefix('google.protobuf.').lower()}({printing.quote(conversions.to_string(value))})"
    if name not in _TEXTS and not (value is None or is_list(value) or is_map(value)):
        raise EvaluationError(f"no formatting function for {name}")
    return _text(value)


_CLAUSES: Final[Mapping[str, Callable[[Value], str]]] = {
    "s": _text,
    "d": _decimal,
    "b": _binary,
    "x": _hexadecimal,
    "X": lambda value: _hexadecimal(value).upper(),
    "o": _octal,
}


def clauses(text: str, count: int) -> Iterator[str]:
    """
    Yield the letters of the clauses in *text* for *count* arguments.

    Raises:
        EvaluationError: A clause is invalid or has no argument; the message is that of the compile-time check.
    """
    position = argument_index = 0
    while (percent := text.find("%", position)) >= 0:
        position = percent + 2
        if text.startswith("%%", percent):
            continue
        if percent + 1 == len(text):
            raise EvaluationError("unexpected end of string")
        if argument_index >= count:
            raise EvaluationError(f"index {argument_index} out of range")
        _, position = _clause(text, percent + 1, _TIMES)
        yield text[position - 1]
        argument_index += 1
