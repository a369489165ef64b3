"""Patches between two objects: a merge patch if possible, else a JSON Patch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from pytest_crd.engine import jsonvalue

# The lengths from which texts of one character and lists of one repeated item are written with `times`.
_LONG_TEXT: Final = 100
_LONG_LIST: Final = 20


class _Repeated(NamedTuple):
    """
    A repetitive value.

    Attributes:
        value: A text of one character, or a list of one item.
        times: The number of repetitions.
    """

    value: Any
    times: int


def create_patch(base: Mapping[str, Any], wanted: Mapping[str, Any]) -> Any:
    """
    Return the patch that turns *base* into *wanted*, both JSON objects; None if they are equal.

    Long repetitive values, such as a text of 5,000 equal characters, are written once with `times`.

    Reference:
        RFC 7386, whose patches are more readable but cannot set a null; RFC 6902.
    """
    operations = list(_operations(base, wanted, ""))
    if not operations:
        return None
    if any(is_long(operation.get("value")) for operation in operations):
        return [expanded for operation in operations for expanded in _expand_repeated(operation)]
    if any("value" in operation and _has_null(operation["value"]) for operation in operations):
        return operations
    return _merge(base, wanted)


def is_long(value: Any) -> bool:
    """Return True if a part of *value* is better written once with `times`."""
    repeated: dict[str, _Repeated] = {}
    _shorten(value, "", repeated)
    return bool(repeated)


def _shorten(value: Any, pointer: str, repeated: dict[str, _Repeated]) -> Any:
    """Return *value* with repetitive parts shortened to one unit; adds these parts to *repeated* by JSON pointer."""
    if isinstance(value, str | list) and len(value) > (_LONG_TEXT if isinstance(value, str) else _LONG_LIST):
        unit = value[:1]
        is_text = isinstance(value, str)
        if value == unit * len(value) if is_text else all(jsonvalue.equal(item, unit[0]) for item in value):
            repeated[pointer] = _Repeated(unit, len(value))
            return unit
    if isinstance(value, list):
        return [_shorten(item, f"{pointer}/{index}", repeated) for index, item in enumerate(value)]
    if isinstance(value, Mapping):
        return {key: _shorten(item, f"{pointer}/{_escaped(key)}", repeated) for key, item in value.items()}
    return value


def _expand_repeated(operation: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield *operation* with its value shortened, and one operation for each repetitive part of the value."""
    repeated: dict[str, _Repeated] = {}
    value = _shorten(operation.get("value"), operation["path"], repeated)
    whole = repeated.pop(operation["path"], None)
    short = {**operation, "value": value} if "value" in operation else dict(operation)
    yield short if whole is None else {**short, "times": whole.times}
    for pointer, part in repeated.items():
        yield {"op": "replace", "path": pointer, "value": part.value, "times": part.times}


def _operations(base: Any, wanted: Any, pointer: str) -> Iterator[dict[str, Any]]:
    if not isinstance(base, Mapping) or not isinstance(wanted, Mapping):
        if not jsonvalue.equal(base, wanted):
            yield {"op": "replace", "path": pointer, "value": wanted}
        return
    for key, old in base.items():
        inner = f"{pointer}/{_escaped(key)}"
        if key in wanted:
            yield from _operations(old, wanted[key], inner)
        else:
            yield {"op": "remove", "path": inner}
    for key, new in wanted.items():
        if key not in base:
            yield {"op": "add", "path": f"{pointer}/{_escaped(key)}", "value": new}


def _merge(base: Mapping[str, Any], wanted: Mapping[str, Any]) -> dict[str, Any]:
    merge: dict[str, Any] = dict.fromkeys(key for key in base if key not in wanted)
    for key, new in wanted.items():
        old = base.get(key)
        if key in base and jsonvalue.equal(old, new):
            continue
        merge[key] = _merge(old, new) if isinstance(old, Mapping) and isinstance(new, Mapping) else new
    return merge


def _has_null(value: Any) -> bool:
    """Return True if a server drops a null in *value* from a merge patch: a null of an object, but not an item of a list."""
    if isinstance(value, Mapping):
        return any(map(_has_null, value.values()))
    if isinstance(value, list):
        return any(_has_null(item) for item in value if item is not None)
    return value is None


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")
