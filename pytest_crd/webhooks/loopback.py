"""Webhooks of objects that clients create on a server: their URLs are called on loopback, and nowhere else."""

from __future__ import annotations

import base64
import binascii
import ipaddress
import ssl
from typing import Final

from pytest_crd.engine.errors import refusal
from pytest_crd.engine.golang import urls
from pytest_crd.engine.jsonvalue import JSONObject
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry.requestbody import RefusedError
from pytest_crd.webhooks import webhookurls
from pytest_crd.webhooks.httptransport import HttpTransport
from pytest_crd.webhooks.transport import WebhookTransport

_LOCALHOST: Final = "localhost"
_FOREIGN: Final = (
    "pytest-crd does not call {which} at {url}: it calls the webhooks of stored objects on loopback only; "
    "set clientConfig.url to a URL on 127.0.0.1, as envtest does, or name an endpoint in crd_webhooks"
)
_WRONG_BUNDLE: Final = "pytest-crd does not call {which}: its caBundle has no certificates in PEM"


class LoopbackTransports:
    """The transports to webhooks on loopback, for one server."""

    def __init__(self) -> None:
        """Start without connections."""
        self._transports: dict[tuple[str, str], HttpTransport] = {}

    def reach(self, which: str, client_config: JSONObject, profile: Profile) -> tuple[WebhookTransport, str]:
        """
        Return the transport to a webhook, and its URL as the server spells it.

        Args:
            which: The webhook, for messages: `the webhook v.example.com`.
            client_config: Its valid `clientConfig`.
            profile: The Kubernetes version.

        Raises:
            RefusedError: It is a Service or on another host, or its `caBundle` has no certificates.
        """
        url = webhookurls.server_url(client_config, profile)
        if not is_loopback(client_config):
            raise RefusedError(refusal.internal_error(_FOREIGN.format(which=which, url=url)))
        try:
            authority = base64.b64decode(str(client_config.get("caBundle") or "")).decode("ascii").strip()
            key = (f"https://{webhookurls.split(url)[0]}", authority)
            if key not in self._transports:
                self._transports[key] = HttpTransport(key[0], authority=authority)
        except (binascii.Error, UnicodeDecodeError, ssl.SSLError):
            raise RefusedError(refusal.internal_error(_WRONG_BUNDLE.format(which=which))) from None
        return self._transports[key], url

    def close(self) -> None:
        """Close the open connections."""
        for transport in self._transports.values():
            transport.close()
        self._transports.clear()


def is_loopback(client_config: JSONObject) -> bool:
    """Return whether a valid `clientConfig` has a URL on loopback."""
    host = urls.split_host(urls.parse(client_config.get("url") or "", strict_colons=False).host)[0].lower()
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host == _LOCALHOST
    return address.is_loopback and "%" not in host
