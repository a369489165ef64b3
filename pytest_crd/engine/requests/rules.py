"""Validation rules (`x-kubernetes-validations`) in a request: what they see of its resource, and what keeps them from being evaluated."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

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


def seen(resource: Resource, old: Resource, *, changes: bool) -> tuple[Resource, Resource]:
    """
    Return a resource and the one that it replaces as rules see them: with the metadata that a server makes.

    Rules cannot read that metadata, but they count it, and compare it: with what an update changes, the managed fields change too.

    Args:
        resource: As it is validated; not modified.
        old: As it is read from storage; not modified.
        changes: Whether the update changes anything that managed fields are about.

    Reference:
        apiserver registry/rest/create.go, FillObjectMetaSystemFields; apimachinery pkg/util/managedfields.
    """
    made = {**_MADE, "managedFields": [changes], "resourceVersion": ""}
    return _with(made, resource), _with({**made, "managedFields": _MADE["managedFields"]}, old)


def seen_created(resource: Resource) -> Resource:
    """Return a resource that is created as rules see it: see `seen`."""
    return _with(_MADE, resource)


def changes(resource: Resource, old: Resource) -> bool:
    """Return whether an update to *resource* changes *old*, beside the metadata that a server makes."""
    return not jsonvalue.equal(_with({}, resource), _with({}, old))


def changes_status(sent: Resource, old: Resource) -> bool:
    """
    Return whether an update of the status to what is *sent* changes the managed fields of *old*.

    Spec and metadata are taken out of what is sent before; any other field counts, though only the status is stored.

    Reference:
        apiextensions-apiserver registry/customresource/status_strategy.go, GetResetFields.
    """
    ours, theirs = ({**one, "metadata": None, "spec": None} for one in (sent, old))
    return not jsonvalue.equal(ours, theirs)


def _with(made: Mapping[str, JSONValue], resource: Resource) -> Resource:
    metadata = {key: value for key, value in resource["metadata"].items() if key not in SERVER_MADE}
    return {**resource, "metadata": {**metadata, **made}}


def is_notice(error: FieldError) -> bool:
    """Return whether *error* is the one that `blocked` gives, which says nothing of the resource itself."""
    return error.path is None and error.detail == _NOT_CHECKED
