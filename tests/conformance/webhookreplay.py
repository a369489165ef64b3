"""Our server in conversations with scripted webhooks, without a socket."""

from __future__ import annotations

import base64
import itertools
import json
import urllib.parse
from collections.abc import Callable
from typing import Any, Final

import trustme

from conformance import serverside, webhookconversations
from conformance.exchanges import NAMESPACE
from conformance.webhookconversations import ADDRESS, Conversation
from conformance.webhookrequests import CRDS
from conformance.webhookscripts import Script
from pytest_crd.admission.chain import AdmissionChain
from pytest_crd.engine.api.context import NamespaceOf
from pytest_crd.engine.crds.declared import CrdSpec
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.yaml import manifest
from pytest_crd.server.api import Api
from pytest_crd.webhooks import configurations, webhookurls
from pytest_crd.webhooks.chain import WebhookPlugin
from pytest_crd.webhooks.conversionreview import WebhookConverter
from pytest_crd.webhooks.transport import BodyTransportError, TransportError, WebhookReply

# A cluster has written as many objects before; smaller numbers are values of the conversation.
_FIRST_REVISION: Final = 1_000_000
_CERTIFICATE: Final = base64.b64encode(trustme.CA().cert_pem.bytes()).decode()


class ScriptTransport:
    """Transport to the webhooks of a script, by the paths of URLs."""

    def __init__(self, script: Script) -> None:
        """Take the script."""
        self._script = script

    def post(self, url: str, body: bytes, timeout: float) -> WebhookReply:  # noqa: ARG002 - the script knows
        """Return the scripted response, or raise TransportError."""
        address = urllib.parse.urlsplit(url)
        hook = address.path.strip("/").removeprefix(f"{NAMESPACE}/") or self._script.first
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

    def admission(self, profile: Profile, namespace_of: NamespaceOf | None = None) -> AdmissionChain | None:
        """Return the admission webhooks; None if the conversation has none."""
        if not self._configurations:
            return None
        assert namespace_of is not None
        text = "\n---\n".join(map(json.dumps, self._configurations)).encode()
        plugin = WebhookPlugin(
            configurations.read(manifest.read(text, source="webhooks.yaml"), profile),
            lambda webhook: (self._transport, webhookurls.server_url(webhook.client_config, profile)),
            namespace_of,
            self._new_uid,
            profile,
        )
        return AdmissionChain((plugin,))

    def converter(self, _crd: CrdSpec, conversion: JSONValue, profile: Profile) -> WebhookConverter:
        """Return the conversion webhook of a CRD."""
        url = webhookurls.server_url(conversion["webhookClientConfig"], profile)
        versions = tuple(conversion["conversionReviewVersions"])
        return WebhookConverter(versions, self._transport, url, self._new_uid, profile)


def fill(value: Any) -> Any:
    """Return *value* with the placeholders of a conversation filled."""
    return webhookconversations.fill(value, NAMESPACE, f"{ADDRESS}/{NAMESPACE}", _CERTIFICATE)


def mask(text: str) -> str:
    """Return a message with the texts of a recording instead of those of this run."""
    return text.replace(NAMESPACE, "NAMESPACE").replace(_CERTIFICATE, "CA")


def replay(conversation: Conversation, version: str) -> JSONValue:
    """Return our answers and the calls of webhooks, in the form of recordings."""
    filled = conversation.filled(fill)
    script = Script(filled.hooks)
    webhooks = ScriptedWebhooks(filled, script)
    api = Api(kubernetes_version=version, webhooks=webhooks)
    api.store.revision = _FIRST_REVISION
    send = serverside.sender_of(api)
    labels = {"kubernetes.io/metadata.name": NAMESPACE, **filled.labels}
    metadata = {"name": NAMESPACE, "labels": labels}
    body = {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}
    send({"method": "POST", "path": "/api/v1/namespaces", "body": body})
    for crd in filled.crds:
        answer = send({"method": "POST", "path": CRDS, "body": crd, "agent": "unknown/1"})
        assert answer.code == 201, answer.text
    results = list(webhookconversations.run(filled.requests, send, script, NAMESPACE, lambda: None))
    return webhookconversations.normalize(results, filled.requests, NAMESPACE, {_CERTIFICATE: "CA"})


def find_difference(ours: Any, recorded: Any) -> str:
    """Return the first difference between our answers and reviews and the recorded ones; empty if there is none."""
    return find_different_request(ours, recorded)[1]


def find_different_request(ours: Any, recorded: Any) -> tuple[int, str]:
    """Return the number of the first request with another answer or review, and the difference; an empty text if there is none."""
    pairs = zip(ours["answers"], recorded["answers"], ours["calls"], recorded["calls"], strict=True)
    for number, (answer, recorded_answer, calls, recorded_calls) in enumerate(pairs):
        if answer != recorded_answer:
            return number, f"answer {number}: {answer}\n  recorded: {recorded_answer}"
        if [*filter(_admits, calls)] != [*filter(_admits, recorded_calls)]:
            return number, f"reviews for admission {number}: {calls}\n  recorded: {recorded_calls}"
        if unexpected := [call for call in calls if call not in recorded_calls]:
            return number, f"reviews for conversion {number}: {unexpected}\n  recorded: {recorded_calls}"
    return 0, ""


def _admits(call: JSONValue) -> bool:
    kind: str = call[2]["kind"]
    return kind == "AdmissionReview"
