"""
Conversion of custom resources by a webhook, in the protocol ConversionReview of `v1` and `v1beta1`.

Reference:
    apiextensions-apiserver apiserver/conversion/webhook_converter.go.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang import decoding, printing
from pytest_crd.engine.golang.decoding import DecodeError
from pytest_crd.engine.golang.gotypes import STRING, List, Map, Pointer, Raw, Struct
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.metadata import metav1types, objectmetarules
from pytest_crd.engine.metadata.systemmetadata import UID
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry.conversion import ConversionFailedError
from pytest_crd.webhooks import replybody, statusreading
from pytest_crd.webhooks.replybody import ReplyBody
from pytest_crd.webhooks.reviewclient import AnsweredReview, CallError, ReviewType, WebhookClient
from pytest_crd.webhooks.transport import WebhookTransport

# The time limit of all conversion webhooks in seconds.
TIMEOUT: Final = 30
_GROUP: Final = "apiextensions.k8s.io"
_KIND: Final = "ConversionReview"
_OBJECT: Final = Map(Raw("interface {}"))
_EMPTY: Final = frozenset({"apiVersion", "kind"})
_METADATA: Final = FieldPath(("metadata",))


def _review_type(version: str) -> ReviewType:
    extensions = List(Raw("runtime.RawExtension"))
    request = Struct(f"{version}.ConversionRequest", {"uid": UID, "desiredAPIVersion": STRING, "objects": extensions})
    response = Struct(
        f"{version}.ConversionResponse",
        {"uid": UID, "convertedObjects": extensions, "result": statusreading.STATUS},
    )
    fields = {**metav1types.TYPE_META, "request": Pointer(request), "response": Pointer(response)}
    return ReviewType(_GROUP, version, _KIND, Struct(f"{version}.{_KIND}", fields))


_REVIEWS: Final = {version: _review_type(version) for version in ("v1", "v1beta1")}


class WebhookConverter(NamedTuple):
    """
    The conversion of a CRD by its webhook.

    Attributes:
        review_versions: The `conversionReviewVersions` of the CRD; the server takes the first that it knows.
        transport: The way to the webhook.
        url: The URL of the webhook as the server spells it, without a query.
        new_uid: Returns the uid of the next review.
        profile: The reproduced Kubernetes version.
    """

    review_versions: Sequence[str]
    transport: WebhookTransport
    url: str
    new_uid: Callable[[], str]
    profile: Profile

    def convert(self, resource: Resource, api_version: str) -> Resource:
        """
        Return an object in *api_version*; one that has it already is not sent.

        The protocol allows several objects in a review. The server decodes and converts the objects of a list one by one.

        Args:
            resource: An object of the CRD, with an apiVersion and a kind; not modified.
            api_version: The desired apiVersion.

        Raises:
            ConversionFailedError: The webhook cannot be called, or its response is refused.
        """
        if resource.keys() == _EMPTY:
            return {**resource, "apiVersion": api_version}
        review_type = next((_REVIEWS[version] for version in self.review_versions if version in _REVIEWS), None)
        if review_type is None:
            raise ConversionFailedError("no supported conversion review versions")
        if resource["apiVersion"] == api_version:
            return resource
        answered = self._call(resource, api_version, review_type)
        converted = answered.value["response"].get("convertedObjects") or []
        webhook = f"conversion webhook for {_kind_of(resource)}"
        if len(converted) != 1:
            raise ConversionFailedError(f"{webhook} returned {len(converted)} objects, expected 1")
        return _checked(resource, _decoded(converted[0], answered.body), api_version, webhook, self.profile)

    def _call(self, resource: Resource, api_version: str, review_type: ReviewType) -> AnsweredReview:
        """Return a successful response."""
        uid = self.new_uid()
        review = {
            "kind": _KIND,
            "apiVersion": review_type.api_version,
            "request": {"uid": uid, "desiredAPIVersion": api_version, "objects": [resource]},
            "response": {"uid": "", "convertedObjects": None, "result": {"metadata": {}}},
        }
        client = WebhookClient(self.transport, self.url, TIMEOUT, self.profile)
        try:
            answered = client.call(review, review_type)
            problem = _problem_of_review(answered.value, uid, review_type)
        except CallError as error:
            problem = str(error)
        if problem is not None:
            raise ConversionFailedError(f"conversion webhook for {_kind_of(resource)} failed: {problem}")
        return answered


def _problem_of_review(review: Resource, uid: str, review_type: ReviewType) -> str | None:
    """Return why the response in a review is refused or has failed; None if it is successful."""
    is_v1 = review_type.version == "v1"
    if is_v1 and (review.get("apiVersion"), review.get("kind")) != (review_type.api_version, _KIND):
        expected = f"{review_type.api_version}, Kind={_KIND}"
        return f"expected webhook response of {expected}, got {_kind_of(review)}"
    response = review.get("response")
    if response is None:
        return "no response provided"
    answered = response.get("uid", "")
    if is_v1 and answered != uid:
        return f"expected response.uid={printing.quote(uid)}, got {printing.quote(answered)}"
    result = response.get("result") or {}
    status = result.get("status") or ""
    if status == "Success":
        return None
    return result.get("message") or f"response.result.status was '{status}', not 'Success'"


def _checked(original: Resource, converted: Resource, api_version: str, webhook: str, profile: Profile) -> Resource:
    """Return a converted object with the metadata that a webhook may not change; raise ConversionFailedError if it is refused."""
    group_version, kind = _group_version(converted), _text(converted, "kind")
    at_first = f"{webhook} returned invalid object at index 0"
    if group_version != api_version:
        problem = f"invalid groupVersion (expected {api_version}, received {group_version})"
        raise ConversionFailedError(f"{at_first}: {problem}")
    if kind != original["kind"]:
        raise ConversionFailedError(f"{at_first}: invalid kind (expected {original['kind']}, received {kind})")
    for field, label in (("name", "name"), ("namespace", "namespace"), ("uid", "UID")):
        before, after = _text(original.get("metadata"), field), _text(converted.get("metadata"), field)
        if before != after:
            raise ConversionFailedError(
                f"{webhook} returned invalid object: must have the same {label}: {before} != {after}"
            )
    try:
        metadata = _restored(original, converted, profile)
    except _MetadataError as error:
        raise ConversionFailedError(f"{webhook} returned invalid metadata: {error}") from None
    return {**converted, "metadata": metadata}


def _decoded(sent: JSONValue, body: ReplyBody) -> Resource:
    """Return the converted object of a response; raise ConversionFailedError if it is no object with a kind."""
    if sent is None:  # the server decodes an empty text
        raise ConversionFailedError("unexpected end of JSON input")
    try:
        converted: Resource = decoding.decode(sent, _OBJECT).value
    except DecodeError as error:
        raise ConversionFailedError(str(error)) from None
    # Go reads no group, version and kind if the apiVersion is malformed.
    if not _text(converted, "kind") or _text(converted, "apiVersion").count("/") > 1:
        text = replybody.find_text(body, sent, "response", "convertedObjects", 0)
        raise ConversionFailedError(f"Object 'Kind' is missing in '{text}'")
    return converted


class _MetadataError(ValueError):
    """Metadata of a converted object that the server refuses, with its message."""


def _restored(original: Resource, converted: Resource, profile: Profile) -> Resource:
    """Return the metadata of *original* with the labels and annotations of *converted*."""
    if "metadata" not in converted:
        raise _MetadataError("missing metadata in converted object")
    answered = converted["metadata"]
    if not isinstance(answered, dict):
        raise _MetadataError(f"invalid metadata of type {printing.GO_TYPES[type(answered)]} in converted object")
    metadata = jsonvalue.copy(original.get("metadata") or {})
    for field in ("labels", "annotations"):
        changed = answered.get(field)
        if changed is None:
            metadata.pop(field, None)
            continue
        _check_map(field, changed, metadata.get(field) or {}, profile)
        metadata[field] = changed
    restored: Resource = metadata
    return restored


def _check_map(field: str, changed: JSONValue, before: Resource, profile: Profile) -> None:
    if not isinstance(changed, dict):
        raise _MetadataError(f"invalid metadata.{field} of type {printing.GO_TYPES[type(changed)]} in converted object")
    for key in sorted(changed):
        if not isinstance(changed[key], str):
            type_ = printing.GO_TYPES[type(changed[key])]
            raise _MetadataError(f"metadata.{field}[{key}] must be a string, but is {type_} in converted object")
    if changed == before:
        return
    if field == "labels":
        errors = objectmetarules.validate_labels(changed, _METADATA.child(field), profile)
    else:  # the server's path lacks a letter
        errors = objectmetarules.validate_annotations(changed, _METADATA.child("annotation"), profile)
    if errors:
        raise _MetadataError(fielderror.aggregate(errors))


def _kind_of(resource: Resource) -> str:
    """Return the API version and kind of an object as Go prints them: `stable.example.com/v1, Kind=CronTab`."""
    group_version = _group_version(resource)
    prefix = "" if "/" in group_version else "/"
    return f"{prefix}{group_version}, Kind={_text(resource, 'kind')}"


def _group_version(resource: Resource) -> str:
    """Return the apiVersion of an object; empty if it is absent or malformed."""
    api_version = _text(resource, "apiVersion")
    return "" if api_version.count("/") > 1 else api_version.removeprefix("/")


def _text(holder: JSONValue, field: str) -> str:
    """Return a text in an object; empty if it is absent or no text."""
    value = holder.get(field) if isinstance(holder, dict) else None
    return value if isinstance(value, str) else ""
