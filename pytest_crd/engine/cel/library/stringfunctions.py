"""
String functions: cel-go's extension `strings`, version 2.

Reference:
    cel-go ext/strings.go; costs: k8s.io/apiserver pkg/cel/library/cost.go.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final

from pytest_crd import lazyre
from pytest_crd.engine.cel.dialect import Dialect
from pytest_crd.engine.cel.errors import EvaluationError
from pytest_crd.engine.cel.library import costing, listcosts, textformat
from pytest_crd.engine.cel.types.celtypes import DYN, INT, STRING, Type, list_of
from pytest_crd.engine.cel.types.costs import (
    MAX,
    STRING_TRAVERSAL,
    Argument,
    CallEstimate,
    EstimateContext,
    SizeEstimate,
)
from pytest_crd.engine.cel.types.functions import Estimate, Function, Implementation, Library, Overload, RuntimeCost
from pytest_crd.engine.cel.values import workload
from pytest_crd.engine.cel.values.display import show
from pytest_crd.engine.golang import printing

_TEXTS: Final = list_of(STRING)
_SPACE: Final = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
_UPPER: Final = lazyre.compile("[A-Z]+")
_LOWER: Final = lazyre.compile("[a-z]+")
_ESCAPES: Final = str.maketrans(printing.ESCAPES)
_LONG: Final = 1_000


def library(dialect: Dialect) -> Library:
    """Return the strings library."""
    searches = _searches(bounds_indices=dialect.bounds_indices, searches_empty=dialect.searches_empty)
    return Library("strings", (*_FUNCTIONS, *searches, _format(spaced_exponents=dialect.spaced_exponents)))


def _out_of_range(index: int) -> EvaluationError:
    return EvaluationError(f"index out of range: {index}")


def _character_at(text: str, index: int) -> str:
    if not 0 <= index <= len(text):
        raise _out_of_range(index)
    return text[index : index + 1]


def _empty_text_index(text: str, offset: int, *, bounds_indices: bool) -> int:
    """Return the index of an empty text searched from *offset*."""
    return min(offset, len(text)) if bounds_indices else offset


def _searches(*, bounds_indices: bool, searches_empty: bool) -> tuple[Function, ...]:
    """Return `indexOf` and `lastIndexOf`."""

    def index_of(text: str, part: str, offset: int = 0) -> int:
        if offset < 0:
            raise _out_of_range(offset)
        return text.find(part, offset) if part else _empty_text_index(text, offset, bounds_indices=bounds_indices)

    def last_index_of(text: str, part: str) -> int:
        if part and not text and not searches_empty:
            raise _out_of_range(-1)
        return text.rfind(part)

    def last_index_before(text: str, part: str, offset: int) -> int:
        if offset < 0:
            raise _out_of_range(offset)
        if not part:
            return _empty_text_index(text, offset, bounds_indices=bounds_indices)
        return text.rfind(part, 0, offset + len(part)) if offset < len(text) else -1

    return (
        _members(
            "indexOf",
            [
                ("string_index_of_string", (STRING, STRING), INT, index_of),
                ("string_index_of_string_int", (STRING, STRING, INT), INT, index_of),
            ],
            listcosts.read_all,
            listcosts.estimate_each,
        ),
        _members(
            "lastIndexOf",
            [
                ("string_last_index_of_string", (STRING, STRING), INT, last_index_of),
                ("string_last_index_of_string_int", (STRING, STRING, INT), INT, last_index_before),
            ],
            listcosts.read_all,
            listcosts.estimate_each,
        ),
    )


def _lower(text: str) -> str:
    return _UPPER.sub(lambda match: match[0].lower(), text)


def _upper(text: str) -> str:
    return _LOWER.sub(lambda match: match[0].upper(), text)


def _split(text: str, separator: str, limit: int = -1) -> list[str]:
    """Return the parts of *text*, at most *limit* unless it is negative; for an empty separator, its characters."""
    if limit == 0:
        return []
    if separator:
        return text.split(separator, limit - 1 if limit > 0 else -1)
    if limit < 0 or limit >= len(text):
        return list(text)
    return [*text[: limit - 1], text[limit - 1 :]]


def _substring(text: str, start: int) -> str:
    if not 0 <= start <= len(text):
        raise _out_of_range(start)
    return text[start:]


def _substring_to(text: str, start: int, end: int) -> str:
    if start > end:
        raise EvaluationError(f"invalid substring range. start: {start}, end: {end}")
    for index in (start, end):
        if not 0 <= index <= len(text):
            raise _out_of_range(index)
    return text[start:end]


def _trim(text: str) -> str:
    return text.strip(_SPACE)


def _quote(text: str) -> str:
    return f'"{text.translate(_ESCAPES)}"'


def _join(texts: Any, separator: str = "") -> str:
    parts: list[str] = []
    for text in texts:
        if not isinstance(text, str):
            raise EvaluationError(f"join: invalid input: {show(text)}")
        parts.append(text)
    workload.check_length(sum(map(len, parts)) + len(separator) * max(len(parts) - 1, 0))
    return separator.join(parts)


def _split_estimate(context: EstimateContext, arguments: Sequence[Argument]) -> CallEstimate:
    length = context.size(arguments[0])
    most = length.max
    limit = listcosts.literal(arguments[2]) if len(arguments) > 2 else None
    if isinstance(limit, int):
        most = limit & (2**64 - 1)  # Go converts a negative limit to uint64
    return CallEstimate(length.cost(2 * STRING_TRAVERSAL), SizeEstimate(0, most))


def _join_estimate(context: EstimateContext, arguments: Sequence[Argument]) -> CallEstimate:
    count = context.size(arguments[0])
    items = context.items(arguments[0])
    length = SizeEstimate(0, 0) if items is None else count * context.size(items)
    if len(arguments) > 1:
        separators = SizeEstimate(max(count.min - 1, 0), max(count.max - 1, 0))
        length += context.size(arguments[1]) * separators
    return CallEstimate(length.cost(STRING_TRAVERSAL), length)


def _quote_estimate(context: EstimateContext, arguments: Sequence[Argument]) -> CallEstimate:
    length = context.size(arguments[0])
    # For an unknown size the product overflows uint64; servers before 1.38 use the wrapped number.
    size = SizeEstimate(length.min + 2, context.multiplied(length.max + 1, 2))
    return CallEstimate(context.scaled(length, STRING_TRAVERSAL), size)


def _members(
    name: str,
    overloads: Sequence[tuple[str, tuple[Type, ...], Type, Implementation]],
    cost: RuntimeCost | None = None,
    estimate: Estimate | None = None,
) -> Function:
    """Return a member function of strings or lists of strings, with one cost for all overloads."""
    declared = (
        Overload(id_, parameters, result, call, is_member=True, cost=cost, estimate=estimate)
        for id_, parameters, result, call in overloads
    )
    return Function(name, tuple(declared), cost)


_read: Final[Callable[..., Estimate]] = costing.estimate_traversal
_once: Final = costing.traversal()
_twice: Final = costing.traversal(0, 2)


def _format(*, spaced_exponents: bool) -> Function:
    def format_text(text: str, arguments: Any) -> str:
        return textformat.format_text(text, arguments, spaced_exponents=spaced_exponents)

    overload = Overload(
        "string_format",
        (STRING, list_of(DYN)),
        STRING,
        format_text,
        is_member=True,
        cost=_once,
        estimate=costing.estimate_reading(0),
        variadic=True,
    )
    return Function("format", (overload,))


def _replace(text: str, old: str, new: str, count: int = -1) -> str:
    """
    Return *text* with the first *count* occurrences of *old* replaced, all if *count* is negative.

    Reference:
        Go strings.Replace.
    """
    if len(new) > _LONG:
        workload.check_length(text.count(old) * len(new))
    return text.replace(old, new, count if count >= 0 else -1)


def _estimate_replace(context: EstimateContext, arguments: Sequence[Argument]) -> CallEstimate:
    """
    Estimate reading the text twice; the size of the result follows from kept and inserted text.

    Reference:
        k8s.io/apiserver pkg/cel/library/cost.go, the case "replace".
    """
    text, old, new = (context.size(argument) for argument in arguments[:3])
    most, most_kept = _most(text, old, new)
    least, least_kept = _least(text, old, new)
    size = SizeEstimate(least, most) * new + SizeEstimate(least_kept, most_kept)
    return CallEstimate(text.cost(2 * STRING_TRAVERSAL), size)


def _most(text: SizeEstimate, old: SizeEstimate, new: SizeEstimate) -> tuple[int, int]:
    """Return the maximum number of replacements, and the size of the text kept then."""
    if old.min == 0:
        return min(text.max + 1, MAX), text.max
    if new.max <= old.min:
        return 0, text.max
    return _divided(text.max, old.min), 0


def _least(text: SizeEstimate, old: SizeEstimate, new: SizeEstimate) -> tuple[int, int]:
    """Return the minimum number of replacements, and the size of the text kept then."""
    if old.max == 0:
        return min(text.min + 1, MAX), text.min
    if old.max <= new.min:
        return 0, text.min
    return _divided(text.min, old.max), 0


def _divided(size: int, by: int) -> int:
    """Return the quotient in floating point, rounded up, at most MAX."""
    return min(math.ceil(float(size) / float(by)), MAX)


_FUNCTIONS: Final = (
    _members("charAt", [("string_char_at_int", (STRING, INT), STRING, _character_at)]),
    _members("lowerAscii", [("string_lower_ascii", (STRING,), STRING, _lower)], _once, _read(keeps_size=True)),
    _members(
        "replace",
        [
            ("string_replace_string_string", (STRING, STRING, STRING), STRING, _replace),
            ("string_replace_string_string_int", (STRING, STRING, STRING, INT), STRING, _replace),
        ],
        _twice,
        _estimate_replace,
    ),
    _members(
        "split",
        [
            ("string_split_string", (STRING, STRING), _TEXTS, _split),
            ("string_split_string_int", (STRING, STRING, INT), _TEXTS, _split),
        ],
        _twice,
        _split_estimate,
    ),
    _members(
        "substring",
        [
            ("string_substring_int", (STRING, INT), STRING, _substring),
            ("string_substring_int_int", (STRING, INT, INT), STRING, _substring_to),
        ],
        _once,
        _read(keeps_size=True),
    ),
    _members("trim", [("string_trim", (STRING,), STRING, _trim)], _once, _read(keeps_size=True)),
    _members("upperAscii", [("string_upper_ascii", (STRING,), STRING, _upper)], _once, _read(keeps_size=True)),
    Function(
        "strings.quote",
        (Overload("strings_quote", (STRING,), STRING, _quote, cost=_once, estimate=_quote_estimate),),
    ),
    _members(
        "join",
        [("list_join", (_TEXTS,), STRING, _join), ("list_join_string", (_TEXTS, STRING), STRING, _join)],
        costing.result_traversal(2),
        _join_estimate,
    ),
)
