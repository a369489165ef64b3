"""Client of a webhook: sends a review, and decodes the review in the response as the API server's REST client does."""

from __future__ import annotations

from typing import Final, NamedTuple

from pytest_crd.engine.golang import decoding, mime, printing
from pytest_crd.engine.golang.decoding import DecodeError
from pytest_crd.engine.golang.gotypes import Struct
from pytest_crd.engine.golang.mime import MediaTypeError
from pytest_crd.engine.jsonvalue import JSONObject
from pytest_crd.engine.metadata import schemes, typemeta
from pytest_crd.engine.metadata.typemeta import TypeMetaError
from pytest_crd.engine.profile import Profile
from pytest_crd.webhooks import replybody, statusreading
from pytest_crd.webhooks.replybody import ReplyBody, UnreadableReplyError
from pytest_crd.webhooks.transport import (
    BodyTransportError,
    TransportError,
    UnreachableWebhookError,
    WebhookReply,
    WebhookTransport,
)

_JSON: Final = "application/json"
_FIRST_SUCCESS: Final = 200
_LAST_SUCCESS: Final = 206


class CallError(Exception):
    """
    A failed call of a webhook, with the message of the server's REST client.

    Attributes:
        is_unreachable: Whether the server of the webhook accepts no connection.
    """

    def __init__(self, message: str, *, is_unreachable: bool = False) -> None:
        """Create from a message."""
        super().__init__(message)
        self.is_unreachable = is_unreachable


class ReviewType(NamedTuple):
    """
    The type of a review.

    Attributes:
        group: The API group.
        version: The version.
        kind: The kind.
        struct: The Go type.
    """

    group: str
    version: str
    kind: str
    struct: Struct

    @property
    def api_version(self) -> str:
        """The apiVersion."""
        return f"{self.group}/{self.version}"


class AnsweredReview(NamedTuple):
    """
    The review of a response.

    Attributes:
        value: The decoded review.
        body: The body of the response.
    """

    value: JSONObject
    body: ReplyBody


class WebhookClient(NamedTuple):
    """
    Client of one webhook.

    Attributes:
        transport: The way to the webhook.
        url: Its URL as the server spells it, without a query.
        timeout: The time limit in seconds.
        profile: The reproduced Kubernetes version.
    """

    transport: WebhookTransport
    url: str
    timeout: int
    profile: Profile

    def call(self, review: JSONObject, expected: ReviewType) -> AnsweredReview:
        """
        Send *review* and return the decoded review of the response.

        Args:
            review: The request.
            expected: The type of the response.

        Raises:
            CallError: There is no response, or it is no such review.

        Reference:
            client-go rest/request.go, transformResponse and Result.Into.
        """
        url = f"{self.url}?timeout={self.timeout}s"
        body = f"{printing.marshal(review)}\n".encode("utf-8", "surrogatepass")
        try:
            reply = self.transport.post(url, body, float(self.timeout))
        except BodyTransportError as error:
            raise CallError(str(error)) from None
        except TransportError as error:
            is_unreachable = isinstance(error, UnreachableWebhookError)
            raise CallError(f"Post {printing.quote(url)}: {error}", is_unreachable=is_unreachable) from None
        return _decode_reply(reply, expected, self.profile)


def _decode_reply(reply: WebhookReply, expected: ReviewType, profile: Profile) -> AnsweredReview:
    media_type = _JSON
    if reply.content_type:
        try:
            media_type = mime.parse_media_type(reply.content_type)
        except MediaTypeError as error:
            raise CallError(f"Internal error occurred: {error}") from None
    if not _FIRST_SUCCESS <= reply.status <= _LAST_SUCCESS:
        is_text = not reply.content_type or media_type.startswith("text/")
        message = statusreading.find_message(reply.body)
        raise CallError(
            statusreading.describe(reply.status, reply.body, is_text=is_text) if message is None else message
        )
    if not reply.body:
        content_type = reply.content_type or _JSON
        raise CallError(f"0-length response with status code: {reply.status} and content type: {content_type}")
    return _decode(reply.body, expected, profile)


def _decode(body: bytes, expected: ReviewType, profile: Profile) -> AnsweredReview:
    """
    Return the decoded review of a body in JSON or YAML.

    Reference:
        apimachinery runtime/serializer/json/json.go, Decode; runtime/serializer/versioning/versioning.go, Decode.
    """
    try:
        read = replybody.read(body)
        api_version, kind = typemeta.read_type_meta(read.value, text=read.text)
    except (UnreadableReplyError, TypeMetaError) as error:
        raise CallError(str(error)) from None
    _demand_type(api_version, kind, expected, read.text, profile)
    try:
        decoded = decoding.decode(read.value, expected.struct, sort_keys=not read.is_json).value
    except DecodeError as error:
        raise CallError(str(error)) from None
    return AnsweredReview(replybody.plain(decoded), read)


def _demand_type(api_version: str, kind: str, expected: ReviewType, text: str, profile: Profile) -> None:
    """Raise CallError if the server does not decode a type as the *expected* one; an absent type is the expected one."""
    group, _, version = api_version.rpartition("/")
    kind = kind or expected.kind
    if not version and group in ("", expected.group):
        group, version = expected.group, expected.version
    if not version:
        raise CallError(f"Object 'apiVersion' is missing in '{text}'")
    if (group, version, kind) == (expected.group, expected.version, expected.kind):
        return
    is_known = group == expected.group and version in _VERSIONS and kind == expected.kind
    if not is_known and kind != _STATUS:
        sent = f"{group}/{version}" if group else version
        raise CallError(schemes.unregistered(kind, sent, profile))
    sent_type = f"v1.{_STATUS}" if kind == _STATUS else f"{version}.{kind}"
    raise CallError(f"converting ({sent_type}) to ({expected.struct.go}): unknown conversion")


_STATUS: Final = "Status"
# The versions of reviews, of conversion and of admission.
_VERSIONS: Final = ("v1", "v1beta1")
