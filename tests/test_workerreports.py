"""Workers send no reports about setup and teardown without a message, and all others."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import workerreports

QUICK: dict[str, Any] = {"when": "setup", "outcome": "passed", "sections": [], "duration": 0.001}
SAYING: list[dict[str, Any]] = [
    {"when": "call"},
    {"outcome": "failed"},
    {"outcome": "skipped", "when": "teardown"},
    {"sections": [["Captured stdout setup", "a"]]},
    {"duration": 0.005},
]


class WorkerInteractor:
    """The plugin of pytest-xdist in a worker, as far as it sends."""

    def __init__(self) -> None:
        self.sent: list[Any] = []

    def sendevent(self, name: str, **values: Any) -> None:
        self.sent.append((name, values))


def _send(*reports: dict[str, Any], is_worker: bool = True, xmlpath: str | None = None) -> list[Any]:
    """Return the sent events after *reports* and the end of a test."""
    worker = WorkerInteractor()
    config: Any = SimpleNamespace(
        option=SimpleNamespace(xmlpath=xmlpath),
        pluginmanager=SimpleNamespace(get_plugins=lambda: {object(), worker}),
        **({"workerinput": {}} if is_worker else {}),
    )
    workerreports.pytest_configure(config)
    for report in reports:
        worker.sendevent("testreport", data=report)
    worker.sendevent("logfinish", nodeid="a")
    return worker.sent


def test_quick_setups_and_teardowns_are_not_sent() -> None:
    assert _send(QUICK, {**QUICK, "when": "teardown"}) == [("logfinish", {"nodeid": "a"})]


@pytest.mark.parametrize("change", SAYING, ids=str)
def test_reports_that_say_something_are_sent(change: dict[str, Any]) -> None:
    assert _send({**QUICK, **change})[0] == ("testreport", {"data": {**QUICK, **change}})


@pytest.mark.parametrize("change", [{"xmlpath": "a.xml"}, {"is_worker": False}], ids=str)
def test_all_reports_are_sent_for_a_file_and_without_workers(change: dict[str, Any]) -> None:
    assert len(_send(QUICK, **change)) == 2


def test_a_worker_of_an_unknown_xdist_is_an_error() -> None:
    config: Any = SimpleNamespace(
        option=SimpleNamespace(xmlpath=None), pluginmanager=SimpleNamespace(get_plugins=list), workerinput={}
    )

    with pytest.raises(ValueError, match="not enough values"):
        workerreports.pytest_configure(config)
