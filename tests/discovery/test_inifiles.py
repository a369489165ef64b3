"""Settings in ini files of pytest."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_crd.discovery import inifiles


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pytest.ini", "[pytest]\na = x 'y z'\n"),
        ("tox.ini", "[tox]\n[pytest]\na = x 'y z'\n"),
        ("setup.cfg", "[tool:pytest]\na = x 'y z'\n"),
        ("pyproject.toml", "[tool.pytest.ini_options]\na = \"x 'y z'\"\n"),
        ("pyproject.toml", "[tool.pytest.ini_options]\na = ['x', 'y z']\n"),
        ("pyproject.toml", "[tool.pytest]\na = ['x', 'y z']\n"),
        ("pytest.toml", "[pytest]\na = ['x', 'y z']\n"),
    ],
)
def test_a_setting_is_found_in_each_form(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)

    assert inifiles.find_file(tmp_path) == tmp_path / name
    assert inifiles.words(tmp_path / name, "a") == ["x", "y z"]
    assert inifiles.words(tmp_path / name, "b") == []


@pytest.mark.parametrize(
    ("name", "text", "lines"),
    [
        ("pytest.ini", "[pytest]\na =\n  x y\n\n  z\n", ["x y", "z"]),
        ("pyproject.toml", "[tool.pytest.ini_options]\na = ['x y', ' z']\n", ["x y", "z"]),
        ("pytest.ini", "", []),
    ],
)
def test_lines_are_kept_whole(name: str, text: str, lines: list[str], tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)

    assert inifiles.lines(tmp_path / name, "a") == lines


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({}, None),
        ({"tox.ini": "[tox]\n", "setup.cfg": "[metadata]\n", "pyproject.toml": "[tool.ruff]\n"}, None),
        ({"pytest.ini": "", "pyproject.toml": "[tool.pytest.ini_options]\na = 1\n"}, "pytest.ini"),
        ({"tox.ini": "[pytest]\na = 1\n", "pyproject.toml": "[tool.ruff]\n"}, "tox.ini"),
    ],
)
def test_the_ini_file_is_pytests(files: dict[str, str], found: str | None, tmp_path: Path) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)

    assert inifiles.find_file(tmp_path) == (None if found is None else tmp_path / found)


def test_a_path_that_leads_out_of_the_project_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    ini = tmp_path / "project/pytest.ini"
    ini.write_text("[pytest]\na = crds !../b\n", encoding="utf-8")

    with pytest.raises(inifiles.IniFileError, match=r"pytest\.ini: a: !\.\./b: it leads out of the project; "):
        inifiles.paths(ini, "a")
