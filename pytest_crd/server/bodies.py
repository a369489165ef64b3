"""Decoding of the bodies of write and delete requests: JSON, YAML, and protobuf for built-in kinds and CRDs."""

from __future__ import annotations

import json
from typing import Final

from pytest_crd.engine.client import completion
from pytest_crd.engine.crds import declared
from pytest_crd.engine.golang import decoding, jsonsyntax
from pytest_crd.engine.golang.decoding import DecodeError
from pytest_crd.engine.inputerror import ManifestError
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.metadata import metav1types, schemes, typemeta
from pytest_crd.engine.metadata.typemeta import TypeMetaError
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry import applying, requestoptions
from pytest_crd.engine.registry.requestbody import Body
from pytest_crd.engine.yaml import jsonreader, yamlreader, yamlwords
from pytest_crd.engine.yaml.yamlstream import UnreadableError
from pytest_crd.server import resourcetypes
from pytest_crd.server.http import negotiation, statuses
from pytest_crd.server.http.httpmessages import HTTPRequest
from pytest_crd.server.http.statuses import ApiError
from pytest_crd.server.protobuf import protoreading
from pytest_crd.server.protobuf.protofields import ProtobufError, UnstorableError
from pytest_crd.server.resourcetypes import ResourceType

# The message about a number beyond float64 begins so.
_NO_NUMBER: Final = "json: cannot unmarshal number"
# The API versions of CRDs in the server's scheme.
_DEFINITIONS: Final = frozenset({declared.V1, declared.V1BETA1})


class _UnreadableBodyError(ValueError):
    """An unreadable body, with the server's message."""


def decode_write(request: HTTPRequest, verb: str, media_type: str, type_: ResourceType, subresource: str) -> Body:
    """
    Return the decoded body of a write request.

    Args:
        request: The request.
        verb: `create`, `update` or `patch`.
        media_type: The media type of the body, accepted by `demand_form`.
        type_: The resource.
        subresource: The subresource; empty for the object itself.

    Raises:
        ApiError: 400: the body is unreadable.

    Reference:
        apiserver endpoints/handlers/create.go, transformDecodeError.
    """
    if verb == "patch":
        return _patch(request.body, media_type, type_.profile)
    api_version, kind = type_.kind_of(subresource)
    if media_type == negotiation.PROTOBUF:
        return _of_protobuf(request.body, api_version, kind, type_.profile)
    try:
        body = _read(request.body, media_type)
    except _UnreadableBodyError as error:
        if subresource == "scale" and not type_.is_typed:  # the scheme of custom resources has no Scale
            raise statuses.bad_request(schemes.unregistered_type("v1.Scale", type_.profile)) from None
        if str(error).startswith(_NO_NUMBER):
            raise _number_beyond_float64(request.body, api_version, kind, str(error)) from None
        raise _unrecognized(kind, str(error), request.body) from None
    return _typed(body, request.body, api_version, kind, type_.profile) if type_.is_typed else body


def _number_beyond_float64(sent: bytes, api_version: str, kind: str, problem: str) -> ApiError:
    """Return the error for a JSON body with a number such as `1e400`, which the server finds after apiVersion and kind."""
    text = sent.decode(errors="replace")
    try:
        written_version, written_kind = typemeta.read_type_meta(json.loads(text, parse_float=lambda _: 0), text=text)
    except TypeMetaError as error:
        return _unrecognized(kind, str(error), sent)
    return _unhandled(written_version or api_version, written_kind or kind, kind, problem)


def decode_delete(request: HTTPRequest, type_: ResourceType) -> Resource:
    """
    Return the options in the body of a deletion.

    Raises:
        ApiError: 400, or 500 on older versions: the body is unreadable; 415: its media type is unsupported.

    Reference:
        apiserver endpoints/handlers/delete.go, DeleteResource.
    """
    media_type = negotiation.media_type_of(request) or negotiation.JSON
    demand_form(media_type, type_)
    if media_type == negotiation.PROTOBUF:
        return _options(request.body, type_.profile)
    try:
        body = _read(request.body, media_type)
        value = {} if body.value is None else body.value
        api_version, kind = typemeta.read_type_meta(value, text=body.text)
    except (_UnreadableBodyError, TypeMetaError) as error:
        raise _unread_options(str(error), type_.profile) from None
    if kind not in ("", "DeleteOptions"):
        problem = schemes.unregistered(kind, api_version or "meta.k8s.io/v1", type_.profile)
        raise _unread_options(problem, type_.profile)
    try:
        options: Resource = decoding.decode(value, metav1types.DELETE_OPTIONS).value
    except DecodeError as error:
        raise _unread_options(str(error), type_.profile) from None
    return options


def demand_form(media_type: str, type_: ResourceType) -> None:
    """
    Raise ApiError if the server does not read bodies of a media type.

    Raises:
        ApiError: 415.
    """
    supported = (negotiation.JSON, negotiation.YAML, *((negotiation.PROTOBUF,) if type_.has_protobuf else ()))
    if media_type not in supported:
        raise statuses.unsupported_media_type(negotiation.ACCEPTED)


def _typed(body: Body, sent: bytes, api_version: str, kind: str, profile: Profile) -> Body:
    """
    Return the body of a kind with a Go type, with the apiVersion and kind of the URL.

    Raises:
        ApiError: 400: the body has another kind.
    """
    value = {} if body.value is None else body.value
    try:
        written_version, written_kind = typemeta.read_type_meta(value, text=body.text)
    except TypeMetaError as error:
        raise _unrecognized(kind, str(error), sent) from None
    written_version, written_kind = written_version or api_version, written_kind or kind
    _demand_registered(written_version, written_kind, kind, profile)
    _demand_kind(written_version, written_kind, api_version, kind, profile)
    return body._replace(value={**value, "apiVersion": api_version, "kind": kind})


def _read(sent: bytes, media_type: str) -> Body:
    """
    Return the parsed body, with value None for null and for an empty document.

    Raises:
        _UnreadableBodyError: The body is unreadable.
    """
    text = sent.decode(errors="surrogateescape")
    if media_type != negotiation.JSON:
        return _read_yaml(text)
    try:
        parsed = jsonreader.parse(text, is_whole=True)
    except (json.JSONDecodeError, UnreadableError) as error:
        raise _refuse_json(sent, text, str(error)) from None
    if parsed.problem:
        raise _refuse_json(sent, text, parsed.problem.message)
    fields = jsonreader.duplicates(jsonreader.nodes(text, parsed.start, parsed.end)) if parsed.has_duplicates else ()
    return Body(parsed.value, text, tuple(field.message for field in fields), has_floats=parsed.has_floats)


def _refuse_json(sent: bytes, text: str, message: str) -> _UnreadableBodyError:
    """Return the error of a body that is not JSON, or that the server cannot decode, for which *message* has the reason."""
    if problem := jsonsyntax.find_problem(text):
        return _UnreadableBodyError(f"couldn't get version/kind; json parse error: {problem}")
    return _UnreadableBodyError(yamlwords.server_message(sent, message))


def _read_yaml(text: str) -> Body:
    try:
        return completion.read_applied(text, takes_first=True)
    except ManifestError as error:
        message = error.mistakes[0].message
        if message == yamlreader.NONE:
            return Body(None, text, is_yaml=True)
        sent = text.encode(errors="surrogateescape")
        raise _UnreadableBodyError(yamlwords.server_message(sent, message)) from None


def _patch(sent: bytes, media_type: str, profile: Profile) -> Body:
    """Return the body of a patch; parse only apply patches, since others depend on the stored object."""
    text = sent.decode(errors="replace")
    if not requestoptions.is_apply("patch", media_type):
        if profile.json_patch.checks_json_first and jsonsyntax.find_problem(text):
            raise statuses.bad_request("invalid JSON patch")
        return Body(None, text or " ")
    try:
        body = _read(sent, media_type)
    except _UnreadableBodyError as error:
        # Bodies that begin like JSON skip the conversion to JSON.
        is_read_first = text.lstrip().startswith("{") or not profile.json_patch.checks_json_first
        patch_name = applying.message_name(profile)
        step = f"decoding {patch_name}: error converting YAML to JSON" if is_read_first else "encoding patch"
        raise statuses.bad_request(f"error {step}: {error}") from None
    if body.value is None:
        raise statuses.bad_request("invalid object type: /, Kind=")
    return body


def _of_protobuf(sent: bytes, api_version: str, kind: str, profile: Profile) -> Body:
    try:
        envelope = protoreading.envelope(sent)
    except ProtobufError as error:
        raise _unrecognized(kind, str(error), sent) from None
    written_version, written_kind = envelope.api_version or api_version, envelope.kind or kind
    _demand_registered(written_version, written_kind, kind, profile)
    try:
        # Of other versions only the version matters for the error.
        value = (
            protoreading.read(envelope.raw, written_version, written_kind)
            if protoreading.can_read(written_version, written_kind)
            else {}
        )
    except UnstorableError as error:
        raise statuses.failure(500, "", str(error)) from None
    except ProtobufError as error:
        raise _unhandled(written_version, written_kind, kind, str(error)) from None
    _demand_kind(written_version, written_kind, api_version, kind, profile)
    return Body({"kind": kind, "apiVersion": api_version, **value})


def _demand_registered(written_version: str, written_kind: str, kind: str, profile: Profile) -> None:
    """Raise ApiError if the server's scheme lacks a kind; for CRDs it has CRDs and common kinds alone."""
    if kind == declared.KIND:
        is_registered = written_version in _DEFINITIONS and written_kind in (kind, f"{kind}List")
        is_registered = is_registered or (written_version, written_kind) == ("v1", "Status")
    else:
        is_registered = protoreading.can_read(written_version, written_kind)
    if not is_registered:
        raise _unhandled(
            written_version, written_kind, kind, schemes.unregistered(written_kind, written_version, profile)
        )


def problem_of_kind(written_version: str, written_kind: str, api_version: str, kind: str, profile: Profile) -> str:
    """Return why an object cannot be converted to a kind with a Go type; empty if it has this kind."""
    if not protoreading.can_read(written_version, written_kind):
        return schemes.unregistered(written_kind, written_version, profile)
    if (written_version, written_kind) == (api_version, kind):
        return ""
    return f"converting (v1.{written_kind}) to ({resourcetypes.go_name(api_version, kind)}): unknown conversion"


def _demand_kind(written_version: str, written_kind: str, api_version: str, kind: str, profile: Profile) -> None:
    """Raise ApiError if the sent object has another kind than the URL."""
    if (written_version, written_kind) == (api_version, kind):
        return
    if written_kind == kind:  # events of both groups share one internal type
        problem = (
            f"the API version in the data ({written_version}) does not match the expected API version ({api_version})"
        )
        raise statuses.bad_request(problem)
    raise _unhandled(
        written_version, written_kind, kind, problem_of_kind(written_version, written_kind, api_version, kind, profile)
    )


def _unhandled(written_version: str, written_kind: str, kind: str, problem: str) -> ApiError:
    message = (
        f'{written_kind} in version "{written_version.rpartition("/")[2]}" cannot be handled as a {kind}: {problem}'
    )
    return statuses.bad_request(message)


def _options(sent: bytes, profile: Profile) -> Resource:
    try:
        envelope = protoreading.envelope(sent)
        options = (
            protoreading.read(envelope.raw, "v1", "DeleteOptions") if envelope.kind in ("", "DeleteOptions") else None
        )
    except ProtobufError as error:
        raise _unread_options(str(error), profile) from None
    if options is None:
        raise _unread_options(schemes.unregistered(envelope.kind, envelope.api_version, profile), profile)
    return options


def _unread_options(problem: str, profile: Profile) -> ApiError:
    if profile.blames_clients_for_delete_options:
        return statuses.bad_request(problem)
    return statuses.failure(500, "", problem)


def _unrecognized(kind: str, problem: str, sent: bytes) -> ApiError:
    text = sent.decode(errors="surrogateescape")
    return statuses.bad_request(typemeta.unrecognized(problem, kind, text).message)
