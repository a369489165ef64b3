"""Certificates of the webhook servers that commands start."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any, Final

from pytest_crd.webhooks.webhookerrors import WebhookError

_NAMES: Final = ("127.0.0.1", "::1", "localhost")
_MISSING: Final = "a command needs the extra `server` for its certificates: pip install 'pytest-crd[server]' ({})"
_PRIVATE: Final = 0o600


def write_certificates(folder: Path, *, source: str) -> str:
    """
    Write `tls.crt`, `tls.key` and `ca.crt` for a server on localhost into *folder*, and return the authority, PEM.

    Args:
        folder: An existing folder.
        source: The place of the setting, for errors.

    Raises:
        WebhookError: The extra `server` is not installed.
    """
    try:
        trustme: Any = importlib.import_module("trustme")
    except ImportError as error:
        raise WebhookError.at(source, _MISSING.format(error)) from None
    authority = trustme.CA(organization_name="pytest-crd")
    certificate = authority.issue_cert(*_NAMES)
    key = folder / "tls.key"
    key.touch(mode=_PRIVATE)
    key.write_bytes(certificate.private_key_pem.bytes())
    (folder / "tls.crt").write_bytes(b"".join(blob.bytes() for blob in certificate.cert_chain_pems))
    (folder / "ca.crt").write_bytes(authority.cert_pem.bytes())
    return str(authority.cert_pem.bytes().decode())
