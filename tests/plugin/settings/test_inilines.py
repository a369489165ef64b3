"""Lines of settings in the ini file."""

from __future__ import annotations

import pytest

from pytest_crd.plugin.settings import inilines
from pytest_crd.plugin.settings.project import COMMANDS, PATHS

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
def test_a_setting_has_a_line(pytester: pytest.Pytester, name: str, text: str, line: int) -> None:
    (pytester.path / name).write_text(text, encoding="utf-8")

    assert inilines.line_of(pytester.parseconfig("-p", "pytest_crd.plugin"), COMMANDS) == line


def test_a_setting_from_an_option_has_no_line(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\ncrd_paths = a.yaml\n")

    of_ini = inilines.line_of(pytester.parseconfig("-p", "pytest_crd.plugin"), PATHS)
    of_option = inilines.line_of(pytester.parseconfig("-p", "pytest_crd.plugin", "--crd-path", "b.yaml"), PATHS)

    assert (of_ini, of_option) == (2, 0)


def test_without_an_ini_file_there_is_no_line(pytester: pytest.Pytester) -> None:
    assert inilines.line_of(pytester.parseconfig("-p", "pytest_crd.plugin"), COMMANDS) == 0
