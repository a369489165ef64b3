"""Encoding of responses: JSON, YAML or protobuf, with the headers of a server."""

from __future__ import annotations

import dataclasses
import gzip
import json
import re
import traceback
from collections.abc import Sequence
from typing import Final

import yaml

from pytest_crd.engine.cel.errors import UnsupportedExpressionError
from pytest_crd.engine.golang import printing
from pytest_crd.engine.inputerror import InputError
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.server.http import negotiation, statuses
from pytest_crd.server.http.httpmessages import HTTPAnswer, HTTPRequest, compact
from pytest_crd.server.http.negotiation import Form
from pytest_crd.server.http.statuses import ApiError
from pytest_crd.server.protobuf import protowriting
from pytest_crd.server.protobuf.protofields import ProtobufError

ALWAYS: Final = (("Cache-Control", "no-cache, private"),)
# Larger responses are compressed if the client accepts that.
_COMPRESSED: Final = 128 * 1024


class _YamlDumper(yaml.SafeDumper):
    """YAML dumper that spells numbers as Go does, such as `1e+20`."""


_YamlDumper.add_representer(
    float, lambda dumper, value: dumper.represent_scalar("tag:yaml.org,2002:float", printing.number(value))
)
_YamlDumper.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"-?[0-9](?:\.[0-9]+)?e[+-][0-9]+\Z"), [*"-0123456789"]
)


def answer(  # noqa: PLR0913 - the parts of a response
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
    Return a response with an encoded body.

    Args:
        request: The request.
        code: The HTTP code.
        value: The value of the body.
        form: The form of the body.
        warnings: The texts of the Warning headers.
        headers: Further headers.
        dropped: The fields of the request that were dropped.
        unvalidated: The kind of the written object if it is not validated.
        media_type: The Content-Type, if it is not that of *form*.

    Raises:
        ApiError: 500: the value cannot be written in this form.
    """
    body = _encode(value, form)
    warned = tuple(("Warning", warning(text)) for text in warnings)
    all_headers = (*ALWAYS, *warned, *headers)
    if len(body) > _COMPRESSED and _takes_gzip(request.headers.get("accept-encoding", "")):
        body = gzip.compress(body, 1)
        all_headers = (*all_headers, ("Content-Encoding", "gzip"), ("Vary", "Accept-Encoding"))
    return HTTPAnswer(
        code, body, media_type or form.media_type, all_headers, value, tuple(warnings), dropped, unvalidated
    )


def _takes_gzip(header: str) -> bool:
    """
    Return True if a header accepts gzip by its name.

    Reference:
        apiserver endpoints/handlers/responsewriters/writers.go, negotiateContentEncoding.
    """
    return any(clause.strip() == "gzip" for clause in header.split(","))


def _encode(value: JSONValue, form: Form) -> bytes:
    if form.media_type != negotiation.PROTOBUF:
        return _write_text(value, form).encode("utf-8", "surrogatepass")
    try:
        return protowriting.write(value)
    except ProtobufError as error:
        raise statuses.unwritable(str(error)) from None


def failed(request: HTTPRequest, error: ApiError) -> HTTPAnswer:
    """Return the response of a refused request."""
    form, code = negotiation.form_of_failure(request), error.status["code"]
    return answer(request, code, error.status, form, headers=error.headers, warnings=error.warnings)


def unexpected(request: HTTPRequest, error: Exception) -> HTTPAnswer:
    """
    Return the response to a request that meets an error of pytest-crd, with its `failure`.

    Args:
        request: The request.
        error: The error: a mistake of the project, a missing feature of pytest-crd, or a bug, which is reported with its traceback.
    """
    if isinstance(error, InputError | UnsupportedExpressionError):
        summary = words = str(error)
    else:
        summary = f"pytest-crd has a bug: {type(error).__name__}: {error}"
        words = f"pytest-crd has a bug:\n{''.join(traceback.format_exception(error))}"
    answer_ = failed(request, statuses.internal_error(summary))
    return dataclasses.replace(answer_, failure=f"{request.method} {request.target}: {words}")


def page(code: int, text: str) -> HTTPAnswer:
    """Return a response with a plain text."""
    headers = (*ALWAYS, ("X-Content-Type-Options", "nosniff"))
    return HTTPAnswer(code, text.encode(), "text/plain; charset=utf-8", headers)


def _write_text(value: JSONValue, form: Form) -> str:
    """Return *value* as YAML or JSON."""
    if form.media_type == negotiation.YAML:
        return str(yaml.dump(value, Dumper=_YamlDumper, sort_keys=True, allow_unicode=True))
    if form.is_pretty:
        return printing.respell_json(json.dumps(value, ensure_ascii=False, indent=2, sort_keys=form.sorts_keys))
    return printing.respell_json(compact(value, sorts_keys=form.sorts_keys)) + "\n"


def warning(text: str) -> str:
    """Return the value of a Warning header."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'299 - "{escaped}"'
