"""
Have a whole kube-apiserver call scripted webhooks, and write its answers and the reviews into tests/conformance/VERSION/webhooks.

The watch cache of the server is off: with it, the server converts objects in the background, some of them again.
"""

from __future__ import annotations

import argparse
import functools
import http.client
import json
import time
from collections.abc import Callable, Sequence
from concurrent import futures
from typing import Any, Final

from conformance import webhookconversations, webhookrequests
from conformance.exchanges import Raw, Request
from conformance.webhookconversations import ADDRESS, Conversation
from conformance.webhookrequests import CRDS
from conformance.webhookscripts import Script

from oracle import options as shared
from oracle.recorders import conversationfiles, files
from oracle.servers import kubeapiserver
from oracle.servers.dialogue import Cluster
from oracle.servers.webhooks import WebhookServer, serving
from pytest_crd.engine.jsonvalue import JSONValue

_WORKERS: Final = 8
# Conversations that exist at the same time: with many CRDs, the server becomes slow.
_AT_ONCE: Final = 48
# How long new CRDs and configurations take to count everywhere, in seconds.
_INSTALL_SECONDS: Final = 6.0
_SETTLE_SECONDS: Final = 0.4
FLAGS: Final = ("--watch-cache=false",)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the topics, the versions and the server."""
    parser.add_argument("topics", nargs="*", help="only these topics, by the names of their files")
    parser.add_argument(
        "--about",
        default="",
        metavar="WORD",
        help="only conversations with this word in their names; writes nothing, but prints them",
    )
    shared.add_version(parser, choices=None)
    kubeapiserver.add_arguments(parser)


def main(options: argparse.Namespace) -> int:
    """Record; with `check`, return 1 if a recording differs."""
    version = options.kubernetes_version
    paths = [path for path in webhookconversations.topics() if not options.topics or path.stem in options.topics]
    changed = 0
    with kubeapiserver.at(options.server, version, FLAGS) as url, serving() as webhooks:
        recorder = Recorder(Cluster(url, options.token), webhooks)
        for path in paths:
            conversations = [each for each in webhookconversations.read(path) if options.about in each.name]
            lines = {line["name"]: line for line in recorder.record(conversations)}
            if options.about:
                print(json.dumps([*lines.values()], indent=1, ensure_ascii=False))
            else:
                find_path = functools.partial(webhookconversations.recording, topic=path.stem)
                changed += conversationfiles.write(find_path, version, lines, check=options.check)
    return files.outcome(changed, check=options.check)


class Recorder:
    """A server, and the webhooks that it calls."""

    def __init__(self, cluster: Cluster, webhooks: WebhookServer) -> None:
        """Take a client of the server, and the webhooks that it calls."""
        self._cluster = cluster
        self._webhooks = webhooks
        self._started = int(time.time()) % 10**6
        self._count = 0

    def record(self, conversations: Sequence[Conversation]) -> list[JSONValue]:
        """Return the recorded lines of conversations."""
        lines: list[JSONValue] = []
        with futures.ThreadPoolExecutor(_WORKERS) as pool:
            for start in range(0, len(conversations), _AT_ONCE):
                batch = [(self._namespace(), conversation) for conversation in conversations[start : start + _AT_ONCE]]
                removals = list(pool.map(lambda item: self._install(*item), batch))
                time.sleep(_INSTALL_SECONDS)
                lines += pool.map(lambda item: self._converse(*item), batch)
                list(pool.map(lambda removal: removal(), removals))
                print(f"{len(lines)} of {len(conversations)}", flush=True)
        return lines

    def _namespace(self) -> str:
        """Return a new namespace; all have the same length, on which limits may depend."""
        self._count += 1
        return f"n{self._started:06d}x{self._count:04d}"

    def _install(self, namespace: str, conversation: Conversation) -> Callable[[], None]:
        """Create the namespace, the CRDs and the configurations of a conversation; return a function that deletes them."""
        filled = self._filled(conversation, namespace)
        script = Script(filled.hooks)
        self._webhooks.scripts[namespace] = script
        labels = {"kubernetes.io/metadata.name": namespace, **filled.labels}
        self._create(
            "/api/v1/namespaces",
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace, "labels": labels}},
        )
        registered = webhookrequests.REGISTRATION
        manifests = [(f"{registered}/{item['kind'].lower()}s", item) for item in filled.configurations]
        created = [self._create(*each) for each in [*manifests, *((CRDS, crd) for crd in filled.crds)]]

        def remove() -> None:
            for path in created:
                self._cluster.request("DELETE", path)

        return remove

    def _create(self, path: str, manifest: JSONValue) -> str:
        code, text = self._cluster.request("POST", path, manifest)
        if code != 201:
            raise RuntimeError(f"{manifest['metadata']['name']}: {text}")
        return f"{path}/{manifest['metadata']['name']}"

    def _filled(self, conversation: Conversation, namespace: str) -> Conversation:
        def fill(value: Any) -> Any:
            return webhookconversations.fill(
                value, namespace, f"{self._webhooks.url}/{namespace}", self._webhooks.authority
            )

        return conversation.filled(fill)

    def _converse(self, namespace: str, conversation: Conversation) -> JSONValue:
        script = self._webhooks.scripts[namespace]
        filled = self._filled(conversation, namespace)
        send = self._cluster.sender()

        def attempt(request: Request) -> Any:
            try:
                return send(request)
            except http.client.RemoteDisconnected:  # the server panics
                return Raw(502, {}, "")

        results = list(
            webhookconversations.run(filled.requests, attempt, script, namespace, lambda: time.sleep(_SETTLE_SECONDS))
        )
        masks = {self._webhooks.url: ADDRESS, self._webhooks.authority: "CA"}
        return {"name": conversation.name, **webhookconversations.normalize(results, filled.requests, namespace, masks)}
