"""
The server of `--crd-live` as the one of a test: CRDs under their own names, and a namespace that is made for the test.

A CRD that is installed there must be the project's. One that is not is installed, and removed at the end of the session.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from pytest_crd.engine import CustomResourceDefinition
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.live import client, connection, lease, remnants, settling
from pytest_crd.live.lease import Remnant
from pytest_crd.live.sandbox import Sandbox
from pytest_crd.live.transport import NoAnswerError
from pytest_crd.plugin.settings.live import LiveSettings
from pytest_crd.server.api import Api
from pytest_crd.server.customresources import CustomResourceType
from pytest_crd.server.httpmessages import HTTPAnswer, HTTPRequest
from pytest_crd.server.reaching import States
from pytest_crd.server.resourcetypes import ResourceType

_OK, _CREATED, _MISSING, _TAKEN = 200, 201, 404, 409
# So long does each watch of a wait last, in seconds; what happened is told at its end.
_WATCH: Final = 1
_MERGE: Final = {"Content-Type": "application/merge-patch+json"}
# What a kubeconfig says relative to its folder.
_PATHS: Final = ("certificate-authority", "client-certificate", "client-key", "tokenFile")
# What something in the cluster writes into a CRD that is installed.
_INJECTED: Final = ("conversion", "webhook", "clientConfig", "caBundle")


class ClusterError(Exception):
    """The server cannot be the one of a test; the message says why, and what to do."""


class Cluster:
    """
    The server of `--crd-live`, for a session.

    Attributes:
        server: Who is asked.
        version: Its Kubernetes version.
    """

    def __init__(self, settings: LiveSettings, *, is_shared: bool) -> None:
        """
        Connect.

        Args:
            settings: What is set.
            is_shared: Whether other processes of the run use it meanwhile, so that what is installed could not be removed.

        Raises:
            ClusterError: It is not there, or nothing may be made there.
        """
        if settings.is_installed:
            raise ClusterError(
                "crd_server makes objects, and `--crd-live-installed` makes nothing: leave one of the two"
            )
        try:
            target = connection.connect(settings.server, settings.context, base=settings.base)
        except connection.UsageProblemError as error:
            raise ClusterError(str(error)) from None
        self.server, self.version = target.server, target.version
        self._settings, self._is_shared = settings, is_shared
        self._installed: list[Remnant] = []
        self._known: set[str] = set()

    def install(self, crds: Sequence[CustomResourceDefinition]) -> None:
        """
        Have the CRDs served.

        Raises:
            ClusterError: One is installed that is another, or is refused.
            NoAnswerError: The server does not answer.
        """
        for crd in crds:
            if crd.name not in self._known:
                self._install(crd.under(self.version))
                self._known.add(crd.name)

    def _install(self, crd: CustomResourceDefinition) -> None:
        path = client.crd_path("apiextensions.k8s.io/v1", crd.name)
        found = self.server.ask("GET", path)
        if found.code == _MISSING:
            if self._is_shared:
                raise ClusterError(
                    f"{crd.name} is not installed: install it, or run without -n, for then it is for the time being"
                )
            found = self.server.ask("POST", path.rpartition("/")[0], crd.manifest)
            if found.code != _CREATED:
                raise ClusterError(f"{crd.name} is refused: {found.code} {found.message}")
            self._installed.append(lease.remnant(lease.CRD, found.body["metadata"]))
            settling.wait_until_served(self.server, found.body)
        elif found.code != _OK:
            raise ClusterError(f"GET {path}: {found.code} {found.message}")
        elif place := difference(crd.first_response.stored["spec"], found.body["spec"]):
            raise ClusterError(
                f"{crd.name} is installed, and is not the project's, at {place}: apply the project's, or remove it"
            )

    def end(self) -> None:
        """
        Remove what was installed.

        Raises:
            ClusterError: Something is left.
            NoAnswerError: The server does not answer.
        """
        left = remnants.remove(self.server, self._installed)
        self.server.close()
        if left:
            raise ClusterError(f"left on {self.server.address}: {', '.join(map(str, left))}")

    def kubeconfig(self, namespace: str) -> str:
        """Return a kubeconfig that leads there, into a namespace."""
        settings = self._settings
        if settings.context is None:
            value = {"clusters": [{"name": "live", "cluster": {"server": self.server.address}}], "users": []}
            context, of_context = "live", {"cluster": "live"}
        else:
            path, context = settings.base / Path(settings.server).expanduser(), settings.context
            value = yaml.safe_load(path.read_bytes())
            of_context = next(one["context"] for one in value["contexts"] if one["name"] == context)
            for one in (*value.get("clusters", ()), *value.get("users", ())):
                _make_absolute(one.get("cluster") or one.get("user") or {}, path.parent)
        contexts = [{"name": context, "context": {**of_context, "namespace": namespace}}]
        head = {"apiVersion": "v1", "kind": "Config", "current-context": context}
        return str(yaml.safe_dump({**value, **head, "contexts": contexts}, sort_keys=False))


class Ending:
    """Ends what a session had of the server."""

    def __init__(self, cluster: Cluster) -> None:
        """Take it."""
        self._cluster = cluster
        self._left = ""

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Remove what was installed; what is left fails the run."""
        try:
            self._cluster.end()
        except (ClusterError, NoAnswerError) as error:
            self._left = str(error)
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say what is left."""
        if self._left:
            terminalreporter.write_line(f"crd_server: {self._left}", red=True)


class Stay:
    """
    What one test has of the server.

    Attributes:
        namespace: The one that was made for it.
    """

    def __init__(self, cluster: Cluster, api: Api, namespaces: Sequence[str]) -> None:
        """
        Make the namespaces.

        Args:
            cluster: The server.
            api: What would be served in the process, of which the types are known.
            namespaces: Those that the test names; one that is there is used.

        Raises:
            NoAnswerError: The server does not make them.
        """
        self._server, self._api = cluster.server, api
        self._sandbox = Sandbox(self._server, f"crd-server-{secrets.token_hex(4)}")
        self.namespace = self._sandbox.namespace
        self._made = [name for name in namespaces if self._is_made(name)]

    def _is_made(self, name: str) -> bool:
        body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
        path = "/api/v1/namespaces"
        if "deletionTimestamp" in (self._server.ask("GET", f"{path}/{name}").body.get("metadata") or {}):
            # Of the test before: it goes as soon as all that was in it has gone.
            self._server.wait(f"{path}/{name}", lambda now: now.code == _MISSING, f"the end of namespace {name}")
        answer = self._server.ask("POST", path, body)
        if answer.code not in (_CREATED, _TAKEN):
            raise NoAnswerError(f"namespace {name}: {answer.code} {answer.message}")
        return answer.code == _CREATED

    def named(self, resource: str) -> ResourceType:
        """Return what is served under a name, as `ReachedServer` says: the project's CRDs, and the built-in kinds that are known here."""
        return self._api.catalog.named(resource)

    def answer(self, request: HTTPRequest) -> HTTPAnswer:
        """Return the answer to a request."""
        sent = {name.title(): value for name, value in request.headers.items()}
        text = request.body.decode("utf-8", "surrogatepass") or None
        found = self._server.ask(request.method, request.target, text, headers=sent)
        content = json.dumps(found.body).encode()
        return HTTPAnswer(found.code, content, value=found.body, warnings=found.warnings)

    def states(self, _: ResourceType, request: HTTPRequest, timeout: float) -> States:
        """Yield what an object is, by watches that follow each other, as `ReachedServer` says."""
        deadline, version = time.monotonic() + timeout, ""
        while (left := deadline - time.monotonic()) > 0:
            seconds = max(1, min(_WATCH, round(left)))
            since = f"&resourceVersion={version}" if version else ""
            answer = self._server.ask("GET", f"{request.target}&timeoutSeconds={seconds}{since}")
            for event in _events(answer):
                if event["type"] == "ERROR":  # what was seen last is forgotten: begin anew
                    version = ""
                    break
                version = event["object"]["metadata"]["resourceVersion"]
                yield None if event["type"] == "DELETED" else event["object"]

    def end(self) -> None:
        """
        Remove the namespaces; what finalizers hold in them is let go, as nobody runs any more who would.

        Raises:
            NoAnswerError: The server does not answer.
        """
        types = {one.resource: one for one in self._api.catalog.types() if isinstance(one, CustomResourceType)}
        for name in (self.namespace, *self._made):
            for type_ in types.values():
                self._let_go(type_, name)
        for name in self._made:
            self._server.ask("DELETE", f"/api/v1/namespaces/{name}")
        self._sandbox.end()

    def _let_go(self, type_: ResourceType, namespace: str) -> None:
        if not type_.is_namespaced:
            return
        path = f"/apis/{type_.group}/{type_.version}/namespaces/{namespace}/{type_.names.plural}"
        listed = self._server.ask("GET", path)
        for item in (listed.body["items"] or ()) if listed.code == _OK else ():
            of_item = f"{path}/{item['metadata']['name']}"
            self._server.ask("DELETE", of_item)
            if item["metadata"].get("finalizers"):
                self._server.ask("PATCH", of_item, {"metadata": {"finalizers": None}}, headers=_MERGE)


def difference(ours: JSONValue, theirs: JSONValue, place: str = "spec") -> str:
    """Return the first place at which two specs differ, what is injected in clusters aside; empty where they do not."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        keys = dict.fromkeys((*ours, *theirs))
        is_injected = place.split(".")[1:] == list(_INJECTED[:-1])
        found = (
            difference(ours.get(key), theirs.get(key), f"{place}.{key}")
            for key in keys
            if not (is_injected and key == _INJECTED[-1])
        )
        return next(filter(None, found), "")
    if isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        pairs = enumerate(zip(ours, theirs, strict=True))
        return next(filter(None, (difference(*pair, f"{place}[{index}]") for index, pair in pairs)), "")
    return "" if ours == theirs else place


def _events(answer: client.ServerAnswer) -> Iterator[Any]:
    """
    Yield the events of a watch that has ended.

    Raises:
        NoAnswerError: It is none.
    """
    if answer.code != _OK:
        raise NoAnswerError(f"a watch: {answer.code} {answer.message}")
    if isinstance(answer.body, dict):  # one event alone is JSON already
        yield answer.body
        return
    yield from (json.loads(line) for line in str(answer.body).splitlines() if line)


def _make_absolute(entry: dict[str, Any], folder: Path) -> None:
    for key in _PATHS:
        if isinstance(entry.get(key), str):
            entry[key] = str(folder / entry[key])
