"""`pytest-crd serve`."""

from __future__ import annotations

import gc
import http.client
import json
import signal
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml
from support import sessions

from pytest_crd import __main__ as program
from pytest_crd.cli import serving
from pytest_crd.server.api import Api

pytestmark = pytest.mark.session


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gardens.yaml").write_text(sessions.GARDEN, encoding="utf-8")
    return tmp_path


def test_a_server_serves_until_it_is_interrupted(folder: Path) -> None:
    command = [sys.executable, "-m", "pytest_crd", "serve", "gardens.yaml", "--kubeconfig", "k.yaml"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=folder) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline().strip() for _ in range(3)]
        url = lines[1].split()[3].rstrip(",")
        assert lines == [
            "gardens.stories.example.com (v1) from gardens.yaml:1",
            f"1 CRD at {url}, Kubernetes 1.37",
            f"export KUBECONFIG={folder / 'k.yaml'}",
        ]
        assert (folder / "k.yaml").stat().st_mode & 0o077 == 0
        config = yaml.safe_load((folder / "k.yaml").read_text(encoding="utf-8"))
        cluster = config["clusters"][0]["cluster"]
        connection = http.client.HTTPSConnection(urlsplit(url).netloc, context=ssl._create_unverified_context())  # noqa: S323
        token = config["users"][0]["user"]["token"]
        connection.request("GET", "/apis/stories.example.com/v1", headers={"Authorization": f"Bearer {token}"})
        assert connection.getresponse().status == 200
        connection.close()
        assert cluster["server"] == url
        process.terminate()
        assert process.stdout.read().strip() == "stopped"
    assert process.returncode == 0
    assert not (folder / "k.yaml").exists()


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["no.yaml"], 2, "no.yaml"),
        (["gardens.yaml", "--kubernetes-version", "1.1"], 2, "1.1"),
        (
            ["gardens.yaml", "--kubernetes-version", "1.33"],
            2,
            "--kubernetes-version: no server answers as Kubernetes 1.33; write one of 1.34, 1.35, 1.36, 1.37; preview: 1.38",
        ),
        (["bad.yaml"], 1, "gardens.stories.example.com is not accepted"),
        (["gardens.yaml", "--kubeconfig", "no/k.yaml"], 2, "--kubeconfig no/k.yaml: no is not a folder"),
        (["gardens.yaml", "--kubeconfig", "."], 2, ". exists, and is neither overwritten nor removed"),
    ],
)
def test_a_crd_that_cannot_be_served_is_reported(
    arguments: list[str], code: int, words: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = sessions.GARDEN.replace("scope: Namespaced", "scope: Nowhere")
    (folder / "bad.yaml").write_text(bad, encoding="utf-8")
    assert program.main(["serve", *arguments]) == code
    assert words in capsys.readouterr().err


@pytest.mark.parametrize("port", ["99999", "-1", "65536", "http", "²"])
def test_a_number_that_is_no_port_is_wrong_use(port: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exited:
        program.main(["serve", "gardens.yaml", f"--port={port}"])
    assert exited.value.code == 2
    assert f"--port: {port!r}: write a number from 0 to 65535" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["crd-server.kubeconfig", "config"])
def test_an_existing_kubeconfig_is_neither_overwritten_nor_removed(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from pytest_crd.server import httpserver

    monkeypatch.setattr(httpserver.HTTPServer, "start", lambda _: pytest.fail("the server has started"))
    path = folder / name
    path.write_text("a cluster", encoding="utf-8")
    path.chmod(0o644)
    before = path.stat()

    assert program.main(["serve", "gardens.yaml", "--kubeconfig", name]) == 2
    assert path.stat()[:7] == before[:7]
    assert path.read_text(encoding="utf-8") == "a cluster"
    assert capsys.readouterr().err == (
        f"{name} exists, and is neither overwritten nor removed: another `pytest-crd serve` or kubectl may use it; "
        f"write `--kubeconfig FILE` with the name of a new file, or remove {name} if nothing uses it\n"
    )


def test_the_kubeconfig_of_a_killed_server_is_replaced(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = folder / "crd-server.kubeconfig"

    def interrupted() -> None:
        stale.append(path.read_text(encoding="utf-8"))
        raise KeyboardInterrupt

    stale: list[str] = []
    monkeypatch.setattr("pytest_crd.cli.serving.wait", interrupted)
    assert program.main(["serve", "gardens.yaml"]) == 0
    started = stale[0].split("started ")[1].split(",")[0]
    path.write_text(stale[0].replace(started, "1"), encoding="utf-8")

    assert program.main(["serve", "gardens.yaml"]) == 0
    assert "crd-server.kubeconfig: its server has ended without removing it; replaced" in capsys.readouterr().err
    assert not path.exists()
    path.write_text(stale[0], encoding="utf-8")  # the process of the test runs
    assert program.main(["serve", "gardens.yaml"]) == 2
    assert path.read_text(encoding="utf-8") == stale[0]


@pytest.mark.parametrize("is_there", [True, False])
def test_a_link_in_the_place_of_the_kubeconfig_is_not_followed(
    folder: Path, capsys: pytest.CaptureFixture[str], *, is_there: bool
) -> None:
    target = folder / "elsewhere"
    if is_there:
        target.write_text("a cluster", encoding="utf-8")
    (folder / "crd-server.kubeconfig").symlink_to(target)

    assert program.main(["serve", "gardens.yaml"]) == 2
    assert "crd-server.kubeconfig exists" in capsys.readouterr().err
    assert (folder / "crd-server.kubeconfig").is_symlink()
    assert target.exists() == is_there


def test_a_kubeconfig_that_another_process_creates_meanwhile_stays(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(serving, "_require_new", lambda path, _: path.write_text("of another server", encoding="utf-8"))

    assert program.main(["serve", "gardens.yaml"]) == 2
    assert "crd-server.kubeconfig exists" in capsys.readouterr().err
    assert (folder / "crd-server.kubeconfig").read_text(encoding="utf-8") == "of another server"


def test_without_its_extra_nothing_is_served(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "pytest_crd.server.httpserver", None)
    # An earlier test may have imported them.
    monkeypatch.delattr("pytest_crd.server.httpserver", raising=False)
    monkeypatch.delitem(sys.modules, "pytest_crd.cli.serving", raising=False)
    monkeypatch.delattr("pytest_crd.cli.serving", raising=False)
    assert program.main(["serve", "gardens.yaml"]) == 2
    assert "pip install 'pytest-crd[server]'" in capsys.readouterr().err


def test_the_port_is_that_of_the_option(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    monkeypatch.setattr(serving, "wait", lambda: None)

    assert program.main(["serve", "gardens.yaml", f"--port={port}"]) == 0
    assert f"https://127.0.0.1:{port}," in capsys.readouterr().out


@pytest.fixture
def defaults() -> Iterator[None]:
    """Handle signals as in a terminal: `nohup` ignores SIGHUP, and a background job of a shell ignores SIGINT."""
    handlers = {
        number: signal.signal(number, handler)
        for number, handler in ((signal.SIGHUP, signal.SIG_DFL), (signal.SIGINT, signal.default_int_handler))
    }
    yield
    for number, handler in handlers.items():
        signal.signal(number, handler)


@pytest.mark.usefixtures("defaults")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_ends_the_server_and_removes_the_kubeconfig(
    number: signal.Signals, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted() -> None:
        assert (folder / "crd-server.kubeconfig").exists()
        signal.raise_signal(number)

    handlers = [signal.getsignal(handled) for handled in (signal.SIGTERM, signal.SIGHUP)]
    monkeypatch.setattr("pytest_crd.cli.serving.wait", interrupted)
    assert program.main(["serve", "gardens.yaml"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "stopped"
    assert not (folder / "crd-server.kubeconfig").exists()
    assert [signal.getsignal(handled) for handled in (signal.SIGTERM, signal.SIGHUP)] == handlers


def test_a_hangup_that_nohup_ignores_does_not_end_the_server(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ended = []

    def interrupted() -> None:
        signal.raise_signal(signal.SIGHUP)
        ended.append("by SIGTERM")
        signal.raise_signal(signal.SIGTERM)

    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        monkeypatch.setattr("pytest_crd.cli.serving.wait", interrupted)
        assert program.main(["serve", "gardens.yaml"]) == 0
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)
    assert ended == ["by SIGTERM"]
    assert capsys.readouterr().out.splitlines()[-1] == "stopped"


def test_waiting_goes_on_until_it_is_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:  # noqa: ARG002 - as its base has it
            raise KeyboardInterrupt

    monkeypatch.setattr(threading, "Event", Interrupted)
    with pytest.raises(KeyboardInterrupt):
        serving.wait()


def test_a_full_collection_of_garbage_visits_an_object_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def collect() -> None:
        frozen.append(gc.get_freeze_count())
        for generation in (1, 2):
            gc.collect(generation)
            frozen.append(gc.get_freeze_count())
        turns.append(sys.getswitchinterval())

    frozen: list[int] = []
    callbacks = [*gc.callbacks]
    turns = [sys.getswitchinterval()]
    monkeypatch.setattr(serving, "wait", collect)
    gc.disable()  # the test collects garbage
    gc.freeze()  # of few objects
    try:
        assert program.main(["serve", "gardens.yaml"]) == 0
    finally:
        gc.enable()
    assert frozen[0] >= frozen[1] < frozen[2]  # a frozen object can be deleted
    assert (gc.get_freeze_count(), gc.callbacks) == (0, callbacks)
    assert turns[1] < turns[0] == sys.getswitchinterval()


@pytest.mark.usefixtures("defaults")
def test_an_answer_that_depends_on_the_order_of_policies_is_a_warning(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    started: list[Api] = []

    def start(*arguments: Any, **options: Any) -> Api:
        started.append(Api(*arguments, **options))
        return started[0]

    monkeypatch.setattr(serving, "Api", start)
    monkeypatch.setattr(serving, "wait", lambda: started[0].catalog.policy_listeners.observe_order("two orders"))
    assert program.main(["serve", "gardens.yaml"]) == 0
    assert capsys.readouterr().err == "warning: two orders\n"


@pytest.mark.parametrize("paths", [[], ["empty"]])
def test_a_folder_without_files_is_served_without_crds(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], paths: list[str]
) -> None:
    (folder / "empty").mkdir()
    monkeypatch.chdir(folder if paths else folder / "empty")
    monkeypatch.setattr(serving, "wait", lambda: None)
    assert program.main(["serve", *paths, "--service-accounts", "--garbage-collection"]) == 0
    assert capsys.readouterr().out.startswith("0 CRDs at https://127.0.0.1:")


def test_an_option_simulates_workloads_and_says_so(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setattr(serving, "wait", lambda: None)
    assert program.main(["serve", "--workloads"]) == 0
    assert "statuses of workloads, Pods and claims are simulated; nothing runs\n" in capsys.readouterr().out


@pytest.mark.parametrize("is_on", [True, False])
def test_an_option_switches_an_admission_plugin_on(folder: Path, monkeypatch: pytest.MonkeyPatch, is_on: bool) -> None:  # noqa: FBT001 - a row of the table
    statuses = []

    def send() -> None:
        config = yaml.safe_load((folder / "crd-server.kubeconfig").read_text(encoding="utf-8"))
        url, token = config["clusters"][0]["cluster"]["server"], config["users"][0]["user"]["token"]
        owner = {"apiVersion": "v9", "kind": "No", "name": "a", "uid": "b", "blockOwnerDeletion": True}
        body = {"metadata": {"name": "a", "ownerReferences": [owner]}}
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        connection = http.client.HTTPSConnection(urlsplit(url).netloc, context=ssl._create_unverified_context())  # noqa: S323
        connection.request("POST", "/api/v1/namespaces/default/configmaps", json.dumps(body), headers)
        statuses.append(connection.getresponse().status)
        connection.close()

    monkeypatch.setattr(serving, "wait", send)
    plugin = ["--admission-plugin", "OwnerReferencesPermissionEnforcement"] if is_on else []
    assert program.main(["serve", "gardens.yaml", *plugin]) == 0
    assert statuses == [403 if is_on else 201]


ROLES = """\
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: b}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: gone}
subjects: []
"""


def test_roles_are_served_and_mistakes_in_them_reported(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(serving, "wait", lambda: None)
    (folder / "roles.yaml").write_text(ROLES, encoding="utf-8")
    assert program.main(["serve", "gardens.yaml", "--rbac", "roles.yaml"]) == 0
    warning = "roles.yaml:1: warning: ClusterRoleBinding b binds ClusterRole gone, which does not exist"
    assert warning in capsys.readouterr().out.splitlines()
    assert program.main(["serve", "gardens.yaml", "--rbac", "gardens.yaml"]) == 2
    assert "gardens.yaml: has no Role" in capsys.readouterr().err


BOUND = """\
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: b}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}
subjects: [{kind: ServiceAccount, name: manager, namespace: ops}]
"""
MANAGER = "system:serviceaccount:ops:manager"


def test_users_with_roles_have_kubeconfigs(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answers: list[object] = []

    def wait() -> None:
        for name in ("crd-server.kubeconfig", "manager.kubeconfig"):
            path = folder / name
            config = yaml.safe_load(path.read_text(encoding="utf-8"))
            server, token = config["clusters"][0]["cluster"]["server"], config["users"][0]["user"]["token"]
            context = ssl._create_unverified_context()  # noqa: S323
            connection = http.client.HTTPSConnection(urlsplit(server).netloc, context=context)
            connection.request("GET", "/api/v1/secrets", headers={"Authorization": f"Bearer {token}"})
            answers.append(json.loads(connection.getresponse().read()).get("message"))
            connection.close()
            assert path.stat().st_mode & 0o777 == 0o600

    monkeypatch.setattr(serving, "wait", wait)
    (folder / "roles.yaml").write_text(BOUND, encoding="utf-8")
    assert program.main(["serve", "--rbac", "roles.yaml", "--user", MANAGER, "manager.kubeconfig"]) == 0
    assert answers[0] is None
    assert str(answers[1]).startswith(f'secrets is forbidden: User "{MANAGER}" cannot list resource "secrets"')
    assert f"{MANAGER}: KUBECONFIG={folder / 'manager.kubeconfig'}" in capsys.readouterr().out.splitlines()
    assert not (folder / "manager.kubeconfig").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--user", MANAGER, "k"], "--user needs --rbac with the roles of the user"),
        (
            ["--rbac", "roles.yaml", "--user", "ann", "k"],
            "no binding names 'ann' or one of its groups; the nearest subjects are",
        ),
        (
            ["--rbac", "roles.yaml", "--user", MANAGER, "roles.yaml"],
            "--user: roles.yaml exists, and is neither overwritten",
        ),
        (["--rbac", "roles.yaml", "--user", MANAGER, "no/k"], "--user no/k: no is not a folder"),
    ],
)
def test_a_user_without_roles_or_file_is_wrong_use(
    arguments: list[str], words: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(serving, "wait", lambda: pytest.fail("the server has started"))
    (folder / "roles.yaml").write_text(BOUND, encoding="utf-8")
    assert program.main(["serve", *arguments]) == 2
    assert words in capsys.readouterr().err
