"""
The protocol AdmissionReview of `v1` and `v1beta1`: the request to a webhook, and the verified response.

Reference:
    apiserver admission/plugin/webhook/request/admissionreview.go; errors/statuserror.go.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from pytest_crd.admission.matching.matchcriteria import Invocation
from pytest_crd.engine import jsonvalue
from pytest_crd.engine.errors.refusal import Denial, Refusal, bad_request
from pytest_crd.engine.golang import gotypes, printing
from pytest_crd.engine.golang.gotypes import BOOL, BYTES, STRING, GoType, List, Map, Pointer, Raw, Struct
from pytest_crd.engine.jsonvalue import JSONObject, JSONValue
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.metadata import metav1types
from pytest_crd.engine.metadata.systemmetadata import UID
from pytest_crd.engine.registry.admission import AdmissionRequest
from pytest_crd.webhooks import statusreading
from pytest_crd.webhooks.reviewclient import ReviewType

_GROUP: Final = "admission.k8s.io"
_KIND: Final = "AdmissionReview"
_JSON_PATCH: Final = "JSONPatch"
_FIRST_ERROR: Final = 400
_KINDS: Final = Struct("v1.GroupVersionKind", dict.fromkeys(("group", "version", "kind"), STRING))
_RESOURCES: Final = Struct("v1.GroupVersionResource", dict.fromkeys(("group", "version", "resource"), STRING))
_USER: Final = Struct(
    "v1.UserInfo",
    {"username": STRING, "uid": STRING, "groups": List(STRING), "extra": Map(List(STRING, "v1.ExtraValue"))},
)


class ReviewError(Exception):
    """A response that the server does not accept; the message is the server's."""


class ReviewResponse(NamedTuple):
    """
    The verified response of a webhook.

    Attributes:
        is_allowed: Whether the webhook allows the request.
        patch: The patch; empty without one.
        patch_type: `JSONPatch`, or another type that the server does not know.
        status: The Status of a denial; None without one.
        warnings: The warnings.
        audit_annotations: The annotations for the audit log.
    """

    is_allowed: bool
    patch: bytes = b""
    patch_type: str = ""
    status: JSONObject | None = None
    warnings: tuple[str, ...] = ()
    audit_annotations: Mapping[str, str] = {}


def _review_type(version: str) -> ReviewType:
    extension = Raw("runtime.RawExtension")
    request: dict[str, GoType] = {
        "uid": UID,
        "kind": _KINDS,
        "resource": _RESOURCES,
        "subResource": STRING,
        "requestKind": Pointer(_KINDS),
        "requestResource": Pointer(_RESOURCES),
        "requestSubResource": STRING,
        "name": STRING,
        "namespace": STRING,
        "operation": gotypes.string(f"{version}.Operation"),
        "userInfo": _USER,
        "object": extension,
        "oldObject": extension,
        "dryRun": Pointer(BOOL),
        "options": extension,
    }
    response: dict[str, GoType] = {
        "uid": UID,
        "allowed": BOOL,
        "status": Pointer(statusreading.STATUS),
        "patch": BYTES,
        "patchType": Pointer(gotypes.string(f"{version}.PatchType")),
        "auditAnnotations": Map(STRING),
        "warnings": List(STRING),
    }
    fields = {
        **metav1types.TYPE_META,
        "request": Pointer(Struct(f"{version}.AdmissionRequest", request)),
        "response": Pointer(Struct(f"{version}.AdmissionResponse", response)),
    }
    return ReviewType(_GROUP, version, _KIND, Struct(f"{version}.{_KIND}", fields))


_REVIEWS: Final = {version: _review_type(version) for version in ("v1", "v1beta1")}


def choose(review_versions: Sequence[str]) -> ReviewType:
    """
    Return the type of the reviews of a webhook: the first of its versions that the server knows.

    Raises:
        ReviewError: The server knows none of them.
    """
    review_type = next((_REVIEWS[version] for version in review_versions if version in _REVIEWS), None)
    if review_type is None:
        raise ReviewError("webhook does not accept known AdmissionReview versions (v1, v1beta1)")
    return review_type


def describe(request: AdmissionRequest, invocation: Invocation) -> dict[str, JSONValue]:
    """
    Return the `request` of a review without uid and objects, which match conditions see, too.

    Args:
        request: The request.
        invocation: Its resource and kind as the webhook matches them.
    """
    group, version, subresource = request.group, request.version, request.subresource
    is_own = bool(subresource == "scale" or request.kind_api_version)
    own = {"group": invocation.kind_group, "version": invocation.kind_version} if is_own else {}
    user = request.user
    fields: dict[str, JSONValue] = {
        "kind": {"group": invocation.kind_group, "version": invocation.kind_version, "kind": invocation.kind},
        "resource": {"group": invocation.group, "version": invocation.version, "resource": request.resource},
        "subResource": subresource,
        "requestKind": {"group": group, "version": version, "kind": request.kind, **own},
        "requestResource": {"group": group, "version": version, "resource": request.resource},
        "requestSubResource": subresource,
        "name": request.name,
        "namespace": request.namespace,
        "operation": request.operation,
        "userInfo": _present(
            {
                "username": user.username,
                "uid": user.uid,
                "groups": list(user.groups),
                "extra": {key: list(values) for key, values in user.extra.items()},
            }
        ),
        "dryRun": request.dry_run,
        "options": dict(request.options),
    }
    # A connection has no options, which Go writes as null.
    return _present(fields) | ({"options": None} if request.operation == "CONNECT" else {})


def _present(fields: Mapping[str, JSONValue]) -> dict[str, JSONValue]:
    """Return the fields that Go writes: all but empty ones; false is not empty, as it is behind a pointer."""
    return {key: value for key, value in fields.items() if value or value is False}


def write(
    review_type: ReviewType, uid: str, described: JSONObject, new: Resource | None, old: Resource | None
) -> dict[str, JSONValue]:
    """
    Return a review with a request.

    Args:
        review_type: The type of the review.
        uid: The uid of the request.
        described: The result of `describe`.
        new: The object in the version of the webhook; None on DELETE.
        old: The old object in that version; None on CREATE.
    """
    request = {"uid": uid, **described, "object": jsonvalue.written(new), "oldObject": old}
    return {"kind": _KIND, "apiVersion": review_type.api_version, "request": request}


def verify(review: JSONObject, review_type: ReviewType, uid: str, *, is_mutating: bool) -> ReviewResponse:
    """
    Return the verified response of a decoded review.

    Args:
        review: The review.
        review_type: Its type; the server checks less in `v1beta1`.
        uid: The uid of the request.
        is_mutating: Whether the webhook may change the object.

    Raises:
        ReviewError: The response is refused.
    """
    response = review.get("response")
    if response is None:
        raise ReviewError("webhook response was absent")
    patch = base64.b64decode(response.get("patch") or "")
    patch_type = response.get("patchType")
    if review_type.version == "v1":
        _verify_identity(review, response.get("uid", ""), review_type, uid)
        (_verify_patch if is_mutating else _verify_no_patch)(patch, patch_type)
    else:
        patch_type = _JSON_PATCH if patch else ""
    return ReviewResponse(
        response.get("allowed", False),
        patch if is_mutating else b"",
        patch_type or "",
        response.get("status"),
        tuple(response.get("warnings") or ()),
        response.get("auditAnnotations") or {},
    )


def _verify_identity(review: JSONObject, answered: str, review_type: ReviewType, uid: str) -> None:
    if answered != uid:
        raise ReviewError(f"expected response.uid={printing.quote(uid)}, got {printing.quote(answered)}")
    api_version, kind = review.get("apiVersion", ""), review.get("kind", "")
    if (api_version, kind) != (review_type.api_version, _KIND):
        sent = api_version if "/" in api_version else f"/{api_version}"
        expected = f"{review_type.api_version}, Kind={_KIND}"
        raise ReviewError(f"expected webhook response of {expected}, got {sent}, Kind={kind}")


def _verify_patch(patch: bytes, patch_type: str | None) -> None:
    if patch and patch_type is None:
        raise ReviewError("webhook returned response.patch but not response.patchType")
    if not patch and patch_type is not None:
        raise ReviewError("webhook returned response.patchType but not response.patch")
    if patch_type == "":
        raise ReviewError('webhook returned invalid response.patchType of ""')


def _verify_no_patch(patch: bytes, patch_type: str | None) -> None:
    if patch:
        raise ReviewError("validating webhook may not return response.patch")
    if patch_type is not None:
        raise ReviewError("validating webhook may not return response.patchType")


def denial(webhook: str, status: JSONObject | None) -> Refusal:
    """
    Return the refusal of a request that a *webhook* denies, with the Status of its response.

    Reference:
        apiserver admission/plugin/webhook/errors/statuserror.go, ToStatusErr; endpoints/handlers/responsewriters, ErrorToAPIStatus.
    """
    sent = _encoded(status or {})
    code = max(sent.get("code", 0), _FIRST_ERROR)
    explanation = sent.get("message") or sent.get("reason")
    lead = f"admission webhook {printing.quote(webhook)} denied the request"
    message = f"{lead}: {explanation}" if explanation else f"{lead} without explanation"
    result = sent.get("status")
    whole = {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": sent.get("metadata") or {},
        "status": "Failure" if result in (None, "Success") else result,
        "message": message,
        "reason": sent.get("reason"),
        "details": sent.get("details"),
        "code": code,
    }
    present = {key: value for key, value in whole.items() if value is not None}
    reason = sent.get("reason", "")
    denials = (Denial(webhook, sent.get("message", ""), reason),)
    return Refusal(code, reason, message, denials=denials, status=present)


def _encoded(value: JSONValue) -> JSONValue:
    """Return a decoded Status as Go writes it: without unknown, empty and null fields."""
    if isinstance(value, dict):
        encoded = {key: _encoded(item) for key, item in value.items()}
        return {key: item for key, item in encoded.items() if item not in ("", 0, None, [])}
    return [_encoded(item) for item in value] if isinstance(value, list) else value


def no_dry_run(webhook: str) -> Refusal:
    """Return the refusal of a dry run, as the *webhook* may have side effects."""
    return bad_request(f"admission webhook {printing.quote(webhook)} does not support dry run")
