"""Python looks for no garbage among what stays to the end of a session of cases, and for all of it where tests in Python run."""

from __future__ import annotations

import gc
import json
from collections.abc import Iterator
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


@pytest.fixture(autouse=True)
def unfrozen() -> Iterator[None]:
    """As in a process of its own; the tests of this project freeze what they all have in common."""
    is_frozen = gc.get_freeze_count() > 0
    gc.unfreeze()
    yield
    if is_frozen:
        gc.freeze()


def _seen(project: Project, *options: str) -> dict[str, bool]:
    project.write("conftest.py", TELLS)
    project.run(*options)
    assert gc.isenabled()
    assert gc.get_freeze_count() == 0
    return dict(json.loads(project.read("seen.json")))


def test_what_stays_to_the_end_of_a_session_of_cases_is_not_looked_through(project: Project) -> None:
    project.cases()

    assert _seen(project) == {"looks while collected": False, "looks while run": True, "frozen": True}


def test_what_checks_need_is_not_looked_through(project: Project) -> None:
    assert _seen(project, "--crd-checks") == {"looks while collected": False, "looks while run": True, "frozen": True}


def test_a_test_in_python_finds_all_as_it_was(project: Project) -> None:
    project.cases()
    project.write("test_other.py", "def test_other():\n    pass\n")

    assert _seen(project) == {"looks while collected": False, "looks while run": True, "frozen": False}


def test_a_session_without_cases_is_left_alone(empty: Project) -> None:
    empty.write("test_other.py", "def test_other():\n    pass\n")

    assert _seen(empty) == {"looks while collected": True, "looks while run": True, "frozen": False}


def test_whoever_has_turned_it_off_keeps_it_off(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.cases()
    monkeypatch.setattr(gc, "isenabled", lambda: False)
    monkeypatch.setattr(gc, "enable", lambda: pytest.fail("turned on"))

    project.write("conftest.py", TELLS)
    project.run()
    assert json.loads(project.read("seen.json"))["frozen"] is False


def test_what_others_have_frozen_stays_frozen(project: Project) -> None:
    project.cases()
    gc.freeze()

    project.run()

    assert gc.get_freeze_count() > 0
