"""Context of validation rules (`x-kubernetes-validations`) in a request: the metadata that they see, and the errors that block them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple, TypeAlias

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.errors import badvalues
from pytest_crd.engine.errors.fielderror import ErrorType, FieldError
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.metadata import systemmetadata
from pytest_crd.engine.metadata.systemmetadata import SERVER_MADE
from pytest_crd.engine.profile import Profile

_BLOCKING: Final = frozenset(
    {
        ErrorType.NOT_SUPPORTED,
        ErrorType.REQUIRED,
        ErrorType.TOO_LONG,
        ErrorType.TOO_MANY,
        ErrorType.TYPE_INVALID,
    }
)
# Placeholders for the server's metadata; rules compare but never read them.
_SYSTEM_METADATA: Final[Mapping[str, JSONValue]] = systemmetadata.of_created(uid="-", now="-")
_MANAGED_FIELDS: Final[Sequence[JSONValue]] = [False]
_UNOWNED: Final = ("apiVersion", "kind", "metadata")
# Returns the managed fields after the request; None if the ones before are unknown.
Entries: TypeAlias = "Callable[[], Sequence[JSONValue]] | None"
_NOT_CHECKED: Final = (
    "some validation rules were not checked because the object was invalid; "
    "correct the existing errors to complete validation"
)


def blocked(errors: Iterable[FieldError], profile: Profile) -> FieldError | None:
    """
    Return the notice that blocking *errors* prevent the evaluation of rules, or None if they do not.

    Args:
        errors: The other errors of a resource.
        profile: The reproduced Kubernetes version.

    Errors:
        Invalid, without a field.

    Reference:
        apiextensions-apiserver registry/customresource/strategy.go, hasBlockingErr.
    """
    if not any(error.type in _BLOCKING for error in errors):
        return None
    printed = None if profile.prints_values_as_json else '"null"'
    return replace(badvalues.invalid_as(FieldPath(), None, printed, _NOT_CHECKED), path=None)


class ManagedFields(NamedTuple):
    """
    Effect of an update on the server's metadata.

    Attributes:
        before: The managed fields before, or a placeholder; empty if there were none.
        now: The managed fields after the update; different if the update changes them.
        generates: Whether the update increments the generation.
    """

    before: Sequence[JSONValue]
    now: Sequence[JSONValue]
    generates: bool = False


def managed(resource: Resource, old: Resource, entries: Entries) -> ManagedFields:
    """
    Return the effect of an update to *resource* on the managed fields and the generation of *old*.

    Args:
        resource: The validated object; its status is the stored one.
        old: The stored object. Without managed fields, its creator counts as their owner.
        entries: Returns the managed fields after the update; None if the ones before are unknown.
    """
    changes = not jsonvalue.equal(_with({}, resource), _with({}, old))
    return _managed(old, entries, changes=changes, is_owned=lambda: _has_owned_fields(resource))._replace(
        generates=changes
    )


def managed_status(sent: Resource, old: Resource, entries: Entries, profile: Profile) -> ManagedFields:
    """
    Return the effect of an update of the status to *sent* on the managed fields of *old*.

    The server ignores the spec of *sent*, and its metadata since 1.36. A change of any other field counts, even though
    only the status is stored.

    Reference:
        apiextensions-apiserver registry/customresource/status_strategy.go, GetResetFields.
    """
    ignored = ("metadata", "spec") if profile.apply.keeps_metadata_from_status else ("spec",)
    new_fields, old_fields = ({"metadata": {}, **_without(resource, ignored)} for resource in (sent, old))
    kept_fields = {"metadata": {}, **{key: old[key] for key in ignored if key in old}}
    changes = not jsonvalue.equal(_owned(new_fields), _owned(old_fields))
    return _managed(
        old, entries, changes=changes, is_owned=lambda: _has_owned_fields(new_fields) or _has_owned_fields(kept_fields)
    )


def _managed(old: Resource, entries: Entries, *, changes: bool, is_owned: Callable[[], bool]) -> ManagedFields:
    before: Sequence[JSONValue] = old["metadata"].get("managedFields") or (
        _MANAGED_FIELDS if _has_owned_fields(old) else ()
    )
    if entries is not None:
        entries_now = entries()
        return ManagedFields(before, [*entries_now, changes] if changes and entries_now else entries_now)
    # An update does not start to track an object without owned fields.
    return ManagedFields(before, [changes] if before and is_owned() else ())


def untracked(managed_fields: ManagedFields, profile: Profile) -> ManagedFields:
    """
    Return the effect of an update of mistyped objects: their managed fields stay, or before 1.37 are dropped.

    Reference:
        apimachinery pkg/util/managedfields/internal/structuredmerge.go, Update.
    """
    return managed_fields._replace(now=managed_fields.before if profile.apply.keeps_owners_on_errors else ())


def with_system_metadata(resource: Resource, old: Resource, managed_fields: ManagedFields) -> tuple[Resource, Resource]:
    """
    Return a resource and its predecessor with the server's metadata, as rules see them.

    Rules cannot read that metadata, but its size and its changes count.

    Args:
        resource: The validated object; not modified.
        old: The stored object; not modified.
        managed_fields: The effect of the update on the server's metadata.

    Reference:
        apiserver registry/rest/create.go, FillObjectMetaSystemFields; apimachinery pkg/util/managedfields.
    """
    before = {**_SYSTEM_METADATA, "resourceVersion": ""}
    now = {**systemmetadata.of_updated(before, generates=managed_fields.generates), "resourceVersion": ""}
    return (
        _with(_counted({**now, "managedFields": managed_fields.now}), resource),
        _with(_counted({**before, "managedFields": managed_fields.before}), old),
    )


def with_created_metadata(resource: Resource, entries: Entries) -> Resource:
    """Return a new resource with the server's metadata, as rules see it; managed fields exist only if it has fields to own."""
    is_owned = _has_owned_fields(resource) if entries is None else bool(entries())
    return _with(_counted({**_SYSTEM_METADATA, "managedFields": _MANAGED_FIELDS if is_owned else ()}), resource)


def _counted(metadata: Mapping[str, JSONValue]) -> Mapping[str, JSONValue]:
    return {key: value for key, value in metadata.items() if key != "managedFields" or value}


def _has_owned_fields(resource: Resource) -> bool:
    """Return whether a resource has any field that its creator owns."""
    return any(key not in _UNOWNED for key in resource) or any(
        key not in systemmetadata.UNOWNED for key in resource["metadata"]
    )


def _without(resource: Resource, fields: Sequence[str]) -> Resource:
    return {key: value for key, value in resource.items() if key not in fields}


def _owned(resource: Resource) -> Resource:
    metadata = _without(resource["metadata"], [*systemmetadata.UNOWNED])
    return {**_without(resource, _UNOWNED), "metadata": metadata}


def _with(system_metadata: Mapping[str, JSONValue], resource: Resource) -> Resource:
    metadata = {key: value for key, value in resource["metadata"].items() if key not in SERVER_MADE}
    return {**resource, "metadata": {**metadata, **system_metadata}}


def is_notice(error: FieldError) -> bool:
    """Return whether *error* is the notice of `blocked`, which is not about the resource itself."""
    return error.path is None and error.detail == _NOT_CHECKED
