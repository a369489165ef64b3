"""
Problems of a certificate and its private key, in the words of Go.

Certificates and keys are parsed by another library: for malformed ones there is one message each, where Go has several.

Reference:
    crypto/tls, X509KeyPair.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from pytest_crd.engine.golang import pem

_MISSING: Final = "a certificate needs the extra `server`: pip install 'pytest-crd[server]'"
_CERTIFICATE: Final = "CERTIFICATE"
_KEY: Final = "PRIVATE KEY"


def find_problem(certificate: bytes, key: bytes) -> str:
    """Return Go's message about a certificate and a key as PEM; empty if they match."""
    blocks = [*_blocks(certificate)]
    certificates = [content for type_, content in blocks if type_ == _CERTIFICATE]
    if not certificates:
        return _without_certificate([type_ for type_, _ in blocks])
    skipped = []
    for type_, content in _blocks(key):
        if type_ == _KEY or type_.endswith(f" {_KEY}"):
            return _mismatch(certificates[0], content)
        skipped.append(type_)
    return _without_key(skipped)


def _blocks(text: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield type and content of each PEM block."""
    return ((block.type.decode("utf-8", "replace"), block.content) for block in pem.find_blocks(text))


def _without_certificate(skipped: list[str]) -> str:
    if not skipped:
        return "tls: failed to find any PEM data in certificate input"
    if len(skipped) == 1 and skipped[0].endswith(_KEY):
        return (
            "tls: failed to find certificate PEM data in certificate input, but did find a private key; "
            "PEM inputs may have been switched"
        )
    types = " ".join(skipped)
    return (
        'tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following '
        f"types: [{types}]"
    )


def _without_key(skipped: list[str]) -> str:
    if not skipped:
        return "tls: failed to find any PEM data in key input"
    if skipped == [_CERTIFICATE]:
        return "tls: found a certificate rather than a key in the PEM for the private key"
    types = " ".join(skipped)
    return (
        'tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the '
        f"following types: [{types}]"
    )


class CertificateLibrary(NamedTuple):
    """
    The library for certificates.

    Attributes:
        x509: Its module for certificates and requests.
        serialization: Its module for keys.
        unsupported: Its exception for unsupported algorithms.
    """

    x509: Any
    serialization: Any
    unsupported: type[Exception]


def import_library() -> CertificateLibrary:
    """
    Return the library for certificates.

    Raises:
        ModuleNotFoundError: It is not installed. Few projects have certificates, so it is an extra.
    """
    try:
        x509 = importlib.import_module("cryptography.x509")  # an extra
    except ImportError as error:
        raise ModuleNotFoundError(f"{_MISSING} ({error})") from None
    exceptions = importlib.import_module("cryptography.exceptions")
    serialization = importlib.import_module("cryptography.hazmat.primitives.serialization")
    return CertificateLibrary(x509, serialization, exceptions.UnsupportedAlgorithm)


def load_public_key(certificate: bytes) -> Any:
    """Return the public key of a certificate as DER; None if it is malformed."""
    library = import_library()
    try:
        return library.x509.load_der_x509_certificate(certificate).public_key()
    except (ValueError, library.unsupported):
        return None


def _mismatch(certificate: bytes, key: bytes) -> str:
    """Return the problem of a certificate and a key as DER; empty if they match."""
    public, library = load_public_key(certificate), import_library()
    if public is None:
        return "x509: malformed certificate"
    try:
        own = library.serialization.load_der_private_key(key, None).public_key()
    except (ValueError, TypeError, library.unsupported):
        return "tls: failed to parse private key"
    if type(own) is not type(public):
        return "tls: private key type does not match public key type"
    form = library.serialization.Encoding.DER, library.serialization.PublicFormat.SubjectPublicKeyInfo
    return "" if own.public_bytes(*form) == public.public_bytes(*form) else "tls: private key does not match public key"
