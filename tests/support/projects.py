"""
Fixtures with projects for tests of pytest sessions; a plugin, because tests in all folders use them.

`support.sessions` imports the whole package, so it is imported only for tests that need it. This has to happen before
`pytester` starts, because `pytester` restores `sys.modules` at its end. A test that has both has them in one folder; other
tests have no `pytester`, which takes as long as their project.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from support.sessions import Project


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Import the modules that sessions in this process share."""
    if "pytester" in getattr(item, "fixturenames", ()):
        importlib.import_module("support.sessions")


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark tests of projects: most start pytest."""
    if "empty" in getattr(item, "fixturenames", ()):
        item.add_marker("session")


@pytest.fixture
def empty(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Project:
    """An empty project."""
    from support import sessions

    if "pytester" in request.fixturenames:
        return sessions.Project(request.getfixturevalue("pytester").path)
    path = request.getfixturevalue("tmp_path")
    sessions.enter(path, monkeypatch)
    return sessions.Project(path)


@pytest.fixture
def project(empty: Project) -> Project:
    """A project with one CRD."""
    empty.crd()
    return empty


@pytest.fixture
def gardener(project: Project) -> Project:
    """A project with one CRD and one case file with cases that pass."""
    project.cases()
    return project


@pytest.fixture(scope="session")
def unset_config(tmp_path_factory: pytest.TempPathFactory) -> pytest.Config:
    """The configuration of a session without settings; a test sets options with `pytest.MonkeyPatch`."""
    from support import sessions

    return sessions.Folder(tmp_path_factory.mktemp("unset")).parse()
