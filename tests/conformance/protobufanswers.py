"""
Protobuf answers as texts, so that they are recorded and compared like JSON answers.

An object is decoded from its bytes; if our server encodes it differently, the bytes are added. An OpenAPI document,
which is only encoded, is represented by a hash.
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
    """Return an answer as a text: protobuf as JSON, watches as a line per event. An incomplete event at the end is dropped."""
    if media_type.startswith(_OPENAPI) and body:
        return json.dumps({"sha256": hashlib.sha256(body).hexdigest()})
    if not media_type.startswith(MEDIA_TYPE):
        return body.decode(errors="replace")
    if "stream=watch" in media_type:
        return "".join(json.dumps(event) + "\n" for event in _events(body))
    return json.dumps(_object(body))


def _events(body: bytes) -> Iterator[Any]:
    start = 0
    while start + _LENGTH <= len(body):
        end = start + _LENGTH + int.from_bytes(body[start : start + _LENGTH])
        if end > len(body):
            return
        parts = _parts(body[start + _LENGTH : end])
        type_ = parts[1].decode()
        value = _object(_parts(parts[2])[1])
        is_exact = protowriting.event(type_, protowriting.write(value)) == body[start:end]
        yield {"type": type_, "object": value} | (
            {} if is_exact else {"frame": base64.b64encode(body[start:end]).decode()}
        )
        start = end


def _parts(message: bytes) -> dict[int, bytes]:
    return {part.number: part.value for part in protowire.parts(message, "WatchEvent", lambda *_: None)}


def _object(body: bytes) -> Any:
    envelope = protoreading.envelope(body)
    value = protoreading.read(envelope.raw, envelope.api_version or "v1", envelope.kind)
    decoded = {"kind": envelope.kind, "apiVersion": envelope.api_version, **value}
    is_exact = protowriting.write(decoded) == body
    return decoded if is_exact else {**decoded, "bytes": base64.b64encode(body).decode()}
