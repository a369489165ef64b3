"""
Projects that tests of sessions start with; a plugin, as tests of all folders have such sessions.

What they are made of loads all of the package, for which the tests of one part of the engine need not wait. But it is there before
`pytester` is, which forgets at its end what was imported in between.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from support.sessions import Project


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Import what sessions in this process share."""
    if "pytester" in getattr(item, "fixturenames", ()):
        importlib.import_module("support.sessions")


@pytest.fixture
def empty(pytester: pytest.Pytester) -> Project:
    """A project without anything."""
    from support import sessions

    return sessions.project(pytester)


@pytest.fixture
def project(empty: Project) -> Project:
    """A project with one CRD."""
    empty.crd()
    return empty


@pytest.fixture
def gardener(project: Project) -> Project:
    """A project with one CRD and one case file whose cases hold."""
    project.cases()
    return project
