"""Test reports about `crd_server`: dropped fields, objects without validation, faults, commands, and the last requests."""

from __future__ import annotations

import itertools
import os
from collections.abc import Generator
from typing import Final, NamedTuple

import pytest

from pytest_crd.plugin import servers, session
from pytest_crd.plugin.features.server.clients.isolation import Isolation
from pytest_crd.plugin.features.server.clients.settingplaces import EnvironmentPlace
from pytest_crd.plugin.settings.server import ServerSettings
from pytest_crd.server.clock import Clock, ClockSetting
from pytest_crd.server.faults import Faults
from pytest_crd.server.http.requestlog import RequestLog
from pytest_crd.server.installedroles import InstalledRoles
from pytest_crd.server.resourceaccess import USER_AGENT
from pytest_crd.server.runningcommands import Commands
from pytest_crd.server.simulatedworkloads import SimulatedWorkloads

_SERVER: Final[pytest.StashKey[ReportedServer]] = pytest.StashKey()
_BEGINNING: Final[pytest.StashKey[_Beginning]] = pytest.StashKey()
# The fixture for the server of a single test.
_OWN: Final = "crd_server"
_NAME: Final = "crd-server"
_VARIABLE: Final = "KUBECONFIG"
# The number of lines with requests that a failing test shows.
_SHOWN: Final = 10


class ReportedServer(NamedTuple):
    """
    A server with the requests for the report of a test.

    Attributes:
        log: The requests.
        isolation: The isolation of clients.
        faults: The faults that requests meet.
        commands: The commands that use the server.
        fixture: The name of its fixture.
        clock: The clock of the server.
        workloads: The workloads with simulated statuses; none without the setting.
        roles: The roles of the project; None without any.
    """

    log: RequestLog
    isolation: Isolation
    faults: Faults
    commands: Commands
    fixture: str
    clock: Clock
    workloads: SimulatedWorkloads
    roles: InstalledRoles | None = None


class _Beginning(NamedTuple):
    """
    The state of a shared server at the beginning of a test.

    Attributes:
        server: The server.
        faults: The number of faults.
        commands: The number of commands.
        clock: The setting of its clock.
        holds: The number of holds.
    """

    server: ReportedServer
    faults: int
    commands: int
    clock: ClockSetting
    holds: int

    def restore(self) -> None:
        """End the faults, commands and holds of the test, and restore the clock."""
        self.server.faults.end(self.faults)
        self.server.commands.stop(self.commands)
        self.server.clock.restore(self.clock)
        self.server.workloads.end(self.holds)


def report_requests(node: pytest.Item | pytest.Collector, server: ReportedServer, settings: ServerSettings) -> None:
    """
    Add the requests, refusals and faults of a server to the reports of its tests, and let the settings fail these.

    Args:
        node: The test; for a shared server the module or the session.
        server: The server.
        settings: The settings of servers.
    """
    _register(node.config, settings)
    node.stash[_SERVER] = server


def report_cluster_requests(
    node: pytest.Item | pytest.Collector, server: ReportedServer, settings: ServerSettings
) -> None:
    """Do the same for a server in a cluster, where the log has only the test's own requests; warn of unusable settings."""
    names = [
        name
        for name, is_set in (
            ("crd_server_unknown_fields", settings.demands_known_fields),
            ("crd_server_unvalidated", settings.demands_validation),
        )
        if is_set
    ]
    if names and isinstance(node, pytest.Item):
        words = f"crd_server: with --crd-live the requests of clients are not seen; no effect: {' and '.join(names)}"
        node.user_properties.append((session.WARNING, words))
    report_requests(node, server, ServerSettings(demands_validation=False, demands_known_fields=False))


def fail_for_refusals(isolation: Isolation) -> None:
    """Fail the test if a client was refused and no earlier phase has failed for that."""
    if messages := isolation.guard.take_refusals():
        pytest.fail("\n".join(messages), pytrace=False)


def fail_at_end(server: ReportedServer) -> None:
    """Fail the last test of a server for errors of pytest-crd, and for unmet faults and ended commands outside of tests of a shared one."""
    shared = (*server.faults.unmet(), *server.commands.problems(), *server.workloads.unmet())
    shared = () if server.fixture == _OWN else shared
    if problems := [*server.log.take_failures(), *shared]:
        pytest.fail("\n".join(problems), pytrace=False)


def _register(config: pytest.Config, settings: ServerSettings) -> None:
    manager = config.pluginmanager
    if not manager.has_plugin(_NAME):
        manager.register(Hooks(settings), _NAME)


class Hooks:
    """Judges the requests to the server of a test after the test."""

    def __init__(self, settings: ServerSettings) -> None:
        """Create the hooks with the settings of servers."""
        self._settings = settings
        self._kubeconfigs: dict[str, str | None] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[object], request: pytest.FixtureRequest) -> None:
        """Note the state of a shared server before the first fixture of a single test."""
        if fixturedef.scope == "function":
            _note_beginning(request.node)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        """Fail a test for refusals, for unmet faults, for ended commands or by the settings; show the last requests of a failed test."""
        server = _find_server(item)
        if server is None:
            return (yield)
        beginning = _note_beginning(item)
        try:
            try:
                result = yield
            except pytest.skip.Exception:
                fail_for_refusals(server.isolation)
                raise
            fail_for_refusals(server.isolation)
            self._judge(server, beginning)
        except BaseException:
            _add_sections(item, server)
            raise
        finally:
            item.user_properties += _properties(server.log)
            if simulated := server.workloads.simulated:
                item.user_properties.append((servers.SIMULATED, dict(simulated)))
            if server.roles is not None:
                item.user_properties += [(session.WARNING, words) for words in server.roles.warnings]
                item.user_properties.append((servers.NEEDS, server.roles.count_needs()))
            if beginning is not None:
                beginning.restore()
                server.log.clear()
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Generator[None, object, object]:
        """Restore a shared server, and the environment if another fixture, which ends later, has restored the server's."""
        try:
            return (yield)
        finally:
            if (beginning := item.stash.get(_BEGINNING, None)) is not None:
                beginning.restore()
            if (server := item.stash.get(_SERVER, None)) is not None:
                isolation = server.isolation
                self._kubeconfigs[isolation.kubeconfig] = isolation.kubeconfig_before
                isolation.mend()
            if (kubeconfig := os.environ.get(_VARIABLE, "")) in self._kubeconfigs:
                EnvironmentPlace(_VARIABLE).write(self._kubeconfigs[kubeconfig])

    def _judge(self, server: ReportedServer, beginning: _Beginning | None) -> None:
        """Fail the test for its faults and holds, for commands, or by the settings."""
        log = server.log
        faults, holds = (0, 0) if beginning is None else (beginning.faults, beginning.holds)
        unmet = (*server.faults.unmet(faults), *server.workloads.unmet(holds))
        problems = [*log.take_failures(), *unmet, *server.commands.problems()]
        if self._settings.demands_known_fields:
            problems += [f"{words}{f' ({place})' if place else ''}" for words, place in log.dropped.items()]
        if self._settings.demands_validation:
            problems += [f"{kind} was stored without validation" for kind in log.unvalidated]
            problems += [f"{kind} was stored, and has no effect on other requests" for kind in log.unenforced]
            problems += [
                f"{kind} is served by a cluster, and not by crd_server: its requests got 404" for kind in log.unserved
            ]
        if problems:
            pytest.fail("\n".join(problems), pytrace=False)


def _note_beginning(item: pytest.Item) -> _Beginning | None:
    """Return the state of a test's shared server at the first call for the test; None without such a server."""
    if _BEGINNING not in item.stash:
        server = _find_server(item)
        if server is None or server.fixture == _OWN:
            return None
        counts = (server.faults.count, server.commands.count, server.clock.setting, server.workloads.count)
        item.stash[_BEGINNING] = _Beginning(server, *counts)
    return item.stash[_BEGINNING]


def _find_server(item: pytest.Item) -> ReportedServer | None:
    """Return the server of a test: its own or a shared server."""
    for node in reversed(item.listchain()):
        server = node.stash.get(_SERVER, None)
        if server is not None and (server.fixture in getattr(item, "fixturenames", ()) or server.log.count):
            return server
    return None


def _add_sections(item: pytest.Item, server: ReportedServer) -> None:
    lines = (
        *server.isolation.guard.take_refusals(),
        *server.log.take_failures(),
        *_forbidden(server.log),
        *server.faults.lines(),
        *server.workloads.lines(),
        *_last_requests(server.log),
    )
    if lines:
        item.add_report_section("call", "crd_server", "\n".join(lines))
    for command, output in server.commands.sections():
        item.add_report_section("call", f"`{command}`", output)


def _properties(log: RequestLog) -> list[tuple[str, object]]:
    properties: list[tuple[str, object]] = []
    for words, place in log.dropped.items():
        properties.append((session.WARNING, f"{place or 'crd_server'}: warning: {words}"))
    properties += ((session.WARNING, f"crd_server: warning: {words}") for words in log.order_dependences)
    if log.unvalidated:
        properties.append((servers.UNVALIDATED, dict(log.unvalidated)))
    if log.unenforced:
        properties.append((servers.UNENFORCED, dict(log.unenforced)))
    if log.unserved:
        properties.append((servers.UNSERVED, dict(log.unserved)))
    if log.faults:
        properties.append((servers.FAULTS, dict(log.faults)))
    if log.forbidden:
        properties.append((servers.FORBIDDEN, dict(log.forbidden)))
    return properties


def _forbidden(log: RequestLog) -> list[str]:
    """Return the lines of the requests that no role allowed."""
    return [
        f"no role allows: {words}{f' ({count} times)' if count > 1 else ''}" for words, count in log.forbidden.items()
    ]


def _last_requests(log: RequestLog) -> list[str]:
    """Return the lines of the last requests without the reads of the test itself; equal consecutive ones share a line."""
    exchanges = log.exchanges
    others = [exchange for exchange in exchanges if exchange.user_agent != USER_AGENT or exchange.method != "GET"]
    folded = [(line, len([*equal])) for line, equal in itertools.groupby(map(str, others))]
    reads, before = len(exchanges) - len(others), sum(count for _, count in folded[:-_SHOWN])
    return [
        *([f"… {reads} reads of the test itself are left out"] if reads else []),
        *([f"… {before} requests before"] if before else []),
        *(line if count == 1 else f"{line} ({count} times)" for line, count in folded[-_SHOWN:]),
    ]
