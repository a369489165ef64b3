"""A server for a test: opened before it, closed after it, with nothing left."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pytest

from pytest_crd.engine import CustomResourceDefinition, InputError, profile
from pytest_crd.engine.errors.response import NotAcceptedError
from pytest_crd.engine.yaml import manifest
from pytest_crd.plugin.features.server import hooks
from pytest_crd.plugin.features.server.clients.isolation import Isolation
from pytest_crd.plugin.items.failures import MistakenFailure
from pytest_crd.plugin.settings import live, server
from pytest_crd.server.accessor import CrdServer, RequestFailedError
from pytest_crd.server.api import Api
from pytest_crd.server.reaching import InProcess
from pytest_crd.server.requestlog import RequestLog

if TYPE_CHECKING:
    from pytest_crd.plugin.features.server.cluster import Cluster
    from pytest_crd.plugin.settings.live import LiveSettings

_MISSING: Final = "crd_server needs the extra `server`: pip install 'pytest-crd[server]'"
_KEYS: Final = frozenset({"kubernetes_version", "namespaces", "objects"})
_CERTIFICATES: Final = pytest.StashKey[Any]()
_CLUSTER: Final = pytest.StashKey["Cluster"]()
_WRITE: Final = '@pytest.mark.crd_server(kubernetes_version="1.37", namespaces=["team-a"], objects=["backups.yaml"]), or a part of it'


class _Wanted(NamedTuple):
    kubernetes_version: str | None = None
    namespaces: Sequence[str] = ()
    objects: Sequence[str] = ()


@contextlib.contextmanager
def opened(request: pytest.FixtureRequest, crds: Sequence[CustomResourceDefinition]) -> Iterator[CrdServer]:
    """Open a server for a test, and close it after it; with `--crd-live`, have a part of that server for it."""
    wanted, settings = _wanted(request.node), live.read(request.config)
    with _opened(request, crds, wanted) if settings is None else _stayed(request, crds, wanted, settings) as made:
        yield made


@contextlib.contextmanager
def _opened(
    request: pytest.FixtureRequest, crds: Sequence[CustomResourceDefinition], wanted: _Wanted
) -> Iterator[CrdServer]:
    try:
        from pytest_crd.server.transport import httpserver, kubeconfigfile  # noqa: PLC0415 - an extra
    except ImportError as error:
        pytest.fail(f"{_MISSING} ({error})", pytrace=False)
    token = httpserver.new_token()
    api, log = _api(crds, wanted, token), RequestLog()
    certificates = _certificates(request.config)
    transport = httpserver.HTTPServer(api, certificates, token=token, tell=log.note)
    path = _kubeconfig(request)
    made = CrdServer(InProcess(api), log, url=transport.url, kubeconfig=str(path))
    try:
        for namespace in wanted.namespaces:
            api.catalog.namespaces.create(namespace)
        _fill(made, wanted, request.node)
        path.write_text(kubeconfigfile.text(transport.url, certificates.authority, token), encoding="utf-8")
        transport.start()
        isolation = Isolation(made.url, made.kubeconfig, is_loopback=True)
        hooks.attend(request.node, log, isolation, server.read(request.config))
        with isolation.active():
            yield made
        hooks.fail_for_refusals(isolation)
    finally:
        transport.stop()
        path.unlink(missing_ok=True)


@contextlib.contextmanager
def _stayed(
    request: pytest.FixtureRequest,
    crds: Sequence[CustomResourceDefinition],
    wanted: _Wanted,
    settings: LiveSettings,
) -> Iterator[CrdServer]:
    from pytest_crd.live.transport import NoAnswerError  # noqa: PLC0415 - most sessions ask no cluster
    from pytest_crd.plugin.features.server import cluster  # noqa: PLC0415 - the same

    stay, path, log = None, _kubeconfig(request), RequestLog()
    try:
        shared = _cluster(request.config, settings)
        if wanted.kubernetes_version not in (None, shared.version):
            pytest.skip(
                f"asks for Kubernetes {wanted.kubernetes_version}, and the server of --crd-live is {shared.version}"
            )
        shared.install(crds)
        stay = cluster.Stay(
            shared, _api(crds, wanted._replace(kubernetes_version=shared.version), ""), wanted.namespaces
        )
        url, where = shared.server.address, stay.namespace
        made = CrdServer(stay, log, url=url, kubeconfig=str(path), namespace=where)
        _fill(made, wanted, request.node)
        path.write_text(shared.kubeconfig(where), encoding="utf-8")
        isolation = Isolation(url, made.kubeconfig, is_loopback=False)
        hooks.attend_elsewhere(request.node, log, isolation, server.read(request.config))
        with isolation.active():
            yield made
        hooks.fail_for_refusals(isolation)
    except (cluster.ClusterError, NoAnswerError) as error:
        pytest.fail(f"crd_server with --crd-live: {error}", pytrace=False)
    finally:
        path.unlink(missing_ok=True)
        if stay is not None:
            stay.end()


def _cluster(config: pytest.Config, settings: LiveSettings) -> Cluster:
    """Return the server of `--crd-live`, which a session connects to once."""
    from pytest_crd.plugin.features.server import cluster  # noqa: PLC0415 - most sessions ask no cluster

    if _CLUSTER not in config.stash:
        made = cluster.Cluster(settings, is_shared=hasattr(config, "workerinput"))
        config.stash[_CLUSTER] = made
        config.pluginmanager.register(cluster.Ending(made), "crd-server-cluster")
    return config.stash[_CLUSTER]


def _kubeconfig(request: pytest.FixtureRequest) -> Path:
    """Return an empty file that nobody else may read."""
    path: Path = request.getfixturevalue("tmp_path_factory").mktemp("crd_server") / "kubeconfig"
    path.touch(mode=0o600)
    return path


def _certificates(config: pytest.Config) -> Any:
    """Return what servers show that they are the ones that are meant: one authority for a session."""
    from pytest_crd.server.transport.certificates import Certificates  # noqa: PLC0415 - an extra

    if _CERTIFICATES not in config.stash:
        config.stash[_CERTIFICATES] = Certificates()
    return config.stash[_CERTIFICATES]


def _wanted(item: pytest.Item) -> _Wanted:
    """Return what the marks of a test say of its server, the nearest first."""
    found: dict[str, Any] = {}
    for mark in item.iter_markers("crd_server"):
        if mark.args or mark.kwargs.keys() - _KEYS:
            pytest.fail(f"write {_WRITE}", pytrace=False)
        found = {**mark.kwargs, **found}
    for key in ("namespaces", "objects"):
        if isinstance(found.get(key, ()), str):
            pytest.fail(f"{key}={found[key]!r}: a list of texts; write {_WRITE}", pytrace=False)
    return _Wanted(**found)


def _api(crds: Sequence[CustomResourceDefinition], wanted: _Wanted, token: str) -> Api:
    version = wanted.kubernetes_version or (crds[0].kubernetes_version if crds else profile.DEFAULT)
    try:
        return Api(crds, kubernetes_version=version, token=token)
    except (NotAcceptedError, profile.UnknownVersionError) as error:
        pytest.fail(str(error), pytrace=False)


def _fill(made: CrdServer, wanted: _Wanted, item: pytest.Item) -> None:
    """Put in what a server begins with."""
    try:
        for one in _objects(wanted.objects, item.path.parent):
            kind, place = one.value.get("kind", ""), one.where
            try:
                made[f"{kind}.{_group(one.value)}"].create(one.value)
            except (LookupError, RequestFailedError) as error:
                pytest.fail(f"{place}: {error}", pytrace=False)
    except InputError as error:
        raise MistakenFailure(error) from None


def _objects(patterns: Sequence[str], base: Path) -> Iterator[manifest.Manifest]:
    for file in manifest.files(patterns, base=base) if patterns else ():
        yield from manifest.read(file.read(), source=file.name)


def _group(value: Any) -> str:
    return str(value.get("apiVersion", "")).rpartition("/")[0]
