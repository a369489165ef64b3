"""
Answers in protobuf as texts, so that they are recorded and compared as those in JSON are.

Each object is what is read from its bytes; where these are not what our server writes of it, they stand beside. Of an OpenAPI document, which is
only written, there is a hash.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator
from typing import Any, Final

from pytest_crd.server.protobuf import protoreading, protowire, protowriting

MEDIA_TYPE: Final = "application/vnd.kubernetes.protobuf"
_OPENAPI: Final = "application/com.github.proto-openapi."
_LENGTH: Final = 4


def text_of(body: bytes, media_type: str) -> str:
    """Return what an answer says: of one in protobuf JSON, of a watch a line for each event; what is cut off at its end is left out."""
    if media_type.startswith(_OPENAPI) and body:
        return json.dumps({"sha256": hashlib.sha256(body).hexdigest()})
    if not media_type.startswith(MEDIA_TYPE):
        return body.decode(errors="replace")
    if "stream=watch" in media_type:
        return "".join(json.dumps(event) + "\n" for event in _events(body))
    return json.dumps(_object(body))


def _events(body: bytes) -> Iterator[Any]:
    at = 0
    while at + _LENGTH <= len(body):
        end = at + _LENGTH + int.from_bytes(body[at : at + _LENGTH])
        if end > len(body):
            return
        told = _parts(body[at + _LENGTH : end])
        type_ = told[1].decode()
        shown = _object(_parts(told[2])[1])
        is_exact = protowriting.event(type_, protowriting.write(shown)) == body[at:end]
        yield {"type": type_, "object": shown} | (
            {} if is_exact else {"frame": base64.b64encode(body[at:end]).decode()}
        )
        at = end


def _parts(message: bytes) -> dict[int, bytes]:
    return {part.number: part.value for part in protowire.parts(message, "WatchEvent", lambda *_: None)}


def _object(body: bytes) -> Any:
    found = protoreading.envelope(body)
    value = protoreading.read(found.raw, found.api_version or "v1", found.kind)
    shown = {"kind": found.kind, "apiVersion": found.api_version, **value}
    is_exact = protowriting.write(shown) == body
    return shown if is_exact else {**shown, "bytes": base64.b64encode(body).decode()}
