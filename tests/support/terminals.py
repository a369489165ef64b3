"""Sessions in this process that believe they write to a terminal, and show progress without delay."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_crd.plugin import progressline

if TYPE_CHECKING:
    import pytest

    from support.sessions import Project

# pytest 8 has a value, later versions have a function.
_CONFTEST = """\
import pytest
class Yes(int):
    def __call__(self):
        return True
@pytest.hookimpl(trylast=True)
def pytest_configure(config):
    if reporter := config.pluginmanager.get_plugin("terminalreporter"):
        reporter.isatty = Yes(1)
"""


def attach(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """Make sessions of *project* believe that they write to a terminal, and return the project."""
    monkeypatch.setattr(progressline, "PATIENCE", 0.0)
    monkeypatch.setattr(progressline, "_PAUSE", 0.0)
    monkeypatch.setenv("COLUMNS", "120")
    project.write("conftest.py", _CONFTEST)
    return project


def lines(result: pytest.RunResult) -> list[str]:
    """Return the progress lines, including lines that later output overwrote."""
    output = "\n".join(result.outlines).replace("\r", "\n").split("\n")
    return [line.rstrip() for line in output if line.startswith("crd: ")]
