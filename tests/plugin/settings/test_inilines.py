"""Lines of settings in the ini file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_crd.plugin.settings import inilines
from pytest_crd.plugin.settings.project import COMMANDS, PATHS

if TYPE_CHECKING:
    from support.sessions import Project

COMMAND = "crd_commands = cat a.yaml"
TOML = 'crd_commands = ["cat a.yaml"]'


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        pytest.param("pytest.ini", f"[pytest]\nmarkers = a\n{COMMAND}\n", 3, id="pytest.ini"),
        pytest.param("tox.ini", f"[testenv]\n{COMMAND}\n[pytest]\n{COMMAND}\n", 4, id="tox.ini, another section first"),
        pytest.param("setup.cfg", "[tool:pytest]\ncrd_commands:\n  cat a.yaml\n", 2, id="setup.cfg, with a colon"),
        pytest.param(
            "pyproject.toml", f"[project]\nname = 'a'\n\n[tool.pytest.ini_options]\n{TOML}\n", 5, id="pyproject.toml"
        ),
        pytest.param("pytest.ini", "[pytest]\nmarkers = a\n", 0, id="not there"),
    ],
)
def test_a_setting_has_a_line(empty: Project, name: str, text: str, line: int) -> None:
    empty.write(name, text)

    assert inilines.line_of(empty.parse(), COMMANDS) == line


def test_a_setting_from_an_option_has_no_line(empty: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    empty.ini("crd_paths = a.yaml")
    config = empty.parse()

    assert inilines.line_of(config, PATHS) == 2
    monkeypatch.setattr(config.option, PATHS.dest, ["b.yaml"])
    assert inilines.line_of(config, PATHS) == 0


def test_without_an_ini_file_there_is_no_line(unset_config: pytest.Config) -> None:
    assert inilines.line_of(unset_config, COMMANDS) == 0
