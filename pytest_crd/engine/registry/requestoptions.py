"""Validation of a request's URL parameters and of the media type of a patch, before its object is checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pytest_crd import lazyimport
from pytest_crd.engine.errors import fielderror, refusal
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.errors.refusal import Refusal
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry.request import Request

if TYPE_CHECKING:
    from pytest_crd.engine.metadata import managedfields
else:
    managedfields = lazyimport.module("pytest_crd.engine.metadata.managedfields")

KINDS: Final = {"create": "CreateOptions", "update": "UpdateOptions", "patch": "PatchOptions"}
JSON_PATCH: Final = "application/json-patch+json"
MERGE_PATCH: Final = "application/merge-patch+json"
APPLY: Final = "application/apply-patch+yaml"
STRATEGIC_MERGE_PATCH: Final = "application/strategic-merge-patch+json"
MEDIA_TYPES: Final = (JSON_PATCH, MERGE_PATCH, APPLY)
# Kinds with a Go type, such as CRDs, take strategic merge patches, too.
MEDIA_TYPES_OF_BUILT_IN: Final = (JSON_PATCH, MERGE_PATCH, STRATEGIC_MERGE_PATCH, APPLY)


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
    if is_apply(request.verb, request.media_type):
        if not request.field_manager:
            errors.append(fielderror.required(FieldPath(("fieldManager",)), "is required for apply patch"))
    elif request.verb == "patch" and request.force is not None:
        errors.append(fielderror.forbidden(FieldPath(("force",)), "may not be specified for non-apply patch"))
    if request.field_manager:
        errors += managedfields.validate_manager(request.field_manager, FieldPath(("fieldManager",)), profile)
    return errors


def refuse_media_type(media_type: str, *, is_built_in: bool = False) -> Refusal | None:
    """
    Return the refusal of a PATCH with an unsupported media type, or None.

    Args:
        media_type: The Content-Type; may have parameters.
        is_built_in: Whether the resource has a Go type: it has an additional media type, and the router refuses others.

    Reference:
        apiserver endpoints/handlers/negotiation/errors.go, NewUnsupportedMediaTypeError; emicklei/go-restful jsr311.go.
    """
    supported = MEDIA_TYPES_OF_BUILT_IN if is_built_in else MEDIA_TYPES
    if plain_media_type(media_type) in supported:
        return None
    listed = f"accepted media types include: {', '.join(supported)}"
    words = (
        "415: Unsupported Media Type" if is_built_in else f"the body of the request was in an unknown format - {listed}"
    )
    return Refusal(415, "UnsupportedMediaType", words)


def is_apply(verb: str, media_type: str) -> bool:
    """Return whether a request is a server-side apply."""
    return verb == "patch" and plain_media_type(media_type) == APPLY


def plain_media_type(media_type: str) -> str:
    """Return a media type without parameters."""
    return media_type.partition(";")[0]
