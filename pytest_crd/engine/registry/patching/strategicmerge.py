"""
Strategic merge patches as the API server applies them to Go types, with directives and merged lists.

In a CRD only the lists of the metadata are merged; others, such as `versions`, are replaced.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.golang import printing
from pytest_crd.engine.golang.gotypes import GoType, List, Pointer, Struct
from pytest_crd.engine.jsonvalue import JSONObject, JSONValue
from pytest_crd.engine.registry.patching import listorder, strategicerrors
from pytest_crd.engine.registry.patching.listorder import DIRECTIVE, ORDER
from pytest_crd.engine.registry.patching.strategicerrors import StrategicError

_RETAIN_KEYS: Final = "$retainKeys"
_DELETE_FROM: Final = "$deleteFromPrimitiveList"
# Merge keys of the merged lists, by struct and field; empty for lists of scalars.
MergedLists: TypeAlias = Mapping[tuple[str, str], str]
# The merged lists in the metadata of each object.
METADATA: Final[MergedLists] = {
    ("v1.ObjectMeta", "finalizers"): "",
    ("v1.ObjectMeta", "ownerReferences"): "uid",
}
# Objects that a patch replaces, by struct and field.
_REPLACED: Final = frozenset({("v1.PodDisruptionBudgetSpec", "selector")})


class _ListType(NamedTuple):
    """Merge behaviour of a list: whether it is merged, its merge key, and the type of its items."""

    is_merged: bool
    key: str
    items: GoType


def merge(
    document: JSONObject,
    patch: dict[str, JSONValue],
    kind: Struct,
    *,
    cleans: bool = True,
    merged: MergedLists = METADATA,
) -> JSONObject:
    """
    Return *document* after a strategic merge patch.

    Args:
        document: The object; not modified.
        patch: The patch; applied directives are removed from it, as in a server's messages.
        kind: The Go type of the object.
        merged: The lists that are merged.
        cleans: Whether nulls and directives are dropped from values of absent fields.

    Raises:
        StrategicError: A directive is malformed, or does not fit.

    Reference:
        apimachinery util/strategicpatch/patch.go, StrategicMergeMapPatch.
    """
    return _Merge(cleans, merged).merged(document, patch, kind)


class _Merge(NamedTuple):
    """
    Merger of patches.

    Attributes:
        cleans: As in `merge`.
        lists: The merged lists, as `merged` in `merge`.
    """

    cleans: bool
    lists: MergedLists

    def merged(self, document: JSONObject, patch: dict[str, JSONValue], kind: GoType) -> JSONObject:
        """Return a document after a patch."""
        if DIRECTIVE in patch:
            return _replaced(patch)
        result = _retained(document, patch)
        self._order(result, patch, kind)
        for name, value in patch.items():
            if name.startswith(_DELETE_FROM):
                key = _field_of_directive(name, _DELETE_FROM, strategicerrors.BAD_PRIMITIVE_LIST)
                if isinstance(result.get(key), list) and isinstance(value, list):
                    result[key] = _deleted(result[key], value)
                elif value is None:
                    result.pop(key, None)
            elif value is None:
                result.pop(name, None)
            elif isinstance(value, dict) and isinstance(result.get(name), dict):
                is_replaced = isinstance(kind, Struct) and (kind.go, name) in _REPLACED
                result[name] = value if is_replaced else self.merged(result[name], value, _field(kind, name))
            elif isinstance(value, list) and isinstance(result.get(name), list):
                result[name] = self._merged_list(result[name], value, self._list_type(kind, name))
            else:
                self._put(result, name, value)
        return result

    def _put(self, result: dict[str, JSONValue], name: str, value: JSONValue) -> None:
        """Set a field that has no value of the same type, without nulls and directives in the new value."""
        if not self.cleans:
            result[name] = value
        elif listorder.is_directive(value):
            result.pop(name, None)
        else:
            result[name] = _bare(value)

    def _order(self, result: dict[str, JSONValue], changes: dict[str, JSONValue], kind: GoType) -> None:
        """Merge the lists with an order in the patch, and remove them from the patch."""
        for name in [name for name in changes if name.startswith(ORDER)]:
            order = changes.pop(name)
            key = _field_of_directive(name, ORDER, strategicerrors.BAD_ORDER)
            if not isinstance(order, list):
                raise strategicerrors.other_type("[]interface {}", order)
            live_items: list[JSONValue] = result.get(key, [])
            patched: list[JSONValue] = changes.get(key, [])
            for present, value in ((key in result, live_items), (key in changes, patched)):
                if present and not isinstance(value, list):
                    raise strategicerrors.other_type("[]interface {}", value)
            list_type = self._list_type(kind, key)
            listorder.demand_in_order(patched, order, list_type.key)
            if key not in result and key not in changes:
                continue
            if key in result:
                merged = self._merged_list(live_items, patched, list_type) if key in changes else live_items
            else:
                merged = _bare(patched) if self.cleans else patched
            listorder.are_objects(live_items, patched)
            patch_items, remaining = listorder.part(merged, order, list_type.key)
            result[key] = listorder.interleave(patch_items, remaining, order, live_items, list_type.key)
            changes.pop(key, None)

    def _list_type(self, kind: GoType, name: str) -> _ListType:
        struct = kind.go if isinstance(kind, Struct) else ""
        field_type = _field(kind, name)
        if not isinstance(field_type, List):
            raise StrategicError("expected slice or array type, but got: struct")
        key = self.lists.get((struct, name))
        return _ListType(key is not None, key or "", field_type.item)

    def _merged_list(
        self, live_items: Sequence[JSONValue], patched: Sequence[JSONValue], kind: _ListType
    ) -> list[JSONValue]:
        if not kind.is_merged:
            return list(patched)
        if not live_items and not patched:
            return []
        if not listorder.are_objects(live_items, patched):
            scalars = listorder.find_distinct([*live_items, *patched])
            patch_items, remaining = listorder.part(scalars, patched, "")
            return listorder.interleave(patch_items, remaining, patched, live_items, "")
        if not kind.key:
            raise StrategicError("cannot merge lists without merge key for string")
        return self._merged_objects(live_items, patched, kind)

    def _merged_objects(
        self, live_items: Sequence[JSONValue], patched: Sequence[JSONValue], kind: _ListType
    ) -> list[JSONValue]:
        patch_items: list[JSONValue] = []
        live_rest = list(live_items)
        replaces = False
        for item in patched:
            directive = item.get(DIRECTIVE)
            if DIRECTIVE not in item:
                patch_items.append(item)
            elif directive == "delete":
                live_rest = [
                    live_item
                    for live_item in live_rest
                    if not jsonvalue.equal(live_item.get(kind.key), listorder.key_of(item, kind.key))
                ]
            elif directive == "merge":
                raise StrategicError("merging lists cannot yet be specified in the patch")
            elif directive != "replace":
                raise strategicerrors.unknown_directive(directive, item)
            replaces = replaces or directive == "replace"
        if replaces:
            live_rest, patch_items = patch_items, []
        merged = list(live_rest)
        for item in patch_items:
            value = listorder.key_of(item, kind.key)
            place = next(
                (index for index, live_item in enumerate(merged) if jsonvalue.equal(live_item.get(kind.key), value)),
                None,
            )
            if place is None:
                merged.append(item)
            else:
                merged[place] = self.merged(merged[place], item, kind.items)
        merged_patch_items, remaining = listorder.part(merged, patch_items, kind.key)
        return listorder.interleave(merged_patch_items, remaining, patch_items, live_rest, kind.key)


def _replaced(patch: dict[str, JSONValue]) -> JSONObject:
    directive = patch[DIRECTIVE]
    if directive == "replace":
        del patch[DIRECTIVE]
        return patch
    if directive == "delete":
        return {}
    raise strategicerrors.unknown_directive(directive, patch)


def _bare(value: JSONValue) -> JSONValue:
    """Return a value of a patch without nulls and directives; modifies objects in place."""
    if isinstance(value, dict):
        for key, item in list(value.items()):
            if item is None or listorder.is_directive(item):
                del value[key]
            else:
                value[key] = _bare(item)
        return value
    return [_bare(item) for item in value if not listorder.is_directive(item)] if isinstance(value, list) else value


def _retained(document: JSONObject, patch: dict[str, JSONValue]) -> dict[str, JSONValue]:
    """Return the fields of a document that `$retainKeys` keeps, and remove the directive from the patch."""
    if _RETAIN_KEYS not in patch:
        return dict(document)
    retained_keys = patch.pop(_RETAIN_KEYS)
    patch_keys = {
        key for key, value in patch.items() if value is not None and not key.startswith((_DELETE_FROM, ORDER))
    }
    if not isinstance(retained_keys, list) or not all(key in retained_keys for key in patch_keys):
        raise StrategicError(strategicerrors.BAD_RETAIN_KEYS)
    return {key: value for key, value in document.items() if key in retained_keys}


def _deleted(live_items: Sequence[JSONValue], deleted_items: Sequence[JSONValue]) -> list[JSONValue]:
    if live_items or deleted_items:
        listorder.are_objects(live_items, deleted_items)
    return [item for item in live_items if listorder.find_index(deleted_items, item, "") < 0]


def _field(kind: GoType, name: str) -> GoType:
    if not isinstance(kind, Struct):
        raise StrategicError(
            f"merging an object in json but data type is not struct, instead is: {kind.name.partition('[')[0]}"
        )
    if name not in kind.fields:
        struct = kind.go.rpartition(".")[2]
        raise StrategicError(f"unable to find api field in struct {struct} for the json field {printing.quote(name)}")
    type_ = kind.fields[name]
    return type_.to if isinstance(type_, Pointer) else type_


def _field_of_directive(directive: str, prefix: str, problem: str) -> str:
    """
    Return the field of a directive, such as `finalizers` for `$setElementOrder/finalizers`.

    Raises:
        StrategicError: The directive is malformed.
    """
    before, slash, name = directive.partition("/")
    if not slash or before != prefix:
        raise StrategicError(problem)
    return name
