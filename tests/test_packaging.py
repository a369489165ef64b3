"""The installed package: entry point, type hints and metadata."""

from __future__ import annotations

import ast
import importlib
import itertools
import re
import sys
import tomllib
from importlib import metadata, resources
from pathlib import Path

import pytest

import pytest_crd
from pytest_crd import plugin

ROOT = Path(__file__).parents[1]
DISTRIBUTIONS = {"_pytest": "pytest", "re2": "google-re2", "yaml": "pyyaml"}


def test_pytest_finds_the_plugin_by_its_entry_point() -> None:
    (entry_point,) = metadata.entry_points(group="pytest11", name="crd")

    assert entry_point.value == "pytest_crd.plugin"
    assert entry_point.load() is plugin


def test_the_installed_version_is_that_of_the_project_file() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

    assert metadata.version("pytest-crd") == project["version"]


def test_the_metadata_equals_the_project_file() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    installed = metadata.metadata("pytest-crd")

    assert installed["Requires-Python"] == project["requires-python"]
    assert installed["License-Expression"] == "Apache-2.0"
    assert project["classifiers"] == installed.get_all("Classifier", [])
    assert [f"{name}, {url}" for name, url in project["urls"].items()] == installed.get_all("Project-URL", [])


def test_each_imported_package_is_declared() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = {
        re.split("[>=]", item)[0]
        for item in itertools.chain(project["dependencies"], *project["optional-dependencies"].values())
    }

    imported = {
        name
        for path in (ROOT / "pytest_crd").rglob("*.py")
        for name in _imported(path.read_text("utf-8"), {"pytest_crd", *sys.stdlib_module_names})
    }
    assert imported >= {"pytest", "yaml", "jsonschema"}
    assert {DISTRIBUTIONS.get(name, name) for name in imported} <= declared


def _imported(source: str, known: set[str]) -> set[str]:
    """Return the packages besides *known* that a module imports; lines that look like imports decide whether it is parsed."""
    if {*re.findall(r"^\s*(?:from|import)\s+(\w+)", source, re.MULTILINE)} <= known:
        return set()
    imports = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Import | ast.ImportFrom)]
    modules = [
        [node.module or ""] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names] for node in imports
    ]
    return {name.partition(".")[0] for names in modules for name in names} - known


def test_links_and_pictures_of_the_package_page_are_absolute() -> None:
    version = metadata.version("pytest-crd")
    page = str(metadata.metadata("pytest-crd").json["description"])

    targets = re.findall(r"\]\(([^)]+)\)", page), re.findall(r"src(?:set)?=\"([^\"]+)\"", page)
    assert [len(links) > 5 for links in targets] == [True, True]
    assert [target for links in targets for target in links if not target.startswith(("https://", "#"))] == []
    assert f"(https://github.com/pytest-crd/pytest-crd/blob/v{version}/docs/README.md)" in page
    assert f'src="https://github.com/pytest-crd/pytest-crd/raw/v{version}/docs/pictures/failure-light.svg"' in page


def test_the_package_is_marked_as_typed() -> None:
    assert resources.files("pytest_crd").joinpath("py.typed").is_file()


def test_native_windows_is_an_error_that_names_wsl_as_the_readme_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")

    with pytest.raises(ImportError, match=r"^pytest-crd runs on Linux and macOS; on Windows, install it inside WSL$"):
        importlib.reload(pytest_crd)

    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "on Linux or macOS. Its tests run on Linux. On Windows, install it inside WSL." in readme
