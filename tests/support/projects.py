"""
Projects that tests of sessions start with; a plugin, as tests of all folders have such sessions.

What they are made of loads all of the package, for which the tests of one part of the engine need not wait.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from support.sessions import Project


@pytest.fixture
def empty(pytester: pytest.Pytester) -> Project:
    """A project without anything."""
    from support import sessions  # only a test of a session loads what these share

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
