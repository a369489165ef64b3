"""Messages of failed HTTP responses, from a Status in the body or from the server's REST client."""

from __future__ import annotations

from typing import Final

from pytest_crd.engine.golang import decoding, gostrings, gotypes, printing
from pytest_crd.engine.golang.decoding import DecodeError
from pytest_crd.engine.golang.gotypes import INT32, INT64, STRING, List, Pointer, Struct
from pytest_crd.engine.metadata import metav1types, typemeta
from pytest_crd.engine.metadata.systemmetadata import UID
from pytest_crd.engine.metadata.typemeta import TypeMetaError
from pytest_crd.webhooks import replybody
from pytest_crd.webhooks.replybody import UnreadableReplyError

_MOST_BYTES: Final = 2048
_FORBIDDEN: Final = 403
_NOT_ACCEPTABLE: Final = 406
_UNSUPPORTED_MEDIA_TYPE: Final = 415
_FIRST_SERVER_ERROR: Final = 500
_WORDS: Final = {
    400: "the server rejected our request for an unknown reason",
    401: "the server has asked for the client to provide credentials",
    404: "the server could not find the requested resource",
    405: "the server does not allow this method on the requested resource",
    409: "the server reported a conflict",
    422: "the server rejected our request due to an error in our request",
    429: "the server has received too many requests and has asked us to try again later",
    503: "the server is currently unable to handle the request",
    504: "the server was unable to return a response in the time allotted, but may still be processing the request",
}
_UNKNOWN: Final = "unknown"
_NO_TYPE: Final = "the server was unable to respond with a content type that the client supports"

LIST_META: Final = Struct(
    "v1.ListMeta",
    {
        "selfLink": STRING,
        "resourceVersion": STRING,
        "continue": STRING,
        "remainingItemCount": Pointer(INT64),
        "shardInfo": Pointer(Struct("v1.ShardInfo", {"selector": STRING})),
    },
)
_CAUSE: Final = Struct("v1.StatusCause", {"reason": gotypes.string("v1.CauseType"), "message": STRING, "field": STRING})
_DETAILS: Final = Struct(
    "v1.StatusDetails",
    {
        "name": STRING,
        "group": STRING,
        "kind": STRING,
        "uid": UID,
        "causes": List(_CAUSE),
        "retryAfterSeconds": INT32,
    },
)
STATUS: Final = Struct(
    "v1.Status",
    {
        **metav1types.TYPE_META,
        "metadata": LIST_META,
        "status": STRING,
        "message": STRING,
        "reason": gotypes.string("v1.StatusReason"),
        "details": Pointer(_DETAILS),
        "code": INT32,
    },
)


def describe(code: int, body: bytes, *, is_text: bool) -> str:
    """
    Return the client's message about a response with the HTTP *code*.

    Args:
        code: The code, other than 200 to 206.
        body: The body.
        is_text: Whether the body is a text, which some messages quote.

    Reference:
        client-go rest/request.go, newUnstructuredResponseError; apimachinery api/errors, NewGenericServerResponse.
    """
    text = gostrings.trim_space(body[:_MOST_BYTES].decode(errors="surrogateescape")) if is_text else _UNKNOWN
    if code in (_FORBIDDEN, _UNSUPPORTED_MEDIA_TYPE):
        return text
    if code == _NOT_ACCEPTABLE:
        return _NO_TYPE if text in ("", _UNKNOWN) else text
    if code in _WORDS:
        return _WORDS[code]
    if code >= _FIRST_SERVER_ERROR:
        return f"an error on the server ({printing.quote(text)}) has prevented the request from succeeding"
    return f"the server responded with the status code {code} but did not return more information"


def find_message(body: bytes) -> str | None:
    """
    Return the message of the failed Status in the body of a response; None if the body is no such Status.

    Reference:
        client-go rest/request.go, Result.Error.
    """
    try:
        read = replybody.read(body)
        api_version, kind = typemeta.read_type_meta(read.value, text=read.text)
        status = decoding.decode(read.value, STATUS, sort_keys=not read.is_json).value
    except (UnreadableReplyError, TypeMetaError, DecodeError):
        return None
    is_status = kind == "Status" and bool(api_version.rpartition("/")[2] or not api_version)
    return str(status.get("message", "")) if is_status and status.get("status") == "Failure" else None
