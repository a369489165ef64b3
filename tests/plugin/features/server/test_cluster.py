"""The fixture `crd_server` with `--crd-live`: tests on a cluster, played by an in-process server."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from support import sessions
from support.servers import ask

from pytest_crd.engine import CustomResourceDefinition
from pytest_crd.live import client, connection, remnants
from pytest_crd.live.run import Target
from pytest_crd.live.transport import NoAnswerError
from pytest_crd.live.workerlock import WorkerLock
from pytest_crd.plugin.features.server import cluster
from pytest_crd.plugin.features.server.cluster import Cluster, ClusterError, Stay
from pytest_crd.plugin.settings.live import LiveSettings
from pytest_crd.server.api import Api
from pytest_crd.server.http import kubeconfigfile
from pytest_crd.server.http.certificates import Certificates
from pytest_crd.server.http.httpmessages import HTTPRequest
from pytest_crd.server.httpserver import HTTPServer, new_token

if TYPE_CHECKING:
    from support.sessions import Project

GARDEN: Any = yaml.safe_load(sessions.GARDEN)
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
NAMES = "/api/v1/namespaces"


class RunningCluster:
    """A running cluster: its API, and the pytest options with which a session uses it."""

    def __init__(self, api: Api, options: tuple[str, ...]) -> None:
        """Create it from the API and the options."""
        self.api = api
        self.options = options

    def list_names(self, path: str) -> list[str]:
        """Return the names of the objects listed at a path."""
        headers = {"authorization": f"Bearer {self.api.token}"}
        return [item["metadata"]["name"] for item in ask(self.api, "GET", path, headers=headers).value["items"]]


@pytest.fixture(scope="module")
def certificates() -> Certificates:
    """The certificates of all servers: making them takes as long as a session."""
    return Certificates()


@pytest.fixture
def start_cluster(
    tmp_path_factory: pytest.TempPathFactory, certificates: Certificates
) -> Iterator[Callable[..., RunningCluster]]:
    servers: list[HTTPServer] = []

    def start(*crds: Any) -> RunningCluster:
        token = new_token()
        api = Api([CustomResourceDefinition.from_manifest(crd) for crd in crds], token=token)
        server = HTTPServer(api, certificates, token=token)
        server.start()
        servers.append(server)
        path = tmp_path_factory.mktemp("cluster") / "kubeconfig"
        path.write_text(kubeconfigfile.text(server.url, certificates.authority, token), encoding="utf-8")
        return RunningCluster(api, (f"--crd-live={path}", "--crd-live-context", "crd-server"))

    yield start
    for server in servers:
        server.stop()


def _test(project: Project, *lines: str) -> None:
    project.write("test_it.py", "\n".join(["import pathlib, pytest", "", *lines, ""]))


@pytest.mark.session
@pytest.mark.long
def test_a_test_runs_on_a_cluster_and_leaves_nothing_there(
    project: Project, start_cluster: Callable[..., RunningCluster]
) -> None:
    there = start_cluster()
    _test(
        project,
        "@pytest.mark.crd_server(namespaces=['team', 'default'], objects=['a.yaml'])",
        "@pytest.mark.parametrize('number', [1, 2])",
        "def test_it(crd_server, number):",
        "    gardens = crd_server['gardens']",
        "    assert [one['metadata']['name'] for one in gardens.list()] == ['a']",
        "    gardens.create({'metadata': {'name': 'b', 'finalizers': ['example.com/x']}})",
        "    gardens.create({'metadata': {'name': 'c'}}, namespace='team')",
        "    assert gardens.wait('b', lambda it: it['metadata'])['kind'] == 'Garden'",
        "    assert crd_server.namespace in pathlib.Path(crd_server.kubeconfig).read_text()",
        "    with pytest.raises(Exception, match='not found'):",
        "        gardens.get('nope')",
        "    if number == 2:",
        "        with pytest.raises(TimeoutError, match='is not there after 0.1 s'):",
        "            gardens.wait('nope', bool, timeout=0.1)",
        "",
        "@pytest.mark.crd_server(kubernetes_version='1.32')",
        "def test_another(crd_server): pass",
    )
    project.write("a.yaml", "apiVersion: stories.example.com/v1\nkind: Garden\nmetadata: {name: a}\n")
    before = there.list_names(NAMES)
    result = project.run(*there.options, "-rs")

    result.assert_outcomes(passed=2, skipped=1)
    result.stdout.fnmatch_lines(
        [
            "crd: live: 2 agreed, 0 disagreed, 0 not asked, 0 no answer",
            "SKIPPED * asks for Kubernetes 1.32, and the server of --crd-live is 1.37",
        ]
    )
    assert (there.list_names(CRDS), there.list_names(NAMES)) == ([], before)


@pytest.mark.session
def test_a_crd_that_is_installed_stays_and_clients_are_not_seen(
    project: Project, start_cluster: Callable[..., RunningCluster]
) -> None:
    there = start_cluster(GARDEN)
    project.ini("crd_server_unknown_fields = error", "crd_server_unvalidated = error")
    _test(
        project,
        "def test_it(crd_server):",
        "    crd_server['gardens'].create({'metadata': {'name': 'a'}, 'spec': {'oops': 1}})",
        "    crd_server['configmaps'].create({'metadata': {'name': 'a'}})",
    )
    result = project.run(*there.options)

    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        ["*the requests of clients are not seen; no effect: crd_server_unknown_fields and crd_server_unvalidated*"]
    )
    assert there.list_names(CRDS) == ["gardens.stories.example.com"]
    assert there.list_names("/apis/stories.example.com/v1/gardens") == []


@pytest.mark.session
def test_a_mark_for_the_own_server_skips_a_test_before_anything_is_installed(
    project: Project, start_cluster: Callable[..., RunningCluster]
) -> None:
    there = start_cluster()
    _test(
        project,
        "@pytest.mark.crd_server(faults=[{'status': 500}])",
        "def test_faults(crd_server): pass",
        "",
        "@pytest.mark.crd_server(rbac=['roles.yaml'])",
        "def test_roles(crd_server): pass",
    )
    revision = there.api.store.revision
    result = project.run(*there.options, "-rs")

    result.assert_outcomes(skipped=2)
    result.stdout.fnmatch_lines_random(
        [
            "*crd_server.faults is a part of the server of pytest-crd, and the server is that of --crd-live",
            "*crd_server with roles decides as kube-apiserver does*",
        ]
    )
    assert there.api.store.revision == revision


@pytest.mark.session
def test_a_different_installed_crd_is_an_error(project: Project, start_cluster: Callable[..., RunningCluster]) -> None:
    there = start_cluster(yaml.safe_load(sessions.GARDEN.replace("maximum: 10", "maximum: 9")))
    _test(project, "def test_it(crd_server): pass")
    result = project.run(*there.options)

    result.assert_outcomes(errors=1)
    place = "spec.versions[[]0[]].schema.openAPIV3Schema.properties.spec.properties.rows.maximum"
    result.stdout.fnmatch_lines([f"*gardens.stories.example.com is installed, and is not the project's, at {place}: *"])


@pytest.mark.session
def test_there_is_no_server_with_installed_crds_only(
    project: Project, start_cluster: Callable[..., RunningCluster]
) -> None:
    _test(project, "def test_it(crd_server): pass")
    result = project.run(*start_cluster(GARDEN).options, "--crd-live-installed")

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*crd_server makes objects, and `--crd-live-installed` makes nothing*"])


class Scripted:
    """A server with scripted answers; all other paths are 404."""

    address = "http://127.0.0.1:1"

    def __init__(self, answers: Mapping[tuple[str, str], tuple[int, Any]]) -> None:
        """Create a server; *answers* has code and body by method and path prefix."""
        self._answers = answers
        self.worker_lock = WorkerLock()
        self.asked: list[tuple[str, str]] = []

    def ask(self, method: str, path: str, *_: Any, **__: Any) -> client.ServerAnswer:
        """Return the answer for the longest matching path prefix."""
        self.asked.append((method, path))
        matches = [key for key in self._answers if key[0] == method and path.startswith(key[1])]
        code, body = self._answers[max(matches, key=lambda key: len(key[1]))] if matches else (404, {"message": "none"})
        return client.ServerAnswer(code, body, ())

    def close(self) -> None:
        """Do nothing."""


def _cluster(
    monkeypatch: pytest.MonkeyPatch, answers: Mapping[tuple[str, str], tuple[int, Any]], *, is_shared: bool = False
) -> Cluster:
    server: Any = Scripted(answers)
    monkeypatch.setattr(connection, "connect", lambda *_, **__: Target(server, "1.37", "v1.37.0", "kubectl"))
    return Cluster(LiveSettings(server.address, None, is_installed=False, base=Path()), is_shared=is_shared)


CRD = CustomResourceDefinition.from_manifest(GARDEN)


@pytest.mark.parametrize(
    ("answers", "is_shared", "words"),
    [
        ({}, True, "is not installed: install it, or run without -n"),
        ({("POST", CRDS): (403, {"message": "no"})}, False, "is refused: 403 no"),
        ({("GET", CRDS): (403, {"message": "no"})}, False, "gardens.stories.example.com: 403 no"),
    ],
)
def test_a_crd_that_cannot_be_installed_is_an_error(
    answers: Mapping[tuple[str, str], tuple[int, Any]],
    words: str,
    monkeypatch: pytest.MonkeyPatch,
    *,
    is_shared: bool,
) -> None:
    with pytest.raises(ClusterError, match=words):
        _cluster(monkeypatch, answers, is_shared=is_shared).install([CRD])


def test_an_unreachable_cluster_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> Target:
        raise connection.UsageProblemError("nobody is there")

    monkeypatch.setattr(connection, "connect", fail)
    with pytest.raises(ClusterError, match="nobody is there"):
        Cluster(LiveSettings("http://x", None, is_installed=False, base=Path()), is_shared=False)


def test_a_refused_namespace_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = _cluster(monkeypatch, {("POST", NAMES): (403, {"message": "no"})})
    with pytest.raises(NoAnswerError, match="no namespace: 403 no"):
        Stay(cluster, Api([CRD]), ())
    cluster = _cluster(monkeypatch, {})  # a server for CRDs only has no namespaces and answers 404
    with pytest.raises(NoAnswerError, match="namespace team cannot be created: 404 none"):
        Stay(cluster, Api([CRD]), ["team"])


def test_a_terminating_namespace_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    ending = {"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}}
    answers = {("GET", f"{NAMES}/team"): (200, ending), ("POST", NAMES): (201, {})}
    cluster = _cluster(monkeypatch, answers)
    server: Any = cluster.server

    def gone(path: str, done: Callable[[client.ServerAnswer], bool], what: str) -> None:
        assert (path, what) == (f"{NAMES}/team", "the end of namespace team")
        assert [done(client.ServerAnswer(code, {}, ())) for code in (200, 404)] == [False, True]
        server.asked.append(("WAIT", path))

    server.wait = gone
    Stay(cluster, Api([CRD]), ["team"])

    assert server.asked[-2:] == [("WAIT", f"{NAMES}/team"), ("POST", NAMES)]


def _stay(monkeypatch: pytest.MonkeyPatch, body: Any, code: int = 200) -> Stay:
    return Stay(_cluster(monkeypatch, {("GET", "/apis/stories"): (code, body)}), Api([CRD]), ())


def test_a_watch_with_an_expired_version_begins_again(monkeypatch: pytest.MonkeyPatch) -> None:
    added = '{"type": "ADDED", "object": {"metadata": {"name": "a", "resourceVersion": "7"}}}'
    stay = _stay(monkeypatch, f'{added}\n{{"type": "ERROR", "object": {{"code": 410}}}}\n')
    request = HTTPRequest("GET", "/apis/stories.example.com/v1/gardens?watch=1")
    states = stay.states(stay.find_by_name("gardens"), request, 30)

    assert [next(states), next(states)] == [{"metadata": {"name": "a", "resourceVersion": "7"}}] * 2
    server: Any = stay._server
    assert [path.rpartition("&")[2] for method, path in server.asked if "watch" in path] == ["timeoutSeconds=1"] * 2


def test_a_watch_continues_from_the_end_of_the_previous_one(monkeypatch: pytest.MonkeyPatch) -> None:
    event = {"type": "DELETED", "object": {"metadata": {"name": "a", "resourceVersion": "7"}}}
    stay = _stay(monkeypatch, event)
    states = stay.states(
        stay.find_by_name("gardens"), HTTPRequest("GET", "/apis/stories.example.com/v1/gardens?watch=1"), 30
    )

    assert [next(states), next(states)] == [None, None]
    server: Any = stay._server
    assert server.asked[-1][1].endswith("&resourceVersion=7")


def test_a_watch_that_is_refused_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    stay = _stay(monkeypatch, {"message": "no"}, 403)
    with pytest.raises(NoAnswerError, match="a watch: 403 no"):
        next(stay.states(stay.find_by_name("gardens"), HTTPRequest("GET", "/apis/stories?watch=1"), 30))


def test_objects_that_cannot_be_listed_are_left_to_the_namespace(monkeypatch: pytest.MonkeyPatch) -> None:
    scoped = CustomResourceDefinition.from_manifest(yaml.safe_load(sessions.GARDEN.replace("Namespaced", "Cluster")))
    for crd in (CRD, scoped):
        cluster = _cluster(monkeypatch, {("GET", "/apis/stories"): (403, {"message": "no"})})
        stay = Stay(cluster, Api([crd]), ())
        stay.end()
        server: Any = cluster.server
        assert ("DELETE", "/apis/stories") not in server.asked


def test_a_url_becomes_a_kubeconfig_without_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    value = yaml.safe_load(_cluster(monkeypatch, {}).kubeconfig("team"))

    assert value["clusters"] == [{"name": "live", "cluster": {"server": "http://127.0.0.1:1"}}]
    assert value["contexts"] == [{"name": "live", "context": {"cluster": "live", "namespace": "team"}}]


def test_paths_of_a_kubeconfig_lead_to_the_same_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "kubeconfig").write_text(
        "clusters: [{name: c, cluster: {server: 'http://x', certificate-authority: ca.crt}}]\n"
        "users: [{name: u, user: {client-key: /etc/key, token: t}}, {name: nobody}]\n"
        "contexts: [{name: a, context: {cluster: c, user: u}}, {name: b, context: {cluster: c}}]\n",
        encoding="utf-8",
    )
    cluster = _cluster(monkeypatch, {})
    cluster._settings = LiveSettings("kubeconfig", "a", is_installed=False, base=tmp_path)
    value = yaml.safe_load(cluster.kubeconfig("team"))

    assert value["clusters"][0]["cluster"]["certificate-authority"] == str(tmp_path / "ca.crt")
    assert value["users"][0]["user"] == {"client-key": "/etc/key", "token": "t"}
    assert value["contexts"] == [{"name": "a", "context": {"cluster": "c", "user": "u", "namespace": "team"}}]


@pytest.mark.parametrize(
    ("ours", "theirs", "place"),
    [
        ({"a": [1, {"b": 2}]}, {"a": [1, {"b": 2}]}, ""),
        ({"a": [1]}, {"a": [1, 2]}, "spec.a"),
        ({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}]}, "spec.a[1].b"),
        ({}, {"a": 1}, "spec.a"),
        (
            {"conversion": {"webhook": {"clientConfig": {}}}},
            {"conversion": {"webhook": {"clientConfig": {"caBundle": "x"}}}},
            "",
        ),
        ({"other": {}}, {"other": {"caBundle": "x"}}, "spec.other.caBundle"),
    ],
)
def test_the_first_difference_between_specs_is_found(ours: Any, theirs: Any, place: str) -> None:
    assert cluster.difference(ours, theirs) == place


@pytest.mark.session
def test_a_test_of_faults_the_clock_a_reset_or_a_hold_is_skipped_and_a_command_needs_a_sign_of_readiness(
    project: Project, start_cluster: Callable[..., RunningCluster], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Objects that are left on the cluster fail the run."""
    monkeypatch.setattr(remnants, "remove", lambda _server, found: list(found))
    _test(
        project,
        "def test_faults(crd_server): crd_server.faults.status(500)",
        "",
        "def test_clock(crd_server): crd_server.clock.advance(1)",
        "",
        "def test_reset(crd_server): crd_server.reset()",
        "",
        "@pytest.mark.crd_server(workloads=True)",
        "def test_hold(crd_server): crd_server['deployments'].hold('x')",
        "",
        "def test_command(crd_server):",
        "    assert crd_server.run_command(['sleep', '60'], ready=lambda: True).code is None",
        "    with pytest.raises(Exception, match='with --crd-live the requests of a command are not seen'):",
        "        crd_server.run_command(['sleep', '60'])",
    )
    result = project.run("-rs", *start_cluster().options)
    result.assert_outcomes(skipped=4, passed=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["crd_server: left on https://*: customresourcedefinition/gardens.stories.example.com"])
    result.stdout.fnmatch_lines(
        ["*crd_server.faults is a part of the server of pytest-crd, and the server is that of --crd-live"]
    )
