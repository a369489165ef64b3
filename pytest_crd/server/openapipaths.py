"""What is answered under `/openapi`: documents in JSON and in protobuf, with what tells a client that it has them already."""

from __future__ import annotations

import gzip
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Final

from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.server import encoding, openapiendpoints
from pytest_crd.server.http import negotiation, statuses
from pytest_crd.server.http.httpmessages import HTTPAnswer, HTTPRequest, compact
from pytest_crd.server.protobuf import openapiwriting
from pytest_crd.server.protobuf.protofields import ProtobufError
from pytest_crd.server.resourcecatalog import ServerCatalog

_V2: Final = "/openapi/v2"
_V3: Final = "/openapi/v3"
# What a document is wanted as, with what it is called then.
_FORMS: Final[Mapping[str, Mapping[str, str]]] = {
    version: {
        negotiation.JSON: negotiation.JSON,
        **dict.fromkeys((f"{lead}@v1.0+protobuf", f"{lead}.v1.0+protobuf"), f"{lead}.v1.0+protobuf"),
    }
    for version, lead in ((one, f"application/com.github.proto-openapi.spec.{one}") for one in ("v2", "v3"))
}
_TAGS: Final = re.compile(r'"[^"]*"')
# Above this size version 2 is compressed for who takes that; version 3 is not.
_COMPRESSED: Final = 1400
_YEAR: Final = timedelta(days=365)


def is_of(path: str) -> bool:
    """Return whether a path is that of a document, whether there is one or not."""
    return path in (_V2, _V3) or path.startswith(f"{_V3}/")


def answer(request: HTTPRequest, catalog: ServerCatalog) -> HTTPAnswer:
    """
    Return the answer to a request for a document, by whatever method.

    Args:
        request: The request.
        catalog: What is served.

    Raises:
        ApiError: 500: what is published cannot be written in protobuf.

    Reference:
        kube-openapi handler/handler.go and handler3/handler.go; kube-aggregator controllers/openapiv3/aggregator, HandleDiscovery.
    """
    parts = request.path.removeprefix("/openapi/").split("/")
    found = catalog.openapi(parts)
    if request.path == _V3:
        # A server does not say what this is, and so it is guessed from how it begins.
        return HTTPAnswer(200, compact(found).encode(), "text/plain; charset=utf-8", encoding.ALWAYS, found)
    if found is None:
        return HTTPAnswer(404, b"", "", encoding.ALWAYS)
    vary = (("Vary", "Accept-Encoding"), ("Vary", "Accept")) if request.path == _V2 else (("Vary", "Accept"),)
    wanted = negotiation.first_of(request, [*_FORMS[parts[0]]])
    if not wanted:
        return HTTPAnswer(406, b"", "", (*encoding.ALWAYS, *vary))
    return _of_document(request, found, parts[0], _FORMS[parts[0]][wanted], vary)


def _of_document(
    request: HTTPRequest, found: Resource, version: str, media_type: str, vary: tuple[tuple[str, str], ...]
) -> HTTPAnswer:
    """Return a document, or that a client has it, or where it is now."""
    tag = openapiendpoints.tag(found)
    asked = request.query.first("hash") if version == "v3" else ""
    headers = (*(_of_age() if asked == tag else encoding.ALWAYS), ("Etag", f'"{tag}"'), *vary)
    if asked and asked != tag:
        return HTTPAnswer(301, b"", media_type, (*headers, ("Location", f"{request.path}?hash={tag}")))
    if _has(request, tag):
        return HTTPAnswer(304, b"", "", headers)
    body = _written(found, version, media_type)
    if version == "v2" and len(body) > _COMPRESSED and _takes_gzip(request):
        body = gzip.compress(body, 1)
        headers = (*headers, ("Content-Encoding", "gzip"))
    return HTTPAnswer(200, body, media_type, headers, found)


def _of_age() -> tuple[tuple[str, str], ...]:
    """Return the headers of what is asked for by its tag, and so never changes."""
    until = datetime.now(UTC) + _YEAR
    return ("Cache-Control", "public, immutable"), ("Expires", f"{until:%a, %d %b %Y %H:%M:%S} UTC")


def _has(request: HTTPRequest, tag: str) -> bool:
    """Return whether a client has a document with this tag."""
    given = request.headers.get("if-none-match", "")
    return given.strip() == "*" or f'"{tag}"' in _TAGS.findall(given)


def _takes_gzip(request: HTTPRequest) -> bool:
    """Return whether a client takes an answer that is compressed; one that takes whatever there is does not say so."""
    for text in request.headers.get("accept-encoding", "").lower().split(","):
        name, _, weight = text.replace(" ", "").partition(";q=")
        if name == "gzip":
            return weight.strip("0.") != "" or not weight
    return False


def _written(found: Resource, version: str, media_type: str) -> bytes:
    if media_type == negotiation.JSON:
        return compact(found).encode()
    try:
        return openapiwriting.write(found, version)
    except ProtobufError as error:
        raise statuses.unwritable(str(error)) from None
