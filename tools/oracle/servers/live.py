"""Case files whose CRDs a server serves for a while, many at the same time, with what their requests update stored before."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Self

from conformance import casefile

from oracle.servers.crds import collection, delete
from pytest_crd.live import answerfacts, client, settling
from pytest_crd.live.transport import NoAnswerError

JSONValue = Any
Answer = dict[str, JSONValue]

_DRY: Final = {"dryRun": "All"}
_TURNS_VISIBLE: Final = 0.4
_BUSY_TIMES: Final = 4


class PanickingServer(client.Server):
    """An API server that may panic: all that a client sees of it is that there is no answer, however often it asks."""

    def __init__(self, url: str) -> None:
        """Take the URL of a server that answers without credentials; nothing is sent yet."""
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
        """Send one request; an answer of 502 stands for none."""
        try:
            return super().ask(method, path, body, query=query, headers=headers)
        except NoAnswerError:
            return client.ServerAnswer(502, "", ())


class Live:
    """Case files that are served until the end of the `with` block."""

    def __init__(self, server: client.Server, files: Sequence[casefile.CaseFile]) -> None:
        """Take case files whose CRDs do not collide; those that the server does not take are left out."""
        self.files: list[casefile.CaseFile] = []
        self._asked = list(files)
        self._server = server
        self._stored: dict[tuple[str, str], JSONValue] = {}

    def __enter__(self) -> Self:
        """Create the CRDs, in their old form where requests name one, store the old objects, and put the new form in place."""
        firsts = []
        for file in self._asked:
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
        """Delete the CRDs, and with them what is stored."""
        for file in self.files:
            self._end(file)

    def asking(self, file: casefile.CaseFile, request: casefile.Request) -> Callable[[], Answer] | None:
        """Return what asks the server; None where it did not take what was to be stored before."""
        query = _DRY | ({"fieldValidation": request.field_validation} if request.field_validation else {})
        method, name, sent = "POST", "", request.sent
        if request.old is not None:
            stored = self._stored.get((file.crd["metadata"]["name"], request.old["metadata"]["name"]))
            if stored is None:
                return None
            names = ("name", "namespace", "resourceVersion")
            kept = {key: stored["metadata"][key] for key in names if key in stored["metadata"]}
            method, name = "PUT", stored["metadata"]["name"] + ("/status" if request.verb == "updateStatus" else "")
            if isinstance(sent.get("metadata"), dict):
                sent = sent | {"metadata": {**kept, **sent["metadata"]}}
        path = client.resource_path(file.crd, request.version, name)

        def ask() -> Answer:
            return answerfacts.of_server(self._server.ask(method, path, sent, query=query), request.sent)

        return ask

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
