"""Our server in conversations with scripted webhooks, without a socket."""

from __future__ import annotations

import base64
import itertools
import urllib.parse
from collections.abc import Callable
from typing import Any, Final

import trustme

from conformance import serverside, webhookconversations
from conformance.exchanges import NAMESPACE
from conformance.webhookconversations import ADDRESS, Conversation
from conformance.webhookrequests import CRDS
from conformance.webhookscripts import Script
from pytest_crd.engine.api.context import NamespaceOf
from pytest_crd.engine.crds.declared import CrdSpec
from pytest_crd.engine.crds.internalspec import ClientConfig, Conversion
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.profile import Profile
from pytest_crd.server.api import Api
from pytest_crd.webhooks.conversionreview import WebhookConverter
from pytest_crd.webhooks.transport import BodyTransportError, TransportError, WebhookReply

_CERTIFICATE: Final = base64.b64encode(trustme.CA().cert_pem.bytes()).decode()


class ScriptTransport:
    """Transport to the webhooks of a script, by the paths of URLs."""

    def __init__(self, script: Script) -> None:
        """Take the script."""
        self._script = script

    def post(self, url: str, body: bytes, timeout: float) -> WebhookReply:  # noqa: ARG002 - the script knows
        """Return the scripted response, or raise TransportError."""
        address = urllib.parse.urlsplit(url)
        hook = address.path.strip("/").removeprefix(f"{NAMESPACE}/") or "convert"
        reply = self._script.reply(hook, address.query, body)
        if reply.error:
            raise (BodyTransportError if reply.cut == "inside" else TransportError)(reply.error)
        return WebhookReply(reply.status, reply.body, reply.content_type)


class ScriptedWebhooks:
    """The webhooks of a conversation."""

    def __init__(self, conversation: Conversation, script: Script) -> None:
        """Take a conversation with filled placeholders, and its script."""
        self._transport = ScriptTransport(script)
        self._configurations = conversation.configurations
        numbers = itertools.count(1)
        self._new_uid: Callable[[], str] = lambda: f"00000000-0000-0000-0000-{next(numbers):012d}"

    def admission(self, _profile: Profile, _namespace_of: NamespaceOf | None = None) -> None:
        """Return the admission webhooks."""

    def converter(self, _crd: CrdSpec, conversion: Conversion, profile: Profile) -> WebhookConverter:
        """Return the conversion webhook of a CRD."""
        versions, config = conversion["conversionReviewVersions"], conversion["webhookClientConfig"]
        assert versions is not None
        assert config is not None
        return WebhookConverter(tuple(versions), self._transport, _url_of(config), self._new_uid, profile)


def _url_of(config: ClientConfig) -> str:
    if service := config.get("service"):
        return f"https://{service['name']}.{service['namespace']}.svc:{service['port']}{service.get('path') or '/'}"
    return str(config["url"])


def replay(conversation: Conversation, version: str) -> JSONValue:
    """Return our answers and the calls of webhooks, in the form of recordings."""

    def fill(value: Any) -> Any:
        return webhookconversations.fill(value, NAMESPACE, f"{ADDRESS}/{NAMESPACE}", _CERTIFICATE)

    filled = conversation.filled(fill)
    script = Script(filled.hooks)
    webhooks = ScriptedWebhooks(filled, script)
    api = Api(kubernetes_version=version, webhooks=webhooks)
    api.catalog.namespaces.create(NAMESPACE)
    send = serverside.sender_of(api)
    for crd in filled.crds:
        answer = send({"method": "POST", "path": CRDS, "body": crd, "agent": "unknown/1"})
        assert answer.code == 201, answer.text
    results = list(webhookconversations.run(filled.requests, send, script, NAMESPACE, lambda: None))
    return webhookconversations.normalize(results, filled.requests, NAMESPACE, {_CERTIFICATE: "CA"})
