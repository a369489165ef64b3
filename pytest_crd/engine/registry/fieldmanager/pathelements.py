"""
Elements of paths: how one field, or one item of a list, is chosen among its siblings.

An element is a tuple, so that elements compare and sort as the server's do, at C's speed: the kind comes first, then what it names.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from pytest_crd.engine.fieldpath import OwnedPath
from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONValue

# In the order in which elements of different kinds are sorted.
FIELD: Final = 0
KEY: Final = 1
VALUE: Final = 2
INDEX: Final = 3

_NONE: Final = 4

# (FIELD, name), (KEY, ((name, ordered value), …)), (VALUE, ordered value) or (INDEX, position).
PathElement: TypeAlias = "tuple[int, Any]"
Path: TypeAlias = "tuple[PathElement, ...]"

# What chooses an item that nothing can choose: where the server does not look whether it can, it goes on with this.
NO_ELEMENT: Final = (_NONE, 0)

# In the order in which values of different types are sorted; `True` is no 1 here, but `1.0` is.
_NUMBER, _STRING, _BOOL, _LIST, _MAP, _NULL = range(6)
_ORDERS: Final[dict[type, int]] = {int: _NUMBER, float: _NUMBER, str: _STRING, bool: _BOOL}


def field(name: str) -> PathElement:
    """Return the element that chooses the field *name* of an object."""
    return FIELD, name


def key(fields: Mapping[str, JSONValue]) -> PathElement:
    """Return the element that chooses the item of a list that has these values in its keys."""
    return KEY, tuple([(name, _ordered(fields[name])) for name in sorted(fields)])


def key_of(name: str, value: JSONValue) -> PathElement:
    """Return the element that chooses the item of a list that has this value in its only key."""
    return KEY, ((name, _ordered(value)),)


def value(item: JSONValue) -> PathElement:
    """Return the element that chooses the *item* of a set."""
    return VALUE, _ordered(item)


def index(position: int) -> PathElement:
    """Return the element that chooses the item at a 0-based *position*."""
    return INDEX, position


def keys_of(element: PathElement) -> dict[str, JSONValue]:
    """Return the keys by which a KEY element chooses an item."""
    return {name: _plain(ordered) for name, ordered in element[1]}


def value_of(element: PathElement) -> JSONValue:
    """Return the item that a VALUE element chooses."""
    return _plain(element[1])


def spelled(element: PathElement) -> str:
    """
    Return an element as conflicts and errors spell it: `.name`, `[name="a"]`, `[="a"]`, `[0]`.

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
    """Return a whole path as conflicts spell it: `.spec.listeners[name="a"].port`."""
    return "".join(map(spelled, path))


def owned(path: Path) -> OwnedPath:
    """Return a path as users read it."""
    return OwnedPath(tuple(map(spelled, path)))


def _ordered(item: JSONValue) -> tuple[int, Any]:
    """Return a value with its place among those of other types, so that tuples compare as the server compares values."""
    order = _ORDERS.get(type(item))
    if order is not None:
        return order, item
    if isinstance(item, list):
        return _LIST, tuple(map(_ordered, item))
    if isinstance(item, dict):
        return _MAP, tuple((name, _ordered(item[name])) for name in sorted(item))
    return _NULL, 0


def _plain(ordered: tuple[int, Any]) -> JSONValue:
    order, item = ordered
    if order == _LIST:
        return [_plain(one) for one in item]
    if order == _MAP:
        return {name: _plain(one) for name, one in item}
    return None if order == _NULL else item


def _printed(ordered: tuple[int, Any]) -> str:
    """
    Return a value as elements print it.

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
    return "null" if order == _NULL else "".join(f"{name}={_printed(one)}" for name, one in item)
