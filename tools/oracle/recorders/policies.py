"""
Have conversations with a whole kube-apiserver that has admission policies, and write its answers and audit annotations.

The files are tests/conformance/VERSION/policies.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import http.client
import json
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent import futures
from pathlib import Path
from typing import Any, Final

from conformance import policyconversations, policymanifests
from conformance.exchanges import Raw, Request
from conformance.policyconversations import Conversation
from conformance.webhookrequests import CRDS

from oracle import options as shared
from oracle.recorders import conversationfiles, files
from oracle.servers import kubeapiserver
from oracle.servers.auditlog import AuditLog
from oracle.servers.dialogue import Cluster
from pytest_crd.engine.jsonvalue import JSONValue

_WORKERS: Final = 8
# Conversations that exist at the same time: with many CRDs, the server becomes slow.
_AT_ONCE: Final = 48
# How long new CRDs, policies and schemas for patches take to count everywhere, in seconds.
_CRD_SECONDS: Final = 4.0
_POLICY_SECONDS: Final = 4.0
_SCHEMA_SECONDS: Final = 14.0
# The plugins look for new kinds of params every half a minute.
_PARAMS_SECONDS: Final = 34.0
_CREATED: Final = 201
# The built-in kinds of params of conversations, and parts of policies that match no request.
_PARAMS: Final = ("ConfigMap", "Secret", "Namespace")
_RULE: Final = {
    "apiGroups": ["nowhere.example.com"],
    "apiVersions": ["*"],
    "operations": ["CREATE"],
    "resources": ["*"],
}
_NOWHERE: Final = {"matchConstraints": {"resourceRules": [_RULE]}}
_KEPT: Final = {"policies": {"validations": "true"}, "mutations": {"mutations": "Object{}"}}
_UNAVAILABLE: Final = 503


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the topics, the versions and the server."""
    parser.add_argument("topics", nargs="*", help="only these topics, by the names of their files")
    parser.add_argument(
        "--about",
        default="",
        metavar="WORD",
        help="only conversations with this word in their names; writes nothing, but prints them",
    )
    shared.add_version(parser, choices=tuple(policyconversations.VERSIONS))


def main(options: argparse.Namespace) -> int:
    """Record; with `check`, return 1 if a recording differs."""
    version = options.kubernetes_version
    paths = [path for path in policyconversations.topics() if not options.topics or path.stem in options.topics]
    declared = [each for path in paths for each in policyconversations.read(path)]
    conversations = [each for each in declared if options.about in each.name and each.is_about(version)]
    with recording(version) as recorder:
        lines = recorder.record(conversations)
    if options.about:
        print(json.dumps(lines, indent=1, ensure_ascii=False))
        return 0
    changed = 0
    for path in paths:
        own = {each.name: line for each, line in zip(conversations, lines, strict=True) if each.topic == path.stem}
        find_path = functools.partial(policyconversations.recording, topic=path.stem)
        changed += conversationfiles.write(find_path, version, own, check=options.check)
    return files.outcome(changed, check=options.check)


@contextlib.contextmanager
def recording(version: str) -> Iterator[Recorder]:
    """Start a server with policies and an audit log, and yield a recorder until the end of the `with` block."""
    with tempfile.TemporaryDirectory() as folder:
        log = AuditLog(Path(folder))
        with kubeapiserver.started(version, log.flags) as url:
            yield Recorder(Cluster(url, kubeapiserver.TOKEN), log, mutates=version in policyconversations.MUTATES)


class Recorder:
    """A server with admission policies, and its audit log."""

    def __init__(self, cluster: Cluster, log: AuditLog, *, mutates: bool) -> None:
        """Take a client of the server, its audit log, and whether it serves MutatingAdmissionPolicies."""
        self._cluster = cluster
        self._log = log
        self._mutates = mutates
        self._started = int(time.time()) % 10**6
        self._count = 0
        self._keep_params()

    def _keep_params(self) -> None:
        """
        Bind policies for each built-in kind of params, until the server stops.

        Without any policy for a kind, the server ends its watch of the kind and never begins another one, so that later
        policies see old params.
        """
        for key in ("policies", "mutations") if self._mutates else ("policies",):
            for kind in _PARAMS:
                spec = {**_NOWHERE, "paramKind": {"apiVersion": "v1", "kind": kind}, **_KEPT[key]}
                name = f"keep-{kind.lower()}"
                reference = {"name": "none", "namespace": "default", "parameterNotFoundAction": "Allow"}
                bound = {"policyName": name, "paramRef": reference, "metadata": {"name": name}}
                binding = "bindings" if key == "policies" else "mutationBindings"
                for each, declared in ((key, {**spec, "metadata": {"name": name}}), (binding, bound)):
                    manifest = policymanifests.manifest(each, name, declared, is_builtin=False)
                    filled = policyconversations.fill(manifest, "default")
                    path = policyconversations.fill(policymanifests.collection(manifest), "default")
                    self._create(path, filled)

    def record(self, conversations: Sequence[Conversation]) -> list[JSONValue]:
        """Return the recorded lines of conversations."""
        lines: list[JSONValue] = []
        with futures.ThreadPoolExecutor(_WORKERS) as pool:
            for start in range(0, len(conversations), _AT_ONCE):
                batch = [self._named(conversation) for conversation in conversations[start : start + _AT_ONCE]]
                self._install([conversation for _, conversation in batch], pool.map)
                lines += pool.map(lambda item: self._converse(*item), batch)
                list(pool.map(lambda item: self._remove(item[1]), batch))
                print(f"{len(lines)} of {len(conversations)}", flush=True)
        return lines

    def _named(self, conversation: Conversation) -> tuple[str, Conversation]:
        """Return a new namespace, and the conversation with its placeholders filled; all namespaces have the same length."""
        self._count += 1
        namespace = f"n{self._started:06d}x{self._count:04d}"
        return namespace, conversation.filled(namespace)._replace(
            labels={"kubernetes.io/metadata.name": namespace, **conversation.labels}
        )

    def _install(self, batch: Sequence[Conversation], each: Callable[..., Iterator[Any]]) -> None:
        """
        Create the namespaces, CRDs, params and policies of conversations, and wait until they count.

        Raises:
            RuntimeError: The server refuses objects; the message has its answers.
        """
        list(each(self._install_namespace, batch))
        time.sleep(_CRD_SECONDS if any(conversation.crds for conversation in batch) else 0)
        if problems := [problem for own in each(self._install_objects, batch) for problem in own]:
            raise RuntimeError("\n".join(problems))
        text = json.dumps([conversation.objects for conversation in batch])
        waits = [_POLICY_SECONDS]
        waits += [_SCHEMA_SECONDS] if "MutatingAdmissionPolicy" in text else []
        waits += [_PARAMS_SECONDS] if "paramKind" in text else []
        time.sleep(max(waits))

    def _install_namespace(self, conversation: Conversation) -> None:
        name = conversation.labels["kubernetes.io/metadata.name"]
        metadata = {"name": name, "labels": conversation.labels}
        self._create("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata})
        for crd in conversation.crds:
            self._create(CRDS, crd)

    def _install_objects(self, conversation: Conversation) -> list[str]:
        """Create the objects of a conversation, and return the answers that refuse some."""
        problems = []
        for manifest in conversation.objects:
            code, text = self._cluster.request("POST", self._collection(conversation, manifest), manifest)
            problems += [] if code == _CREATED else [f"{conversation.name}: {text}"]
        return problems

    def _collection(self, conversation: Conversation, manifest: JSONValue) -> str:
        namespace = conversation.labels["kubernetes.io/metadata.name"]
        filled: str = policyconversations.fill(policymanifests.collection(manifest), namespace)
        return filled

    def _create(self, path: str, manifest: JSONValue) -> None:
        code, text = self._cluster.request("POST", path, manifest)
        if code != _CREATED:
            raise RuntimeError(f"{manifest['metadata']['name']}: {text}")

    def _remove(self, conversation: Conversation) -> None:
        """Delete the policies, bindings, roles and CRDs of a conversation; the rest of its objects touch no other."""
        cluster_wide = [item for item in conversation.objects if policymanifests.is_cluster_wide(item)]
        paths = [f"{self._collection(conversation, item)}/{item['metadata']['name']}" for item in cluster_wide]
        for path in [*reversed(paths), *(f"{CRDS}/{crd['metadata']['name']}" for crd in conversation.crds)]:
            self._cluster.request("DELETE", path)

    def _converse(self, namespace: str, conversation: Conversation) -> JSONValue:
        send = self._cluster.sender()

        def attempt(request: Request) -> Raw:
            try:
                raw: Raw = send(request)
            except http.client.RemoteDisconnected:  # the server panics
                return Raw(502, {}, "")
            return raw

        results = list(policyconversations.run(conversation.requests, attempt, namespace))
        self._refuse_unready(conversation, results)
        ids = [raw.headers.get("audit-id", [""])[0] for raw in results]
        try:
            annotations = self._log.find_annotations(ids)
        except RuntimeError as error:
            raise RuntimeError(f"{conversation.topic}: {conversation.name}: {error}") from None
        return {
            "name": conversation.name,
            **policyconversations.normalize(results, annotations, conversation.requests, namespace),
        }

    def _refuse_unready(self, conversation: Conversation, results: Sequence[Raw]) -> None:
        """
        Demand that the server knows the schemas of the CRDs.

        Raises:
            RuntimeError: It does not, after the time of installation.
        """
        if any(raw.code == _UNAVAILABLE and "There can be a delay" in raw.text for raw in results):
            raise RuntimeError(f"{conversation.name}: the server does not know a schema yet")
