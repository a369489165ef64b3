"""Metadata of objects after the mutating webhooks."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from pytest_crd.engine.errors import fielderror, refusal
from pytest_crd.engine.errors.refusal import Refusal
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang import converting, printing
from pytest_crd.engine.golang.converting import MistypedError
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.metadata import metav1types
from pytest_crd.engine.registry.fieldmanager import managers
from pytest_crd.engine.registry.fieldmanager.managers import BrokenEntriesError
from pytest_crd.engine.registry.requestbody import RefusedError

# The server sets these fields after admission, and the uid of a new object.
_REPLACED: Final = ("creationTimestamp", "generation")
_METADATA: Final = FieldPath(("metadata",))
_INVALID: Final = (
    ".metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating "
    "admission controller; please fix your requests: "
)


def settle(before: Resource, after: Resource) -> tuple[Resource, tuple[str, ...]]:
    """
    Return an object after admission and a warning if its managed fields are malformed; it then keeps the old ones.

    Args:
        before: The object before admission.
        after: The object after admission.

    Raises:
        RefusedError: 500: its metadata is no object; 422: a field of its metadata has a wrong type.

    Reference:
        apiserver endpoints/handlers/fieldmanager/admission.go; registry/rest/create.go, BeforeCreate;
        apiextensions-apiserver apiserver/schema/objectmeta/coercion.go, GetObjectMetaWithOptions.
    """
    if "metadata" not in after:
        return after, ()
    metadata = after["metadata"]
    if not isinstance(metadata, Mapping):
        raise RefusedError(refusal.internal_error("system metadata was not initialized"))
    replaced = _REPLACED if (before.get("metadata") or {}).get("uid") else (*_REPLACED, "uid")
    _demand_types(metadata, after, replaced)
    old_entries = (before.get("metadata") or {}).get("managedFields")
    if metadata.get("managedFields") == old_entries:
        return after, ()
    try:
        managers.read(entry or {} for entry in metadata.get("managedFields") or ())
    except BrokenEntriesError as error:
        kept = {key: value for key, value in metadata.items() if key != "managedFields"}
        restored = kept if old_entries is None else {**kept, "managedFields": old_entries}
        return {**after, "metadata": restored}, (f"{_INVALID}{error}",)
    return after, ()


def _demand_types(metadata: Mapping[str, JSONValue], resource: Resource, replaced: Collection[str]) -> None:
    try:
        sent = {key: value for key, value in metadata.items() if key not in replaced}
        converting.convert(sent, metav1types.OBJECT_META)
    except MistypedError as error:
        kind, group = resource.get("kind"), str(resource.get("apiVersion", "")).rpartition("/")[0]
        errors = (fielderror.invalid(_METADATA, metadata, str(error)),)
        name = metadata.get("name")
        text = name if isinstance(name, str) else ""
        message = f"{kind}.{group} {printing.quote(text)} is invalid: {fielderror.aggregate(errors)}"
        subject = {key: value for key, value in (("name", text), ("group", group), ("kind", str(kind))) if value}
        raise RefusedError(Refusal(422, "Invalid", message, errors, subject=subject)) from None
