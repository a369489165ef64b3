"""Test reports about `crd_server`: dropped fields, objects without validation, and the last requests."""

from __future__ import annotations

import itertools
import os
from collections.abc import Generator
from typing import Final

import pytest

from pytest_crd.plugin import servers, session
from pytest_crd.plugin.features.server.clients.isolation import Isolation
from pytest_crd.plugin.features.server.clients.settingplaces import EnvironmentPlace
from pytest_crd.plugin.settings.server import ServerSettings
from pytest_crd.server.accessor import USER_AGENT
from pytest_crd.server.http.requestlog import RequestLog

_LOG: Final = pytest.StashKey[RequestLog]()
_ISOLATION: Final = pytest.StashKey[Isolation]()
_NAME: Final = "crd-server"
_VARIABLE: Final = "KUBECONFIG"
# The number of lines with requests that a failing test shows.
_SHOWN: Final = 10


def report_requests(item: pytest.Item, log: RequestLog, isolation: Isolation, settings: ServerSettings) -> None:
    """Add the requests and refusals of a server to the report of its test, and let the settings fail the test."""
    _register(item.config, settings)
    item.stash[_LOG] = log
    item.stash[_ISOLATION] = isolation


def report_cluster_requests(item: pytest.Item, log: RequestLog, isolation: Isolation, settings: ServerSettings) -> None:
    """Do the same for a server in a cluster, where the log has only the test's own requests; warn of unusable settings."""
    names = [
        name
        for name, is_set in (
            ("crd_server_unknown_fields", settings.demands_known_fields),
            ("crd_server_unvalidated", settings.demands_validation),
        )
        if is_set
    ]
    if names:
        words = f"crd_server: with --crd-live the requests of clients are not seen; no effect: {' and '.join(names)}"
        item.user_properties.append((session.WARNING, words))
    report_requests(item, log, isolation, ServerSettings(demands_validation=False, demands_known_fields=False))


def fail_for_refusals(isolation: Isolation) -> None:
    """Fail the test if a client was refused and no earlier phase has failed for that."""
    if messages := isolation.guard.take_refusals():
        pytest.fail("\n".join(messages), pytrace=False)


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

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        """Fail a test for refusals or by the settings, and show the last requests of a failed test."""
        log = item.stash.get(_LOG, None)
        if log is None:
            return (yield)
        isolation = item.stash[_ISOLATION]
        try:
            try:
                result = yield
            except pytest.skip.Exception:
                fail_for_refusals(isolation)
                raise
            fail_for_refusals(isolation)
            self._judge(log)
        except BaseException:
            if text := "\n".join((*isolation.guard.take_refusals(), *_last_requests(log))):
                item.add_report_section("call", "crd_server", text)
            raise
        finally:
            item.user_properties += _properties(log)
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Generator[None, object, object]:
        """Restore the environment again if another fixture, which ends later, has restored the server's."""
        try:
            return (yield)
        finally:
            if (isolation := item.stash.get(_ISOLATION, None)) is not None:
                self._kubeconfigs[isolation.kubeconfig] = isolation.kubeconfig_before
                isolation.mend()
            if (kubeconfig := os.environ.get(_VARIABLE, "")) in self._kubeconfigs:
                EnvironmentPlace(_VARIABLE).write(self._kubeconfigs[kubeconfig])

    def _judge(self, log: RequestLog) -> None:
        problems: list[str] = []
        if self._settings.demands_known_fields:
            problems += [f"{words}{f' ({place})' if place else ''}" for words, place in log.dropped.items()]
        if self._settings.demands_validation:
            problems += [f"{kind} was stored without validation" for kind in log.unvalidated]
            problems += [
                f"{kind} is served by a cluster, and not by crd_server: its requests got 404" for kind in log.unserved
            ]
        if problems:
            pytest.fail("\n".join(problems), pytrace=False)


def _properties(log: RequestLog) -> list[tuple[str, object]]:
    properties: list[tuple[str, object]] = []
    for words, place in log.dropped.items():
        properties.append((session.WARNING, f"{place or 'crd_server'}: warning: {words}"))
    if log.unvalidated:
        properties.append((servers.UNVALIDATED, dict(log.unvalidated)))
    if log.unserved:
        properties.append((servers.UNSERVED, dict(log.unserved)))
    return properties


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
