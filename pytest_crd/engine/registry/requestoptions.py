"""The options of a request, its parameters in the URL: what the server finds wrong with them before it looks at the object."""

from __future__ import annotations

from typing import Final

from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.errors.refusal import Refusal
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.metadata import managedfields
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry.patching import mediatypes
from pytest_crd.engine.registry.request import Request

_GROUP: Final = "meta.k8s.io"
_KINDS: Final = {"create": "CreateOptions", "update": "UpdateOptions", "patch": "PatchOptions"}


def refuse(asked: Request, profile: Profile) -> Refusal | None:
    """
    Return why a request is refused for its options, or None.

    Args:
        asked: The request.
        profile: Whose words.

    Errors:
        Required, Forbidden: The field manager of an apply, the force of anything else. TooLong, Invalid: The name of the
        field manager.

    Reference:
        apimachinery apis/meta/v1/validation/validation.go, ValidateCreateOptions, ValidateUpdateOptions, ValidatePatchOptions.
    """
    errors: list[FieldError] = []
    if mediatypes.is_apply(asked.verb, asked.media_type):
        if not asked.field_manager:
            errors.append(fielderror.required(FieldPath(("fieldManager",)), "is required for apply patch"))
    elif asked.verb == "patch" and asked.force is not None:
        errors.append(fielderror.forbidden(FieldPath(("force",)), "may not be specified for non-apply patch"))
    errors += managedfields.validate_manager(asked.field_manager, FieldPath(("fieldManager",)), profile)
    if not errors:
        return None
    kind = _KINDS[asked.verb]
    message = f'{kind}.{_GROUP} "" is invalid: {fielderror.aggregate(errors)}'
    return Refusal(422, "Invalid", message, tuple(errors), subject={"group": _GROUP, "kind": kind})
