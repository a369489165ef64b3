"""
JSON Patch (RFC 6902) and merge patch (RFC 7386).

An `add` or `replace` may have `times`, an extension that the RFC permits: the text or list is repeated that often.
The given value is not changed. An operation that cannot be done raises an error with its index and the reason.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.jsonvalue import JSONValue

PatchOperation: TypeAlias = Mapping[str, JSONValue]

_INDEX: Final = re.compile(r"0|[1-9][0-9]*")
_WRONG_ESCAPE: Final = re.compile(r"~(?![01])")
# More than a server reads of one request.
_MOST_REPEATED: Final = 3_000_000
# The place behind the last item of a list.
_END: Final = "-"


class PatchError(ValueError):
    """
    An operation that cannot be done.

    Attributes:
        index: The 0-based index of the operation.
    """

    def __init__(self, index: int, message: str) -> None:
        self.index = index
        super().__init__(message)


class _CannotError(Exception):
    """The reason why an operation cannot be done."""


def apply(value: JSONValue, operations: Sequence[PatchOperation]) -> JSONValue:
    """
    Return *value* after *operations*, done in order.

    Args:
        value: JSON value; not modified.
        operations: Each with `op`, `path`, `value` or `from` where it needs one, and `times` where a value is repeated.

    Raises:
        PatchError: A path that leads nowhere, a failed test, a malformed pointer, or a value that cannot
            be repeated so often.
    """
    # Below an extra root, so that the whole value has a parent and a key too.
    holder = {"": jsonvalue.copy(value)}
    for index, operation in enumerate(operations):
        try:
            _OPERATIONS[operation["op"]](holder, operation)
        except _CannotError as error:
            raise PatchError(index, f"{operation['op']} {operation['path']!r}: {error}") from None
    return holder[""]


def repeat_value(operation: PatchOperation) -> PatchOperation:
    """
    Return an operation without `times`, its value repeated accordingly.

    Raises:
        PatchError: The value cannot be repeated so often.
    """
    if "times" not in operation:
        return operation
    try:
        value = _value(operation)
    except _CannotError as error:
        raise PatchError(0, str(error)) from None
    return {key: value if key == "value" else item for key, item in operation.items() if key != "times"}


def merge(value: JSONValue, patch: JSONValue, *, removes_nothing: bool = False) -> JSONValue:
    """
    Return *value* after a merge patch: objects are merged, a null removes, anything else replaces.

    Args:
        value: JSON value; not modified.
        patch: JSON value.
        removes_nothing: Whether a null may name a missing key, as in the RFC.

    Raises:
        PatchError: A null names a missing key, and *removes_nothing* is false.
    """
    try:
        return _merged(value, patch, "", removes_nothing=removes_nothing)
    except _CannotError as error:
        raise PatchError(0, str(error)) from None


def _merged(value: JSONValue, patch: JSONValue, path: str, *, removes_nothing: bool) -> JSONValue:
    if not isinstance(patch, dict):
        return jsonvalue.copy(patch)
    merged = dict(value) if isinstance(value, dict) else {}
    for key, item in patch.items():
        place = f"{path}.{key}" if path else key
        if item is not None:
            merged[key] = _merged(merged.get(key), item, place, removes_nothing=removes_nothing)
        elif key in merged:
            del merged[key]
        elif not removes_nothing:
            raise _CannotError(f"remove {place!r}: nothing is there{_list_keys(merged)}")
    return merged


def _add(holder: JSONValue, operation: PatchOperation) -> None:
    _put(holder, _tokens(operation["path"]), _value(operation))


def _remove(holder: JSONValue, operation: PatchOperation) -> None:
    if not operation["path"]:
        raise _CannotError("the whole value cannot be removed")
    _take(holder, _tokens(operation["path"]))


def _replace(holder: JSONValue, operation: PatchOperation) -> None:
    parent, key = _place(holder, _tokens(operation["path"]))
    parent[key] = _value(operation)


def _value(operation: PatchOperation) -> JSONValue:
    """Return the value of an operation, repeated as often as it says."""
    value, times = operation["value"], operation.get("times")
    if times is None:
        return jsonvalue.copy(value)
    if not isinstance(value, str | list):
        raise _CannotError(f"'times' is for a text or a list, not for {jsonvalue.type_of(value)}")
    if len(value) * times > _MOST_REPEATED:
        raise _CannotError(f"{len(value) * times:,} {'characters' if isinstance(value, str) else 'items'} are too many")
    return value * times if isinstance(value, str) else [jsonvalue.copy(item) for _ in range(times) for item in value]


def _move(holder: JSONValue, operation: PatchOperation) -> None:
    source, target = _tokens(operation["from"]), _tokens(operation["path"])
    if source == target[: len(source)] and len(source) < len(target):
        raise _CannotError(f"{operation['from']!r} cannot be moved into itself")
    if source != target:
        _put(holder, target, _take(holder, source))


def _copy(holder: JSONValue, operation: PatchOperation) -> None:
    parent, key = _place(holder, _tokens(operation["from"]))
    _put(holder, _tokens(operation["path"]), jsonvalue.copy(parent[key]))


def _test(holder: JSONValue, operation: PatchOperation) -> None:
    parent, key = _place(holder, _tokens(operation["path"]))
    if not jsonvalue.equal(parent[key], operation["value"]):
        raise _CannotError("the value there is another")


_OPERATIONS: Final[Mapping[str, Callable[[JSONValue, PatchOperation], None]]] = {
    "add": _add,
    "remove": _remove,
    "replace": _replace,
    "move": _move,
    "copy": _copy,
    "test": _test,
}


def _tokens(pointer: str) -> list[str]:
    """Return the steps of a JSON Pointer (RFC 6901), starting at the parent of the whole value."""
    if wrong := _WRONG_ESCAPE.search(pointer):
        raise _CannotError(f"{pointer[wrong.start() : wrong.start() + 2]!r} is no escape; ~ is written ~0, / is ~1")
    return [token.replace("~1", "/").replace("~0", "~") for token in pointer.split("/")]


def _place(holder: JSONValue, tokens: list[str]) -> tuple[JSONValue, str | int]:
    """Return the object or list around the value at *tokens*, and its key or index; raise if there is no value."""
    parent = _parent(holder, tokens)
    key = _key(parent, tokens)
    if isinstance(parent, dict) and key in parent:
        return parent, key
    if isinstance(key, int) and key < len(parent):
        return parent, key
    raise _CannotError(f"nothing is there{_list_keys(parent)}")


def _parent(holder: JSONValue, tokens: list[str]) -> JSONValue:
    parent = holder
    for depth in range(1, len(tokens)):
        around, key = parent, _key(parent, tokens[:depth])
        if not (key in around if isinstance(around, dict) else isinstance(key, int) and key < len(around)):
            raise _CannotError(f"there is no {'/'.join(tokens[:depth])!r}{_list_keys(around)}")
        parent = around[key]
    return parent


def _key(parent: JSONValue, tokens: list[str]) -> str | int:
    token = tokens[-1]
    if isinstance(parent, dict):
        return token
    if not isinstance(parent, list):
        raise _CannotError(f"{'/'.join(tokens[:-1])!r} is neither an object nor a list")
    if token == _END:
        return len(parent)
    if not _INDEX.fullmatch(token):
        raise _CannotError(f"{token!r} is no index of a list")
    return int(token)


def _put(holder: JSONValue, tokens: list[str], value: JSONValue) -> None:
    parent = _parent(holder, tokens)
    key = _key(parent, tokens)
    if isinstance(parent, dict):
        parent[key] = value
    elif isinstance(key, int) and key <= len(parent):
        parent.insert(key, value)
    else:
        raise _CannotError(f"the list has only {len(parent)} items")


def _take(holder: JSONValue, tokens: list[str]) -> JSONValue:
    parent, key = _place(holder, tokens)
    return parent.pop(key)


def _list_keys(parent: JSONValue) -> str:
    return f"; there are {', '.join(parent)}" if isinstance(parent, dict) and parent and "" not in parent else ""
