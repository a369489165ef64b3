"""Our server in conversations with admission policies, without a socket."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from typing import Any, Final

from conformance import policyconversations, policymanifests, serverside
from conformance.exchanges import NAMESPACE, Raw, Request
from conformance.policyconversations import Conversation
from conformance.webhookrequests import CRDS
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.registry.admission import User
from pytest_crd.server.api import Api
from pytest_crd.server.http.httpmessages import HTTPAnswer

_ADMINISTRATOR: Final = User("admin", "admin", ("system:masters", "system:authenticated"))


def replay(conversation: Conversation, version: str, orders: list[int] | None = None) -> JSONValue:
    """
    Return our answers and audit annotations, in the form of recordings.

    Args:
        conversation: The conversation.
        version: The Kubernetes version.
        orders: Takes the numbers of the requests whose answers depend on the order of policies; None to ignore them.

    Raises:
        AssertionError: Our server refuses an object of the start.
    """
    filled = conversation.filled(NAMESPACE)
    api = _start(version, json.dumps(filled.labels), json.dumps(filled.crds)).fork()
    send = _sender(api)
    for manifest in filled.objects:
        path = policyconversations.fill(policymanifests.collection(manifest), NAMESPACE)
        _create(send, path, manifest)
    annotations: list[dict[str, str]] = []

    def send_audited(request: Request) -> Raw:
        annotations.append({})
        return send(request)

    def annotate(key: str, value: str) -> None:
        annotations[-1][key] = value

    def observe_order(_words: str) -> None:
        if orders is not None:
            orders.append(len(annotations) - 1)

    api.catalog.policy_listeners.annotate = annotate
    api.catalog.policy_listeners.observe_order = observe_order
    results = list(policyconversations.run(filled.requests, send_audited, NAMESPACE))
    return policyconversations.normalize(results, annotations, filled.requests, NAMESPACE)


@functools.lru_cache(maxsize=8)
def _start(version: str, labels: str, crds: str) -> Api:
    """Return a server with a namespace and CRDs. Conversations change forks of it."""
    api = Api(kubernetes_version=version)
    api.catalog.authorizer.has_project_roles = True  # the roles are among the objects of the start
    send = _sender(api)
    metadata = {"name": NAMESPACE, "labels": {"kubernetes.io/metadata.name": NAMESPACE, **json.loads(labels)}}
    _create(send, "/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata})
    for crd in json.loads(crds):
        _create(send, CRDS, crd)
    return api


def _sender(api: Api) -> Callable[[Request], Raw]:
    """Return a function that sends requests to *api* as the user of the recorder."""

    def send(request: Request) -> Raw:
        message = serverside.to_http(request)._replace(user=_ADMINISTRATOR)
        reply = api.answer(message)
        assert isinstance(reply, HTTPAnswer)
        return serverside.to_raw(reply)

    return send


def _create(send: Callable[[Request], Raw], path: str, body: JSONValue) -> None:
    answer = send({"method": "POST", "path": path, "body": body, "agent": "unknown/1"})
    assert answer.code == 201, answer.text


def find_difference(ours: Any, recorded: Any) -> tuple[int, str]:
    """Return the first difference with the number of its request; empty if all answers and audit annotations are equal."""
    for number, (answer, recorded_answer) in enumerate(zip(ours["answers"], recorded["answers"], strict=True)):
        if answer != recorded_answer:
            return number, f"answer {number}: {answer}\n  recorded: {recorded_answer}"
        audit, recorded_audit = (each.get("audit", {}).get(str(number)) for each in (ours, recorded))
        if audit != recorded_audit:
            return number, f"audit annotations {number}: {audit}\n  recorded: {recorded_audit}"
    return 0, ""
