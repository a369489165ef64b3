"""
Fewer messages from workers of pytest-xdist.

A worker sends three reports for each test. Reports about setup and teardown say nothing if these passed at once without
output, so they are not sent. To send and read them takes longer than most tests.
"""

from __future__ import annotations

from typing import Any, Final

import pytest

# `--durations` hides shorter ones, too.
_AT_ONCE: Final = 0.005


def pytest_configure(config: pytest.Config) -> None:
    """Let a worker send only reports that say something; all of them if they are written to a file."""
    if not hasattr(config, "workerinput") or config.option.xmlpath:
        return
    (worker,) = [plugin for plugin in config.pluginmanager.get_plugins() if type(plugin).__name__ == "WorkerInteractor"]
    send = worker.sendevent

    def send_if_needed(name: str, **values: Any) -> None:
        if name != "testreport" or says_something(values["data"]):
            send(name, **values)

    worker.sendevent = send_if_needed


def says_something(report: dict[str, Any]) -> bool:
    """Return whether the run needs a serialized *report*."""
    is_passed = report["outcome"] == "passed" and not report["sections"]
    return report["when"] == "call" or not is_passed or report["duration"] >= _AT_ONCE
