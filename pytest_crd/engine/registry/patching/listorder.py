"""
Items of lists that a strategic merge patch merges: their keys and their order.

Items of lists of objects have a merge key. Scalars, whose key is an empty text, are compared by themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.registry.patching import strategicerrors
from pytest_crd.engine.registry.patching.strategicerrors import StrategicError, printed

DIRECTIVE: Final = "$patch"
ORDER: Final = "$setElementOrder"


def demand_in_order(patched: Sequence[JSONValue], order: Sequence[JSONValue], key: str) -> None:
    """Raise StrategicError if the items of a patched list contradict the order in the patch."""
    if not patched or not order:
        return
    rest = iter(order)
    items = [item for item in patched if not is_directive(item)]
    if not all(any(_is_same_item(item, entry, key) for entry in rest) for item in items):
        texts = " ".join(map(printed, patched)), " ".join(map(printed, order))
        raise StrategicError(f"The order in patch list:\n[{texts[0]}]\n doesn't match {ORDER} list:\n[{texts[1]}]\n")


def interleave(
    patched_items: Sequence[JSONValue],
    unpatched_items: Sequence[JSONValue],
    order: Sequence[JSONValue],
    before: Sequence[JSONValue],
    key: str,
) -> list[JSONValue]:
    """
    Return the merged items in order: items of the patch as it lists them, others at their old places.

    Reference:
        apimachinery util/strategicpatch/patch.go, normalizeElementOrder.
    """
    for item in (*patched_items, *order, *unpatched_items, *before) if key else ():
        _demand_key(item, key)
    patch_items = sorted(patched_items, key=lambda item: find_index(order, item, key))
    other_items = sorted(unpatched_items, key=lambda item: find_index(before, item, key))
    merged: list[JSONValue] = []
    while other_items and patch_items:
        other_index, patch_index = find_index(before, other_items[0], key), find_index(before, patch_items[0], key)
        merged.append(other_items.pop(0) if 0 <= other_index < patch_index else patch_items.pop(0))
    return [*merged, *other_items, *patch_items]


def are_objects(*lists: Sequence[JSONValue]) -> bool:
    """
    Return whether the items of lists are objects.

    Raises:
        StrategicError: The items have several types, or are lists; or the lists are empty.
    """
    names = [strategicerrors.go_type(item) for items in lists for item in items]
    if not names:
        raise StrategicError("no elements in any of the given slices")
    if names[0] == "[]interface {}":
        raise StrategicError(strategicerrors.LISTS_OF_LISTS)
    if any(name != names[0] for name in names):
        printed_lists = " ".join(printed(list(items)) for items in lists)
        raise StrategicError(f"list element types are not identical: [{printed_lists}]")
    return names[0] == "map[string]interface {}"


def find_distinct(items: list[JSONValue]) -> list[JSONValue]:
    """Return distinct scalars in the server's order: the last item replaces a repeated one."""
    length = len(items) - 1
    first = 0
    while first < length:
        second = first + 1
        while second <= length:
            if jsonvalue.equal(items[first], items[second]):
                items[second] = items[length]
                items = items[:length]
                length -= 1
            else:
                second += 1
        first += 1
    return items


def part(items: Sequence[JSONValue], by: Sequence[JSONValue], key: str) -> tuple[list[JSONValue], list[JSONValue]]:
    """Return the items that occur in *by*, and the remaining ones."""
    parts: tuple[list[JSONValue], list[JSONValue]] = ([], [])
    for item in items:
        parts[0 if _is_among(by, item, key) else 1].append(item)
    return parts


def _is_among(items: Sequence[JSONValue], item: JSONValue, key: str) -> bool:
    if not key:
        return find_index(items, item, key) >= 0
    value = key_of(item, key)
    for index, candidate in enumerate(items):
        if not isinstance(candidate, dict):
            raise StrategicError(f"value for key {index} is not a map")
        if key in candidate and jsonvalue.equal(candidate[key], value):
            return True
    return False


def find_index(items: Sequence[JSONValue], item: JSONValue, key: str) -> int:
    """Return the index of an item; -1 if it is not among *items*."""
    value = _value_of(item, key)
    return next(
        (index for index, candidate in enumerate(items) if jsonvalue.equal(_value_of(candidate, key), value)), -1
    )


def _value_of(item: JSONValue, key: str) -> JSONValue:
    """Return the value that orders an item: the item itself, or the value of its key, None if it has none."""
    if not key:
        return item
    return item.get(key) if isinstance(item, dict) else None


def _is_same_item(left: JSONValue, right: JSONValue, key: str) -> bool:
    if not key:
        return jsonvalue.equal(left, right)
    return jsonvalue.equal(key_of(left, key), key_of(right, key))


def key_of(item: JSONValue, key: str) -> JSONValue:
    """Return the merge key of an object; raise StrategicError without a scalar merge key."""
    _demand_key(item, key)
    if isinstance(item[key], dict | list):  # Go cannot compare these
        raise StrategicError(f"the server panics over a merge key that is no scalar: {printed(item[key])}")
    return item[key]


def _demand_key(item: JSONValue, key: str) -> None:
    """Raise StrategicError if an item is not an object with a merge key."""
    if not isinstance(item, dict):
        raise strategicerrors.other_type("map[string]interface {}", item)
    if key not in item:
        raise StrategicError(f"map: {printed(item)} does not contain declared merge key: {key}")


def is_directive(value: JSONValue) -> bool:
    """Return whether a value is an object with a directive."""
    return isinstance(value, dict) and DIRECTIVE in value
