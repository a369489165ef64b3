"""The garbage collector is paused for long-lived objects of cases and checks, but not for Python tests."""

from __future__ import annotations

import gc
import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from support.sessions import Project

TELLS = """\
import gc, json
import pytest

SEEN = {}

@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems():
    SEEN["looks while collected"] = gc.isenabled()
    return (yield)

def pytest_runtest_call():
    SEEN["looks while run"] = gc.isenabled()
    SEEN["frozen"] = gc.get_freeze_count() > 0

def pytest_unconfigure():
    with open("seen.json", "w") as file:
        json.dump(SEEN, file)
"""


class Collector:
    """
    A garbage collector that freezes no objects, but counts one of them.

    This project's test run freezes its objects. To unfreeze and count them takes longer than a session.
    """

    frozen = 0

    def freeze(self) -> None:
        self.frozen = 1

    def unfreeze(self) -> None:
        self.frozen = 0

    def get_freeze_count(self) -> int:
        return self.frozen


@pytest.fixture(autouse=True)
def collector(monkeypatch: pytest.MonkeyPatch) -> Collector:
    """Replace the functions of `gc` for frozen objects by a collector without them, as in a new process."""
    from support import sessions

    collector = Collector()
    monkeypatch.setattr(gc, "freeze", collector.freeze)
    monkeypatch.setattr(gc, "unfreeze", collector.unfreeze)
    monkeypatch.setattr(gc, "get_freeze_count", collector.get_freeze_count)
    monkeypatch.setattr(sessions, "count_frozen", collector.get_freeze_count)
    return collector


def _run_session(project: Project, *options: str) -> dict[str, bool]:
    project.write("conftest.py", TELLS)
    project.run(*options)
    assert gc.isenabled()
    assert gc.get_freeze_count() == 0
    return dict(json.loads(project.read("seen.json")))


def test_objects_of_cases_are_frozen_until_the_end_of_the_session(project: Project) -> None:
    project.cases()

    assert _run_session(project) == {"looks while collected": False, "looks while run": True, "frozen": True}


def test_objects_of_checks_are_frozen_until_the_end_of_the_session(project: Project) -> None:
    assert _run_session(project, "--crd-checks", "-k", "accepted") == {
        "looks while collected": False,
        "looks while run": True,
        "frozen": True,
    }


def test_a_session_with_python_tests_freezes_nothing(project: Project) -> None:
    project.cases()
    project.write("test_other.py", "def test_other():\n    pass\n")

    assert _run_session(project) == {"looks while collected": False, "looks while run": True, "frozen": False}


def test_a_session_without_cases_is_left_alone(empty: Project) -> None:
    empty.write("test_other.py", "def test_other():\n    pass\n")

    assert _run_session(empty) == {"looks while collected": True, "looks while run": True, "frozen": False}


def test_a_garbage_collector_that_is_off_stays_off(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.cases()
    monkeypatch.setattr(gc, "isenabled", lambda: False)
    monkeypatch.setattr(gc, "enable", lambda: pytest.fail("turned on"))

    project.write("conftest.py", TELLS)
    project.run()
    assert json.loads(project.read("seen.json"))["frozen"] is False


def test_objects_frozen_by_others_stay_frozen(project: Project, collector: Collector) -> None:
    project.cases()
    collector.freeze()

    project.run()

    assert collector.frozen
