"""Places with a configuration lead to the server of a test, and are restored after it."""

from __future__ import annotations

import os
import sys
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from pytest_crd.plugin.features.server.clients import clienttable, isolation
from pytest_crd.plugin.features.server.clients.isolation import Isolation

if TYPE_CHECKING:
    from support.sessions import Project

URL = "https://127.0.0.1:1"
CONSTANT = "KUBE_CONFIG_DEFAULT_LOCATION"
KUBE_CONFIG = "kubernetes.config.kube_config"


def _module(monkeypatch: pytest.MonkeyPatch, name: str, **values: Any) -> Any:
    module = ModuleType(name)
    vars(module).update(values)
    monkeypatch.setitem(sys.modules, name, module)
    return module


@pytest.fixture(autouse=True)
def no_clients(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget the clients that other tests of this process have loaded."""
    monkeypatch.setattr(clienttable, "MODULES", frozenset())
    for name in isolation._caches():
        monkeypatch.delitem(sys.modules, name)
    for name in (
        "KUBECONFIG",
        "NO_PROXY",
        "no_proxy",
        *clienttable.UNSET,
        *clienttable.PROXIES,
        *map(str.lower, clienttable.PROXIES),
    ):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, None])
def test_the_environment_leads_to_the_server_and_is_restored(
    monkeypatch: pytest.MonkeyPatch, error: type[BaseException] | None
) -> None:
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1")
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy")
    monkeypatch.setenv("no_proxy", "example.com")
    before = dict(os.environ)
    isolated = Isolation(URL, "/k", is_loopback=True)

    def run() -> None:
        with isolated.active():
            assert os.environ["KUBECONFIG"] == "/k"
            assert "KUBERNETES_SERVICE_HOST" not in os.environ
            assert os.environ["no_proxy"] == "example.com,127.0.0.1,localhost"
            if error is not None:
                raise error

    if error is None:
        run()
    else:
        with pytest.raises(error):
            run()
    assert dict(os.environ) == before
    assert not isolated.guard.is_active


@pytest.mark.parametrize(("is_loopback", "proxy"), [(True, ""), (False, "http://proxy")])
def test_proxies_of_a_cluster_stay(monkeypatch: pytest.MonkeyPatch, *, is_loopback: bool, proxy: str) -> None:
    monkeypatch.setenv("HTTPS_PROXY", proxy)
    with Isolation(URL, "/k", is_loopback=is_loopback).active():
        assert "NO_PROXY" not in os.environ


@pytest.mark.parametrize("kubeconfig", ["/mine", None])
def test_a_module_that_a_test_imports_keeps_nothing_of_the_server(
    monkeypatch: pytest.MonkeyPatch, kubeconfig: str | None
) -> None:
    if kubeconfig is not None:
        monkeypatch.setenv("KUBECONFIG", kubeconfig)
    with Isolation(URL, "/k", is_loopback=True).active():
        module = _module(monkeypatch, KUBE_CONFIG, **{CONSTANT: "/k"})
        second = _module(monkeypatch, "kubernetes_asyncio.config", **{CONSTANT: "/chosen"})
        classes = SimpleNamespace(_default="the server")
        _module(monkeypatch, "kubernetes.client.configuration", Configuration=classes)
        api = SimpleNamespace(_instances={"thread": "the server"})
        _module(monkeypatch, "kr8s._api", Api=api)
    assert getattr(module, CONSTANT) == (kubeconfig or "~/.kube/config")
    assert getattr(second, CONSTANT) == "/chosen"
    assert classes._default is None
    assert api._instances == {}


def test_a_module_that_was_imported_before_is_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    module = _module(monkeypatch, KUBE_CONFIG, **{CONSTANT: "/before"})
    _module(monkeypatch, "kubernetes_asyncio.config.kube_config")  # of another version
    _module(monkeypatch, "kr8s._api")
    api = SimpleNamespace(_default="a client")
    _module(monkeypatch, "kubernetes.client.api_client", ApiClient=api)
    with Isolation(URL, "/k", is_loopback=True).active():
        assert getattr(module, CONSTANT) == "/k"
        assert api._default is None
        api._default = "another"
    assert getattr(module, CONSTANT) == "/before"
    assert api._default == "a client"


def test_cached_clients_are_those_of_before(monkeypatch: pytest.MonkeyPatch) -> None:
    api = SimpleNamespace(_instances={"thread": "a client"})
    entries = api._instances
    _module(monkeypatch, "kr8s._api", Api=api)
    with Isolation(URL, "/k", is_loopback=True).active():
        assert entries == {}
        entries["thread"] = "another"
    assert api._instances is entries
    assert entries == {"thread": "a client"}


@pytest.mark.parametrize("is_asynchronous", [True, False])
def test_a_default_configuration_is_replaced_by_the_server_s(
    monkeypatch: pytest.MonkeyPatch, *, is_asynchronous: bool
) -> None:
    class Configuration:
        _default: Any = None
        host = "http://localhost"

    def load(config_file: str, client_configuration: Configuration) -> None:
        client_configuration.host = config_file

    async def load_later(config_file: str, client_configuration: Configuration) -> None:
        load(config_file, client_configuration)

    before = Configuration._default = Configuration()
    _module(monkeypatch, "kubernetes.client.configuration", Configuration=Configuration)
    _module(monkeypatch, KUBE_CONFIG, load_kube_config=load_later if is_asynchronous else load)
    with Isolation(URL, "/k", is_loopback=True).active():
        assert Configuration._default.host == "/k"
    assert Configuration._default is before


_ENDS_LATER = """\
import os, pytest


def test_it(monkeypatch, crd_server):
    monkeypatch.setenv("KUBECONFIG", "/other")
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1")


def test_after(): assert (os.environ["KUBECONFIG"], "KUBERNETES_SERVICE_HOST" in os.environ) == ("/mine", False)


@pytest.fixture(scope="module")
def module():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KUBECONFIG", "/module")
        yield


def test_with_a_module_s(crd_server, request): request.getfixturevalue("module")


def test_last(): pass
"""


def test_fixtures_that_end_later_leave_nothing_of_the_server(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBECONFIG", "/mine")
    project.write("test_it.py", _ENDS_LATER)
    project.write("test_other.py", "import os\n\ndef test_it(): assert os.environ['KUBECONFIG'] == '/mine'\n")
    project.run().assert_outcomes(passed=5)
    assert os.environ["KUBECONFIG"] == "/mine"


_REFUSED = """\
import contextlib
import pytest
from pytest_crd.plugin.features.server import hooks


def ask(request, name):
    with contextlib.suppress(Exception):
        request.node.stash[hooks._SERVER].isolation.guard.check(name, "https://example.com", "write kr8s.api()")


def test_fails(crd_server, request):
    ask(request, "kr8s")
    assert 0, "never ready"


def test_skips(crd_server, request):
    ask(request, "kubernetes")
    pytest.skip()


def test_passes(crd_server, request): ask(request, "lightkube")


def test_skipped(crd_server): pytest.skip()


@pytest.fixture
def late(crd_server, request):
    yield
    ask(request, "pykube")


def test_late(late): pass
"""


def test_a_refusal_fails_the_test_whatever_its_outcome_and_is_shown(project: Project) -> None:
    project.write("test_it.py", _REFUSED)

    result = project.run("-v")

    result.assert_outcomes(failed=3, errors=1, skipped=1, passed=1)
    for name, outcome in (("fails", "FAILED"), ("skips", "FAILED"), ("passes", "FAILED"), ("late", "ERROR")):
        result.stdout.fnmatch_lines([f"test_it.py::test_{name} {outcome}*"])
    result.stdout.fnmatch_lines(
        ["*_ test_fails _*", "*Captured crd_server call*", "kr8s must not use https://example.com while *"]
    )
