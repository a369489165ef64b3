"""
Path elements, which select a field of an object or an item of a list.

An element is a tuple of its kind and content, so that elements compare and sort like the server's, at C speed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from pytest_crd.engine.fieldpath import OwnedPath
from pytest_crd.engine.golang import printing
from pytest_crd.engine.golang.govalues import GoValue
from pytest_crd.engine.jsonvalue import JSONValue

# Kinds of elements, in sort order.
FIELD: Final = 0
KEY: Final = 1
VALUE: Final = 2
INDEX: Final = 3

_NONE: Final = 4

# (FIELD, name), (KEY, ((name, ordered value), …)), (VALUE, ordered value) or (INDEX, position).
PathElement: TypeAlias = "tuple[int, Any]"
Path: TypeAlias = "tuple[PathElement, ...]"

# The element of an item that has none; the server uses it if it does not check items.
NO_ELEMENT: Final = (_NONE, 0)

# Types of values, in sort order; True does not equal 1, but 1.0 does.
_NUMBER, _STRING, _BOOL, _LIST, _MAP, _NULL, _NO_JSON = range(7)
_WITHOUT_CONTENT: Final = {_NULL: "null", _NO_JSON: "{{undefined}}"}
_ORDERS: Final[dict[type, int]] = {int: _NUMBER, float: _NUMBER, str: _STRING, bool: _BOOL}


def field(name: str) -> PathElement:
    """Return the element of the field *name*."""
    return FIELD, name


def key(fields: Mapping[str, JSONValue]) -> PathElement:
    """Return the element of the list item with these key values."""
    return KEY, tuple([(name, _ordered(fields[name])) for name in sorted(fields)])


def key_of(name: str, value: JSONValue) -> PathElement:
    """Return the element of the list item with this value of its only key."""
    return KEY, ((name, _ordered(value)),)


def value(item: JSONValue) -> PathElement:
    """Return the element of the set item *item*."""
    return VALUE, _ordered(item)


def index(position: int) -> PathElement:
    """Return the element of the list item at a 0-based *position*."""
    return INDEX, position


def keys_of(element: PathElement) -> dict[str, JSONValue]:
    """Return the key values of a KEY element."""
    return {name: _plain(ordered) for name, ordered in element[1]}


def value_of(element: PathElement) -> JSONValue:
    """Return the item of a VALUE element."""
    return _plain(element[1])


def spelled(element: PathElement) -> str:
    """
    Return an element as printed in conflicts and errors: `.name`, `[name="a"]`, `[="a"]`, `[0]`.

    Reference:
        structured-merge-diff fieldpath/element.go, PathElement.String.
    """
    kind, content = element
    if kind == FIELD:
        return f".{content}"
    if kind == KEY:
        return f"[{','.join([f'{name}={_printed(ordered)}' for name, ordered in content])}]"
    return f"[={_printed(content)}]" if kind == VALUE else f"[{content}]"


def spell(path: Path) -> str:
    """Return a path as printed in conflicts: `.spec.listeners[name="a"].port`."""
    return "".join(map(spelled, path))


def owned(path: Path) -> OwnedPath:
    """Return a path in the form for users."""
    return OwnedPath(tuple(map(spelled, path)))


def _ordered(item: JSONValue) -> tuple[int, Any]:
    """Return a value with the sort position of its type, so that tuples compare like the server's values."""
    order = _ORDERS.get(type(item))
    if order is not None:
        return order, item
    if isinstance(item, list):
        return _LIST, tuple(map(_ordered, item))
    if isinstance(item, dict):
        return _MAP, tuple((name, _ordered(item[name])) for name in sorted(item))
    return (_NO_JSON if isinstance(item, GoValue) else _NULL), 0


def _plain(ordered: tuple[int, Any]) -> JSONValue:
    order, item = ordered
    if order == _LIST:
        return [_plain(child) for child in item]
    if order == _MAP:
        return {name: _plain(child) for name, child in item}
    return None if order == _NULL else item


def _printed(ordered: tuple[int, Any]) -> str:
    """
    Return a value as printed in elements.

    Reference:
        structured-merge-diff value/value.go, ToString.
    """
    order, item = ordered
    if order == _NUMBER:
        return printing.number(item)
    if order == _STRING:
        return printing.quote(item)
    if order == _BOOL:
        return "true" if item else "false"
    if order == _LIST:
        return f"[{','.join(map(_printed, item))}]"
    if order in _WITHOUT_CONTENT:
        return _WITHOUT_CONTENT[order]
    return "".join(f"{name}={_printed(child)}" for name, child in item)
