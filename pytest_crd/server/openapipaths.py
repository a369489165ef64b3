"""Requests under `/openapi`: documents in JSON and protobuf, with caching headers."""

from __future__ import annotations

import gzip
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from pytest_crd.server import encoding
from pytest_crd.server.http import negotiation, statuses
from pytest_crd.server.http.httpmessages import HTTPAnswer, HTTPRequest
from pytest_crd.server.protobuf.protofields import ProtobufError
from pytest_crd.server.resourcecatalog import ServerCatalog

if TYPE_CHECKING:
    from pytest_crd.server.openapiendpoints import PublishedDocument

_V2: Final = "/openapi/v2"
_V3: Final = "/openapi/v3"
# Accepted media types by version, with the Content-Type of the response.
_FORMS: Final[Mapping[str, Mapping[str, str]]] = {
    version: {
        negotiation.JSON: negotiation.JSON,
        **dict.fromkeys((f"{lead}@v1.0+protobuf", f"{lead}.v1.0+protobuf"), f"{lead}.v1.0+protobuf"),
    }
    for version, lead in ((name, f"application/com.github.proto-openapi.spec.{name}") for name in ("v2", "v3"))
}
_TAGS: Final = re.compile(r'"[^"]*"')
# Larger documents of version 2 are compressed; version 3 is not.
_COMPRESSED: Final = 1400
_YEAR: Final = timedelta(days=365)


def is_openapi_path(path: str) -> bool:
    """Return whether a path is below `/openapi`, even if it has no document."""
    return path in (_V2, _V3) or path.startswith(f"{_V3}/")


def answer(request: HTTPRequest, catalog: ServerCatalog) -> HTTPAnswer:
    """
    Return the response to a request for a document, for any method.

    Args:
        request: The request.
        catalog: The served resources.

    Raises:
        ApiError: 500: the document cannot be written in protobuf.

    Reference:
        kube-openapi handler/handler.go and handler3/handler.go; kube-aggregator controllers/openapiv3/aggregator, HandleDiscovery.
    """
    document = catalog.openapi(request.path.removeprefix("/openapi/"))
    if document is None:
        return HTTPAnswer(404, b"", "", encoding.ALWAYS)
    if request.path == _V3:
        # A server sets no Content-Type here, so Go guesses it from the content.
        return HTTPAnswer(200, document.json, "text/plain; charset=utf-8", encoding.ALWAYS, document.value)
    version = "v2" if request.path == _V2 else "v3"
    vary = (("Vary", "Accept-Encoding"), ("Vary", "Accept")) if version == "v2" else (("Vary", "Accept"),)
    media_type = negotiation.first_accepted(request, [*_FORMS[version]])
    if not media_type:
        return HTTPAnswer(406, b"", "", (*encoding.ALWAYS, *vary))
    return _of_document(request, document, version, _FORMS[version][media_type], vary)


def _of_document(
    request: HTTPRequest,
    document: PublishedDocument,
    version: str,
    media_type: str,
    vary: tuple[tuple[str, str], ...],
) -> HTTPAnswer:
    """Return the response with a document: 200, 304 if the client has it, or 301 if the requested hash is outdated."""
    tag = document.tag
    requested_hash = request.query.first("hash") if version == "v3" else ""
    headers = (*(_caching_headers() if requested_hash == tag else encoding.ALWAYS), ("Etag", f'"{tag}"'), *vary)
    if requested_hash and requested_hash != tag:
        return HTTPAnswer(301, b"", media_type, (*headers, ("Location", f"{request.path}?hash={tag}")))
    if _has(request, tag):
        return HTTPAnswer(304, b"", "", headers)
    body = document.json if media_type == negotiation.JSON else _in_protobuf(document)
    if version == "v2" and len(body) > _COMPRESSED and _takes_gzip(request):
        body = gzip.compress(body, 1)
        headers = (*headers, ("Content-Encoding", "gzip"))
    return HTTPAnswer(200, body, media_type, headers, document.value)


def _caching_headers() -> tuple[tuple[str, str], ...]:
    """Return the caching headers of a document requested by its hash, which never changes."""
    until = datetime.now(UTC) + _YEAR
    return ("Cache-Control", "public, immutable"), ("Expires", f"{until:%a, %d %b %Y %H:%M:%S} UTC")


def _has(request: HTTPRequest, tag: str) -> bool:
    """Return whether the client already has the document with this ETag."""
    header = request.headers.get("if-none-match", "")
    return header.strip() == "*" or f'"{tag}"' in _TAGS.findall(header)


def _takes_gzip(request: HTTPRequest) -> bool:
    """Return whether the client names gzip as an accepted encoding; `*` does not count."""
    for text in request.headers.get("accept-encoding", "").lower().split(","):
        name, _, weight = text.replace(" ", "").partition(";q=")
        if name == "gzip":
            return weight.strip("0.") != "" or not weight
    return False


def _in_protobuf(document: PublishedDocument) -> bytes:
    try:
        return document.protobuf
    except ProtobufError as error:
        raise statuses.unwritable(str(error)) from None
