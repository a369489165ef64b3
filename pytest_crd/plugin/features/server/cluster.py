"""
The server of `--crd-live` as `crd_server` of a test: CRDs under their own names, and a namespace of the test's own.

A CRD that is installed there must be equal to the project's. A missing one is installed, and removed at the end of the session.
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

from pytest_crd import folders
from pytest_crd.engine import CustomResourceDefinition
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.live import client, connection, lease, remnants, settling
from pytest_crd.live.lease import Remnant
from pytest_crd.live.sandbox import Sandbox
from pytest_crd.live.transport import NoAnswerError
from pytest_crd.plugin.settings.live import LiveSettings
from pytest_crd.server.api import Api
from pytest_crd.server.customresources import CustomResourceType
from pytest_crd.server.http.httpmessages import HTTPAnswer, HTTPRequest
from pytest_crd.server.reaching import States
from pytest_crd.server.resourcetypes import ResourceType
from pytest_crd.server.simulatedworkloads import Hold
from pytest_crd.server.store.store import ObjectKey

_OK, _CREATED, _MISSING, _TAKEN = 200, 201, 404, 409
# The duration of each watch in seconds; the server returns its events at the end.
_WATCH: Final = 1
_MERGE: Final = {"Content-Type": "application/merge-patch+json"}
# Keys of a kubeconfig with paths that are relative to its folder.
_PATHS: Final = ("certificate-authority", "client-certificate", "client-key", "tokenFile")
# The field of an installed CRD that components of a cluster write.
_INJECTED: Final = ("conversion", "webhook", "clientConfig", "caBundle")


class ClusterError(Exception):
    """The server cannot be `crd_server`; the message has the reason and a remedy."""


class Cluster:
    """
    The server of `--crd-live`, connected once for a session.

    Attributes:
        server: The connection.
        version: Its Kubernetes version.
    """

    def __init__(self, settings: LiveSettings, *, is_shared: bool) -> None:
        """
        Connect to the server.

        Args:
            settings: The settings of `--crd-live`.
            is_shared: Whether other processes of the run use the server, too, so that CRDs cannot be removed safely.

        Raises:
            ClusterError: The server does not answer, or `--crd-live-installed` forbids writes.
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
        self._checked: set[str] = set()

    def install(self, crds: Sequence[CustomResourceDefinition]) -> None:
        """
        Install the CRDs that are missing on the server.

        Raises:
            ClusterError: A different CRD is installed under the same name, or the server refuses one.
            NoAnswerError: The server does not answer.
        """
        for crd in crds:
            if crd.name not in self._checked:
                self._install(crd.under(self.version))
                self._checked.add(crd.name)

    def _install(self, crd: CustomResourceDefinition) -> None:
        path = client.crd_path("apiextensions.k8s.io/v1", crd.name)
        answer = self.server.ask("GET", path)
        if answer.code == _MISSING:
            if self._is_shared:
                raise ClusterError(
                    f"{crd.name} is not installed: install it, or run without -n to install it for the run only"
                )
            answer = self.server.ask("POST", path.rpartition("/")[0], crd.manifest)
            if answer.code != _CREATED:
                raise ClusterError(f"{crd.name} is refused: {answer.code} {answer.message}")
            self._installed.append(lease.remnant(lease.CRD, answer.body["metadata"]))
            settling.wait_until_served(self.server, answer.body)
        elif answer.code != _OK:
            raise ClusterError(f"GET {path}: {answer.code} {answer.message}")
        elif place := difference(crd.first_response.stored["spec"], answer.body["spec"]):
            raise ClusterError(
                f"{crd.name} is installed, and is not the project's, at {place}: apply the project's, or remove it"
            )

    def end(self) -> None:
        """
        Remove the CRDs that were installed, and disconnect.

        Raises:
            ClusterError: Not all could be removed.
            NoAnswerError: The server does not answer.
        """
        remaining = remnants.remove(self.server, self._installed)
        self.server.close()
        if remaining:
            raise ClusterError(f"left on {self.server.address}: {', '.join(map(str, remaining))}")

    def kubeconfig(self, namespace: str) -> str:
        """Return a kubeconfig for the server with *namespace* as default."""
        settings = self._settings
        if settings.context is None:
            value = {"clusters": [{"name": "live", "cluster": {"server": self.server.address}}], "users": []}
            context, context_entry = "live", {"cluster": "live"}
        else:
            path, context = settings.base / Path(settings.server).expanduser(), settings.context
            value = yaml.safe_load(folders.read_file(path))
            context_entry = next(entry["context"] for entry in value["contexts"] if entry["name"] == context)
            for entry in (*value.get("clusters", ()), *value.get("users", ())):
                _make_absolute(entry.get("cluster") or entry.get("user") or {}, path.parent)
        contexts = [{"name": context, "context": {**context_entry, "namespace": namespace}}]
        head = {"apiVersion": "v1", "kind": "Config", "current-context": context}
        return str(yaml.safe_dump({**value, **head, "contexts": contexts}, sort_keys=False))


class Ending:
    """Hooks that disconnect from the server at the end of a session."""

    def __init__(self, cluster: Cluster) -> None:
        """Create the hooks for *cluster*."""
        self._cluster = cluster
        self._problem = ""

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Remove the installed CRDs; the run fails if some are left."""
        try:
            self._cluster.end()
        except (ClusterError, NoAnswerError) as error:
            self._problem = str(error)
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Write which CRDs are left."""
        if self._problem:
            terminalreporter.write_line(f"crd_server: {self._problem}", red=True)


class Stay:
    """
    The part of the server that one test uses.

    Attributes:
        namespace: The namespace that was created for the test.
    """

    def __init__(self, cluster: Cluster, api: Api, namespaces: Sequence[str]) -> None:
        """
        Create the namespaces.

        Args:
            cluster: The server.
            api: The API of an in-process server, whose catalog of resource types is used.
            namespaces: The names in the test's marker; an existing namespace is used.

        Raises:
            NoAnswerError: The server does not create them.
        """
        self._server, self._api = cluster.server, api
        self._sandbox = Sandbox(self._server, f"crd-server-{secrets.token_hex(4)}")
        self.namespace = self._sandbox.namespace
        self._created = [name for name in namespaces if self._create(name)]

    def _create(self, name: str) -> bool:
        """Create a namespace; return False if it exists already."""
        body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
        path = "/api/v1/namespaces"
        if "deletionTimestamp" in (self._server.ask("GET", f"{path}/{name}").body.get("metadata") or {}):
            # A namespace of the previous test disappears when all its objects are gone.
            self._server.wait(f"{path}/{name}", lambda now: now.code == _MISSING, f"the end of namespace {name}")
        answer = self._server.ask("POST", path, body)
        if answer.code not in (_CREATED, _TAKEN):
            raise NoAnswerError(f"namespace {name} cannot be created: {answer.code} {answer.message}")
        return answer.code == _CREATED

    def find_by_name(self, resource: str) -> ResourceType:
        """Return the resource type of a CRD of the project or of a known built-in kind, as in `ReachedServer`."""
        return self._api.catalog.find_by_name(resource)

    def watched_resources(self) -> None:
        """Return None: the requests of clients are not seen."""

    def answer(self, request: HTTPRequest) -> HTTPAnswer:
        """Return the server's answer to a request."""
        sent = {name.title(): value for name, value in request.headers.items()}
        text = request.body.decode("utf-8", "surrogatepass") or None
        answer = self._server.ask(request.method, request.target, text, headers=sent)
        content = json.dumps(answer.body).encode()
        return HTTPAnswer(answer.code, content, value=answer.body, warnings=answer.warnings)

    def hold(self, _: ObjectKey) -> Hold:
        """Skip the test: the cluster has its own controllers."""
        pytest.skip("a hold is a part of the server of pytest-crd, and the server is that of --crd-live")

    def states(self, _: ResourceType, request: HTTPRequest, timeout: float) -> States:
        """Yield the states of an object from consecutive watches, as in `ReachedServer`."""
        deadline, version = time.monotonic() + timeout, ""
        while (remaining := deadline - time.monotonic()) > 0:
            seconds = max(1, min(_WATCH, round(remaining)))
            since = f"&resourceVersion={version}" if version else ""
            answer = self._server.ask("GET", f"{request.target}&timeoutSeconds={seconds}{since}")
            for event in _events(answer):
                if event["type"] == "ERROR":  # the server has forgotten the last seen version: begin again
                    version = ""
                    break
                version = event["object"]["metadata"]["resourceVersion"]
                yield None if event["type"] == "DELETED" else event["object"]

    def end(self) -> None:
        """
        Remove the namespaces, and clear the finalizers of objects in them, because their controllers no longer run.

        Raises:
            NoAnswerError: The server does not answer.
        """
        types = {type_.resource: type_ for type_ in self._api.catalog.types() if isinstance(type_, CustomResourceType)}
        for name in (self.namespace, *self._created):
            for type_ in types.values():
                self._delete_all(type_, name)
        for name in self._created:
            self._server.ask("DELETE", f"/api/v1/namespaces/{name}")
        self._sandbox.end()

    def _delete_all(self, type_: ResourceType, namespace: str) -> None:
        if not type_.is_namespaced:
            return
        path = f"/apis/{type_.group}/{type_.version}/namespaces/{namespace}/{type_.names.plural}"
        listed = self._server.ask("GET", path)
        for item in (listed.body["items"] or ()) if listed.code == _OK else ():
            item_path = f"{path}/{item['metadata']['name']}"
            self._server.ask("DELETE", item_path)
            if item["metadata"].get("finalizers"):
                self._server.ask("PATCH", item_path, {"metadata": {"finalizers": None}}, headers=_MERGE)


def difference(ours: JSONValue, theirs: JSONValue, place: str = "spec") -> str:
    """Return the path of the first difference between two specs, without fields that clusters inject; empty if they are equal."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        keys = dict.fromkeys((*ours, *theirs))
        is_injected = place.split(".")[1:] == list(_INJECTED[:-1])
        differences = (
            difference(ours.get(key), theirs.get(key), f"{place}.{key}")
            for key in keys
            if not (is_injected and key == _INJECTED[-1])
        )
        return next(filter(None, differences), "")
    if isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        pairs = enumerate(zip(ours, theirs, strict=True))
        return next(filter(None, (difference(*pair, f"{place}[{index}]") for index, pair in pairs)), "")
    return "" if ours == theirs else place


def _events(answer: client.ServerAnswer) -> Iterator[Any]:
    """
    Yield the events of a watch that has ended.

    Raises:
        NoAnswerError: The answer is no list of events.
    """
    if answer.code != _OK:
        raise NoAnswerError(f"a watch: {answer.code} {answer.message}")
    if isinstance(answer.body, dict):  # a single event was parsed as JSON
        yield answer.body
        return
    yield from (json.loads(line) for line in str(answer.body).splitlines() if line)


def _make_absolute(entry: dict[str, Any], folder: Path) -> None:
    for key in _PATHS:
        if isinstance(entry.get(key), str):
            entry[key] = str(folder / entry[key])


_CLUSTER: Final[pytest.StashKey[Cluster]] = pytest.StashKey()


def of_session(config: pytest.Config, settings: LiveSettings) -> Cluster:
    """Return the server of `--crd-live`; the first call in a session connects."""
    if _CLUSTER not in config.stash:
        connected = Cluster(settings, is_shared=hasattr(config, "workerinput"))
        config.stash[_CLUSTER] = connected
        config.pluginmanager.register(Ending(connected), "crd-server-cluster")
    return config.stash[_CLUSTER]
