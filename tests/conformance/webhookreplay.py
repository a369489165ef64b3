"""Our server in conversations with scripted webhooks, without a socket."""

from __future__ import annotations

import base64
import functools
import itertools
import json
import urllib.parse
from collections.abc import Sequence
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
    """
    Transport to the webhooks of a script, by the paths of URLs.

    Attributes:
        script: The script of the present conversation.
    """

    script: Script

    def post(self, url: str, body: bytes, timeout: float) -> WebhookReply:  # noqa: ARG002 - the script knows
        """Return the scripted response, or raise TransportError."""
        address = urllib.parse.urlsplit(url)
        hook = address.path.strip("/").removeprefix(f"{NAMESPACE}/") or self.script.first
        reply = self.script.reply(hook, address.query, body)
        if reply.error:
            raise (BodyTransportError if reply.cut == "inside" else TransportError)(reply.error)
        return WebhookReply(reply.status, reply.body, reply.content_type)


class ScriptedWebhooks:
    """The webhooks of one conversation after another, for forks of one server."""

    def __init__(self) -> None:
        """Start without webhooks."""
        self._transport = ScriptTransport()
        self._configurations: Sequence[JSONValue] = ()
        self._numbers = itertools.count(1)

    def follow(self, conversation: Conversation, script: Script) -> None:
        """Become the webhooks of a conversation with filled placeholders, and of its script."""
        self._transport.script = script
        self._configurations = conversation.configurations
        self._numbers = itertools.count(1)

    def _new_uid(self) -> str:
        return f"00000000-0000-0000-0000-{next(self._numbers):012d}"

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
    start, webhooks = _start(version, json.dumps(filled.labels), json.dumps(filled.crds))
    webhooks.follow(filled, script)
    send = serverside.sender_of(start.fork())
    results = list(webhookconversations.run(filled.requests, send, script, NAMESPACE, lambda: None))
    return webhookconversations.normalize(results, filled.requests, NAMESPACE, {_CERTIFICATE: "CA"})


@functools.lru_cache(maxsize=8)
def _start(version: str, labels: str, crds: str) -> tuple[Api, ScriptedWebhooks]:
    """Return a server with a namespace and CRDs, and its webhooks. Conversations change forks of it."""
    webhooks = ScriptedWebhooks()
    api = Api(kubernetes_version=version, webhooks=webhooks)
    api.store.revision = _FIRST_REVISION
    send = serverside.sender_of(api)
    metadata = {"name": NAMESPACE, "labels": {"kubernetes.io/metadata.name": NAMESPACE, **json.loads(labels)}}
    body = {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}
    send({"method": "POST", "path": "/api/v1/namespaces", "body": body})
    for crd in json.loads(crds):
        answer = send({"method": "POST", "path": CRDS, "body": crd, "agent": "unknown/1"})
        assert answer.code == 201, answer.text
    return api, webhooks


def find_difference(ours: Any, recorded: Any) -> tuple[int, str]:
    """Return the first different answer or review with the number of its request; empty if all are equal."""
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
