"""
JSON values: what they are, when two are equal, and how a Python object becomes one.

Written once because Python blurs what JSON and Go keep apart: `True == 1 == 1.0` in Python, three values in JSON.
"""

from __future__ import annotations

import decimal
import gc
import itertools
import marshal
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

# Any JSON value: None, bool, int (int64), float (float64), str, list or dict with string keys. A recursive alias would
# force a cast at every access of every pass; the passes narrow with isinstance instead.
JSONValue: TypeAlias = Any
# A JSON object that is read, and not changed.
JSONObject: TypeAlias = Mapping[str, JSONValue]

# What other values are in.
CONTAINERS: Final = frozenset({dict, list})

MIN_INT64: Final = -(2**63)
MAX_INT64: Final = 2**63 - 1

# encoding/json writes a float64 below this magnitude without an exponent, and reads a number without one as int64.
_FIXED_NOTATION_LIMIT: Final = 1e21
# The server refuses 10,000 levels; Python's recursion ends earlier. Real objects have a few dozen at the most.
MAX_DEPTH: Final = 256


def equal(left: JSONValue, right: JSONValue) -> bool:
    """
    Return whether two JSON values are the same value, by JSON type: `True`, `1` and `1.0` are three values.

    Args:
        left: JSON value.
        right: JSON value.
    """
    if left is right:
        return True
    kind = type(left)
    if kind is not type(right):
        return False
    if kind is dict:
        return len(left) == len(right) and all(key in right and equal(item, right[key]) for key, item in left.items())
    if kind is list:
        return len(left) == len(right) and all(map(equal, left, right))
    return bool(left == right)


def copy(value: JSONValue) -> JSONValue:
    """Return a copy of *value* that shares no object or list with it."""
    if type(value) is dict:
        return {key: copy(item) if type(item) is dict or type(item) is list else item for key, item in value.items()}
    if type(value) is list:
        return [copy(item) if type(item) is dict or type(item) is list else item for item in value]
    return value


def is_too_deep(value: JSONValue) -> bool:
    """Return whether objects and lists of *value* stand in each other more than MAX_DEPTH deep."""
    level, depth = [value], 0
    while level := [item for item in level if isinstance(item, dict | list)]:
        depth += 1
        if depth > MAX_DEPTH:
            return True
        level = [child for item in level for child in (item.values() if isinstance(item, dict) else item)]
    return False


def may_hold_null(value: JSONValue) -> bool:
    """Return False where surely no object in *value* has a null; found out at C's speed, where walking it would cost."""
    written = marshal.dumps(value, _MARSHAL_VERSION)
    return b"N" in written and _NULL.search(written) is not None


# A null in an object stands before the next key, which is written in one of several ways or refers to one that was written
# before, or before the end of the object; an N alone is in many a text.
_MARSHAL_VERSION: Final = 4
_NULL: Final = re.compile(rb"N[aAtuzZ\xe1\xc1\xf4\xf5\xfa\xdar0]")


def type_of(value: JSONValue) -> str:
    """Return the JSON type of *value* as a schema's `type` names it; a bool is never an integer."""
    return _TYPE_NAMES[type(value)]


_TYPE_NAMES: Final[dict[type, str]] = {
    type(None): "null",
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
}


def number(value: float) -> int | float:
    """
    Return *value* as the server holds it after one trip through JSON.

    Args:
        value: An int of any size, or a finite float.

    Returns:
        An int within int64, else a float64. `1.0` becomes `1`, `-0.0` becomes `0`; `2**63` becomes `9.223372036854775808e18`.

    Raises:
        OverflowError: The number is beyond float64.

    Reference:
        apimachinery util/json; sigs.k8s.io/json preserves integers that fit int64 and makes float64 of all others.
    """
    if isinstance(value, int):
        return value if MIN_INT64 <= value <= MAX_INT64 else float(value)
    if value.is_integer() and abs(value) < _FIXED_NOTATION_LIMIT:
        # Through its shortest digits, as Go writes it: int() would give those that the binary form happens to have.
        # Those of -2**63 lie beyond int64.
        whole = int(decimal.Decimal(repr(value)))
        return whole if MIN_INT64 <= whole <= MAX_INT64 else value
    return value


def from_python(value: object) -> JSONValue:
    """
    Return *value* as a JSON value of its own, sharing nothing with it.

    Args:
        value: What a test wrote: mappings with string keys, sequences, str, numbers, bool, None. Of a subclass, such as an
            enum of str or int, the value counts, as for `json.dumps`.

    Returns:
        A new tree of dict, list and scalars, numbers and texts as the server holds them.

    Raises:
        TypeError: Something in it is not JSON: a key that is not a string, a date, NaN, a number beyond float64. The
            message says where.
        TooDeepError: It is nested too deeply, or is in itself.
    """
    try:
        written = marshal.dumps(value, _MARSHAL_VERSION)  # type: ignore[arg-type] # refused where it cannot be written
        made = marshal.loads(written)  # noqa: S302 - what was written just now
    except ValueError:
        return _from_python(value, None, 0)
    # Not those of *value*: of the attributes of an object, which are a dict too, the collector may give none.
    every = _all_of_plain(made, len(written))
    if every is None or (b"\xed" in written and _SURROGATE.search(written)):
        return _from_python(value, None, 0)
    return copy(made) if _may_share(written) and _share(every) else made


class TooDeepError(TypeError):
    """A value that is nested too deeply for Python, though a server takes it; or a cycle. The message says where."""


_PLAIN: Final = frozenset({dict, list, str, bool, type(None), int})
_WITHOUT_ATOMS: Final = frozenset({dict, list, str})


def _all_of_plain(made: object, most: int) -> list[Any] | None:
    """
    Return all of the tree *made* but its keys; None if it is not made of exactly dict, list, str, bool, None and int64.

    Nearly all that tests write is. One level after the other is gathered by the garbage collector, at C's speed: it gives
    the values of dicts, and their keys only where one of them is no str.

    Args:
        made: What marshal has read: of dicts that it makes the collector gives all, of objects of other types maybe the whole process.
        most: More than this is not gathered, as a value that stands in many places, or in itself, is met in each.
    """
    every = [made]
    level = gc.get_referents(made)
    for _ in range(MAX_DEPTH):
        if not level or len(every) > most:
            break
        every += level
        level = gc.get_referents(*level)
    kinds = set(map(type, every))
    if level or not kinds <= _PLAIN:
        return None
    if kinds <= _WITHOUT_ATOMS:
        return every
    keys = itertools.chain.from_iterable([item for item in every if type(item) is dict])
    integers = [item for item in every if type(item) is int] or [0]
    plain = set(map(type, keys)) <= {str} and min(integers) >= MIN_INT64 and max(integers) <= MAX_INT64
    return every if plain else None


def _share(every: list[Any]) -> bool:
    """Return whether a list or dict is in *every* twice."""
    places = [id(item) for item in every if type(item) in CONTAINERS]
    return len(set(places)) < len(places)


def _from_python(value: object, where: _Where, depth: int) -> JSONValue:
    if isinstance(value, str):
        return _text(value)
    if value is None or isinstance(value, bool):
        return value
    if depth > MAX_DEPTH:
        raise TooDeepError(f"{_spelled(where)[:60]}…: nested more than {MAX_DEPTH} levels deep, or a cycle")
    if isinstance(value, Mapping):
        return {
            _key(key, where): _from_python(item, (where, key), depth + 1)  # the key is checked first
            for key, item in value.items()
        }
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray | memoryview):
        return [_from_python(item, (where, index), depth + 1) for index, item in enumerate(value)]
    if isinstance(value, int):
        try:
            return number(int.__int__(value))
        except OverflowError:
            raise TypeError(f"{_spelled(where)}: an integer beyond float64, which no server reads") from None
    if isinstance(value, float) and math.isfinite(value):
        return number(float.__float__(value))
    raise TypeError(f"{_spelled(where)}: {value!r} is not JSON ({type(value).__name__})")


# Half a character outside of the first plane, as marshal writes it.
_SURROGATE: Final = re.compile(rb"\xed[\xa0-\xbf]")


def _may_share(written: bytes) -> bool:
    """
    Return whether a list or dict below the root of what marshal wrote may stand in two places; it would, too, in what is read.

    Those that something else refers to, maybe another place, are written with the highest bit of `[` or `{` set.
    """
    return written.find(0xDB, 1) >= 0 or written.find(0xFB, 1) >= 0


def _text(text: str) -> str:
    """Return *text* as a str of its own, as Go reads the JSON of it: two halves of a character joined, one alone replaced."""
    return str.__str__(text).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


# The place around a value and its key or index there; linked, so that only an error pays for a whole path.
_Where: TypeAlias = "tuple[_Where, str | int] | None"


def _spelled(where: _Where) -> str:
    parts: list[str] = []
    while where is not None:
        where, segment = where
        parts.append(f"[{segment}]" if isinstance(segment, int) else f".{segment}")
    return "".join(reversed(parts)).removeprefix(".") or "the value"


def _key(key: object, where: _Where) -> str:
    if isinstance(key, str):
        return _text(key)
    raise TypeError(f"{_spelled(where)}: key {key!r} is not a string")
