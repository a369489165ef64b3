"""The server that the command line names: a URL, or a context of a kubeconfig."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from live.loopback import Reply, serving

from pytest_crd.live import connection
from pytest_crd.live.connection import UsageProblemError
from pytest_crd.live.run import Target

VERSION = json.dumps({"major": "1", "minor": "32+", "gitVersion": "v1.32.5-eks-1"})


@contextlib.contextmanager
def _connected(named: str, context: str | None = None, base: Path = Path()) -> Iterator[Target]:
    target = connection.connect(named, context, base=base)
    with contextlib.closing(target.server):
        yield target


def _kubeconfig(folder: Path, url: str, user: dict[str, Any]) -> Path:
    path = folder / "config"
    content = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "c", "cluster": {"server": url}}],
        "users": [{"name": "u", "user": user}],
        "contexts": [
            {"name": "mine", "context": {"cluster": "c", "user": "u"}},
            {"name": "other", "context": {"cluster": "c", "user": "u"}},
        ],
    }
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def test_a_url_needs_nothing_else() -> None:
    with serving(lambda *_: Reply(200, VERSION)) as url, _connected(url) as target:
        assert str(target) == f"{url}, Kubernetes 1.32 (v1.32.5-eks-1)"
        assert target.command == f"kubectl --server {url}"


@pytest.mark.parametrize(
    ("named", "context", "message"),
    [
        ("http://127.0.0.1:1", "mine", "--crd-live-context: a URL has no contexts; name a kubeconfig, or leave*"),
        ("http://me:secret@host", None, "http://host…: write http://HOST:PORT, as `kubectl proxy` prints it; *"),
        ("https://host/?a=b", None, "https://host…: write http://HOST:PORT*"),
        ("http://", None, "http://…: write *"),
        ("nothing/there", None, "nothing/there: neither a URL (http://…) nor the file of a kubeconfig"),
        ("http://127.0.0.1:1", None, "GET http://127.0.0.1:1/version: [[]Errno 111] Connection refused"),
    ],
)
def test_a_wrong_server_is_a_mistake(named: str, context: str | None, message: str) -> None:
    with pytest.raises(UsageProblemError) as raised:
        connection.connect(named, context, base=Path())

    assert Path(str(raised.value).replace("/", "|")).match(message.replace("/", "|"))
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (
            Reply(200, '{"major": "1", "minor": "99"}'),
            ": unknown Kubernetes version '1.99'; known versions: 1.21, 1.32,",
        ),
        (Reply(403, '{"message": "not you"}'), " does not say its version: 403 not you"),
        (Reply(200, '{"message": "hello"}'), " does not say its version: 200 hello"),
        (Reply(200, "<html>"), " does not say its version: 200 <html>"),
    ],
)
def test_an_unknown_server_version_is_a_mistake(reply: Reply, message: str) -> None:
    with serving(lambda *_: reply) as url:
        with pytest.raises(UsageProblemError) as raised:
            connection.connect(url, None, base=Path())

        assert str(raised.value).startswith(f"{url}{message}")


def test_a_kubeconfig_brings_its_credentials_and_json_is_written_as_kubectl_writes_it(tmp_path: Path) -> None:
    requests = []

    def answering(method: str, path: str, headers: dict[str, str], text: str) -> Reply:
        requests.append((method, path, headers.get("Authorization", headers.get("authorization")), text))
        return Reply(200, VERSION, (("Warning", '299 - "a"'), ("Warning", '299 - "b"')))

    with serving(answering) as url:
        _kubeconfig(tmp_path, f"{url}/k8s", {"token": "t0"})
        with _connected("config", "mine", tmp_path) as target:
            answer = target.server.ask("POST", "/a", {"b": [1, "é"]}, query={"dryRun": "All"})

        assert target.server.address == f"{url}/k8s"
        assert target.command == f"kubectl --kubeconfig {tmp_path / 'config'} --context mine"

    assert requests == [
        ("GET", "/k8s/version", "Bearer t0", ""),
        ("POST", "/k8s/a?dryRun=All", "Bearer t0", '{"b":[1,"é"]}'),
    ]
    assert answer.warnings == ("a", "b")


@pytest.mark.session
def test_a_kubeconfig_may_run_a_command_for_its_token(tmp_path: Path) -> None:
    credential = {
        "apiVersion": "client.authentication.k8s.io/v1",
        "kind": "ExecCredential",
        "status": {"token": "t1"},
    }
    command = {
        "apiVersion": "client.authentication.k8s.io/v1",
        "command": sys.executable,
        "args": ["-c", f"print({json.dumps(json.dumps(credential))})"],
        "interactiveMode": "Never",
    }
    requests = []

    def answering(_: str, __: str, headers: dict[str, str], ___: str) -> Reply:
        requests.append(headers.get("Authorization", headers.get("authorization")))
        return Reply(200, VERSION)

    with serving(answering) as url, _connected(str(_kubeconfig(tmp_path, url, {"exec": command})), "mine"):
        assert requests == ["Bearer t1"]


def test_the_context_must_be_named(tmp_path: Path) -> None:
    path = _kubeconfig(tmp_path, "http://127.0.0.1:1", {})

    with pytest.raises(UsageProblemError) as raised:
        connection.connect(str(path), None, base=Path())
    assert str(raised.value) == f"{path}: name the context with --crd-live-context: mine, other"
    with pytest.raises(UsageProblemError) as raised:
        connection.connect(str(path), "theirs", base=Path())
    assert str(raised.value) == f"{path}: no context 'theirs'; there are mine, other"


@pytest.mark.parametrize("text", ["a: b\n", "- a\n", "a: [\n", "", "contexts: [a]\n", "contexts: 1\n"])
def test_a_file_that_is_no_kubeconfig_is_a_mistake(tmp_path: Path, text: str) -> None:
    path = tmp_path / "config"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(UsageProblemError) as raised:
        connection.connect(str(path), "mine", base=Path())

    assert str(raised.value) == f"{path}: not a kubeconfig, which has a list of contexts"


def test_a_context_of_a_missing_cluster_is_a_mistake(tmp_path: Path) -> None:
    path = tmp_path / "config"
    path.write_text("contexts: [{name: mine, context: {cluster: none, user: none}}]\n", encoding="utf-8")

    with pytest.raises(UsageProblemError) as raised:
        connection.connect(str(path), "mine", base=Path())

    assert str(raised.value).startswith(f"{path}: Invalid kube-config file. ")


def test_a_kubeconfig_needs_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "kubernetes.config", None)

    with pytest.raises(UsageProblemError, match=r"pip install 'pytest-crd\[live\]'; a URL does without$"):
        connection.connect(str(_kubeconfig(tmp_path, "http://127.0.0.1:1", {})), "mine", base=Path())


def test_an_unreachable_server_of_a_kubeconfig_is_a_mistake(tmp_path: Path) -> None:
    path = _kubeconfig(tmp_path, "http://127.0.0.1:1", {})

    with pytest.raises(UsageProblemError, match=r"^GET http://127.0.0.1:1/version: .*Connection refused"):
        connection.connect(str(path), "mine", base=Path())
