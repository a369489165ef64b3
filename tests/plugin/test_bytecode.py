"""Import of the plugin's modules from their installed bytecode."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import pytest_crd
from pytest_crd.plugin import InstalledFinder

if TYPE_CHECKING:
    from support.sessions import Project

TOLD = """\
import sys

def pytest_unconfigure():
    loaders = {name: type(module.__loader__).__name__ for name, module in sys.modules.items() if name.startswith("pytest_crd.")}
    assert loaders["pytest_crd.engine.api.version"] == "SourceFileLoader", loaders
    assert loaders["pytest_crd.checks.checkplan"] == "SourceFileLoader", loaders
    assert type(sys.modules["conftest"].__loader__).__name__ == "AssertionRewritingHook"
"""


@pytest.mark.slow
def test_a_session_imports_the_plugin_from_installed_bytecode(project: Project) -> None:
    project.write("conftest.py", TOLD)

    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--crd-checks", "--import-mode=prepend"],
        cwd=project.path,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr


def test_modules_of_other_packages_are_found_as_usual() -> None:
    assert sys.meta_path.count(InstalledFinder) == 1
    assert InstalledFinder.find_spec("json", None) is None
    assert importlib.util.find_spec("pytest_crd") is not None


def test_modules_of_the_package_are_found_in_its_folders() -> None:
    spec = InstalledFinder.find_spec("pytest_crd.plugin", pytest_crd.__path__)

    assert spec is not None
    assert spec.submodule_search_locations == [*pytest_crd.plugin.__path__]
    assert InstalledFinder.find_spec("pytest_crd.none", pytest_crd.__path__) is None
