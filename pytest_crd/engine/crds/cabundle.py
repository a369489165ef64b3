"""CA bundles of webhooks: whether the API server can read the certificates."""

from __future__ import annotations

import base64
from typing import Final

from pytest_crd.engine.golang import pem

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
    data = base64.b64decode(bundle)
    if not data:
        return ""
    problem, end = "", 0
    for block in pem.find_blocks(data):
        end = block.end
        if block.type != b"CERTIFICATE" or block.has_headers:
            continue
        if not (certificate_problem := _problem_of_certificate(block.content)):
            return ""
        problem = problem or f"{_UNPARSED} {certificate_problem}"
    return problem or (_NO_BLOCK if data[end:] else _NONE)


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
