"""Settings in each file that pytest reads, as the tutorial for Python operators lists them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from pytest_crd.plugin.settings import checks

if TYPE_CHECKING:
    from support.sessions import Project

_PAGE: Final = Path(__file__).parents[3] / "docs/tutorials/ci-for-a-python-operator.md"
_ROW: Final = re.compile(r"^\| (`.+\..+`) \| `(\[.+\])` \| .+ \| (all|\d.*) \|$", re.MULTILINE)
FORMS: Final = [
    pytest.param(file, section, since, id=f"{file} {section}")
    for files, section, since in _ROW.findall(_PAGE.read_text(encoding="utf-8"))
    for file in re.findall(r"`(.+?)`", files)
]


def test_the_tutorial_lists_every_file() -> None:
    assert {form.values[0] for form in FORMS} == {"pyproject.toml", "pytest.toml", "pytest.ini", "tox.ini", "setup.cfg"}


@pytest.mark.parametrize(("file", "section", "since"), FORMS)
def test_settings_of_each_form_count(file: str, section: str, since: str, empty: Project) -> None:
    if since != "all" and pytest.version_tuple[:2] < tuple(map(int, since.split(maxsplit=1)[0].split("."))):
        pytest.skip(f"pytest reads it since {since.split(maxsplit=1)[0]}")
    lines = (
        ['testpaths = ["tests"]', "crd_checks = true", 'crd_warnings = "error"']
        if file.endswith(".toml")
        else ["testpaths = tests", "crd_checks = true", "crd_warnings = error"]
    )
    empty.write(file, "\n".join((section, *lines, "")))

    config = empty.parse()

    settings = checks.read(config)
    assert settings is not None
    assert settings.warnings_fail
    assert config.getini("testpaths") == ["tests"]
