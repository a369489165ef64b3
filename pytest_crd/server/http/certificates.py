"""Certificates for loopback: an authority, and what a server shows that is signed by it."""

from __future__ import annotations

import ssl
from functools import cached_property

import trustme

_NAMES = ("127.0.0.1", "::1", "localhost")


class Certificates:
    """An authority of which nobody knows the key but this process."""

    def __init__(self) -> None:
        """Make the authority."""
        self._authority = trustme.CA(organization_name="pytest-crd")

    @property
    def authority(self) -> str:
        """The certificate of the authority, PEM."""
        return self._authority.cert_pem.bytes().decode()

    @cached_property
    def context(self) -> ssl.SSLContext:
        """What a server on loopback speaks TLS by."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._authority.issue_cert(*_NAMES).configure_cert(context)
        return context
