"""
Sequences of requests, sent to a server in parallel: the first request of each, then the second of each, and so on.

Rounds do not share a second, so that each time set by the server identifies its round. Each sequence has its own
namespace.
"""

from __future__ import annotations

import datetime as dt
import json
import time
from collections.abc import Mapping, Sequence
from concurrent import futures
from typing import Final

from conformance import sequences

from oracle.servers.crds import collection, delete, path_of
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.live import client, settling

Answer = sequences.Answer

_WORKERS: Final = 6
# How long a server delays the first write to a CRD that was just established, in seconds.
_FIRST_WRITE_DELAY: Final = 2.2
_OMITTED: Final = ("kind", "apiVersion", "metadata", "status", "code")


class Conversation:
    """A sequence in progress: its CRD, its requests, and the answers so far."""

    def __init__(self, crd: JSONValue, requests: Sequence[sequences.Request], namespace: str) -> None:
        """Take the CRD, the requests, and a namespace of its own."""
        self.crd = crd
        self.requests = requests
        self.answers: list[Answer] = []
        self._namespace = namespace
        self._uids: list[str] = []
        self._last: JSONValue = None
        self._first: JSONValue = None

    def send(self, server: client.Server, number: int, clock: Rounds) -> None:
        """Send request *number*, if there is one, and append the answer."""
        if number < len(self.requests):
            request = self.requests[number]
            if "crd" in request:
                self.answers.append(self._replace(server, request["crd"], number))
            else:
                self.answers.append(self._answer(server, request, clock))

    def _answer(self, server: client.Server, request: sequences.Request, clock: Rounds) -> Answer:
        answer = self._send(server, request)
        recorded: Answer = {"code": answer.code}
        is_object = answer.code < 300 and "metadata" in answer.body and answer.body.get("kind") != "Status"
        if is_object:
            recorded["object"] = self._normal(answer.body, clock)
            recorded["changed"] = self._note(
                answer.body, keep=not request.get("dryRun") and request.get("subresource") != "scale"
            )
        elif isinstance(answer.body, dict):
            status = {key: value for key, value in answer.body.items() if key not in _OMITTED}
            recorded["status"] = self._normal(status, clock)
        else:
            recorded["text"] = answer.body
        if answer.warnings:
            recorded["warnings"] = list(answer.warnings)
        if request.get("subresource") == "scale" and is_object:
            stored = self._send(server, {"get": None, "version": sequences.version_of(self.crd, request)}).body
            recorded["stored"] = self._normal(stored, clock)
            self._note(stored, keep=True)
        return recorded

    def _send(self, server: client.Server, request: sequences.Request) -> client.ServerAnswer:
        verb = sequences.verb_of(request)
        version = sequences.version_of(self.crd, request)
        name = "" if verb == "create" else sequences.NAME
        path = client.resource_path(self.crd, version, name, namespace=self._namespace)
        path += f"/{request['subresource']}" if "subresource" in request else ""
        body = sequences.body_of(self.crd, request, self._last, self._first)
        method = {"create": "POST", "update": "PUT", "updateOnto": "PUT", "get": "GET", "delete": "DELETE"}.get(
            verb, "PATCH"
        )
        headers = {"User-Agent": request.get("userAgent", "fuzz/1")}
        if media := request.get("mediaType", sequences.MEDIA_TYPES.get(verb)):
            headers["Content-Type"] = media
        return server.ask(method, path, body, query=sequences.query_of(request), headers=headers)

    def _note(self, whole: JSONValue, *, keep: bool) -> bool:
        """Return True if the resourceVersion differs from that of the last object; *keep* stores the object as the last one."""
        before = self._last["metadata"].get("resourceVersion") if self._last else None
        if keep:
            self._last = whole
            self._first = self._first or whole
        return bool(whole["metadata"].get("resourceVersion") != before)

    def _normal(self, whole: JSONValue, clock: Rounds) -> JSONValue:
        if uid := whole.get("metadata", {}).get("uid"):
            self._uids = [*dict.fromkeys([*self._uids, uid])]
        metadata = {key: value for key, value in whole.get("metadata", {}).items() if key != "resourceVersion"}
        text = json.dumps(whole | ({"metadata": metadata} if "metadata" in whole else {}), ensure_ascii=False)
        return json.loads(sequences.normalize(text, namespace=self._namespace, uids=self._uids, step=clock.number))

    def _replace(self, server: client.Server, schema_or_crd: JSONValue, number: int) -> Answer:
        crd = schema_or_crd
        if "apiVersion" not in crd:
            crd = sequences.crd_of({"schema": schema_or_crd}, self.crd["spec"]["group"])
        mark = f"mark{number}"
        marked = settling.marked(crd, mark)
        current = server.ask("GET", path_of(crd)).body["metadata"]["resourceVersion"]
        sent = marked | {"metadata": marked["metadata"] | {"resourceVersion": current}}
        code = server.ask("PUT", path_of(crd), sent).code
        if code == 200:
            self.crd = crd
            settling.wait_until_marked(server, marked, mark)
            server.rest(settling.TURNS_VISIBLE)
        return {"code": code}


class Rounds:
    """The times of rounds, in whole seconds."""

    def __init__(self) -> None:
        self._spans: list[tuple[int, int]] = []
        self._begun = 0

    def begin(self) -> None:
        """Begin a round in a new second."""
        time.sleep(1.05 - time.time() % 1)
        self._begun = int(time.time())
        self._spans.append((self._begun, 2**40))

    def end(self) -> None:
        """End the round."""
        self._spans[-1] = (self._begun, int(time.time()))

    def number(self, text: str) -> int | None:
        """Return the number of the round of a time, None if it was before all rounds."""
        seconds = dt.datetime.fromisoformat(text).timestamp()
        return next((number for number, (start, end) in enumerate(self._spans) if start <= seconds <= end), None)


def install(server: client.Server, crds: Sequence[JSONValue]) -> list[tuple[JSONValue, str]]:
    """Create CRDs and wait until their objects can be written; return the rejected ones with the server's messages."""
    rejected: list[tuple[JSONValue, str]] = []
    for crd in crds:
        answer = server.ask("POST", collection(crd), crd)
        if answer.code == 409:
            delete(server, crd)
            answer = server.ask("POST", collection(crd), crd)
        if answer.code != 201:
            rejected.append((crd, answer.message))
    accepted = [crd for crd in crds if crd not in [rejected_crd for rejected_crd, _ in rejected]]
    for crd in accepted:
        settling.wait_until_served(server, crd)
    time.sleep(_FIRST_WRITE_DELAY)
    return rejected


def send_all(
    server: client.Server, conversations: Sequence[tuple[JSONValue, Sequence[sequences.Request]]]
) -> list[list[Answer]]:
    """Return the answers to each sequence of requests; its CRD has to be installed."""
    run = f"{time.time_ns():x}"
    sequences_ = [
        Conversation(crd, requests, f"of-{run}-{number}-x") for number, (crd, requests) in enumerate(conversations)
    ]
    clock = Rounds()
    with futures.ThreadPoolExecutor(_WORKERS) as pool:
        for number in range(max((len(sequence.requests) for sequence in sequences_), default=0)):
            clock.begin()
            list(pool.map(lambda sequence, number=number: sequence.send(server, number, clock), sequences_))
            clock.end()
    return [sequence.answers for sequence in sequences_]


def remove(server: client.Server, crds: Sequence[JSONValue]) -> None:
    """Delete CRDs with their objects."""
    for crd in crds:
        server.ask("DELETE", path_of(crd))


def by_name(file: sequences.SequenceFile, answers: Sequence[list[Answer]]) -> Mapping[str, list[Answer]]:
    """Return the answers to the cases of a file, by the names of the cases."""
    return dict(zip(file.cases, answers, strict=True))
