"""
API approval of CRDs in groups of the Kubernetes community.

Reference: KEP-1111; apiextensions-apiserver apihelpers/helpers.go.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from pytest_crd import lazyimport
from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.profile import Profile

if TYPE_CHECKING:
    from pytest_crd.engine.golang import urls
else:
    urls = lazyimport.module("pytest_crd.engine.golang.urls")

ANNOTATION: Final = "api-approved.kubernetes.io"

_PROTECTED: Final = ("k8s.io", "kubernetes.io")
_SEE: Final = "see https://github.com/kubernetes/enhancements/pull/1111"
_PATH: Final = FieldPath(("metadata", "annotations")).key(ANNOTATION)


class Approval(enum.Enum):
    """State of the approval annotation; the value is the reason of the condition."""

    MISSING = "MissingAnnotation"
    BYPASSED = "UnapprovedAnnotation"
    APPROVED = "ApprovedAnnotation"
    INVALID = "InvalidAnnotation"


def is_protected(group: str) -> bool:
    """
    Return whether CRDs of *group* need approval: `k8s.io`, `kubernetes.io` and their subdomains.

    Reference:
        apiextensions-apiserver apihelpers, IsProtectedCommunityGroup.
    """
    return group in _PROTECTED or group.endswith(tuple(f".{protected}" for protected in _PROTECTED))


def find_state(metadata: Mapping[str, JSONValue], profile: Profile) -> tuple[Approval, str]:
    """
    Return the state of the annotation in *metadata* and the server's message.

    Reference:
        apiextensions-apiserver apihelpers, GetAPIApprovalState.
    """
    text = _annotation(metadata)
    if not text:
        return Approval.MISSING, f"protected groups must have approval annotation {printing.quote(ANNOTATION)}, {_SEE}"
    if text.startswith("unapproved"):
        return Approval.BYPASSED, f"not approved: {printing.quote(text)}"
    if _is_url(text, profile):
        return Approval.APPROVED, f"approved in {text}"
    demanded = f'{printing.quote(ANNOTATION)} with either a URL or a reason starting with "unapproved"'
    return Approval.INVALID, f"protected groups must have approval annotation {demanded}, {_SEE}"


def validate(
    group: str, metadata: Mapping[str, JSONValue], old_metadata: Mapping[str, JSONValue] | None, profile: Profile
) -> tuple[FieldError, ...]:
    """
    Return the errors about the approval annotation of a CRD.

    Args:
        group: The group of the CRD.
        metadata: The metadata of the CRD.
        old_metadata: The metadata of the stored CRD; None on creation.
        profile: The Kubernetes version.

    Errors:
        Required or Invalid; empty if the state of the annotation did not change.

    Reference:
        apiextensions-apiserver apis/apiextensions/validation, validateAPIApproval.
    """
    if not is_protected(group):
        return ()
    approval, reason = find_state(metadata, profile)
    if old_metadata is not None and find_state(old_metadata, profile)[0] is approval:
        return ()
    if approval is Approval.INVALID:
        return (fielderror.invalid(_PATH, _annotation(metadata), reason),)
    return (fielderror.required(_PATH, reason),) if approval is Approval.MISSING else ()


def _annotation(metadata: Mapping[str, JSONValue]) -> str:
    text: str = (metadata.get("annotations") or {}).get(ANNOTATION, "")
    return text


def _is_url(text: str, profile: Profile) -> bool:
    try:
        url = urls.parse_request_uri(text, strict_colons=profile.go.has_strict_colons)
    except urls.UrlError:
        return False
    return bool(url.host and url.scheme)
