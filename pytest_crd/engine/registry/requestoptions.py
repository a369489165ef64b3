"""Validation of a request's URL parameters, before its object is checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pytest_crd import lazyimport
from pytest_crd.engine.errors import fielderror, refusal
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.errors.refusal import Refusal
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry.patching import mediatypes
from pytest_crd.engine.registry.request import Request

if TYPE_CHECKING:
    from pytest_crd.engine.metadata import managedfields
else:
    managedfields = lazyimport.module("pytest_crd.engine.metadata.managedfields")

KINDS: Final = {"create": "CreateOptions", "update": "UpdateOptions", "patch": "PatchOptions"}


def refuse(request: Request, profile: Profile) -> Refusal | None:
    """
    Return the refusal of a request with invalid options, or None.

    Args:
        request: The request.
        profile: The reproduced Kubernetes version.

    Errors:
        Required, Forbidden: The field manager of an apply is missing, or another request sets force.
        TooLong, Invalid: The name of the field manager.

    Reference:
        apimachinery apis/meta/v1/validation/validation.go, ValidateCreateOptions, ValidateUpdateOptions, ValidatePatchOptions.
    """
    errors = find_errors(request, profile)
    return refusal.invalid_options(KINDS[request.verb], errors) if errors else None


def find_errors(request: Request, profile: Profile) -> list[FieldError]:
    """Return the errors of the field manager and of `force`, in the server's order."""
    errors: list[FieldError] = []
    if mediatypes.is_apply(request.verb, request.media_type):
        if not request.field_manager:
            errors.append(fielderror.required(FieldPath(("fieldManager",)), "is required for apply patch"))
    elif request.verb == "patch" and request.force is not None:
        errors.append(fielderror.forbidden(FieldPath(("force",)), "may not be specified for non-apply patch"))
    if request.field_manager:
        errors += managedfields.validate_manager(request.field_manager, FieldPath(("fieldManager",)), profile)
    return errors
