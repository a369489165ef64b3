"""What is to be changed in one object so that it is another: as a merge patch where that can say it, else as a JSON Patch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from pytest_crd.engine import jsonvalue

# What is longer than this, and repeats one character or item, is not written out.
_LONG_TEXT: Final = 100
_LONG_LIST: Final = 20


class _Repeated(NamedTuple):
    """
    What repeats itself.

    Attributes:
        value: A text of one character, or a list of one item.
        times: How often it is there.
    """

    value: Any
    times: int


def between(base: Mapping[str, Any], wanted: Mapping[str, Any]) -> Any:
    """
    Return the patch that makes *wanted* of *base*, both JSON objects; None where they are alike.

    What is long because it repeats itself, such as a text of 5,000 characters, is written once, with `times`.

    Reference:
        RFC 7386, whose patches read best but cannot set a null; RFC 6902.
    """
    operations = list(_operations(base, wanted, ""))
    if not operations:
        return None
    if any(is_long(operation.get("value")) for operation in operations):
        return [one for operation in operations for one in _with_times(operation)]
    if any("value" in operation and _has_null(operation["value"]) for operation in operations):
        return operations
    return _merge(base, wanted)


def is_long(value: Any) -> bool:
    """Return whether something in *value* is better written once, with `times`."""
    repeated: dict[str, _Repeated] = {}
    _shortened(value, "", repeated)
    return bool(repeated)


def _shortened(value: Any, pointer: str, repeated: dict[str, _Repeated]) -> Any:
    """Return *value* with what repeats itself once, which is added to *repeated* by its pointer."""
    if isinstance(value, str | list) and len(value) > (_LONG_TEXT if isinstance(value, str) else _LONG_LIST):
        unit = value[:1]
        if all(jsonvalue.equal(item, unit[0]) for item in value):
            repeated[pointer] = _Repeated(unit, len(value))
            return unit
    if isinstance(value, list):
        return [_shortened(item, f"{pointer}/{index}", repeated) for index, item in enumerate(value)]
    if isinstance(value, Mapping):
        return {key: _shortened(item, f"{pointer}/{_escaped(key)}", repeated) for key, item in value.items()}
    return value


def _with_times(operation: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield *operation*, and one for each part of its value that repeats itself."""
    repeated: dict[str, _Repeated] = {}
    value = _shortened(operation.get("value"), operation["path"], repeated)
    whole = repeated.pop(operation["path"], None)
    short = {**operation, "value": value} if "value" in operation else dict(operation)
    yield short if whole is None else {**short, "times": whole.times}
    for pointer, one in repeated.items():
        yield {"op": "replace", "path": pointer, "value": one.value, "times": one.times}


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
    """Return whether there is a null that a merge patch would take for a removal: one in a list is none."""
    if isinstance(value, Mapping):
        return any(map(_has_null, value.values()))
    return value is None


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")
