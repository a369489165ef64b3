"""
JSON values: their Python types, equality, and conversion from Python objects.

Python blurs types that JSON and Go keep apart: `True == 1 == 1.0` holds in Python, but JSON has three values.
"""

from __future__ import annotations

import datetime as dt
import decimal
import marshal
import math
import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from pytest_crd import lazyre

# Any JSON value: None, bool, int (int64), float (float64), str, list or dict with string keys. A recursive alias would
# force a cast at every access of every pass; the passes narrow with isinstance instead.
JSONValue: TypeAlias = Any
# A read-only JSON object.
JSONObject: TypeAlias = Mapping[str, JSONValue]

# The types that contain other values.
CONTAINERS: Final = frozenset({dict, list})

NIL_LIST: Final[list[JSONValue]] = []
"""An empty list that Go has no memory for: a list to validation, and null in JSON. Only this very list is one; never modify it."""

MIN_INT64: Final = -(2**63)
MAX_INT64: Final = 2**63 - 1

# encoding/json writes a float64 below this magnitude without an exponent, and reads a number without exponent as int64.
_FIXED_NOTATION_LIMIT: Final = 1e21
# The server refuses 10,000 levels; Python's recursion ends earlier. Real objects have a few dozen at most.
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
    if kind is not type(right) or (kind is dict and left.keys() != right.keys()):
        return False
    if kind is dict:
        left, right = [*left.values()], [*map(right.__getitem__, left)]
    elif kind is not list:
        return bool(left == right)
    if [*map(type, left)] != [*map(type, right)]:
        return False
    for item, other in zip(left, right, strict=True):
        if item is not other and (not equal(item, other) if type(item) in CONTAINERS else item != other):
            return False
    return True


def copy(value: JSONValue) -> JSONValue:
    """Return a copy of *value* that shares no object or list with it."""
    if type(value) is dict:
        return {key: copy(item) if type(item) is dict or type(item) is list else item for key, item in value.items()}
    if type(value) is list and value is not NIL_LIST:
        return [copy(item) if type(item) is dict or type(item) is list else item for item in value]
    return value


def written(value: JSONValue) -> JSONValue:
    """Return a value as Go writes it: with null for each `NIL_LIST`. Unchanged parts are shared."""
    if value is NIL_LIST:
        return None
    if type(value) is dict:
        changed = {
            key: new for key, item in value.items() if type(item) in CONTAINERS and (new := written(item)) is not item
        }
        return {**value, **changed} if changed else value
    if type(value) is not list or CONTAINERS.isdisjoint(map(type, value)):
        return value
    items = [*map(written, value)]
    return value if all(map(operator.is_, items, value)) else items


def is_too_deep(value: JSONValue, limit: int = MAX_DEPTH) -> bool:
    """Return True if objects and lists of *value* are nested more than *limit* deep."""
    level, depth = [value], 0
    while level := [item for item in level if isinstance(item, dict | list)]:
        depth += 1
        if depth > limit:
            return True
        level = [child for item in level for child in (item.values() if isinstance(item, dict) else item)]
    return False


def may_hold_null(value: JSONValue) -> bool:
    """Return False only if no object in *value* has a null. Searching the marshalled bytes is faster than walking."""
    written = marshal.dumps(value, _MARSHAL_VERSION)
    return b"N" in written and _NULL.search(written) is not None


# In the marshal format, a null value of an object is followed by the next key (in any of several encodings, or as a
# reference to an earlier key) or by the end of the object. An N alone also occurs in strings.
_MARSHAL_VERSION: Final = 4
_NULL: Final = lazyre.compile(rb"N[aAtuzZ\xe1\xc1\xf4\xf5\xfa\xdar0]")


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
        An int within int64, else a float64. `1.0` becomes `1`, `-0.0` becomes `0`; `2**63` becomes
        `9.223372036854775808e18`.

    Raises:
        OverflowError: The number is beyond float64.

    Reference:
        apimachinery util/json; sigs.k8s.io/json preserves integers that fit int64 and makes float64 of all others.
    """
    if isinstance(value, int):
        return value if MIN_INT64 <= value <= MAX_INT64 else float(value)
    if value.is_integer() and abs(value) < _FIXED_NOTATION_LIMIT:
        # Through its shortest digits, as Go writes it: int() would return the exact digits of the binary form.
        # The shortest digits of -2**63 lie beyond int64.
        whole = int(decimal.Decimal(repr(value)))
        return whole if MIN_INT64 <= whole <= MAX_INT64 else value
    return value


def from_python(value: object) -> JSONValue:
    """
    Return *value* as a new JSON value that shares nothing with it.

    Args:
        value: A tree of mappings with string keys, sequences, str, numbers, bool and None. An instance of a subclass,
            such as an enum of str or int, counts as its plain value, as in `json.dumps`.

    Returns:
        A new tree of dict, list and scalars, with numbers and strings as the server holds them.

    Raises:
        NotJSONError: The tree holds a value that is not JSON: a key that is not a string, a date, NaN, a number beyond
            float64. The message names its path.
        TooDeepError: The tree is nested too deeply, or contains itself.
    """
    try:
        return _from_python(value, 0)
    except _UnplacedError as error:
        path = _spelled(reversed(error.segments))
        if error.is_too_deep:
            raise TooDeepError(f"{path[:60]}…: {error.reason}") from None
        raise NotJSONError(f"{path}: {error.reason}") from None


class NotJSONError(TypeError):
    """A value of Python that is not JSON. The message names its path."""


class TooDeepError(NotJSONError):
    """A value nested too deeply for Python, though a server accepts it; or a cycle. The message names its path."""


_TOO_DEEP: Final = f"nested more than {MAX_DEPTH} levels deep, or a cycle"


class _UnplacedError(Exception):
    """A value that is not JSON. The copies of the objects and lists around it add its path, from the inside."""

    def __init__(self, reason: str, *, is_too_deep: bool = False) -> None:
        self.reason: Final = reason
        self.is_too_deep: Final = is_too_deep
        self.segments: list[object] = []


def _from_python(value: object, depth: int) -> JSONValue:
    # dict and list come first, because checks for other mappings and sequences are slow.
    if isinstance(value, dict):
        return _object(value, depth)
    if isinstance(value, list):
        return _array(value, depth)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, int | float):
        return _number(value)
    return _container(value, depth)


def _container(value: object, depth: int) -> JSONValue:
    if isinstance(value, Mapping):
        return _object(value, depth)
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray | memoryview):
        return _array(value, depth)
    raise _UnplacedError(f"{value!r} is not JSON ({type(value).__name__}){_remedy(value)}")


def _remedy(value: object) -> str:
    if isinstance(value, dt.datetime):
        utc = value if value.tzinfo is None else value.astimezone(dt.UTC)
        return f'; write the text "{utc:%Y-%m-%dT%H:%M:%SZ}"'
    if isinstance(value, dt.date):
        return f'; write the text "{value:%Y-%m-%d}"'
    if hasattr(type(value), "stored"):
        return "; write its stored object, .stored"
    return "; write a list" if isinstance(value, set | frozenset) else ""


def _number(value: float) -> int | float:
    if isinstance(value, int):
        try:
            return number(int.__int__(value))
        except OverflowError:
            raise _UnplacedError("an integer beyond float64, which no server reads") from None
    if math.isfinite(value):
        return number(float.__float__(value))
    raise _UnplacedError(f"{value!r} is not JSON ({type(value).__name__})")


def _object(value: Mapping[object, object], depth: int) -> dict[str, JSONValue]:
    if depth > MAX_DEPTH:
        raise _UnplacedError(_TOO_DEEP, is_too_deep=True)
    # Most keys and values are plain ASCII. A call for each would take half of the time.
    copied: dict[str, JSONValue] = {}
    for key, item in value.items():
        name = key if type(key) is str and key.isascii() else _key(key)
        try:
            copied[name] = item if type(item) is str and item.isascii() else _from_python(item, depth + 1)
        except _UnplacedError as error:
            error.segments.append(key)
            raise
    return copied


def _array(value: Sequence[object], depth: int) -> list[JSONValue]:
    if depth > MAX_DEPTH:
        raise _UnplacedError(_TOO_DEEP, is_too_deep=True)
    copied: list[JSONValue] = []
    for index, item in enumerate(value):
        try:
            copied.append(item if type(item) is str and item.isascii() else _from_python(item, depth + 1))
        except _UnplacedError as error:
            error.segments.append(index)
            raise
    return copied


def _text(text: str) -> str:
    """Return *text* as a plain str with surrogates as Go reads them from JSON: pairs joined, single ones replaced."""
    if type(text) is str and text.isascii():
        return text
    return str.__str__(text).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _key(key: object) -> str:
    if not isinstance(key, str):
        raise _UnplacedError(f"key {key!r} is not a string")
    return _text(key)


def _spelled(segments: Iterable[object]) -> str:
    parts = [f"[{segment}]" if isinstance(segment, int) else f".{segment}" for segment in segments]
    return "".join(parts).removeprefix(".") or "the value"
