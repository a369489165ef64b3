"""
Strategic merge patches as the API server applies them to what has a Go type: objects are merged, lists as the type says, directives obeyed.

Of a CRD only the lists of its metadata are merged; all others, `versions` among them, are replaced.
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
# Lists that are merged, by struct and field, with the key that items are known by; scalars have none.
MergedLists: TypeAlias = Mapping[tuple[str, str], str]
# Those of the metadata of each object.
METADATA: Final[MergedLists] = {
    ("v1.ObjectMeta", "finalizers"): "",
    ("v1.ObjectMeta", "ownerReferences"): "uid",
}
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
    """A patch that cannot be applied; the message is the server's."""

    @property
    def refusal(self) -> Refusal:
        """How it is refused: who sent it is not to blame for each of them."""
        code = _CODES.get(str(self), 500)
        return Refusal(code, {400: "BadRequest", 422: "Invalid"}.get(code, ""), str(self))


class _ListType(NamedTuple):
    """How a list is merged: whether at all, by which key, and of which type its items are."""

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
        patch: The patch; what is done with it is gone from it then, as of what messages show of it on a server.
        kind: The Go type of the object.
        merged: The lists that are merged.
        cleans: Whether nulls and directives are taken out of what is put in where nothing was.

    Raises:
        StrategicError: A directive is none, or does not fit.

    Reference:
        apimachinery util/strategicpatch/patch.go, StrategicMergeMapPatch.
    """
    return _Merge(cleans, merged).merged(document, patch, kind)


class _Merge(NamedTuple):
    """
    Merges patches.

    Attributes:
        cleans: As for `merge`.
        lists: The lists that are merged, likewise.
    """

    cleans: bool
    lists: MergedLists

    def merged(self, document: JSONObject, patch: dict[str, JSONValue], kind: GoType) -> JSONObject:
        """Return a document after a patch."""
        if _DIRECTIVE in patch:
            return _replaced(patch)
        found = _retained(document, patch)
        self._order(found, patch, kind)
        for name, value in patch.items():
            if name.startswith(_DELETE_FROM):
                key = _named(name, _DELETE_FROM, _BAD_PRIMITIVE_LIST)
                if isinstance(found.get(key), list) and isinstance(value, list):
                    found[key] = _deleted(found[key], value)
                elif value is None:
                    found.pop(key, None)
            elif value is None:
                found.pop(name, None)
            elif isinstance(value, dict) and isinstance(found.get(name), dict):
                found[name] = self.merged(found[name], value, _field(kind, name))
            elif isinstance(value, list) and isinstance(found.get(name), list):
                found[name] = self._merged_list(found[name], value, self._list_type(kind, name))
            else:
                self._put(found, name, value)
        return found

    def _put(self, found: dict[str, JSONValue], name: str, value: JSONValue) -> None:
        """Put in what nothing alike is there of: without nulls, and without what is a directive."""
        if not self.cleans:
            found[name] = value
        elif _is_directive(value):
            found.pop(name, None)
        else:
            found[name] = _bare(value)

    def _order(self, found: dict[str, JSONValue], changes: dict[str, JSONValue], kind: GoType) -> None:
        """Merge the lists whose order a patch states, and leave the rest of the patch."""
        for name in [name for name in changes if name.startswith(_ORDER)]:
            order = changes.pop(name)
            key = _named(name, _ORDER, _BAD_ORDER)
            if not isinstance(order, list):
                raise _other_type("[]interface {}", order)
            given: list[JSONValue] = found.get(key, [])
            patched: list[JSONValue] = changes.get(key, [])
            for present, value in ((key in found, given), (key in changes, patched)):
                if present and not isinstance(value, list):
                    raise _other_type("[]interface {}", value)
            kind_of_list = self._list_type(kind, key)
            _demand_in_order(patched, order, kind_of_list.key)
            if key not in found and key not in changes:
                continue
            if key in found:
                merged = self._merged_list(given, patched, kind_of_list) if key in changes else given
            else:
                merged = _bare(patched) if self.cleans else patched
            _types_alike(given, patched)
            stated, others = _parted(merged, order, kind_of_list.key)
            found[key] = _interleaved(stated, others, order, given, kind_of_list.key)
            changes.pop(key, None)

    def _list_type(self, kind: GoType, name: str) -> _ListType:
        struct = kind.go if isinstance(kind, Struct) else ""
        found = _field(kind, name)
        if not isinstance(found, List):
            raise StrategicError("expected slice or array type, but got: struct")
        key = self.lists.get((struct, name))
        return _ListType(key is not None, key or "", found.item)

    def _merged_list(
        self, given: Sequence[JSONValue], patched: Sequence[JSONValue], kind: _ListType
    ) -> list[JSONValue]:
        if not kind.is_merged:
            return list(patched)
        if not given and not patched:
            return []
        if not _types_alike(given, patched):
            scalars = _once([*given, *patched])
            stated, others = _parted(scalars, patched, "")
            return _interleaved(stated, others, patched, given, "")
        if not kind.key:
            raise StrategicError("cannot merge lists without merge key for string")
        return self._merged_objects(given, patched, kind)

    def _merged_objects(
        self, given: Sequence[JSONValue], patched: Sequence[JSONValue], kind: _ListType
    ) -> list[JSONValue]:
        stated: list[JSONValue] = []
        left = list(given)
        replaces = False
        for item in patched:
            directive = item.get(_DIRECTIVE)
            if _DIRECTIVE not in item:
                stated.append(item)
            elif directive == "delete":
                left = [one for one in left if not jsonvalue.equal(one.get(kind.key), _key_of(item, kind.key))]
            elif directive == "merge":
                raise StrategicError("merging lists cannot yet be specified in the patch")
            elif directive != "replace":
                raise _unknown(directive, item)
            replaces = replaces or directive == "replace"
        if replaces:
            left, stated = stated, []
        merged = list(left)
        for item in stated:
            value = _key_of(item, kind.key)
            place = next((at for at, one in enumerate(merged) if jsonvalue.equal(one.get(kind.key), value)), None)
            if place is None:
                merged.append(item)
            else:
                merged[place] = self.merged(merged[place], item, kind.items)
        of_patch, others = _parted(merged, stated, kind.key)
        return _interleaved(of_patch, others, stated, left, kind.key)


def _replaced(patch: dict[str, JSONValue]) -> JSONObject:
    directive = patch[_DIRECTIVE]
    if directive == "replace":
        del patch[_DIRECTIVE]
        return patch
    if directive == "delete":
        return {}
    raise _unknown(directive, patch)


def _bare(value: JSONValue) -> JSONValue:
    """Return a value of a patch without nulls and directives; objects are changed themselves."""
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
    """Return the fields of a document that stay, where a patch says which; it does not say so any more then."""
    if _RETAIN_KEYS not in patch:
        return dict(document)
    kept = patch.pop(_RETAIN_KEYS)
    stated = {key for key, value in patch.items() if value is not None and not key.startswith((_DELETE_FROM, _ORDER))}
    if not isinstance(kept, list) or not all(key in kept for key in stated):
        raise StrategicError(_BAD_RETAIN_KEYS)
    return {key: value for key, value in document.items() if key in kept}


def _demand_in_order(patched: Sequence[JSONValue], order: Sequence[JSONValue], key: str) -> None:
    """Pass when what a patch states of a list is in the order that it states."""
    if not patched or not order:
        return
    rest = iter(order)
    stated = [item for item in patched if not _is_directive(item)]
    if not all(any(_alike(item, one, key) for one in rest) for item in stated):
        shown = " ".join(map(printed, patched)), " ".join(map(printed, order))
        raise StrategicError(f"The order in patch list:\n[{shown[0]}]\n doesn't match {_ORDER} list:\n[{shown[1]}]\n")


def _interleaved(
    stated: Sequence[JSONValue],
    others: Sequence[JSONValue],
    order: Sequence[JSONValue],
    before: Sequence[JSONValue],
    key: str,
) -> list[JSONValue]:
    """
    Return items in their order: those that a patch states as it states them, the others where they were.

    Reference:
        apimachinery util/strategicpatch/patch.go, normalizeElementOrder.
    """
    for item in (*stated, *order, *others, *before) if key else ():
        _demand_key(item, key)
    right = sorted(stated, key=lambda item: _index(order, item, key))
    left = sorted(others, key=lambda item: _index(before, item, key))
    found: list[JSONValue] = []
    while left and right:
        here, there = _index(before, left[0], key), _index(before, right[0], key)
        found.append(left.pop(0) if 0 <= here < there else right.pop(0))
    return [*found, *left, *right]


def _deleted(given: Sequence[JSONValue], gone: Sequence[JSONValue]) -> list[JSONValue]:
    if given or gone:
        _types_alike(given, gone)
    return [item for item in given if _index(gone, item, "") < 0]


def _types_alike(*lists: Sequence[JSONValue]) -> bool:
    """
    Return whether items are objects.

    Raises:
        StrategicError: They are not of one type, or are lists; or there are none.
    """
    names = [_go_type(item) for one in lists for item in one]
    if not names:
        raise StrategicError("no elements in any of the given slices")
    if names[0] == "[]interface {}":
        raise StrategicError(_LISTS_OF_LISTS)
    if any(name != names[0] for name in names):
        shown = " ".join(printed(list(one)) for one in lists)
        raise StrategicError(f"list element types are not identical: [{shown}]")
    return names[0] == "map[string]interface {}"


def _once(items: list[JSONValue]) -> list[JSONValue]:
    """Return scalars each once, in the order of the server: the last takes the place of one that was there."""
    length = len(items) - 1
    at = 0
    while at < length:
        other = at + 1
        while other <= length:
            if jsonvalue.equal(items[at], items[other]):
                items[other] = items[length]
                items = items[:length]
                length -= 1
            else:
                other += 1
        at += 1
    return items


def _parted(items: Sequence[JSONValue], by: Sequence[JSONValue], key: str) -> tuple[list[JSONValue], list[JSONValue]]:
    """Return the items that are among others, and those that are not."""
    found: tuple[list[JSONValue], list[JSONValue]] = ([], [])
    for item in items:
        found[0 if _is_among(by, item, key) else 1].append(item)
    return found


def _is_among(items: Sequence[JSONValue], item: JSONValue, key: str) -> bool:
    if not key:
        return _index(items, item, key) >= 0
    value = _key_of(item, key)
    for at, one in enumerate(items):
        if not isinstance(one, dict):
            raise StrategicError(f"value for key {at} is not a map")
        if key in one and jsonvalue.equal(one[key], value):
            return True
    return False


def _index(items: Sequence[JSONValue], item: JSONValue, key: str) -> int:
    value = _value_of(item, key)
    return next((at for at, one in enumerate(items) if jsonvalue.equal(_value_of(one, key), value)), -1)


def _value_of(item: JSONValue, key: str) -> JSONValue:
    """Return what items are ordered by; None of what has it not."""
    if not key:
        return item
    return item.get(key) if isinstance(item, dict) else None


def _alike(one: JSONValue, other: JSONValue, key: str) -> bool:
    if not key:
        return jsonvalue.equal(one, other)
    return jsonvalue.equal(_key_of(one, key), _key_of(other, key))


def _key_of(item: JSONValue, key: str) -> JSONValue:
    _demand_key(item, key)
    if isinstance(item[key], dict | list):  # which Go cannot compare
        raise StrategicError(f"the server panics over a merge key that is no scalar: {printed(item[key])}")
    return item[key]


def _demand_key(item: JSONValue, key: str) -> None:
    """Pass when something is an object that has a key."""
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
    found = kind.fields[name]
    return found.to if isinstance(found, Pointer) else found


def _named(directive: str, prefix: str, problem: str) -> str:
    """Return the field that a directive is for, `finalizers` of `$setElementOrder/finalizers`."""
    before, slash, name = directive.partition("/")
    if not slash or before != prefix:
        raise StrategicError(problem)
    return name


def _unknown(directive: JSONValue, patch: JSONObject) -> StrategicError:
    shown = directive if isinstance(directive, str) else f"%!s({_go_type(directive)}={printed(directive)})"
    return StrategicError(f"unknown patch type: {shown} in map: {printed(patch)}")


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
