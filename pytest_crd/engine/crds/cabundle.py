"""Certificates of the authorities that a webhook's server is checked against: whether the API server can read them."""

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
    Return what is wrong with a `caBundle`; an empty text where nothing is, or where there is none.

    Args:
        bundle: Certificates in PEM, all of it in base64, as in the CRD.

    Reference:
        client-go transport, rootCertPool and createErrorParsingCAData. What is wrong deep inside a certificate is not told apart.
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
        if not (found := _problem_of_certificate(content)):
            return ""
        problem = problem or f"{_UNPARSED} {found}"
    return problem or (_NO_BLOCK if text[end:] else _NONE)


class _Block(NamedTuple):
    """A block of a PEM text: its type, its body, and the place behind it."""

    type: str
    body: str
    end: int


def _blocks(text: str) -> Iterator[_Block]:
    """Yield the blocks whose first and last line have the same type; the body reaches to the first last line there is."""
    ends, place = [end.start() for end in _END.finditer(text)], 0
    while (begin := _BEGIN.search(text, place)) and (index := bisect.bisect_left(ends, begin.end())) < len(ends):
        last = f"-----END {begin[1]}-----"
        is_same = text.startswith(last, ends[index])
        rest = _REST_OF_LINE.match(text, ends[index] + len(last)) if is_same else None
        if rest:
            yield _Block(begin[1], text[begin.end() : ends[index]], rest.end())
        place = rest.end() if rest else begin.end()


def _content(body: str) -> bytes | None:
    """Return the bytes of a block without its headers; None where it is not base64, and so no block at all."""
    headers, _, rest = body.partition("\n\n")
    encoded = "".join((rest if ":" in headers else body).split())
    # Python reads on over padding that is too long.
    return base64.b64decode(encoded) if _BASE64.fullmatch(encoded) else None


def _problem_of_certificate(content: bytes) -> str:
    """Return what is wrong with a certificate; an empty text where nothing is."""
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
