"""
Strategic merge patches as the API server applies them to Go types, with directives and merged lists.

In a CRD only the lists of the metadata are merged; others, such as `versions`, are replaced.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.errors.refusal import Refusal
from pytest_crd.engine.golang import printing
from pytest_crd.engine.golang.gotypes import GoType, List, Pointer, Struct
from pytest_crd.engine.jsonvalue import JSONObject, JSONValue

_DIRECTIVE: Final = "$patch"
_RETAIN_KEYS: Final = "$retainKeys"
_DELETE_FROM: Final = "$deleteFromPrimitiveList"
_ORDER: Final = "$setElementOrder"
# Merge keys of the merged lists, by struct and field; empty for lists of scalars.
MergedLists: TypeAlias = Mapping[tuple[str, str], str]
# The merged lists in the metadata of each object.
METADATA: Final[MergedLists] = {
    ("v1.ObjectMeta", "finalizers"): "",
    ("v1.ObjectMeta", "ownerReferences"): "uid",
}
# Objects that a patch replaces, by struct and field.
_REPLACED: Final = frozenset({("v1.PodDisruptionBudgetSpec", "selector")})
_BAD_PRIMITIVE_LIST: Final = "invalid patch format of primitive list"
_BAD_ORDER: Final = "invalid patch format of setElementOrder list"
_BAD_RETAIN_KEYS: Final = "invalid patch format of retainKeys"
_LISTS_OF_LISTS: Final = "lists of lists are not supported"
_CODES: Final[Mapping[str, int]] = {
    _BAD_PRIMITIVE_LIST: 400,
    _BAD_ORDER: 400,
    _BAD_RETAIN_KEYS: 400,
    _LISTS_OF_LISTS: 422,
}


class StrategicError(ValueError):
    """A patch that cannot be applied, with the server's message."""

    @property
    def refusal(self) -> Refusal:
        """The refusal, with a code that depends on the message."""
        code = _CODES.get(str(self), 500)
        return Refusal(code, {400: "BadRequest", 422: "Invalid"}.get(code, ""), str(self))


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
        if _DIRECTIVE in patch:
            return _replaced(patch)
        result = _retained(document, patch)
        self._order(result, patch, kind)
        for name, value in patch.items():
            if name.startswith(_DELETE_FROM):
                key = _field_of_directive(name, _DELETE_FROM, _BAD_PRIMITIVE_LIST)
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
        elif _is_directive(value):
            result.pop(name, None)
        else:
            result[name] = _bare(value)

    def _order(self, result: dict[str, JSONValue], changes: dict[str, JSONValue], kind: GoType) -> None:
        """Merge the lists with an order in the patch, and remove them from the patch."""
        for name in [name for name in changes if name.startswith(_ORDER)]:
            order = changes.pop(name)
            key = _field_of_directive(name, _ORDER, _BAD_ORDER)
            if not isinstance(order, list):
                raise _other_type("[]interface {}", order)
            live_items: list[JSONValue] = result.get(key, [])
            patched: list[JSONValue] = changes.get(key, [])
            for present, value in ((key in result, live_items), (key in changes, patched)):
                if present and not isinstance(value, list):
                    raise _other_type("[]interface {}", value)
            list_type = self._list_type(kind, key)
            _demand_in_order(patched, order, list_type.key)
            if key not in result and key not in changes:
                continue
            if key in result:
                merged = self._merged_list(live_items, patched, list_type) if key in changes else live_items
            else:
                merged = _bare(patched) if self.cleans else patched
            _are_objects(live_items, patched)
            patch_items, remaining = _parted(merged, order, list_type.key)
            result[key] = _interleaved(patch_items, remaining, order, live_items, list_type.key)
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
        if not _are_objects(live_items, patched):
            scalars = _distinct([*live_items, *patched])
            patch_items, remaining = _parted(scalars, patched, "")
            return _interleaved(patch_items, remaining, patched, live_items, "")
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
            directive = item.get(_DIRECTIVE)
            if _DIRECTIVE not in item:
                patch_items.append(item)
            elif directive == "delete":
                live_rest = [
                    live_item
                    for live_item in live_rest
                    if not jsonvalue.equal(live_item.get(kind.key), _key_of(item, kind.key))
                ]
            elif directive == "merge":
                raise StrategicError("merging lists cannot yet be specified in the patch")
            elif directive != "replace":
                raise _unknown(directive, item)
            replaces = replaces or directive == "replace"
        if replaces:
            live_rest, patch_items = patch_items, []
        merged = list(live_rest)
        for item in patch_items:
            value = _key_of(item, kind.key)
            place = next(
                (index for index, live_item in enumerate(merged) if jsonvalue.equal(live_item.get(kind.key), value)),
                None,
            )
            if place is None:
                merged.append(item)
            else:
                merged[place] = self.merged(merged[place], item, kind.items)
        merged_patch_items, remaining = _parted(merged, patch_items, kind.key)
        return _interleaved(merged_patch_items, remaining, patch_items, live_rest, kind.key)


def _replaced(patch: dict[str, JSONValue]) -> JSONObject:
    directive = patch[_DIRECTIVE]
    if directive == "replace":
        del patch[_DIRECTIVE]
        return patch
    if directive == "delete":
        return {}
    raise _unknown(directive, patch)


def _bare(value: JSONValue) -> JSONValue:
    """Return a value of a patch without nulls and directives; modifies objects in place."""
    if isinstance(value, dict):
        for key, item in list(value.items()):
            if item is None or _is_directive(item):
                del value[key]
            else:
                value[key] = _bare(item)
        return value
    return [_bare(item) for item in value if not _is_directive(item)] if isinstance(value, list) else value


def _is_directive(value: JSONValue) -> bool:
    return isinstance(value, dict) and _DIRECTIVE in value


def _retained(document: JSONObject, patch: dict[str, JSONValue]) -> dict[str, JSONValue]:
    """Return the fields of a document that `$retainKeys` keeps, and remove the directive from the patch."""
    if _RETAIN_KEYS not in patch:
        return dict(document)
    retained_keys = patch.pop(_RETAIN_KEYS)
    patch_keys = {
        key for key, value in patch.items() if value is not None and not key.startswith((_DELETE_FROM, _ORDER))
    }
    if not isinstance(retained_keys, list) or not all(key in retained_keys for key in patch_keys):
        raise StrategicError(_BAD_RETAIN_KEYS)
    return {key: value for key, value in document.items() if key in retained_keys}


def _demand_in_order(patched: Sequence[JSONValue], order: Sequence[JSONValue], key: str) -> None:
    """Raise StrategicError if the items of a patched list contradict the order in the patch."""
    if not patched or not order:
        return
    rest = iter(order)
    items = [item for item in patched if not _is_directive(item)]
    if not all(any(_is_same_item(item, entry, key) for entry in rest) for item in items):
        texts = " ".join(map(printed, patched)), " ".join(map(printed, order))
        raise StrategicError(f"The order in patch list:\n[{texts[0]}]\n doesn't match {_ORDER} list:\n[{texts[1]}]\n")


def _interleaved(
    patched_items: Sequence[JSONValue],
    unpatched_items: Sequence[JSONValue],
    order: Sequence[JSONValue],
    before: Sequence[JSONValue],
    key: str,
) -> list[JSONValue]:
    """
    Return the merged items in order: those of the patch as it lists them, others at their old places.

    Reference:
        apimachinery util/strategicpatch/patch.go, normalizeElementOrder.
    """
    for item in (*patched_items, *order, *unpatched_items, *before) if key else ():
        _demand_key(item, key)
    patch_items = sorted(patched_items, key=lambda item: _index(order, item, key))
    other_items = sorted(unpatched_items, key=lambda item: _index(before, item, key))
    merged: list[JSONValue] = []
    while other_items and patch_items:
        other_index, patch_index = _index(before, other_items[0], key), _index(before, patch_items[0], key)
        merged.append(other_items.pop(0) if 0 <= other_index < patch_index else patch_items.pop(0))
    return [*merged, *other_items, *patch_items]


def _deleted(live_items: Sequence[JSONValue], deleted_items: Sequence[JSONValue]) -> list[JSONValue]:
    if live_items or deleted_items:
        _are_objects(live_items, deleted_items)
    return [item for item in live_items if _index(deleted_items, item, "") < 0]


def _are_objects(*lists: Sequence[JSONValue]) -> bool:
    """
    Return whether the items of lists are objects.

    Raises:
        StrategicError: The items have several types, or are lists; or the lists are empty.
    """
    names = [_go_type(item) for items in lists for item in items]
    if not names:
        raise StrategicError("no elements in any of the given slices")
    if names[0] == "[]interface {}":
        raise StrategicError(_LISTS_OF_LISTS)
    if any(name != names[0] for name in names):
        printed_lists = " ".join(printed(list(items)) for items in lists)
        raise StrategicError(f"list element types are not identical: [{printed_lists}]")
    return names[0] == "map[string]interface {}"


def _distinct(items: list[JSONValue]) -> list[JSONValue]:
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


def _parted(items: Sequence[JSONValue], by: Sequence[JSONValue], key: str) -> tuple[list[JSONValue], list[JSONValue]]:
    """Return the items that occur in *by*, and the remaining ones."""
    parts: tuple[list[JSONValue], list[JSONValue]] = ([], [])
    for item in items:
        parts[0 if _is_among(by, item, key) else 1].append(item)
    return parts


def _is_among(items: Sequence[JSONValue], item: JSONValue, key: str) -> bool:
    if not key:
        return _index(items, item, key) >= 0
    value = _key_of(item, key)
    for index, candidate in enumerate(items):
        if not isinstance(candidate, dict):
            raise StrategicError(f"value for key {index} is not a map")
        if key in candidate and jsonvalue.equal(candidate[key], value):
            return True
    return False


def _index(items: Sequence[JSONValue], item: JSONValue, key: str) -> int:
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
    return jsonvalue.equal(_key_of(left, key), _key_of(right, key))


def _key_of(item: JSONValue, key: str) -> JSONValue:
    _demand_key(item, key)
    if isinstance(item[key], dict | list):  # Go cannot compare these
        raise StrategicError(f"the server panics over a merge key that is no scalar: {printed(item[key])}")
    return item[key]


def _demand_key(item: JSONValue, key: str) -> None:
    """Raise StrategicError if an item is not an object with a merge key."""
    if not isinstance(item, dict):
        raise _other_type("map[string]interface {}", item)
    if key not in item:
        raise StrategicError(f"map: {printed(item)} does not contain declared merge key: {key}")


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


def _unknown(directive: JSONValue, patch: JSONObject) -> StrategicError:
    text = directive if isinstance(directive, str) else f"%!s({_go_type(directive)}={printed(directive)})"
    return StrategicError(f"unknown patch type: {text} in map: {printed(patch)}")


def _other_type(expected: str, value: JSONValue) -> StrategicError:
    return StrategicError(f"expected a {expected}, but received a {_go_type(value)}")


def _go_type(value: JSONValue) -> str:
    names = {"string": "string", "boolean": "bool", "integer": "int64", "number": "float64", "null": "%!s(<nil>)"}
    return names.get(
        jsonvalue.type_of(value), "[]interface {}" if isinstance(value, list) else "map[string]interface {}"
    )


def printed(value: JSONValue) -> str:
    """Return a value as Go's `%v` prints it."""
    if isinstance(value, dict):
        return "map[" + " ".join(f"{key}:{printed(item)}" for key, item in sorted(value.items())) + "]"
    if isinstance(value, list):
        return "[" + " ".join(map(printed, value)) + "]"
    if isinstance(value, str):
        return value
    if value is None:
        return "<nil>"
    return str(value).lower() if isinstance(value, bool) else printing.number(value)
