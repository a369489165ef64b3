"""The bodies of requests that write or delete: JSON, YAML, and of built-in kinds and CRDs protobuf."""

from __future__ import annotations

import json
from typing import Final

from pytest_crd.engine.crds import declared
from pytest_crd.engine.golang import decoding, jsonsyntax
from pytest_crd.engine.golang.decoding import DecodeError
from pytest_crd.engine.inputerror import ManifestError
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.metadata import metav1types, typemeta
from pytest_crd.engine.metadata.typemeta import TypeMetaError
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry import applying, completion
from pytest_crd.engine.registry.patching import mediatypes
from pytest_crd.engine.registry.requestbody import Body
from pytest_crd.engine.yaml import yamlreader, yamlwords
from pytest_crd.server import resourcetypes
from pytest_crd.server.http import negotiation, statuses
from pytest_crd.server.http.httpmessages import HTTPRequest
from pytest_crd.server.http.statuses import ApiError
from pytest_crd.server.protobuf import protoreading
from pytest_crd.server.protobuf.protofields import ProtobufError, UnstorableError
from pytest_crd.server.resourcetypes import ResourceType

# So much of what cannot be read is shown.
_SHOWN: Final = 30
_NO_NUMBER: Final = "json: cannot unmarshal number"
# The versions of CRDs that a server knows.
_DEFINITIONS: Final = frozenset({declared.V1, declared.V1BETA1})


class _UnreadableBodyError(ValueError):
    """A body that cannot be read; the message is the server's."""


class _UnreadableNumberError(_UnreadableBodyError):
    """JSON with a number beyond float64: the server reads apiVersion and kind before it finds that."""


def of_write(request: HTTPRequest, verb: str, media_type: str, type_: ResourceType, subresource: str) -> Body:
    """
    Return what is written.

    Args:
        request: The request.
        verb: `create`, `update` or `patch`.
        media_type: What its body is, which `demand_form` takes.
        type_: The resource.
        subresource: The subresource; may be empty.

    Raises:
        ApiError: 400: it cannot be read.

    Reference:
        apiserver endpoints/handlers/create.go, transformDecodeError.
    """
    if verb == "patch":
        return _patch(request.body, media_type, type_.profile)
    api_version, kind = ("autoscaling/v1", "Scale") if subresource == "scale" else (type_.api_version, type_.names.kind)
    if media_type == negotiation.PROTOBUF:
        return _of_protobuf(request.body, api_version, kind, type_.profile)
    try:
        body = _read(request.body, media_type)
    except _UnreadableNumberError as error:
        raise _number_beyond_float64(request.body, api_version, kind, str(error)) from None
    except _UnreadableBodyError as error:
        raise _unrecognized(kind, str(error), request.body) from None
    return _typed(body, request.body, api_version, kind, type_.profile) if type_.is_typed else body


def _number_beyond_float64(sent: bytes, api_version: str, kind: str, problem: str) -> ApiError:
    """Return the failure of a JSON body with a number such as `1e400`, which is found after apiVersion and kind."""
    text = sent.decode(errors="replace")
    try:
        given, named = typemeta.find(json.loads(text, parse_float=lambda _: 0), written=text)
    except TypeMetaError as error:
        return _unrecognized(kind, str(error), sent)
    return _unhandled(given or api_version, named or kind, kind, problem)


def of_delete(request: HTTPRequest, type_: ResourceType) -> Resource:
    """
    Return the options of a deletion.

    Raises:
        ApiError: 400, or of older versions 500: they cannot be read; 415: they are in another form.

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
        api_version, kind = typemeta.find(value, written=body.text)
    except (_UnreadableBodyError, TypeMetaError) as error:
        raise _unread_options(str(error), type_.profile) from None
    if kind not in ("", "DeleteOptions"):
        problem = typemeta.unregistered(kind, api_version or "meta.k8s.io/v1", type_.profile)
        raise _unread_options(problem, type_.profile)
    try:
        options: Resource = decoding.decode(value, metav1types.DELETE_OPTIONS).value
    except DecodeError as error:
        raise _unread_options(str(error), type_.profile) from None
    return options


def demand_form(media_type: str, type_: ResourceType) -> None:
    """
    Pass when a body is in a form that is read.

    Raises:
        ApiError: 415: it is not.
    """
    known = (negotiation.JSON, negotiation.YAML, *((negotiation.PROTOBUF,) if type_.has_protobuf else ()))
    if media_type not in known:
        raise statuses.unsupported_media_type(negotiation.ACCEPTED)


def _typed(body: Body, sent: bytes, api_version: str, kind: str, profile: Profile) -> Body:
    """Return an object of a type that is the server's own, with what the URL says of it."""
    value = {} if body.value is None else body.value
    try:
        given, named = typemeta.find(value, written=body.text)
    except TypeMetaError as error:
        raise _unrecognized(kind, str(error), sent) from None
    given, named = given or api_version, named or kind
    _demand_registered(given, named, kind, profile)
    _demand_kind(given, named, api_version, kind, profile)
    return body._replace(value={**value, "apiVersion": api_version, "kind": kind})


def _read(sent: bytes, media_type: str) -> Body:
    """
    Return what is sent; what has no document, or is null, has no value.

    Raises:
        _UnreadableBodyError: It cannot be read.
    """
    is_json = media_type == negotiation.JSON
    text = sent.decode(errors="surrogateescape")
    if is_json and (problem := jsonsyntax.find_problem(text)):
        raise _UnreadableBodyError(f"couldn't get version/kind; json parse error: {problem}")
    try:
        return completion.read(text) if is_json else completion.read_applied(text, takes_first=True)
    except ManifestError as error:
        if error.mistakes[0].message == yamlreader.NONE:
            return Body(None, text)
        message = yamlwords.server_message(sent, error)
        is_number = message.startswith(_NO_NUMBER)
        raise (_UnreadableNumberError if is_number else _UnreadableBodyError)(message) from None


def _patch(sent: bytes, media_type: str, profile: Profile) -> Body:
    """Return a patch; those that are no applies are read where the object is known that they are for."""
    text = sent.decode(errors="replace")
    if not mediatypes.is_apply("patch", media_type):
        if profile.json_patch.checks_json_first and jsonsyntax.find_problem(text):
            raise statuses.bad_request("invalid JSON patch")
        return Body(None, text or " ")
    try:
        body = _read(sent, media_type)
    except _UnreadableBodyError as error:
        # What looks like JSON is not made JSON before it is read.
        is_read_first = text.lstrip().startswith("{") or not profile.json_patch.checks_json_first
        called = applying.called(profile)
        at = f"decoding {called}: error converting YAML to JSON" if is_read_first else "encoding patch"
        raise statuses.bad_request(f"error {at}: {error}") from None
    if body.value is None:
        raise statuses.bad_request("invalid object type: /, Kind=")
    return body


def _of_protobuf(sent: bytes, api_version: str, kind: str, profile: Profile) -> Body:
    try:
        found = protoreading.envelope(sent)
    except ProtobufError as error:
        raise _unrecognized(kind, str(error), sent) from None
    given, named = found.api_version or api_version, found.kind or kind
    _demand_registered(given, named, kind, profile)
    try:
        # Of what is of another version there is no more to say than that it is.
        value = protoreading.read(found.raw, given, named) if protoreading.knows(given, named) else {}
    except UnstorableError as error:
        raise statuses.failure(500, "", str(error)) from None
    except ProtobufError as error:
        raise _unhandled(given, named, kind, str(error)) from None
    _demand_kind(given, named, api_version, kind, profile)
    return Body({"kind": kind, "apiVersion": api_version, **value})


def _demand_registered(given: str, named: str, kind: str, profile: Profile) -> None:
    """Fail where a server knows no such kind; who serves CRDs knows no other kinds, but what is said about all."""
    if kind == declared.KIND:
        is_known = given in _DEFINITIONS and named in (kind, f"{kind}List")
        is_known = is_known or (given, named) == ("v1", "Status")
    else:
        is_known = protoreading.knows(given, named)
    if not is_known:
        raise _unhandled(given, named, kind, typemeta.unregistered(named, given, profile))


def problem_of_kind(given: str, named: str, api_version: str, kind: str, profile: Profile) -> str:
    """Return why an object is none of a kind that has a Go type; empty where it is one."""
    if not protoreading.knows(given, named):
        return typemeta.unregistered(named, given, profile)
    if (given, named) == (api_version, kind):
        return ""
    return f"converting (v1.{named}) to ({resourcetypes.go_name(api_version, kind)}): unknown conversion"


def _demand_kind(given: str, named: str, api_version: str, kind: str, profile: Profile) -> None:
    """Fail where what is sent is of a kind that is known, and not that of the URL."""
    if (given, named) == (api_version, kind):
        return
    if named == kind:  # events of both groups are one kind in a server
        problem = f"the API version in the data ({given}) does not match the expected API version ({api_version})"
        raise statuses.bad_request(problem)
    raise _unhandled(given, named, kind, problem_of_kind(given, named, api_version, kind, profile))


def _unhandled(given: str, named: str, kind: str, problem: str) -> ApiError:
    message = f'{named} in version "{given.rpartition("/")[2]}" cannot be handled as a {kind}: {problem}'
    return statuses.bad_request(message)


def _options(sent: bytes, profile: Profile) -> Resource:
    try:
        found = protoreading.envelope(sent)
        options = protoreading.read(found.raw, "v1", "DeleteOptions") if found.kind in ("", "DeleteOptions") else None
    except ProtobufError as error:
        raise _unread_options(str(error), profile) from None
    if options is None:
        raise _unread_options(typemeta.unregistered(found.kind, found.api_version, profile), profile)
    return options


def _unread_options(problem: str, profile: Profile) -> ApiError:
    if profile.blames_clients_for_delete_options:
        return statuses.bad_request(problem)
    return statuses.failure(500, "", problem)


def _unrecognized(kind: str, problem: str, sent: bytes) -> ApiError:
    summary = f"the object provided is unrecognized (must be of type {kind}): {problem} ({_summarized(sent)})"
    return statuses.bad_request(summary)


def _summarized(sent: bytes) -> str:
    if not sent:
        return "<empty>"
    shown = sent[:_SHOWN]
    text = shown.decode(errors="replace") if sent.startswith(b"{") else shown.hex()
    return f"{text} ..." if len(sent) > _SHOWN else text
