"""Start and end of the server of a test."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pytest

from pytest_crd.cases import acceptance
from pytest_crd.discovery import rolefiles
from pytest_crd.engine import CustomResourceDefinition, InputError, profile
from pytest_crd.engine.registry.response import NotAcceptedError
from pytest_crd.engine.yaml import manifest
from pytest_crd.live.transport import NoAnswerError
from pytest_crd.plugin import projectpolicies, session
from pytest_crd.plugin.features.server import hooks
from pytest_crd.plugin.features.server.clients.isolation import Isolation
from pytest_crd.plugin.items.failures import MistakenFailure
from pytest_crd.plugin.settings import inilines, live, policies, server
from pytest_crd.plugin.settings.manifestplaces import ManifestPlaces
from pytest_crd.plugin.settings.project import KUBERNETES_VERSION
from pytest_crd.policies.projectadmission import ProjectAdmission
from pytest_crd.server import installedpolicies, servedversions
from pytest_crd.server.accessor import CrdServer
from pytest_crd.server.api import Api
from pytest_crd.server.clock import Clock
from pytest_crd.server.controls import ServerControls
from pytest_crd.server.faults import Faults
from pytest_crd.server.http import kubeconfigfile
from pytest_crd.server.http.requestlog import RequestLog
from pytest_crd.server.installedroles import InstalledRoles
from pytest_crd.server.reaching import InProcess
from pytest_crd.server.resourceaccess import RequestFailedError
from pytest_crd.server.simulatedworkloads import SimulatedWorkloads
from pytest_crd.server.userkubeconfigs import UserKubeconfigs

if TYPE_CHECKING:
    from pytest_crd.plugin.settings.live import LiveSettings

_BLOCKED: Final = "crd_server listens on loopback, and pytest-socket blocks all sockets: add --allow-hosts=127.0.0.1 to --disable-socket"
_MISSING: Final = "crd_server needs the extra `server`: pip install 'pytest-crd[server]'"
_KEYS: Final = frozenset(
    {
        *("kubernetes_version", "namespaces", "objects", "faults", "garbage_collection", "workloads"),
        *("rbac", "admission_plugins"),
    }
)
_SKIPPED: Final = "crd_server.{} is a part of the server of pytest-crd, and the server is that of --crd-live"
_OPEN: Final[pytest.StashKey[list[str]]] = pytest.StashKey()
_CERTIFICATES: Final[pytest.StashKey[Any]] = pytest.StashKey()
_MARK: Final = '@pytest.mark.crd_server(kubernetes_version="{}")'
_WRITE: Final = '@pytest.mark.crd_server(kubernetes_version="1.37", namespaces=["team-a"], objects=["backups.yaml"], faults=[{"status": 409}]), or a part of it'


class _ServerArguments(NamedTuple):
    """Arguments of the `crd_server` markers of a test."""

    kubernetes_version: str | None = None
    namespaces: Sequence[str] = ()
    objects: Sequence[str] = ()
    faults: Sequence[Mapping[str, Any]] = ()
    garbage_collection: bool | None = None
    workloads: bool | None = None
    rbac: Sequence[str] | None = None
    admission_plugins: Sequence[str] | None = None


_NO_ARGUMENTS: Final = _ServerArguments()


@contextlib.contextmanager
def open_server(request: pytest.FixtureRequest, crds: Sequence[CustomResourceDefinition]) -> Iterator[CrdServer]:
    """Yield a server for a test, or for a module or a session, and close it afterwards; with `--crd-live`, yield a part of the live server."""
    fixture, is_open = str(request.fixturename), request.config.stash.setdefault(_OPEN, [])
    if is_open:
        pytest.fail(
            f"{fixture} and {is_open[0]} at the same time: clients of a process use one server, so use one fixture",
            pytrace=False,
        )
    arguments, settings = _read_markers(request.node), live.read(request.config)
    roles = _find_roles(request, arguments)
    if settings is not None:
        _demand_cluster_arguments(arguments, roles)
    context = (
        _open_in_process(request, crds, arguments, roles)
        if settings is None
        else _open_in_cluster(request, crds, arguments, settings)
    )
    is_open.append(fixture)
    try:
        with context as crd_server:
            yield crd_server
    finally:
        is_open.clear()


@contextlib.contextmanager
def _open_in_process(
    request: pytest.FixtureRequest,
    crds: Sequence[CustomResourceDefinition],
    arguments: _ServerArguments,
    roles: ManifestPlaces | None,
) -> Iterator[CrdServer]:
    try:
        from pytest_crd.server import httpserver  # noqa: PLC0415 - needs the extra `server`
    except ImportError as error:
        raise pytest.fail.Exception(f"{_MISSING} ({error})", pytrace=False) from None
    token, version = httpserver.new_token(), _served_version(request, crds, arguments)
    api = _api(request.config, crds, version, token, arguments)
    log, faults = RequestLog(api.request_names), Faults(api.request_names)
    api.catalog.policy_listeners.observe_order = log.note_order
    api.on_collection = log.note
    installed_roles = _install(request.config, api, roles)
    certificates = _certificates(request.config)
    try:
        transport = httpserver.HTTPServer(
            api, certificates, token=token, on_request=log.note, while_deciding=log.deciding, faults=faults
        )
    except RuntimeError as error:
        if type(error).__module__ != "pytest_socket":
            raise
        raise pytest.fail.Exception(_BLOCKED, pytrace=False) from None
    path = _kubeconfig(request)
    controls = ServerControls(api, log, faults, lambda: _fill(crd_server, api, arguments, request.node))
    kubeconfigs = UserKubeconfigs(api, installed_roles, transport.url, certificates.authority, path)
    crd_server = CrdServer(InProcess(api), log, controls, url=transport.url, kubeconfig=str(path), users=kubeconfigs)
    try:
        _fill(crd_server, api, arguments, request.node)
        _add_faults(faults, arguments)
        path.write_text(kubeconfigfile.text(transport.url, certificates.authority, token), encoding="utf-8")
        transport.start()
        isolation = Isolation(crd_server.url, crd_server.kubeconfig, is_loopback=True)
        fixture, workloads = str(request.fixturename), api.workloads or SimulatedWorkloads()
        reported = hooks.ReportedServer(
            log, isolation, faults, crd_server.commands, fixture, api.store.clock, workloads, installed_roles
        )
        hooks.report_requests(request.node, reported, server.read(request.config))
        with isolation.active():
            yield crd_server
        hooks.fail_for_refusals(isolation)
        hooks.fail_at_end(reported)
    finally:
        crd_server.commands.stop()
        transport.stop()
        kubeconfigs.remove()
        path.unlink(missing_ok=True)


@contextlib.contextmanager
def _open_in_cluster(
    request: pytest.FixtureRequest,
    crds: Sequence[CustomResourceDefinition],
    arguments: _ServerArguments,
    settings: LiveSettings,
) -> Iterator[CrdServer]:
    from pytest_crd.plugin.features.server import cluster  # noqa: PLC0415 - most sessions use no cluster

    stay, commands, path = None, None, _kubeconfig(request)
    try:
        shared = cluster.of_session(request.config, settings)
        if arguments.kubernetes_version not in (None, shared.version):
            pytest.skip(
                f"asks for Kubernetes {arguments.kubernetes_version}, and the server of --crd-live is {shared.version}"
            )
        shared.install(crds)
        api = _api(request.config, crds, shared.version)
        log = RequestLog(api.request_names)
        stay = cluster.Stay(shared, api, arguments.namespaces)
        url, where = shared.server.address, stay.namespace
        crd_server = CrdServer(stay, log, _ClusterControls(), url=url, kubeconfig=str(path), namespace=where)
        commands = crd_server.commands
        _create_objects(crd_server, arguments, request.node)
        path.write_text(shared.kubeconfig(where), encoding="utf-8")
        isolation = Isolation(url, crd_server.kubeconfig, is_loopback=False)
        fixture, workloads = str(request.fixturename), SimulatedWorkloads()
        reported = hooks.ReportedServer(log, isolation, Faults(), commands, fixture, api.store.clock, workloads)
        hooks.report_cluster_requests(request.node, reported, server.read(request.config))
        with isolation.active():
            yield crd_server
        hooks.fail_for_refusals(isolation)
        hooks.fail_at_end(reported)
    except (cluster.ClusterError, NoAnswerError) as error:
        raise pytest.fail.Exception(f"crd_server with --crd-live: {error}", pytrace=False) from None
    finally:
        if commands is not None:
            commands.stop()
        path.unlink(missing_ok=True)
        if stay is not None:
            stay.end()


def _demand_cluster_arguments(arguments: _ServerArguments, roles: ManifestPlaces | None) -> None:
    """Skip a test that needs the server of pytest-crd, before anything is installed on that of `--crd-live`."""
    if roles is not None:
        pytest.skip(
            "crd_server with roles decides as kube-apiserver does, and --crd-live asks a server with roles of its own"
        )
    if arguments.faults:
        pytest.skip(_SKIPPED.format("faults"))


def _find_roles(request: pytest.FixtureRequest, arguments: _ServerArguments) -> ManifestPlaces | None:
    """Return the roles of the mark, else of the settings; None without any."""
    settings = server.read(request.config).roles
    if arguments.rbac is None:
        return settings
    return ManifestPlaces(tuple(arguments.rbac), request.node.path.parent, (), request.node.path.parent)


def _install(config: pytest.Config, api: Api, roles: ManifestPlaces | None) -> InstalledRoles | None:
    """Store the roles and policies of a project; fail the test if their files have mistakes."""
    places = policies.read(config)
    try:
        installed = None if roles is None else _install_roles(api, roles)
        if places is not None:
            _install_policies(config, api, places)
    except InputError as error:
        raise MistakenFailure(error) from None
    return installed


def _install_roles(api: Api, places: ManifestPlaces) -> InstalledRoles:
    return InstalledRoles(api, rolefiles.read(places.paths, places.commands, base=places.base, folder=places.folder))


def _install_policies(config: pytest.Config, api: Api, places: ManifestPlaces) -> None:
    listeners = projectpolicies.get_listeners(config)
    api.catalog.policy_listeners.observe = listeners.observe
    api.catalog.policy_listeners.observe_match = listeners.observe_match
    installedpolicies.install(api, projectpolicies.read_manifests(config, places))


def _kubeconfig(request: pytest.FixtureRequest) -> Path:
    """Return the path of an empty file that only the current user can read."""
    path: Path = request.getfixturevalue("tmp_path_factory").mktemp("crd_server") / "kubeconfig"
    path.touch(mode=0o600)
    return path


def _certificates(config: pytest.Config) -> Any:
    """Return the certificates of the servers, which one authority of the session signs."""
    from pytest_crd.server.http.certificates import Certificates  # noqa: PLC0415 - as above

    if _CERTIFICATES not in config.stash:
        config.stash[_CERTIFICATES] = Certificates()
    return config.stash[_CERTIFICATES]


def _read_markers(item: pytest.Item) -> _ServerArguments:
    """Return the arguments of a test's markers; the nearest marker overrides the others."""
    values: dict[str, Any] = {}
    for mark in item.iter_markers("crd_server"):
        if mark.args or mark.kwargs.keys() - _KEYS:
            pytest.fail(f"write {_WRITE}", pytrace=False)
        values = {**mark.kwargs, **values}
    for key in ("namespaces", "objects", "faults", "rbac", "admission_plugins"):
        if isinstance(values.get(key, ()), str):
            pytest.fail(f"{key}={values[key]!r}: a list; write {_WRITE}", pytrace=False)
    for key in ("garbage_collection", "workloads"):
        if not isinstance(values.get(key), bool | None):
            pytest.fail(f"{key}={values[key]!r}: True or False", pytrace=False)
    if problem := server.find_unknown_plugin(values.get("admission_plugins") or ()):
        pytest.fail(f"admission_plugins: {problem}", pytrace=False)
    return _ServerArguments(**values)


def _served_version(
    request: pytest.FixtureRequest, crds: Sequence[CustomResourceDefinition], arguments: _ServerArguments
) -> str:
    """Return the Kubernetes version of the mark, else of the setting; fail the test if no server answers as it."""
    try:
        if arguments.kubernetes_version is not None:
            return servedversions.find_served(arguments.kubernetes_version)
    except profile.UnknownVersionError as error:
        path, line, _ = request.node.location
        raise pytest.fail.Exception(f"{path}:{line + 1}: the mark crd_server: {error}", pytrace=False) from None
    try:
        return servedversions.find_served(crds[0].kubernetes_version if crds else profile.DEFAULT)
    except profile.UnknownVersionError as error:
        place = _version_place(request.config)
        raise pytest.fail.Exception(
            f"{place}: {error}, or {_MARK.format(servedversions.VERSIONS[0])} at this test", pytrace=False
        ) from None


def _version_place(config: pytest.Config) -> str:
    """Return the place of the setting of the Kubernetes version: the option, or a line of the ini file."""
    entry, line = KUBERNETES_VERSION.find_entry(config), inilines.line_of(config, KUBERNETES_VERSION)
    return f"{config.inipath.name}:{line}: {entry.source}" if config.inipath and line else entry.source


def _api(
    config: pytest.Config,
    crds: Sequence[CustomResourceDefinition],
    version: str,
    token: str = "",
    arguments: _ServerArguments = _NO_ARGUMENTS,
) -> Api:
    """Return the API of a server; the arguments of the marker override the settings."""
    try:
        webhooks = crds[0].webhooks if crds else None
        if isinstance(webhooks, ProjectAdmission):  # the server stores the policies, and evaluates them itself
            webhooks = webhooks.webhooks
        service_accounts = bool(server.SERVICE_ACCOUNTS.read_value(config))
        # A mistake of a setting is an error, also if the marker overrides it.
        collects, simulates, plugins = (
            default if value is None else value
            for default, value in (
                (server.GARBAGE_COLLECTION.read_value(config), arguments.garbage_collection),
                (server.WORKLOADS.read_value(config), arguments.workloads),
                (server.ADMISSION_PLUGINS.read_value(config), arguments.admission_plugins),
            )
        )
        return Api(
            crds,
            kubernetes_version=version,
            token=token,
            webhooks=webhooks,
            has_service_accounts=service_accounts,
            collects_garbage=bool(collects),
            enforces_owners=bool(plugins),
            simulates_workloads=bool(simulates),
        )
    except NotAcceptedError as error:
        remedies = (acceptance.explain_references(crd, session.catalogs(config)[0].find_all) for crd in crds)
        remedy = next((f"\n  {remedy}" for remedy in remedies if remedy), "")
        raise pytest.fail.Exception(f"{error}{remedy}", pytrace=False) from None


class _ClusterControls:
    """The control of a test over the server of `--crd-live`: each use skips the test."""

    @property
    def faults(self) -> Faults:
        """Skip the test."""
        pytest.skip(_SKIPPED.format("faults"))

    @property
    def clock(self) -> Clock:
        """Skip the test."""
        pytest.skip(_SKIPPED.format("clock"))

    def reset(self) -> None:
        """Skip the test."""
        pytest.skip(_SKIPPED.format("reset"))


def _add_faults(faults: Faults, arguments: _ServerArguments) -> None:
    """Add the faults of the marker."""
    try:
        for description in arguments.faults:
            faults.add(description)
    except ValueError as error:
        raise pytest.fail.Exception(f"the mark crd_server: faults: {error}", pytrace=False) from None


def _fill(crd_server: CrdServer, api: Api, arguments: _ServerArguments, node: pytest.Item) -> None:
    """Create the namespaces and objects of the marker in a server of the same process."""
    for namespace in arguments.namespaces:
        api.catalog.namespaces.create(namespace)
    _create_objects(crd_server, arguments, node)


def _create_objects(crd_server: CrdServer, arguments: _ServerArguments, item: pytest.Item) -> None:
    """Create the objects of the marker in the server."""
    try:
        for document in _objects(arguments.objects, item.path.parent):
            kind, place = document.value.get("kind", ""), document.where
            try:
                crd_server[f"{kind}.{_group(document.value)}"].create(document.value)
            except (LookupError, RequestFailedError) as error:
                raise pytest.fail.Exception(f"{place}: {error}", pytrace=False) from None
    except InputError as error:
        raise MistakenFailure(error) from None


def _objects(patterns: Sequence[str], base: Path) -> Iterator[manifest.Manifest]:
    for file in manifest.files(patterns, base=base) if patterns else ():
        yield from manifest.read(file.read(), source=file.name)


def _group(value: Any) -> str:
    return str(value.get("apiVersion", "")).rpartition("/")[0]
