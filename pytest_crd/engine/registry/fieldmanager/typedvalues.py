"""
Operations on values of a merge type: validation, the set of fields, and removal of fields.

Merging and comparing have modules of their own.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeAlias

from pytest_crd.engine.golang import gosyntax, printing
from pytest_crd.engine.golang.govalues import GoValue
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.registry.fieldmanager import fieldsets, pathelements
from pytest_crd.engine.registry.fieldmanager.fieldsets import FieldSet
from pytest_crd.engine.registry.fieldmanager.mergetypes import VALUES_OF, ListType, MapType, MergeType
from pytest_crd.engine.registry.fieldmanager.pathelements import PathElement

# The printed path and the message of a problem.
Problem: TypeAlias = "tuple[str, str]"

_UNDECLARED: Final = "field not declared in schema"


class NoElementError(ValueError):
    """A list item without a path element; the message says why."""


class TypedError(ValueError):
    """
    A value that does not fit its type, with all problems in the server's words.

    Reference:
        structured-merge-diff typed/helpers.go, ValidationErrors.Error.
    """

    def __init__(self, problems: list[Problem]) -> None:
        """Create from at least one problem."""
        lines = [f"{path}: {text}" if path else text for path, text in problems]
        super().__init__(lines[0] if len(lines) == 1 else "\n".join(["errors:", *(f"  {line}" for line in lines)]))


def check(kind: MergeType, value: JSONValue, *, allow_duplicates: bool, checked: JSONValue = None) -> None:
    """
    Check the type of a value.

    Args:
        kind: The type.
        value: The value.
        allow_duplicates: Whether items of sets and maps may be duplicate, as in stored objects.
        checked: A value that fits in the same way; the parts that both share are not checked again.

    Raises:
        TypedError: The value does not fit. Only the first undeclared field of an object is named; the server names any of them.

    Reference:
        structured-merge-diff typed/validate.go.
    """
    if problems := _problems(kind, value, allow_duplicates, checked):
        raise TypedError(problems)


def _problems(
    kind: MergeType,
    value: JSONValue,
    allow_duplicates: bool,  # noqa: FBT001 - recursive
    checked: JSONValue = None,
) -> list[Problem]:
    if value is None:
        return []
    if kind.map is not None and isinstance(value, dict):  # the usual case
        return _problems_of_map(kind.map, value, allow_duplicates, checked)
    fitted = kind.fitted(value)
    if fitted.map is not None:
        return [("", f"expected map, got {_printed(value)}")]
    if fitted.scalar is not None:
        text = _problem_of_scalar(fitted.scalar, value)
        return [("", text)] if text else []
    assert fitted.list is not None  # noqa: S101 - a type allows something
    return _problems_of_list(fitted.list, value, allow_duplicates)


def _problems_of_map(
    kind: MapType,
    value: dict[str, JSONValue],
    allow_duplicates: bool,  # noqa: FBT001
    checked: JSONValue,
    names: Iterable[str] | None = None,
) -> list[Problem]:
    problems: list[Problem] = []
    fields, others = kind.fields, kind.values
    shared = checked if isinstance(checked, dict) else {}
    for name in value if names is None else names:
        field_type = fields.get(name, others)  # as `field_type`, once for each field of each object
        if field_type is None:
            problems.append((f".{name}", _UNDECLARED))
            break
        item, checked_item = value[name], shared.get(name)
        if item is checked_item or type(item) in VALUES_OF[field_type.scalar]:  # as `is_scalar`
            continue
        if field_type.map is not None and isinstance(item, dict):  # as in `_problems`
            problems_below = _problems_of_map(field_type.map, item, allow_duplicates, checked_item)
        else:
            problems_below = _problems(field_type, item, allow_duplicates, checked_item)
        if problems_below:
            problems += [(f".{name}{path}", text) for path, text in problems_below]
    if problems and names is None:  # problems are rare, so sort the fields only if there are any
        return _problems_of_map(kind, value, allow_duplicates, checked, sorted(value))
    return problems


def _problems_of_list(kind: ListType, value: JSONValue, allow_duplicates: bool) -> list[Problem]:  # noqa: FBT001
    if not isinstance(value, list):
        return [("", f"expected list, got {_printed(value)}")]
    problems: list[Problem] = []
    elements: set[PathElement] = set()
    for position, item in enumerate(value):
        if kind.is_associative:
            try:
                element = element_of(kind, item)
            except NoElementError as error:
                return [*problems, ("", f"element {position}: {error}")]
            if element in elements and not allow_duplicates:
                problems.append(("", f"duplicate entries for key {pathelements.spelled(element)}"))
            elements.add(element)
        else:
            element = pathelements.index(position)
        if problems_below := _problems(kind.items, item, allow_duplicates):
            problems += [(pathelements.spelled(element) + path, text) for path, text in problems_below]
    return problems


def _problem_of_scalar(scalar: str, value: JSONValue) -> str:
    """
    Return the problem of a value that should be a scalar; empty if it is one.

    Reference:
        structured-merge-diff typed/validate.go, validateScalar: each type prints the value differently.
    """
    is_number = type(value) in (int, float)
    if scalar == "numeric":
        if is_number:
            return ""
        go_type = value.type if isinstance(value, GoValue) else printing.GO_TYPES[type(value)]
        return f"expected numeric (int or float), got {go_type}"
    if scalar == "string":
        if isinstance(value, str):
            return ""
        syntax = value.syntax if isinstance(value, GoValue) else gosyntax.value(value)
        return f"expected string, got &value.valueUnstructured{{Value:{syntax}}}"
    if scalar == "boolean":
        return "" if isinstance(value, bool) else f"expected boolean, got {_printed(value)}"
    return f"expected any scalar, got {_printed(value)}" if isinstance(value, dict | list | GoValue) else ""


def element_of(kind: ListType, item: JSONValue) -> PathElement:
    """
    Return the path element of an *item* of an associative list.

    Raises:
        NoElementError: The item has none.

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
    """Return the path element of an *item*, or NO_ELEMENT, as of a null left by an apply that removed all its fields."""
    try:
        return element_of(kind, item)
    except NoElementError:
        return pathelements.NO_ELEMENT


def _key_of(kind: ListType, item: dict[str, JSONValue]) -> PathElement:
    if len(kind.keys) == 1 and kind.keys[0] in item:  # the usual case
        return pathelements.key_of(kind.keys[0], item[kind.keys[0]])
    key_values: dict[str, JSONValue] = {}
    for name in kind.keys:
        if name in item:
            key_values[name] = item[name]
        elif kind.items.map is None:
            problem = "associative list may not have non-map types"
            raise NoElementError(f"couldn't find default value for {name}: {problem}")
        elif name in kind.items.map.defaults:
            key_values[name] = kind.items.map.defaults[name]
        elif kind.needs_all_keys:
            rest = "(and doesn't have default value)"
            problem = f"associative list with keys has an element that omits key field {printing.quote(name)} {rest}"
            raise NoElementError(problem)
    if not key_values:
        key_names = f"[{' '.join(map(printing.quote, kind.keys))}]"
        rest = "(and doesn't have default values for any key fields)"
        raise NoElementError(f"associative list with keys has an element that omits all key fields {key_names} {rest}")
    return pathelements.key(key_values)


def fields(kind: MergeType, value: JSONValue) -> FieldSet:
    """
    Return all fields of a value, which its applier owns.

    Args:
        kind: The type of the value.
        value: The value.

    Reference:
        structured-merge-diff typed/tofieldset.go.
    """
    return _fields(kind, value)[1]


def _fields(kind: MergeType, value: JSONValue) -> tuple[bool, FieldSet]:
    """Return whether the value is a leaf field, and the fields inside it."""
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
        field_type = kind.field_type(name)
        assert field_type is not None  # noqa: S101 - the value has its type
        element = pathelements.field(name)
        if field_type.is_scalar(item):
            members.add(element)
            continue
        is_member, below = _fields(field_type, item)
        if is_member or item is None or item == {} or name not in kind.fields:
            members.add(element)
        if below.members or below.children:
            children[element] = below
    return FieldSet(members, children)


def _fields_of_list(kind: ListType, value: list[JSONValue]) -> FieldSet:
    children: dict[PathElement, FieldSet] = {}
    elements: set[PathElement] = set()
    for item in value:
        element = _element_of_any(kind, item)
        if element in elements:  # duplicate items have one owner
            children.pop(element, None)
            continue
        elements.add(element)
        below = _fields(kind.items, item)[1]
        if below.members or below.children:
            children[element] = below
    return FieldSet(elements, children)


def removed(kind: MergeType, value: JSONValue, removed_fields: FieldSet) -> JSONValue:
    """
    Return a value without a set of fields; lists and objects that become empty turn into None.

    Args:
        kind: The type of the value.
        value: The value.
        removed_fields: The fields to remove.

    Reference:
        structured-merge-diff typed/remove.go.
    """
    fitted = kind.fitted(value)
    if fitted.map is not None:
        return _removed_of_map(fitted.map, value, removed_fields) if isinstance(value, dict) else None
    if fitted.scalar is not None:
        return value
    return _removed_of_list(fitted.list, value, removed_fields) if fitted.list and isinstance(value, list) else None


def _removed_of_map(kind: MapType, value: dict[str, JSONValue], removed_fields: FieldSet) -> JSONValue:
    if kind.is_atomic:
        return None
    remaining = {}
    for name, item in value.items():
        element = pathelements.field(name)
        if element in removed_fields.members:
            continue
        below = removed_fields.children.get(element)
        field_type = kind.field_type(name)
        if below is None or below.is_empty or field_type is None:
            remaining[name] = item
        else:
            remaining[name] = removed(field_type, item, below)
    return remaining or None


def _removed_of_list(kind: ListType, value: list[JSONValue], removed_fields: FieldSet) -> JSONValue:
    if not kind.is_associative:
        return None
    remaining = []
    for item in value:
        element = _element_of_any(kind, item)
        if element in removed_fields.members:
            continue
        below = removed_fields.children.get(element)
        remaining.append(item if below is None or below.is_empty else removed(kind.items, item, below))
    return remaining or None


def _printed(value: JSONValue) -> str:
    """Return a value as printed by Go's `%v` for its wrapper."""
    return f"&{{{value.text if isinstance(value, GoValue) else printing.json_value(value)}}}"
