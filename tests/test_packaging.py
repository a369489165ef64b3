"""What is installed: the entry point by which pytest finds the plugin, the type hints, and the metadata."""

from __future__ import annotations

import tomllib
from importlib import metadata, resources
from pathlib import Path

from pytest_crd import plugin

ROOT = Path(__file__).parents[1]


def test_pytest_finds_the_plugin_by_its_entry_point() -> None:
    (entry_point,) = metadata.entry_points(group="pytest11", name="crd")

    assert entry_point.value == "pytest_crd.plugin"
    assert entry_point.load() is plugin


def test_the_installed_version_is_that_of_the_project_file() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

    assert metadata.version("pytest-crd") == project["version"]


def test_the_metadata_states_what_the_project_file_states() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    stated = metadata.metadata("pytest-crd")

    assert stated["Requires-Python"] == project["requires-python"]
    assert stated["License-Expression"] == "Apache-2.0"
    assert project["classifiers"] == stated.get_all("Classifier", [])
    assert [f"{name}, {url}" for name, url in project["urls"].items()] == stated.get_all("Project-URL", [])


def test_the_package_says_that_it_has_type_hints() -> None:
    assert resources.files("pytest_crd").joinpath("py.typed").is_file()
