"""When the server does not get as far as the validation rules (`x-kubernetes-validations`) of a resource."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from pytest_crd.engine.errors import badvalues
from pytest_crd.engine.errors.fielderror import ErrorType, FieldError
from pytest_crd.engine.fieldpath import FieldPath
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
    return badvalues.invalid_as(FieldPath(), None, printed, _NOT_CHECKED)


def is_notice(error: FieldError) -> bool:
    """Return whether *error* is the one that `blocked` gives, which says nothing of the resource itself."""
    return error.field == str(FieldPath()) and error.detail == _NOT_CHECKED
