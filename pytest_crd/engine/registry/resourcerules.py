"""Validation rules (`x-kubernetes-validations`) in a request: what they see of its resource, and what keeps them from being evaluated."""

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
from pytest_crd.engine.metadata.requestmetadata import SERVER_MADE
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
# What a server makes of the metadata of every resource; the values are compared, and never read.
_MADE: Final[Mapping[str, JSONValue]] = {"creationTimestamp": "", "generation": 1, "managedFields": [False], "uid": ""}
_OWNED_BY_NOBODY: Final = ("apiVersion", "kind", "metadata")
_METADATA_OWNED_BY_NOBODY: Final = SERVER_MADE | {"name", "namespace", "clusterName"}
# Returns the managed fields that a request makes, where what there was before is known; else None.
Entries: TypeAlias = "Callable[[], Sequence[JSONValue]] | None"
_NOT_CHECKED: Final = (
    "some validation rules were not checked because the object was invalid; "
    "correct the existing errors to complete validation"
)


def blocked(errors: Iterable[FieldError], profile: Profile) -> FieldError | None:
    """
    Return the error that stands for the rules where *errors* keep the server from evaluating them, else None.

    Args:
        errors: What is wrong with a resource otherwise.
        profile: How the error is printed.

    Errors:
        Invalid, at no field.

    Reference:
        apiextensions-apiserver registry/customresource/strategy.go, hasBlockingErr.
    """
    if not any(error.type in _BLOCKING for error in errors):
        return None
    printed = None if profile.prints_values_as_json else '"null"'
    return replace(badvalues.invalid_as(FieldPath(), None, printed, _NOT_CHECKED), path=None)


class ManagedFields(NamedTuple):
    """
    What an update does to the metadata that a server makes.

    Attributes:
        before: The managed fields before, or what stands for them; empty where nobody owned anything.
        now: The same after the update: other ones where the update changes them.
        generation: The generation after the update; 1 before.
    """

    before: Sequence[JSONValue]
    now: Sequence[JSONValue]
    generation: int = 1


def managed(resource: Resource, old: Resource, entries: Entries) -> ManagedFields:
    """
    Return what an update to *resource* does to the managed fields of *old*, and to its generation.

    Args:
        resource: As it is validated, so that of a status it has what is stored.
        old: As it is read from storage. One without managed fields is taken for one that somebody created who owns what it states.
        entries: Returns the managed fields after the update, where those before are known; else None.
    """
    changes = not jsonvalue.equal(_with({}, resource), _with({}, old))
    return _managed(old, entries, changes=changes, is_owned=lambda: _states(resource))._replace(generation=1 + changes)


def managed_status(sent: Resource, old: Resource, entries: Entries, profile: Profile) -> ManagedFields:
    """
    Return what an update of the status to what is *sent* does to the managed fields of *old*.

    The spec is taken out of what is sent before, and the metadata since 1.36. Any other field counts, though only the status is stored.

    Reference:
        apiextensions-apiserver registry/customresource/status_strategy.go, GetResetFields.
    """
    ignored = ("metadata", "spec") if profile.apply.keeps_metadata_from_status else ("spec",)
    bare, were = ({"metadata": {}, **_without(one, ignored)} for one in (sent, old))
    kept = {"metadata": {}, **{key: old[key] for key in ignored if key in old}}
    changes = not jsonvalue.equal(_owned(bare), _owned(were))
    return _managed(old, entries, changes=changes, is_owned=lambda: _states(bare) or _states(kept))


def _managed(old: Resource, entries: Entries, *, changes: bool, is_owned: Callable[[], bool]) -> ManagedFields:
    before: Sequence[JSONValue] = old["metadata"].get("managedFields") or (
        _MADE["managedFields"] if _states(old) else ()
    )
    if entries is not None:
        found = entries()
        return ManagedFields(before, [*found, changes] if changes and found else found)
    # An update does not begin to track what nobody owns anything of.
    return ManagedFields(before, [changes] if before and is_owned() else ())


def seen(resource: Resource, old: Resource, made: ManagedFields) -> tuple[Resource, Resource]:
    """
    Return a resource and the one that it replaces as rules see them: with the metadata that a server makes.

    Rules cannot read that metadata, but they count it, and compare it: with what an update changes, the managed fields change too.

    Args:
        resource: As it is validated; not modified.
        old: As it is read from storage; not modified.
        made: What the update does to the metadata that a server makes.

    Reference:
        apiserver registry/rest/create.go, FillObjectMetaSystemFields; apimachinery pkg/util/managedfields.
    """
    common = {**_MADE, "resourceVersion": ""}
    return (
        _with(_counted({**common, "managedFields": made.now, "generation": made.generation}), resource),
        _with(_counted({**common, "managedFields": made.before}), old),
    )


def seen_created(resource: Resource, entries: Entries) -> Resource:
    """Return a resource that is created as rules see it: see `seen`; one that states nothing is managed by nobody."""
    is_owned = _states(resource) if entries is None else bool(entries())
    return _with(_counted({**_MADE, "managedFields": _MADE["managedFields"] if is_owned else ()}), resource)


def _counted(made: Mapping[str, JSONValue]) -> Mapping[str, JSONValue]:
    return {key: value for key, value in made.items() if key != "managedFields" or value}


def _states(resource: Resource) -> bool:
    """Return whether a resource has any field that its creator owns."""
    return any(key not in _OWNED_BY_NOBODY for key in resource) or any(
        key not in _METADATA_OWNED_BY_NOBODY for key in resource["metadata"]
    )


def _without(resource: Resource, fields: Sequence[str]) -> Resource:
    return {key: value for key, value in resource.items() if key not in fields}


def _owned(resource: Resource) -> Resource:
    metadata = _without(resource["metadata"], [*_METADATA_OWNED_BY_NOBODY])
    return {**_without(resource, _OWNED_BY_NOBODY), "metadata": metadata}


def _with(made: Mapping[str, JSONValue], resource: Resource) -> Resource:
    metadata = {key: value for key, value in resource["metadata"].items() if key not in SERVER_MADE}
    return {**resource, "metadata": {**metadata, **made}}


def is_notice(error: FieldError) -> bool:
    """Return whether *error* is the one that `blocked` gives, which says nothing of the resource itself."""
    return error.path is None and error.detail == _NOT_CHECKED
