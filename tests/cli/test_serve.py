"""`pytest-crd serve`."""

from __future__ import annotations

import http.client
import signal
import ssl
import subprocess
import sys
import threading
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import yaml
from support import sessions

from pytest_crd import __main__ as program
from pytest_crd.cli import serve

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
        (["bad.yaml"], 1, "gardens.stories.example.com is not accepted"),
        (["gardens.yaml", "--kubeconfig", "no/k.yaml"], 2, "no/k.yaml"),
    ],
)
def test_what_cannot_be_served_is_told(
    arguments: list[str], code: int, words: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = sessions.GARDEN.replace("scope: Namespaced", "scope: Nowhere")
    (folder / "bad.yaml").write_text(bad, encoding="utf-8")
    assert program.main(["serve", *arguments]) == code
    assert words in capsys.readouterr().err


def test_without_its_extra_nothing_is_served(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "pytest_crd.server.transport", None)
    assert program.main(["serve", "gardens.yaml"]) == 2
    assert "pip install 'pytest-crd[server]'" in capsys.readouterr().err


def test_the_command_serves_in_this_process_too(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted() -> None:
        assert (folder / "crd-server.kubeconfig").exists()
        signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr("pytest_crd.cli.serve._wait", interrupted)
    assert program.main(["serve", "gardens.yaml"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "stopped"


def test_waiting_goes_on_until_it_is_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:  # noqa: ARG002 - as its base has it
            raise KeyboardInterrupt

    monkeypatch.setattr(threading, "Event", Interrupted)
    with pytest.raises(KeyboardInterrupt):
        serve._wait()
