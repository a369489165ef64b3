"""What the server of a test has seen, in the report of the test: what was dropped, what nobody validated, what was asked last."""

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
from pytest_crd.server.requestlog import RequestLog

_LOG: Final = pytest.StashKey[RequestLog]()
_ISOLATION: Final = pytest.StashKey[Isolation]()
_NAME: Final = "crd-server"
_VARIABLE: Final = "KUBECONFIG"
# The number of lines with requests that a failing test shows.
_SHOWN: Final = 10


def attend(item: pytest.Item, log: RequestLog, isolation: Isolation, settings: ServerSettings) -> None:
    """Report requests and refusals with a test, and fail it for both."""
    _register(item.config, settings)
    item.stash[_LOG] = log
    item.stash[_ISOLATION] = isolation


def attend_elsewhere(item: pytest.Item, log: RequestLog, isolation: Isolation, settings: ServerSettings) -> None:
    """Do so for a server in a cluster; the log has only the requests of the test itself."""
    told = [
        name
        for name, is_set in (
            ("crd_server_unknown_fields", settings.demands_known_fields),
            ("crd_server_unvalidated", settings.demands_validation),
        )
        if is_set
    ]
    if told:
        words = f"crd_server: with --crd-live nobody sees what clients send, so that nothing is judged by {' and '.join(told)}"
        item.user_properties.append((session.WARNING, words))
    attend(item, log, isolation, ServerSettings(demands_validation=False, demands_known_fields=False))


def fail_for_refusals(isolation: Isolation) -> None:
    """Fail if a client was refused, and no phase of the test has failed for that."""
    if messages := isolation.guard.take_refusals():
        pytest.fail("\n".join(messages), pytrace=False)


def _register(config: pytest.Config, settings: ServerSettings) -> None:
    manager = config.pluginmanager
    if not manager.has_plugin(_NAME):
        manager.register(Hooks(settings), _NAME)


class Hooks:
    """Looks at what the server of a test has seen once the test has run."""

    def __init__(self, settings: ServerSettings) -> None:
        """Use the settings."""
        self._settings = settings
        self._kubeconfigs: dict[str, str | None] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        """Fail a test for refusals and by settings, and show the last requests of a failing test."""
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
            if text := "\n".join((*isolation.guard.take_refusals(), *_told(log))):
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
        found: list[str] = []
        if self._settings.demands_known_fields:
            found += [f"{words}{f' ({place})' if place else ''}" for words, place in log.dropped.items()]
        if self._settings.demands_validation:
            found += [f"{kind} was stored without validation" for kind in log.unvalidated]
            found += [
                f"{kind} is served by a cluster, and not by crd_server: its requests got 404" for kind in log.unserved
            ]
        if found:
            pytest.fail("\n".join(found), pytrace=False)


def _properties(log: RequestLog) -> list[tuple[str, object]]:
    found: list[tuple[str, object]] = []
    for words, place in log.dropped.items():
        found.append((session.WARNING, f"{place or 'crd_server'}: warning: {words}"))
    if log.unvalidated:
        found.append((servers.UNVALIDATED, dict(log.unvalidated)))
    if log.unserved:
        found.append((servers.UNSERVED, dict(log.unserved)))
    return found


def _told(log: RequestLog) -> list[str]:
    """Return the last requests: equal ones that follow each other on one line, without the reads of the test itself."""
    exchanges = log.exchanges
    others = [exchange for exchange in exchanges if exchange.user_agent != USER_AGENT or exchange.method != "GET"]
    folded = [(line, len([*equal])) for line, equal in itertools.groupby(map(str, others))]
    reads, before = len(exchanges) - len(others), sum(count for _, count in folded[:-_SHOWN])
    return [
        *([f"… {reads} reads of the test itself are left out"] if reads else []),
        *([f"… {before} requests before"] if before else []),
        *(line if count == 1 else f"{line} ({count} times)" for line, count in folded[-_SHOWN:]),
    ]
