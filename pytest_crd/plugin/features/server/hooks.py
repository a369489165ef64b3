"""What the server of a test has seen, in the report of the test: what was dropped, what nobody validated, what was asked last."""

from __future__ import annotations

from collections.abc import Generator
from typing import Final

import pytest

from pytest_crd.plugin import servers, session
from pytest_crd.plugin.settings.server import ServerSettings
from pytest_crd.server.requestlog import RequestLog

_LOG: Final = pytest.StashKey[RequestLog]()
_NAME: Final = "crd-server"
# How many requests a failing test shows.
_SHOWN: Final = 10


def attend(item: pytest.Item, log: RequestLog, settings: ServerSettings) -> None:
    """Have the report of a test tell what its server has seen."""
    _register(item.config, settings)
    item.stash[_LOG] = log


def attend_elsewhere(item: pytest.Item, log: RequestLog, settings: ServerSettings) -> None:
    """Do so of a server in a cluster, of which only what the test itself asks is seen."""
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
    _register(item.config, ServerSettings(demands_validation=False, demands_known_fields=False))
    item.stash[_LOG] = log


def _register(config: pytest.Config, settings: ServerSettings) -> None:
    manager = config.pluginmanager
    if not manager.has_plugin(_NAME):
        manager.register(Hooks(settings), _NAME)


class Hooks:
    """Looks at what the server of a test has seen once the test has run."""

    def __init__(self, settings: ServerSettings) -> None:
        """Take what is set."""
        self._settings = settings

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        """Fail a test of whose server more is demanded, and show of one that fails what was asked last."""
        log = item.stash.get(_LOG, None)
        try:
            result = yield
            if log is not None:
                self._judge(log)
        except BaseException:
            if log is not None and log.exchanges:
                item.add_report_section("call", "crd_server", _told(log))
            raise
        finally:
            if log is not None:
                item.user_properties += _properties(log)
        return result

    def _judge(self, log: RequestLog) -> None:
        found: list[str] = []
        if self._settings.demands_known_fields:
            found += [f"{words}{f' ({place})' if place else ''}" for words, place in log.dropped.items()]
        if self._settings.demands_validation:
            found += [f"{kind} was stored without validation" for kind in log.unvalidated]
        if found:
            pytest.fail("\n".join(found), pytrace=False)


def _properties(log: RequestLog) -> list[tuple[str, object]]:
    found: list[tuple[str, object]] = []
    for words, place in log.dropped.items():
        found.append((session.WARNING, f"{place or 'crd_server'}: warning: {words}"))
    if log.unvalidated:
        found.append((servers.UNVALIDATED, dict(log.unvalidated)))
    return found


def _told(log: RequestLog) -> str:
    last = log.exchanges[-_SHOWN:]
    left = len(log.exchanges) - len(last)
    lead = [f"… {left} requests before"] if left else []
    return "\n".join([*lead, *map(str, last)])
