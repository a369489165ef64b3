"""
Walks over values of a type: are they right, which fields do they have, what is left without some.

Merging two values has a module of its own, and so has comparing them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeAlias

from pytest_crd.engine.golang import gosyntax, printing
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.registry.fieldmanager import fieldsets, pathelements
from pytest_crd.engine.registry.fieldmanager.fieldsets import FieldSet
from pytest_crd.engine.registry.fieldmanager.mergetypes import ListType, MapType, MergeType
from pytest_crd.engine.registry.fieldmanager.pathelements import PathElement

# Where it stands, as it is spelled, and what is wrong.
Problem: TypeAlias = "tuple[str, str]"

_UNDECLARED: Final = "field not declared in schema"
_GO_TYPES: Final[dict[type, str]] = {
    bool: "bool",
    str: "string",
    list: "[]interface {}",
    dict: "map[string]interface {}",
}


class NoElementError(ValueError):
    """An item of a list cannot be told from its siblings; the message says why."""


class TypedError(ValueError):
    """
    A value is not of its type; the message lists all that is wrong, as the server words it.

    Reference:
        structured-merge-diff typed/helpers.go, ValidationErrors.Error.
    """

    def __init__(self, problems: list[Problem]) -> None:
        """Take what is wrong, at least one thing."""
        lines = [f"{path}: {text}" if path else text for path, text in problems]
        super().__init__(lines[0] if len(lines) == 1 else "\n".join(["errors:", *(f"  {line}" for line in lines)]))


def check(kind: MergeType, value: JSONValue, *, allow_duplicates: bool) -> None:
    """
    Check that a value is of a type.

    Args:
        kind: The type.
        value: The value.
        allow_duplicates: Whether items of a set or map may be there twice, as in what is stored already.

    Raises:
        TypedError: It is not. Of several undeclared fields of an object one is named: the first, of which the server names any.

    Reference:
        structured-merge-diff typed/validate.go.
    """
    if problems := _problems(kind, value, allow_duplicates):
        raise TypedError(problems)


def _problems(kind: MergeType, value: JSONValue, allow_duplicates: bool) -> list[Problem]:  # noqa: FBT001 - of a recursion
    if value is None:
        return []
    fitted = kind.fitted(value)
    if fitted.map is not None:
        return _problems_of_map(fitted.map, value, allow_duplicates)
    if fitted.scalar is not None:
        text = _problem_of_scalar(fitted.scalar, value)
        return [("", text)] if text else []
    assert fitted.list is not None  # noqa: S101 - a type allows something
    return _problems_of_list(fitted.list, value, allow_duplicates)


def _problems_of_map(kind: MapType, value: JSONValue, allow_duplicates: bool) -> list[Problem]:  # noqa: FBT001
    if not isinstance(value, dict):
        return [("", f"expected map, got {_shown(value)}")]
    # Nearly always there are none, whose order counts.
    return _problems_of_fields(kind, value, value, allow_duplicates) and _problems_of_fields(
        kind, value, sorted(value), allow_duplicates
    )


def _problems_of_fields(
    kind: MapType,
    value: dict[str, JSONValue],
    names: Iterable[str],
    allow_duplicates: bool,  # noqa: FBT001
) -> list[Problem]:
    problems: list[Problem] = []
    for name in names:
        of_field = kind.of(name)
        if of_field is None:
            return [*problems, (f".{name}", _UNDECLARED)]
        item = value[name]
        if of_field.is_scalar(item):
            continue
        if found := _problems(of_field, item, allow_duplicates):
            problems += [(f".{name}{path}", text) for path, text in found]
    return problems


def _problems_of_list(kind: ListType, value: JSONValue, allow_duplicates: bool) -> list[Problem]:  # noqa: FBT001
    if not isinstance(value, list):
        return [("", f"expected list, got {_shown(value)}")]
    problems: list[Problem] = []
    seen: set[PathElement] = set()
    for position, item in enumerate(value):
        if kind.is_associative:
            try:
                element = element_of(kind, item)
            except NoElementError as error:
                return [*problems, ("", f"element {position}: {error}")]
            if element in seen and not allow_duplicates:
                problems.append(("", f"duplicate entries for key {pathelements.spelled(element)}"))
            seen.add(element)
        else:
            element = pathelements.index(position)
        if found := _problems(kind.items, item, allow_duplicates):
            problems += [(pathelements.spelled(element) + path, text) for path, text in found]
    return problems


def _problem_of_scalar(scalar: str, value: JSONValue) -> str:
    """
    Return what is wrong with a value that is to be a scalar; empty where nothing is.

    Reference:
        structured-merge-diff typed/validate.go, validateScalar: each prints in another way what it got.
    """
    is_number = type(value) in (int, float)
    if scalar == "numeric":
        return "" if is_number else f"expected numeric (int or float), got {_GO_TYPES[type(value)]}"
    if scalar == "string":
        if isinstance(value, str):
            return ""
        return f"expected string, got &value.valueUnstructured{{Value:{gosyntax.value(value)}}}"
    if scalar == "boolean":
        return "" if isinstance(value, bool) else f"expected boolean, got {_shown(value)}"
    return f"expected any scalar, got {_shown(value)}" if isinstance(value, dict | list) else ""


def element_of(kind: ListType, item: JSONValue) -> PathElement:
    """
    Return the element that chooses an *item* of a list whose items are owned one by one.

    Raises:
        NoElementError: There is none.

    Reference:
        structured-merge-diff typed/helpers.go, listItemToPathElement.
    """
    if not kind.keys:
        if isinstance(item, dict):
            raise NoElementError("associative list without keys has an element that's a map type")
        if isinstance(item, list):
            raise NoElementError("not supported: associative list with lists as elements")
        if item is None:
            raise NoElementError("associative list without keys has an element that's an explicit null")
        return pathelements.value(item)
    if item is None:
        raise NoElementError("associative list with keys may not have a null element")
    if not isinstance(item, dict):
        raise NoElementError("associative list with keys may not have non-map elements")
    return _key_of(kind, item)


def _element_of_any(kind: ListType, item: JSONValue) -> PathElement:
    """Return what chooses an *item*, of which nobody looks whether anything can: a null, of which an apply took all there was."""
    try:
        return element_of(kind, item)
    except NoElementError:
        return pathelements.NO_ELEMENT


def _key_of(kind: ListType, item: dict[str, JSONValue]) -> PathElement:
    if len(kind.keys) == 1 and kind.keys[0] in item:  # as of most lists
        return pathelements.key_of(kind.keys[0], item[kind.keys[0]])
    found: dict[str, JSONValue] = {}
    for name in kind.keys:
        if name in item:
            found[name] = item[name]
        elif kind.items.map is None:
            problem = "associative list may not have non-map types"
            raise NoElementError(f"couldn't find default value for {name}: {problem}")
        elif name in kind.items.map.defaults:
            found[name] = kind.items.map.defaults[name]
        elif kind.needs_all_keys:
            rest = "(and doesn't have default value)"
            problem = f"associative list with keys has an element that omits key field {printing.quote(name)} {rest}"
            raise NoElementError(problem)
    if not found:
        named = f"[{' '.join(map(printing.quote, kind.keys))}]"
        rest = "(and doesn't have default values for any key fields)"
        raise NoElementError(f"associative list with keys has an element that omits all key fields {named} {rest}")
    return pathelements.key(found)


def fields(kind: MergeType, value: JSONValue) -> FieldSet:
    """
    Return all fields that a value states, as who applies it owns them.

    Args:
        kind: Its type.
        value: A value of it.

    Reference:
        structured-merge-diff typed/tofieldset.go.
    """
    return _fields(kind, value)[1]


def _fields(kind: MergeType, value: JSONValue) -> tuple[bool, FieldSet]:
    """Return whether the value is a field itself, and the fields in it."""
    fitted = kind.fitted(value)
    if fitted.map is not None:
        if fitted.map.is_atomic:
            return True, fieldsets.EMPTY
        return False, _fields_of_map(fitted.map, value) if value else fieldsets.EMPTY
    if fitted.scalar is not None or fitted.list is None or not fitted.list.is_associative:
        return True, fieldsets.EMPTY
    return False, _fields_of_list(fitted.list, value) if value else fieldsets.EMPTY


def _fields_of_map(kind: MapType, value: dict[str, JSONValue]) -> FieldSet:
    members: set[PathElement] = set()
    children: dict[PathElement, FieldSet] = {}
    for name, item in value.items():
        of_field = kind.of(name)
        assert of_field is not None  # noqa: S101 - the value is of its type
        element = pathelements.field(name)
        if of_field.is_scalar(item):
            members.add(element)
            continue
        is_member, below = _fields(of_field, item)
        if is_member or item is None or item == {} or name not in kind.fields:
            members.add(element)
        if below.members or below.children:
            children[element] = below
    return FieldSet(members, children)


def _fields_of_list(kind: ListType, value: list[JSONValue]) -> FieldSet:
    children: dict[PathElement, FieldSet] = {}
    seen: set[PathElement] = set()
    for item in value:
        element = _element_of_any(kind, item)
        if element in seen:  # there twice, it has one owner
            children.pop(element, None)
            continue
        seen.add(element)
        below = _fields(kind.items, item)[1]
        if below.members or below.children:
            children[element] = below
    return FieldSet(seen, children)


def removed(kind: MergeType, value: JSONValue, gone: FieldSet) -> JSONValue:
    """
    Return a value without the fields of a set; a list or object of which nothing is left is null.

    Args:
        kind: Its type.
        value: A value of it.
        gone: What is taken away.

    Reference:
        structured-merge-diff typed/remove.go.
    """
    fitted = kind.fitted(value)
    if fitted.map is not None:
        return _removed_of_map(fitted.map, value, gone) if isinstance(value, dict) else None
    if fitted.scalar is not None:
        return value
    return _removed_of_list(fitted.list, value, gone) if fitted.list and isinstance(value, list) else None


def _removed_of_map(kind: MapType, value: dict[str, JSONValue], gone: FieldSet) -> JSONValue:
    if kind.is_atomic:
        return None
    left = {}
    for name, item in value.items():
        element = pathelements.field(name)
        if element in gone.members:
            continue
        below = gone.children.get(element)
        of_field = kind.of(name)
        if below is None or below.is_empty or of_field is None:
            left[name] = item
        else:
            left[name] = removed(of_field, item, below)
    return left or None


def _removed_of_list(kind: ListType, value: list[JSONValue], gone: FieldSet) -> JSONValue:
    if not kind.is_associative:
        return None
    left = []
    for item in value:
        element = _element_of_any(kind, item)
        if element in gone.members:
            continue
        below = gone.children.get(element)
        left.append(item if below is None or below.is_empty else removed(kind.items, item, below))
    return left or None


def _shown(value: JSONValue) -> str:
    """Return a value as Go's `%v` prints one that is wrapped."""
    return f"&{{{_go(value)}}}"


def _go(value: JSONValue) -> str:
    if isinstance(value, dict):
        return f"map[{' '.join(f'{name}:{_go(value[name])}' for name in sorted(value))}]"
    if isinstance(value, list):
        return f"[{' '.join(map(_go, value))}]"
    if value is None:
        return "<nil>"
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else printing.number(value)
