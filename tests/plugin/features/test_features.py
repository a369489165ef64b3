"""A session imports only the packages of the features that it switches on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

import pytest_crd
from pytest_crd.plugin.features import FEATURES

if TYPE_CHECKING:
    from support.sessions import Project

ROOMS: Final = Path(pytest_crd.__file__).parent / "plugin/features"
ASKED: Final = {
    "webhooks": "--crd-webhook=all: https://127.0.0.1:1",
    "policies": "--crd-policy=config",
    "checks": "--crd-checks",
    "upgrades": "--crd-baseline=config",
    "parity": "--crd-parity=json:loads = gardens.stories.example.com/v1",
    "generate": "--crd-generate=gardens.stories.example.com",
    "live": "--crd-live=http://127.0.0.1:1",
    "fill": "--crd-fill",
    "coverage": "--crd-cov",
    "outputs": "--crd-json=verdicts.json",
}
# Without a server, `live` registers nothing.
REGISTERED: Final[dict[str, list[str]]] = {"coverage": ["crd-coverage-requestsources", "crd-coverage"], "live": []}
TELLS: Final = """\
import pathlib, sys

def pytest_unconfigure(config):
    rooms = {name.split(".")[3] for name in sys.modules if name.startswith("pytest_crd.plugin.features.")}
    registered = [name for name, _ in config.pluginmanager.list_name_plugin() if name.startswith("crd-")]
    pathlib.Path("rooms").write_text(f"{sorted(rooms)} {registered}")
"""


def test_every_package_of_features_has_an_entry() -> None:
    rooms = {path.parent.name for path in ROOMS.glob("*/hooks.py")}
    assert rooms - {"server"} == FEATURES.keys() == ASKED.keys()  # the fixture imports it


@pytest.mark.parametrize(("name", "option"), ASKED.items())
@pytest.mark.long
def test_a_feature_imports_only_its_own_package(project: Project, name: str, option: str) -> None:
    project.write("conftest.py", TELLS)

    project.start(option)

    assert project.read("rooms") == f"{[name]} {REGISTERED.get(name, [f'crd-{name}'])}"


def test_several_features_are_registered_in_the_order_of_the_table(project: Project) -> None:
    project.write("conftest.py", TELLS)

    project.run("--crd-cov", "--crd-fill", "--crd-baseline=config", "--crd-checks")

    assert project.read("rooms").endswith(
        "['crd-checks', 'crd-upgrades', 'crd-fill', 'crd-coverage-requestsources', 'crd-coverage']"
    )
