"""Certificates for localhost: an authority, and server certificates that it signs."""

from __future__ import annotations

import ssl
from functools import cached_property

import trustme

_NAMES = ("127.0.0.1", "::1", "localhost")


class Certificates:
    """Certificate authority with a key that stays in this process."""

    def __init__(self) -> None:
        """Create the authority."""
        self._authority = trustme.CA(organization_name="pytest-crd")

    @property
    def authority(self) -> str:
        """The certificate of the authority, PEM."""
        return self._authority.cert_pem.bytes().decode()

    @cached_property
    def context(self) -> ssl.SSLContext:
        """The TLS context of a server on localhost."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._authority.issue_cert(*_NAMES).configure_cert(context)
        return context
