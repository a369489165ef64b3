"""
Patches in case files: the server's JSON Patch and merge patch, with `times`, and stricter about typos.

An `add` or `replace` may have `times`, an extension that RFC 6902 permits: the text or list is repeated that often.
A server accepts a `replace`, a `copy`, a `test` for null or a null of a missing field. In a case file they are mistakes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from pytest_crd import lazyimport
from pytest_crd.engine import jsonvalue
from pytest_crd.engine.golang.release import JsonPatchRelease
from pytest_crd.engine.jsonvalue import JSONValue

if TYPE_CHECKING:
    from pytest_crd.engine.registry.patching import jsonpatch, mergepatch
else:
    jsonpatch = lazyimport.module("pytest_crd.engine.registry.patching.jsonpatch")
    mergepatch = lazyimport.module("pytest_crd.engine.registry.patching.mergepatch")

PatchOperation: TypeAlias = Mapping[str, JSONValue]

_RELEASE: Final = JsonPatchRelease()
# More than a server reads of one request.
_MOST_REPEATED: Final = 3_000_000
# The pointers that must name an existing field.
_EXISTING: Final = {"replace": "path", "copy": "from", "test": "path"}


class PatchError(ValueError):
    """
    A patch that cannot be applied.

    Attributes:
        place: The path of the failing part inside the patch: the 0-based index of an operation, or the keys to a null.
    """

    def __init__(self, place: Sequence[str | int], message: str) -> None:
        self.place = place
        super().__init__(message)


def apply(value: JSONValue, patch: JSONValue) -> JSONValue:
    """
    Return *value* after a patch; the result shares unchanged parts with *value* and *patch*.

    Args:
        value: JSON value; not modified.
        patch: The operations of a JSON Patch, in a sequence; or a merge patch.

    Raises:
        PatchError: An operation fails or names a missing field, a value cannot be repeated that often, or a null of a merge
            patch removes nothing.
    """
    if isinstance(patch, Mapping):
        for place in find_idle_nulls(value, patch):
            raise PatchError(
                place, f"the null at {_written(place)} removes nothing; to send a null, write operations (`op: add`)"
            )
        return mergepatch.merge(value, patch, _RELEASE)
    for index, operation in enumerate(patch):
        try:
            value = _apply_operation(value, operation)
        except (jsonpatch.OperationError, PatchError) as error:
            raise PatchError((index,), f"{operation['op']} {operation['path']!r}: {error}") from None
    return value


def preview(old: JSONValue, patch: JSONValue) -> JSONValue:
    """Return *old* after a patch without `times` that a server applies; empty if the patch fails."""
    if isinstance(patch, Mapping):
        return mergepatch.merge(old, patch, _RELEASE)
    try:
        return jsonpatch.apply(old, patch, _RELEASE)
    except jsonpatch.OperationError:
        return {}


def repeat_value(operation: PatchOperation) -> PatchOperation:
    """
    Return an operation without `times`, its value repeated accordingly.

    Raises:
        PatchError: The value cannot be repeated so often.
    """
    if "times" not in operation:
        return operation
    value, times = operation["value"], operation["times"]
    if not isinstance(value, str | list):
        raise PatchError((), f"'times' is for a text or a list, not for {jsonvalue.type_of(value)}")
    if len(value) * times > _MOST_REPEATED:
        unit = "characters" if isinstance(value, str) else "items"
        raise PatchError((), f"{len(value) * times:,} {unit} are too many")
    return {key: value * times if key == "value" else item for key, item in operation.items() if key != "times"}


def _apply_operation(value: JSONValue, operation: PatchOperation) -> JSONValue:
    pointer = operation[_EXISTING[operation["op"]]] if operation["op"] in _EXISTING else ""
    if pointer and not _exists(value, pointer):
        raise PatchError((), f"nothing is at {pointer}")
    return jsonpatch.apply(value, [repeat_value(operation)], _RELEASE)


def _exists(value: JSONValue, pointer: str) -> bool:
    """Return whether *pointer* names a field or item: something that a server can remove."""
    try:
        jsonpatch.apply(value, [{"op": "remove", "path": pointer}], _RELEASE)
    except jsonpatch.OperationError:
        return False
    return True


def find_idle_nulls(value: JSONValue, patch: JSONValue) -> Iterator[tuple[str | int, ...]]:
    """
    Yield the places of the nulls in a patch that change nothing in *value*.

    In a merge patch these are nulls that name a missing field, and nulls in lists, which a server drops. In a JSON Patch these are
    `test` operations for null.
    """
    if isinstance(patch, Mapping):
        yield from _find_in_merge(value, patch)
        return
    for operation in patch:
        if operation["op"] == "test" and operation["value"] is None:
            yield jsonpatch.parse_pointer(operation["path"])


def _find_in_merge(value: JSONValue, patch: JSONValue) -> Iterator[tuple[str | int, ...]]:
    if isinstance(patch, list):
        for index, item in enumerate(patch):
            yield from ((index, *place) for place in _find_in_merge(None, item))
    elif isinstance(patch, dict):
        fields = value if isinstance(value, dict) else {}
        for key, item in patch.items():
            if item is None and key not in fields:
                yield (key,)
            yield from ((key, *place) for place in _find_in_merge(fields.get(key), item))


def _written(place: Sequence[str | int]) -> str:
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in place)
    return "".join(steps).removeprefix(".")
