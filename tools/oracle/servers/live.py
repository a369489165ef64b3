"""Case files on a server: their CRDs, many at the same time, and the objects that their requests update."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final, Self

from conformance import casefile

from oracle.servers.crds import collection, delete
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.live import answerfacts, client, settling
from pytest_crd.live.transport import NoAnswerError

Answer = dict[str, JSONValue]

_DRY: Final = {"dryRun": "All"}
_TURNS_VISIBLE: Final = 0.4
_BUSY_TIMES: Final = 4


class PanickingServer(client.Server):
    """An API server that may panic: a client then gets no response, even after retries."""

    def __init__(self, url: str) -> None:
        """Take the URL of a server without authentication; nothing is sent yet."""
        super().__init__(url, busy_times=_BUSY_TIMES)

    def ask(
        self,
        method: str,
        path: str,
        body: JSONValue = None,
        *,
        query: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> client.ServerAnswer:
        """Send one request; return code 502 if there is no response."""
        try:
            return super().ask(method, path, body, query=query, headers=headers)
        except NoAnswerError:
            return client.ServerAnswer(502, "", ())


class Live:
    """Case files that are served until the end of the `with` block."""

    def __init__(self, server: client.Server, files: Sequence[casefile.CaseFile]) -> None:
        """Take case files without conflicting CRDs. Files whose CRD the server rejects are left out of `files`."""
        self.files: list[casefile.CaseFile] = []
        self._requested = list(files)
        self._server = server
        self._stored: dict[tuple[str, str], JSONValue] = {}

    def __enter__(self) -> Self:
        """Create the CRDs and the old objects. If a request names an old CRD, it is created first and replaced at the end."""
        firsts = []
        for file in self._requested:
            first = next((request.old_crd for request in file.requests if request.old_crd), file.crd)
            delete(self._server, first)
            if self._server.ask("POST", collection(first), first).code == 201:
                self.files.append(file)
                firsts.append(first)
        for first in firsts:
            settling.wait_until_served(self._server, first)
        replaced = False
        for file, first in zip(list(self.files), firsts, strict=True):
            self._store(file)
            if first is not file.crd:
                replaced = True
                if not self._replace(file.crd):
                    self._end(file)
                    self.files.remove(file)
        if replaced:
            time.sleep(_TURNS_VISIBLE)
        return self

    def __exit__(self, *_: object) -> None:
        """Delete the CRDs, and with them their objects."""
        for file in self.files:
            self._end(file)

    def sender(self, file: casefile.CaseFile, request: casefile.Request) -> Callable[[], Answer] | None:
        """Return a function that sends *request*; None if the server rejected its old object."""
        query = _DRY | ({"fieldValidation": request.field_validation} if request.field_validation else {})
        method, name, sent = "POST", "", request.sent
        if request.old is not None:
            stored = self._stored.get((file.crd["metadata"]["name"], request.old["metadata"]["name"]))
            if stored is None:
                return None
            names = ("name", "namespace", "resourceVersion")
            identity = {key: stored["metadata"][key] for key in names if key in stored["metadata"]}
            method, name = "PUT", stored["metadata"]["name"] + ("/status" if request.verb == "updateStatus" else "")
            if isinstance(sent.get("metadata"), dict):
                sent = sent | {"metadata": {**identity, **sent["metadata"]}}
        path = client.resource_path(file.crd, request.version, name)

        def send() -> Answer:
            return answerfacts.of_server(self._server.ask(method, path, sent, query=query), request.sent)

        return send

    def _store(self, file: casefile.CaseFile) -> None:
        for request in file.requests:
            if request.old is not None:
                path = client.resource_path(file.crd, request.old_version)
                answer = self._server.ask("POST", path, request.old)
                if answer.code == 201:
                    self._stored[file.crd["metadata"]["name"], request.old["metadata"]["name"]] = answer.body

    def _replace(self, crd: JSONValue) -> bool:
        path = client.crd_path(crd["apiVersion"], crd["metadata"]["name"])
        current = self._server.ask("GET", path).body["metadata"]["resourceVersion"]
        sent = crd | {"metadata": crd["metadata"] | {"resourceVersion": current}}
        return self._server.ask("PUT", path, sent).code == 200

    def _end(self, file: casefile.CaseFile) -> None:
        self._server.ask("DELETE", client.crd_path(file.crd["apiVersion"], file.crd["metadata"]["name"]))
