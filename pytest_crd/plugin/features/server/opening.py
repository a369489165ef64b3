"""A server for a test: opened before it, closed after it, with nothing left."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from pytest_crd.engine import CustomResourceDefinition, InputError, profile
from pytest_crd.engine.errors.response import NotAcceptedError
from pytest_crd.engine.text import manifest
from pytest_crd.plugin.features.server import clients, hooks
from pytest_crd.plugin.items.failures import MistakenFailure
from pytest_crd.plugin.settings import live, server
from pytest_crd.server.accessor import CrdServer, RequestFailedError
from pytest_crd.server.api import Api
from pytest_crd.server.requestlog import RequestLog

_MISSING: Final = "crd_server needs the extra `server`: pip install 'pytest-crd[server]'"
_KEYS: Final = frozenset({"kubernetes_version", "namespaces", "objects"})
_CERTIFICATES: Final = pytest.StashKey[Any]()
_WRITE: Final = '@pytest.mark.crd_server(kubernetes_version="1.37", namespaces=["team-a"], objects=["backups.yaml"]), or a part of it'


class _Wanted(NamedTuple):
    kubernetes_version: str | None = None
    namespaces: Sequence[str] = ()
    objects: Sequence[str] = ()


@contextlib.contextmanager
def opened(request: pytest.FixtureRequest, crds: Sequence[CustomResourceDefinition]) -> Iterator[CrdServer]:
    """Open a server for a test, and close it after it."""
    try:
        from pytest_crd.server.transport import httpserver, kubeconfig  # noqa: PLC0415 - an extra
    except ImportError as error:
        pytest.fail(f"{_MISSING} ({error})", pytrace=False)
    if live.read(request.config) is not None:
        pytest.fail(
            "crd_server is a server of its own, and knows none of `--crd-live`: leave one of the two", pytrace=False
        )
    wanted = _wanted(request.node)
    token = httpserver.new_token()
    api, log = _api(crds, wanted, token), RequestLog()
    certificates = _certificates(request.config)
    transport = httpserver.HTTPServer(api, certificates, token=token, tell=log.note)
    path = request.getfixturevalue("tmp_path_factory").mktemp("crd_server") / "kubeconfig"
    made = CrdServer(api, log, url=transport.url, kubeconfig=str(path))
    try:
        _fill(made, api, wanted, request.node)
        path.touch(mode=0o600)
        path.write_text(kubeconfig.text(transport.url, certificates.authority, token), encoding="utf-8")
        transport.start()
        hooks.attend(request.node, log, server.read(request.config))
        with clients.led_to(made.kubeconfig):
            yield made
    finally:
        transport.stop()
        path.unlink(missing_ok=True)


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


def _fill(made: CrdServer, api: Api, wanted: _Wanted, item: pytest.Item) -> None:
    """Put in what a server begins with."""
    for namespace in wanted.namespaces:
        api.catalog.namespaces.create(namespace)
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
