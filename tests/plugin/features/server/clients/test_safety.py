"""
The safety of `crd_server`: no Python client reaches the cluster of `$HOME/.kube/config`.

A server on loopback stands for that cluster. Sessions run in processes of their own: the order of imports is a part of each.
"""

from __future__ import annotations

import socketserver
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
import yaml

if TYPE_CHECKING:
    from support.sessions import Project

pytestmark = [pytest.mark.session, pytest.mark.long]


class Production:
    """A server that no client may connect to; it counts connections."""

    def __init__(self) -> None:
        """Listen."""
        self.connections = 0
        production = self

        class Handler(socketserver.BaseRequestHandler):
            def handle(self) -> None:
                production.connections += 1
                self.request.recv(65536)
                self.request.sendall(b"HTTP/1.1 500 Production\r\nContent-Length: 0\r\n\r\n")

        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self.port = self._server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def close(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def production(project: Project, monkeypatch: pytest.MonkeyPatch) -> Iterator[Production]:
    server = Production()
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "production",
        "clusters": [{"name": "production", "cluster": {"server": server.url}}],
        "users": [{"name": "admin", "user": {"token": "secret"}}],
        "contexts": [{"name": "production", "context": {"cluster": "production", "user": "admin"}}],
    }
    project.write(".kube/config", yaml.safe_dump(config))
    for name in ("token", "namespace", "ca.crt"):
        project.write(f"account/{name}", "default")
    monkeypatch.delenv("KUBECONFIG", raising=False)
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "127.0.0.1")
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", str(server.port))
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"):
        monkeypatch.setenv(name, server.url)
    project.write("calls.py", CALLS)
    project.write("operators.py", OPERATOR)
    yield server
    server.close()


CALLS = '''\
import asyncio
import pathlib

GARDEN = ("stories.example.com", "v1", "default", "gardens")


def manifest(name):
    metadata = {"name": name, "namespace": "default"}
    return {"apiVersion": "stories.example.com/v1", "kind": "Garden", "metadata": metadata}


def kubernetes(name):
    from kubernetes import client, config

    config.load_kube_config()
    client.CustomObjectsApi().create_namespaced_custom_object(*GARDEN, manifest(name))


def kubernetes_without_login(name):
    """Use the default configuration, which `conftest.py` may have loaded."""
    from kubernetes import client, config

    if client.Configuration._default is None:
        config.load_config()
    client.CustomObjectsApi().create_namespaced_custom_object(*GARDEN, manifest(name))


def kubernetes_after_the_pod(name):
    from kubernetes import config

    try:
        config.load_incluster_config()
    except config.ConfigException:
        kubernetes(name)


async def _asyncio(name, client, config):
    await config.load_kube_config()
    async with client.ApiClient() as api:
        await client.CustomObjectsApi(api).create_namespaced_custom_object(*GARDEN, manifest(name))


def kubernetes_asyncio(name):
    from kubernetes_asyncio import client, config

    asyncio.run(_asyncio(name, client, config))


def kubernetes_aio(name):
    from kubernetes.aio import client, config

    asyncio.run(_asyncio(name, client, config))


def kr8s(name):
    import kr8s

    garden = kr8s.objects.new_class("Garden", "stories.example.com/v1", plural="gardens")
    garden(manifest(name), api=kr8s.api()).create()


def kr8s_asyncio(name):
    import kr8s.asyncio

    async def run():
        garden = kr8s.asyncio.objects.new_class("Garden", "stories.example.com/v1", plural="gardens")
        await garden(manifest(name), api=await kr8s.asyncio.api()).create()

    asyncio.run(run())


def lightkube(name):
    import lightkube
    from lightkube.generic_resource import create_namespaced_resource

    garden = create_namespaced_resource("stories.example.com", "v1", "Garden", "gardens")
    with lightkube.Client() as client:
        client.create(garden(manifest(name)))


def lightkube_after_the_pod(name):
    import lightkube
    from lightkube.generic_resource import create_namespaced_resource

    garden = create_namespaced_resource("stories.example.com", "v1", "Garden", "gardens")
    found = lightkube.KubeConfig.from_env(service_account=pathlib.Path("account").absolute())
    with lightkube.Client(config=found) as client:
        client.create(garden(manifest(name)))


def lightkube_asyncio(name):
    import lightkube
    from lightkube.generic_resource import create_namespaced_resource

    async def run():
        garden = create_namespaced_resource("stories.example.com", "v1", "Garden", "gardens")
        client = lightkube.AsyncClient()
        await client.create(garden(manifest(name)))
        await client.close()

    asyncio.run(run())


def pykube(name):
    import pykube

    api = pykube.HTTPClient(pykube.KubeConfig.from_env())
    pykube.object_factory(api, "stories.example.com/v1", "Garden")(api, manifest(name)).create()
    api.session.close()


def pykube_after_the_pod(name):
    import pykube

    try:
        pykube.KubeConfig.from_service_account("account")
    except FileNotFoundError:
        pykube_in_a_thread(name)


def pykube_in_a_thread(name):
    import threading

    thread = threading.Thread(target=pykube, args=(name,))
    thread.start()
    thread.join()


ALL = [value for name, value in [*globals().items()] if callable(value) and name[0] != "_" and name != "manifest"]
'''
OPERATOR = """\
import kopf


@kopf.on.create("stories.example.com", "v1", "gardens")
def created(patch, **_):
    patch.status["phase"] = "Wet"
"""
IMPORTS = "import kopf.testing, kr8s, kubernetes.aio.config, kubernetes.config, kubernetes_asyncio.config, lightkube, pykube\n"
TESTS = """\
import os, pathlib, sys
import calls, pytest


@pytest.mark.parametrize("number", ["first", "second"])
@pytest.mark.parametrize("call", calls.ALL, ids=lambda call: call.__name__)
def test_a_client(crd_server, call, number):
    assert "KUBERNETES_SERVICE_HOST" not in os.environ
    call("a")
    assert crd_server["gardens"].get("a")["kind"] == "Garden"


@pytest.mark.parametrize("number", ["first", "second"])
def test_kopf(crd_server, number):
    from kopf.testing import KopfRunner

    with KopfRunner(["run", "-A", "--standalone", "operators.py"], timeout=20):
        calls.kubernetes("a")
        crd_server["gardens"].wait("a", lambda garden: garden.get("status", {}).get("phase") == "Wet")


def test_nothing_is_left():
    assert "KUBECONFIG" not in os.environ
    assert os.environ["KUBERNETES_SERVICE_HOST"] == "127.0.0.1"
    assert "NO_PROXY" not in os.environ
    home = str(pathlib.Path.home() / ".kube/config")
    for package, default in (("kubernetes", "~/.kube/config"), ("kubernetes_asyncio", home), ("kubernetes.aio", home)):
        for name in (f"{package}.config", f"{package}.config.kube_config"):
            assert sys.modules[name].KUBE_CONFIG_DEFAULT_LOCATION == default, name
        configured = sys.modules[f"{package}.client.configuration"].Configuration._default
        assert (configured and configured.host) == HOSTS.get(package), package
    assert not sys.modules["kr8s._api"].Api._instances
    assert not [finder for finder in sys.meta_path if type(finder).__name__ == "ClientPatches"]
    assert "call" not in sys.modules["kubernetes.client.rest"].RESTClientObject.request.__qualname__.split(".")
"""


@pytest.mark.parametrize("order", ["test", "module", "conftest"])
def test_no_client_reaches_production_in_any_order_of_imports(
    project: Project, production: Production, order: str
) -> None:
    hosts = {}
    if order == "conftest":
        load = "asyncio.run(kubernetes_asyncio.config.load_kube_config())\nkubernetes.config.load_kube_config()\n"
        project.write("conftest.py", f"import asyncio\n{IMPORTS}{load}")
        hosts = {"kubernetes": production.url, "kubernetes_asyncio": production.url}
    lead = IMPORTS if order == "module" else ""
    project.write("test_clients.py", f"{lead}HOSTS = {hosts}\n{TESTS}")
    result = project.start("-W", "ignore")

    assert result.ret == 0
    assert production.connections == 0


ELSEWHERE = """\
import asyncio, pathlib
import kr8s, kr8s.asyncio, kubernetes.aio.client, kubernetes.aio.config, kubernetes.client, kubernetes.config, kubernetes.stream, lightkube, pykube
import kubernetes_asyncio.client, kubernetes_asyncio.config, kubernetes_asyncio.stream
import pytest
from lightkube.config.models import Cluster, User
from lightkube.generic_resource import create_namespaced_resource

HOME = str(pathlib.Path.home() / ".kube/config")
kubernetes.config.load_kube_config()
asyncio.run(kubernetes_asyncio.config.load_kube_config())
EARLY = kubernetes.client.CustomObjectsApi()
EARLY_CORE = kubernetes.client.CoreV1Api(kubernetes.client.ApiClient())
EARLY_LIGHTKUBE = lightkube.Client(config=lightkube.KubeConfig.from_file(HOME))
EARLY_PYKUBE = pykube.HTTPClient(pykube.KubeConfig.from_file(HOME))
WHERE = ("stories.example.com", "v1", "default", "gardens")


def kubernetes_file():
    kubernetes.config.load_kube_config(config_file=HOME)


def kubernetes_context():
    kubernetes.config.new_client_from_config(HOME, context="production")


def kubernetes_host():
    configuration = kubernetes.client.Configuration(host=URL)
    kubernetes.client.CustomObjectsApi(kubernetes.client.ApiClient(configuration)).list_namespaced_custom_object(*WHERE)


def kubernetes_pod():
    pod = {"token_filename": "account/token", "cert_filename": "account/ca.crt", "environ": POD}
    kubernetes.config.incluster_config.InClusterConfigLoader(**pod).load_and_set()
    kubernetes.client.CustomObjectsApi().list_namespaced_custom_object(*WHERE)


def kubernetes_early():
    EARLY.delete_collection_namespaced_custom_object(*WHERE)


def kubernetes_stream():
    kubernetes.stream.stream(EARLY_CORE.connect_get_namespaced_pod_exec, "a", "default", command=["ls"], stdout=True)


def kubernetes_asyncio_file():
    asyncio.run(kubernetes_asyncio.config.load_kube_config(config_file=HOME))


async def _asyncio(package):
    configuration = package.client.Configuration(host=URL)
    async with package.client.ApiClient(configuration) as api:
        await package.client.CustomObjectsApi(api).list_namespaced_custom_object(*WHERE)


def kubernetes_asyncio_host():
    asyncio.run(_asyncio(kubernetes_asyncio))


def kubernetes_asyncio_stream():
    async def run():
        async with kubernetes_asyncio.stream.WsApiClient(kubernetes_asyncio.client.Configuration(host=URL)) as api:
            await kubernetes_asyncio.client.CoreV1Api(api).connect_get_namespaced_pod_exec("a", "default", command=["ls"])

    asyncio.run(run())


def kubernetes_aio_file():
    asyncio.run(kubernetes.aio.config.load_kube_config(config_file=HOME))


def kubernetes_aio_host():
    asyncio.run(_asyncio(kubernetes.aio))


def kr8s_url():
    kr8s.api(url=URL)


def kr8s_file():
    kr8s.api(kubeconfig=HOME)


def kr8s_asyncio_url():
    async def run():
        await kr8s.asyncio.api(url=URL)

    asyncio.run(run())


def lightkube_file():
    lightkube.Client(config=lightkube.KubeConfig.from_file(HOME))


def lightkube_home():
    lightkube.Client(trust_env=False)


def lightkube_early():
    EARLY_LIGHTKUBE.delete(create_namespaced_resource(*WHERE[:2], "Garden", "gardens"), "a")


def lightkube_asyncio_server():
    lightkube.AsyncClient(config=lightkube.KubeConfig.from_one(cluster=Cluster(server=URL), user=User()))


def pykube_file():
    pykube.HTTPClient(pykube.KubeConfig.from_file(HOME))


def pykube_early():
    EARLY_PYKUBE.delete(url="gardens", version="stories.example.com/v1", namespace="default")


def kopf_login():
    import kopf
    from kopf.testing import KopfRunner

    registry = kopf.OperatorRegistry()

    @kopf.on.login(registry=registry)
    def login(**_):
        return kopf.ConnectionInfo(server=URL)

    with KopfRunner(["run", "-A", "--standalone", "operators.py"], registry=registry, timeout=20, reraise=False):
        pass


CALLS = [value for name, value in [*globals().items()] if name[0] in "kplC" and type(value).__name__ == "function"]


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.__name__)
def test_it(crd_server, call):
    call()


# kopf swallows errors itself, and takes five seconds to end.
@pytest.mark.parametrize("call", [call for call in CALLS if call is not kopf_login], ids=lambda call: call.__name__)
def test_swallowed(crd_server, call):
    try:
        call()
    except Exception:
        pass


def test_skipped(crd_server):
    try:
        kubernetes_file()
    except Exception:
        pytest.skip("no cluster")


@pytest.fixture
def late(crd_server):
    yield
    try:
        kubernetes_file()
    except Exception:
        pass


def test_late(late):
    pass


def test_default_of_an_earlier_module(crd_server):
    kubernetes.client.CustomObjectsApi().list_namespaced_custom_object(*WHERE)
    assert kubernetes.client.ApiClient().sanitize_for_serialization({"a": 1}) == {"a": 1}
"""
NAMES = (
    *(
        "kubernetes_file",
        "kubernetes_context",
        "kubernetes_host",
        "kubernetes_pod",
        "kubernetes_early",
        "kubernetes_stream",
    ),
    *(
        "kubernetes_asyncio_file",
        "kubernetes_asyncio_host",
        "kubernetes_asyncio_stream",
        "kubernetes_aio_file",
        "kubernetes_aio_host",
    ),
    *(
        "kr8s_url",
        "kr8s_file",
        "kr8s_asyncio_url",
        "lightkube_file",
        "lightkube_home",
        "lightkube_early",
        "lightkube_asyncio_server",
    ),
    *("pykube_file", "pykube_early", "kopf_login"),
)


def test_a_client_of_another_server_fails_the_test_before_its_first_request(
    project: Project, production: Production
) -> None:
    pod = {"KUBERNETES_SERVICE_HOST": "127.0.0.1", "KUBERNETES_SERVICE_PORT": str(production.port)}
    project.write("test_clients.py", f"URL, POD = {production.url!r}, {pod}\n{ELSEWHERE}")
    result = project.start("-W", "ignore", "-rfEp", "--tb=line")
    text = result.stdout.str()

    assert production.connections == 0
    refused = (
        "test_skipped",
        *(f"test_it[{name}]" for name in NAMES),
        *(f"test_swallowed[{name}]" for name in NAMES if name != "kopf_login"),
    )
    for name in refused:
        assert f"FAILED test_clients.py::{name} - " in text, f"{name}\n{text[-9000:]}"
    result.assert_outcomes(failed=len(refused), passed=2, errors=1)
    address = f"127.0.0.1:{production.port} while crd_server is open at https://127.0.0.1:"
    for client in ("kubernetes", "kubernetes_asyncio", "kubernetes.aio", "kr8s", "lightkube", "pykube", "kopf"):
        assert any(f"{client} must not use {scheme}://{address}" in text for scheme in ("http", "ws", "https")), client
