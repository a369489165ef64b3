"""Metadata of objects after the mutating admission plugins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pytest_crd.engine.errors import refusal
from pytest_crd.engine.golang import converting
from pytest_crd.engine.golang.converting import MistypedError
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.metadata import metav1types
from pytest_crd.engine.registry.fieldmanager import managers
from pytest_crd.engine.registry.fieldmanager.managers import BrokenEntriesError
from pytest_crd.engine.registry.requestbody import RefusedError

_ENTRIES: Final = metav1types.OBJECT_META.fields["managedFields"]
_INVALID: Final = (
    ".metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating "
    "admission controller; please fix your requests: "
)


def settle(before: Resource, after: Resource, *, is_update: bool = False) -> tuple[Resource, tuple[str, ...]]:
    """
    Return an object after admission and a warning if its managed fields are malformed; it then keeps the old ones.

    Args:
        before: The object before admission.
        after: The object after admission.
        is_update: True if it replaces a stored object: metadata that is no object then counts as empty.

    Raises:
        RefusedError: 500: the metadata of a new object is no object.

    Reference:
        apiserver endpoints/handlers/fieldmanager/admission.go; registry/rest/create.go, BeforeCreate;
        apimachinery apis/meta/v1/unstructured, GetManagedFields.
    """
    if "metadata" not in after:
        return after, ()
    metadata = after["metadata"]
    if not isinstance(metadata, Mapping):
        if is_update:
            return {**after, "metadata": {}}, ()
        raise RefusedError(refusal.internal_error("system metadata was not initialized"))
    old_entries, entries = (before.get("metadata") or {}).get("managedFields"), metadata.get("managedFields")
    # The server reads no entries in a list with a null or a wrong type.
    if entries == old_entries or _are_mistyped(entries) or None in (entries or ()):
        return after, ()
    kept = {key: value for key, value in metadata.items() if key != "managedFields"}
    try:
        managers.read(entries or ())
    except BrokenEntriesError as error:
        restored = kept if old_entries is None else {**kept, "managedFields": old_entries}
        return {**after, "metadata": restored}, (f"{_INVALID}{error}",)
    return after, ()


def _are_mistyped(entries: JSONValue) -> bool:
    try:
        converting.convert(entries, _ENTRIES)
    except MistypedError:
        return True
    return False
