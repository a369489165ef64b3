"""
Strategic merge patches of built-in kinds: lists are merged by the keys that are published of them.

Of what else such kinds are, nothing is known here, so that nothing is refused for its type.

Reference:
    apimachinery util/strategicpatch/patch.go.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue

# The fields of a type that decide how it is merged, by name.
Fields: TypeAlias = Mapping[str, Mapping[str, Any]]
Types: TypeAlias = Callable[[str], Fields]

_DIRECTIVE: Final = "$patch"
_DELETE_FROM: Final = "$deleteFromPrimitiveList/"
_ORDER: Final = "$setElementOrder/"
_RETAIN: Final = "$retainKeys"
_METADATA: Final[Fields] = {"finalizers": {"patchKey": ""}, "ownerReferences": {"patchKey": "uid"}}


def merge(document: Resource, patch: Resource, fields: Fields, types: Types) -> dict[str, JSONValue]:
    """
    Return a document after a patch.

    Args:
        document: The object; not modified.
        patch: The patch; not modified.
        fields: What is known of the fields of its type.
        types: Returns that of another type, by its name.
    """
    if patch.get(_DIRECTIVE) == "replace":
        return {key: value for key, value in patch.items() if key != _DIRECTIVE}
    if patch.get(_DIRECTIVE) == "delete":
        return {}
    kept = patch.get(_RETAIN)
    found = {key: value for key, value in document.items() if kept is None or key in kept}
    for key, value in patch.items():
        if key.startswith(_DELETE_FROM):
            name = key.removeprefix(_DELETE_FROM)
            found[name] = [item for item in found.get(name) or () if item not in value]
    for key, value in patch.items():
        if not key.startswith("$"):
            _put(found, key, value, fields.get(key, {}), types)
    for key, value in patch.items():
        if key.startswith(_ORDER):
            name = key.removeprefix(_ORDER)
            if isinstance(found.get(name), list):
                found[name] = _ordered(found[name], value, fields.get(name, {}).get("patchKey", ""))
    return found


def of_kind(fields: Fields) -> Fields:
    """Return the fields of a kind, with those that all kinds have."""
    return {**fields, "metadata": {"fields": _METADATA}}


def _put(found: dict[str, JSONValue], key: str, value: JSONValue, node: Mapping[str, Any], types: Types) -> None:
    """Put a field of a patch into an object."""
    below = node.get("fields") or (types(node["type"]) if "type" in node else {})
    if value is None:
        found.pop(key, None)
    elif isinstance(value, dict):
        before = found.get(key)
        found[key] = merge(before if isinstance(before, dict) else {}, value, below, types)
    elif isinstance(value, list) and "patchKey" in node:
        before = found.get(key)
        found[key] = _list(before if isinstance(before, list) else [], value, node["patchKey"], below, types)
    else:
        found[key] = value


def _list(before: list[JSONValue], patch: list[JSONValue], key: str, fields: Fields, types: Types) -> list[JSONValue]:
    """Return a list after the items of a patch were merged into it, by a key or as a set."""
    if not key:
        return [*before, *(item for item in patch if item not in before)]
    items = list(before)
    if any(one.get(_DIRECTIVE) == "replace" for one in patch):
        return [one for one in patch if _DIRECTIVE not in one]
    for one in patch:
        at = next((at for at, item in enumerate(items) if jsonvalue.equal(item.get(key), one.get(key))), None)
        if one.get(_DIRECTIVE) == "delete":
            items = items if at is None else [*items[:at], *items[at + 1 :]]
        elif at is None:
            items.append(merge({}, one, fields, types))
        else:
            items[at] = merge(items[at], one, fields, types)
    return items


def _ordered(items: list[JSONValue], order: list[JSONValue], key: str) -> list[JSONValue]:
    """Return items in the order that a patch states; those that it does not name stay where they are beside the one before."""

    def name(item: JSONValue) -> JSONValue:
        return item.get(key) if key else item

    places = {str(name(one)): place for place, one in enumerate(order)}
    ranks: list[tuple[int, int]] = []
    last = -1
    for number, item in enumerate(items):
        last = places.get(str(name(item)), last)
        ranks.append((last, number))
    return [item for _, item in sorted(zip(ranks, items, strict=True), key=lambda one: one[0])]
