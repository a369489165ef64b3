"""CA bundles of webhooks: whether the API server can read the certificates."""

from __future__ import annotations

import base64
import bisect
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

_BEGIN: Final = re.compile(r"^-----BEGIN ([^\n]*?)-----[ \t\r]*\n", re.MULTILINE)
_END: Final = re.compile(r"^-----END ", re.MULTILINE)
_REST_OF_LINE: Final = re.compile(r"[ \t\r]*(?:\n|\Z)")
_BASE64: Final = re.compile(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")
_UNABLE: Final = "unable to load root certificates:"
_NO_BLOCK: Final = f"{_UNABLE} unable to parse bytes as PEM block"
_NONE: Final = f"{_UNABLE} no valid certificate authority data seen"
_UNPARSED: Final = f"{_UNABLE} failed to parse certificate: x509:"
_SEQUENCE: Final = 0x30


def problem_of(bundle: str) -> str:
    """
    Return the error message about a `caBundle`; empty if it is valid or empty.

    Args:
        bundle: PEM certificates, encoded in base64 as in the CRD.

    Reference:
        client-go transport, rootCertPool and createErrorParsingCAData. All errors deep inside a certificate have one
        message.
    """
    text = base64.b64decode(bundle).decode("latin-1")
    if not text:
        return ""
    problem, end = "", 0
    for block in _blocks(text):
        content = _content(block.body)
        if content is None:
            continue
        end = block.end
        if block.type != "CERTIFICATE" or ":" in block.body:
            continue
        if not (certificate_problem := _problem_of_certificate(content)):
            return ""
        problem = problem or f"{_UNPARSED} {certificate_problem}"
    return problem or (_NO_BLOCK if text[end:] else _NONE)


class _Block(NamedTuple):
    """A block of a PEM text: type, body, and the offset of its end."""

    type: str
    body: str
    end: int


def _blocks(text: str) -> Iterator[_Block]:
    """Yield the blocks with the same type in BEGIN and END line; a body ends at the first END line."""
    end_lines, position = [end.start() for end in _END.finditer(text)], 0
    while (begin := _BEGIN.search(text, position)) and (index := bisect.bisect_left(end_lines, begin.end())) < len(
        end_lines
    ):
        end_line = f"-----END {begin[1]}-----"
        is_same = text.startswith(end_line, end_lines[index])
        rest = _REST_OF_LINE.match(text, end_lines[index] + len(end_line)) if is_same else None
        if rest:
            yield _Block(begin[1], text[begin.end() : end_lines[index]], rest.end())
        position = rest.end() if rest else begin.end()


def _content(body: str) -> bytes | None:
    """Return the bytes of a block without its headers; None if it is not base64, and so not a block."""
    headers, _, rest = body.partition("\n\n")
    encoded = "".join((rest if ":" in headers else body).split())
    # Checked here because Python ignores excess padding.
    return base64.b64decode(encoded) if _BASE64.fullmatch(encoded) else None


def _problem_of_certificate(content: bytes) -> str:
    """Return the error message about a certificate; empty if it is valid."""
    if len(content) < 2 or content[0] != _SEQUENCE:
        return "malformed certificate"
    size, start = content[1], 2
    if size & 0x80:
        start += size & 0x7F
        size = int.from_bytes(content[2:start], "big")
    if len(content) < start + size:
        return "malformed certificate"
    if len(content) > start + size:
        return "trailing data"
    return "" if _is_certificate(content) else "malformed tbs certificate"


def _is_certificate(content: bytes) -> bool:
    import ssl  # noqa: PLC0415 # slow to import, and few CRDs have a certificate

    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cadata=content)
    except (ssl.SSLError, ValueError):
        return False
    return True
