"""Answers as they are sent: JSON, YAML or protobuf, with the headers of a server."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from typing import Final

import yaml

from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.server.http import negotiation, statuses
from pytest_crd.server.http.httpmessages import HTTPAnswer, HTTPRequest, compact
from pytest_crd.server.http.negotiation import Form
from pytest_crd.server.protobuf import protowriting
from pytest_crd.server.protobuf.protofields import ProtobufError

ALWAYS: Final = (("Cache-Control", "no-cache, private"),)
# Above this size answers are compressed for who takes that.
_COMPRESSED: Final = 128 * 1024


def answer(  # noqa: PLR0913 - what an answer is made of
    request: HTTPRequest,
    code: int,
    value: JSONValue,
    form: Form,
    *,
    warnings: Sequence[str] = (),
    headers: tuple[tuple[str, str], ...] = (),
    dropped: tuple[str, ...] = (),
    media_type: str = "",
    unvalidated: str = "",
) -> HTTPAnswer:
    """
    Return an answer.

    Args:
        request: What is answered.
        code: The HTTP code.
        value: What is said.
        form: In which form.
        warnings: What is warned of beside.
        headers: Further headers.
        dropped: The fields that were dropped of what was sent.
        unvalidated: The kind of what was written, where that is neither validated nor defaulted.
        media_type: What the body is called, where that is not the form's.

    Raises:
        ApiError: 500: it cannot be written in this form.
    """
    body = _written(value, form)
    warned = tuple(("Warning", warning(text)) for text in warnings)
    found = (*ALWAYS, *warned, *headers)
    if len(body) > _COMPRESSED and _takes_gzip(request.headers.get("accept-encoding", "")):
        body = gzip.compress(body, 1)
        found = (*found, ("Content-Encoding", "gzip"), ("Vary", "Accept-Encoding"))
    return HTTPAnswer(code, body, media_type or form.media_type, found, value, tuple(warnings), dropped, unvalidated)


def _takes_gzip(header: str) -> bool:
    """
    Return True if a header accepts gzip by its name.

    Reference:
        apiserver endpoints/handlers/responsewriters/writers.go, negotiateContentEncoding.
    """
    return any(clause.strip() == "gzip" for clause in header.split(","))


def _written(value: JSONValue, form: Form) -> bytes:
    if form.media_type != negotiation.PROTOBUF:
        return text_of(value, form).encode("utf-8", "surrogatepass")
    try:
        return protowriting.write(value)
    except ProtobufError as error:
        raise statuses.unwritable(str(error)) from None


def page(code: int, text: str) -> HTTPAnswer:
    """Return an answer that is a text."""
    headers = (*ALWAYS, ("X-Content-Type-Options", "nosniff"))
    return HTTPAnswer(code, text.encode(), "text/plain; charset=utf-8", headers)


def text_of(value: JSONValue, form: Form) -> str:
    """Return how a value is written in a form that is a text."""
    if form.media_type == negotiation.YAML:
        return str(yaml.safe_dump(value, sort_keys=True, allow_unicode=True))
    if form.is_pretty:
        return printing.respell_json(json.dumps(value, ensure_ascii=False, indent=2))
    return printing.respell_json(compact(value)) + "\n"


def warning(text: str) -> str:
    """Return how a warning is sent."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'299 - "{escaped}"'
