"""The functions of clients that see an address exist in the installed versions, and are replaced while a guard is active."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from pytest_crd.plugin.features.server.clients import clientpatches, clienttable
from pytest_crd.plugin.features.server.clients.clientpatches import ClientPatches
from pytest_crd.plugin.features.server.clients.clienttable import AccountLoader, Client, PatchedFunction, When
from pytest_crd.plugin.features.server.clients.guard import Guard, OtherServerError, UnknownClientError

CLIENT = Client("pots", "write pots.api()")
SOURCE = """\
class Api:
    def request(self, url):
        return url

    @classmethod
    def from_pod(cls):
        return "pod"


def connect(url):
    return url


def find_server(name):
    return name
"""
OURS, OTHER = "https://127.0.0.1:1", "https://example.com"


@pytest.mark.long
@pytest.mark.parametrize("function", clienttable.PATCHED, ids=lambda function: f"{function.module}.{function.path}")
def test_installed_clients_have_all_doors(function: PatchedFunction) -> None:
    """Importing the clients takes seconds, and only another version of one changes the result."""
    owner: Any = importlib.import_module(function.module)
    *owners, name = function.path.split(".")
    for part in owners:
        owner = getattr(owner, part)
    assert callable(vars(owner)[name])


@pytest.mark.long
def test_installed_clients_have_all_loaders_constants_and_defaults() -> None:
    for account in clienttable.ACCOUNT_LOADERS:
        owner, name = account.path.split(".")
        module = importlib.import_module(account.module)
        assert isinstance(vars(vars(module)[owner])[name], classmethod)
        assert issubclass(account.error(module), Exception)
    for constant in clienttable.CONSTANTS:
        assert constant.name in vars(importlib.import_module(constant.module))
    for default in clienttable.DEFAULTS:
        assert default.name in vars(vars(importlib.import_module(default.module))[default.owner]) or (
            default.module == "kubernetes_asyncio.client.api_client"  # keeps no client
        )


@pytest.fixture
def pots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    (tmp_path / "pots.py").write_text(SOURCE, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(
        clienttable,
        "PATCHED",
        (
            PatchedFunction(CLIENT, "pots", "Api.request", lambda _, url: url, is_request=True),
            PatchedFunction(CLIENT, "pots", "connect", lambda url: url),
            PatchedFunction(CLIENT, "pots", "find_server", lambda found, name: found and name, When.AFTER),
            PatchedFunction(CLIENT, "pots", "Api.missing", lambda url: url),
            PatchedFunction(CLIENT, "pots", "Missing.missing", lambda url: url),
        ),
    )
    monkeypatch.setattr(clienttable, "ACCOUNT_LOADERS", (AccountLoader("pots", "Api.from_pod", lambda _: KeyError),))
    monkeypatch.setattr(clienttable, "MODULES", frozenset({"pots", "nowhere"}))
    for name in clienttable.ACCOUNT_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setitem(sys.modules, "pots", ModuleType("pots"))
    del sys.modules["pots"]
    return importlib.import_module("pots")


@pytest.mark.parametrize("is_loaded", [True, False])
def test_modules_that_are_loaded_before_and_in_a_test_are_guarded(
    pots: ModuleType, monkeypatch: pytest.MonkeyPatch, *, is_loaded: bool
) -> None:
    if not is_loaded:
        monkeypatch.delitem(sys.modules, "pots")
    replaced = ClientPatches(Guard(OURS))
    try:
        replaced.install()
        module = importlib.import_module("pots")
        assert (module is pots) == is_loaded
        assert module.connect(OURS) == module.Api().request(OURS) == OURS
        assert module.find_server(OURS) == OURS
        assert module.find_server(None) is None
        for call in (module.connect, module.Api().request, module.find_server):
            with pytest.raises(OtherServerError, match=r"pots must not use https://example\.com while"):
                call(OTHER)
        with pytest.raises(KeyError):
            module.Api.from_pod()
        monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "127.0.0.1")
        assert module.Api.from_pod() == "pod"
        assert importlib.util.find_spec("nowhere") is None
        assert importlib.util.find_spec("elsewhere") is None
    finally:
        replaced.remove()
    replaced.remove()  # any number of times
    assert module.connect.__module__ == "pots"
    assert not hasattr(module.connect, clientpatches._TARGET)
    assert "exec_module" not in vars(module.__spec__.loader)  # type: ignore[union-attr]


def test_a_mock_that_restores_the_guarded_function_is_no_guard_later(pots: ModuleType) -> None:
    first = Guard(OURS)
    earlier = ClientPatches(first)
    earlier.install()
    guarded = pots.connect
    pots.connect = len  # type: ignore[attr-defined] # as a mock that ends later than the server
    earlier.remove()
    assert pots.connect is len
    pots.connect = guarded  # type: ignore[attr-defined]
    first.is_active = False
    assert pots.connect(OTHER) == OTHER

    later = ClientPatches(Guard(OTHER))
    later.install()
    assert pots.connect(OTHER) == OTHER
    assert [*clientpatches._targets(pots.connect)][-1].__closure__ is None
    assert len([*clientpatches._targets(pots.connect)]) == 2
    later.remove()


def test_a_loader_that_several_modules_share_guards_the_client_alone(
    pots: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Shared:
        def exec_module(self, module: ModuleType) -> None:
            vars(module).update(Api=pots.Api, connect=pots.connect)

    class Finder:
        def find_spec(self, name: str, *_: object) -> ModuleSpec:
            return ModuleSpec(name, shared)  # type: ignore[arg-type]

    shared = Shared()
    replaced = ClientPatches(Guard(OURS))
    monkeypatch.setattr(sys, "meta_path", [replaced, Finder()])
    spec = replaced.find_spec("pots", None)
    assert spec is not None
    second, module = ModuleType("other"), ModuleType("pots")
    shared.exec_module(second)
    assert vars(second)["connect"] is pots.connect
    shared.exec_module(module)
    assert vars(module)["connect"] is not pots.connect
    replaced.remove()


def test_a_client_without_the_function_of_its_requests_is_refused(
    pots: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(pots.Api, "request")
    replaced = ClientPatches(Guard(OURS))
    with pytest.raises(UnknownClientError, match=r"this version of pots from other servers: pots has no Api\.request"):
        replaced.install()
    replaced.remove()


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("https://127.0.0.1:6443", "https://127.0.0.1:6443"),
        ("https://ann:secret@example.com/path?token=secret", "https://example.com"),
        ("https://example.com?token=secret", "https://example.com"),
        ("https://localhost:port", "https://localhost:port"),
        ("http://127.0.0.1", "http://127.0.0.1"),
        ("example.com/path", "example.com"),
        ("", ""),
    ],
)
def test_other_addresses_are_refused_without_their_secrets(address: str, shown: str) -> None:
    guard = Guard(OURS)
    with pytest.raises(OtherServerError) as refused:
        guard.check("kr8s", address, "write kr8s.api()")
    message = f"kr8s must not use {shown} while crd_server is open at {OURS}: write kr8s.api()"
    assert str(refused.value) == message
    assert guard.take_refusals() == [message]
    assert guard.take_refusals() == []


@pytest.mark.parametrize("address", ["https://127.0.0.1:1/apis", "https://localhost:1", "wss://127.0.0.1:1/api"])
def test_the_server_itself_is_accepted(address: str) -> None:
    Guard(OURS).check("kr8s", address, "")


def test_the_account_of_a_pod_is_refused_and_does_not_fail_the_test() -> None:
    guard = Guard(OURS)
    with pytest.raises(OtherServerError):
        guard.check("kopf", "https://kubernetes.default.svc", "")
    assert guard.take_refusals() == []


def test_a_guard_that_is_not_active_accepts_all() -> None:
    guard = Guard(OURS)
    guard.is_active = False
    guard.check("kr8s", OTHER, "")


def test_doors_find_the_address_of_a_request() -> None:
    assert clienttable._url(None, "GET", "https://a") == "https://a"
    assert clienttable._socket_url(None, "wss://a") == "wss://a"
    assert clienttable._server_in_result({"server": "https://a"}) == "https://a"


@pytest.mark.parametrize(
    ("loader", "address"),
    [
        (SimpleNamespace(_cluster={"server": "https://a"}), "https://a"),
        (SimpleNamespace(_cluster={}), None),
        (SimpleNamespace(), None),
    ],
)
def test_the_address_of_a_kubeconfig_is_that_of_its_cluster(loader: object, address: str | None) -> None:
    assert clienttable._cluster_server(loader) == address


def test_the_usual_kubeconfig_is_in_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))

    assert clienttable._in_home() == (tmp_path / ".kube/config").as_posix()
