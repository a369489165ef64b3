"""
The tests lie as what they test does, and what CONTRIBUTING says of it is derived from the folders.

A folder of the package has a folder of tests, so that who changes it knows what to run; the rest is named here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from oracle import door

from pytest_crd.engine import profile

ROOT: Final = Path(__file__).parents[1]
PACKAGE: Final = ROOT / "pytest_crd"
TESTS: Final = ROOT / "tests"
CONTRIBUTING: Final = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
# Folders of tests of which no folder of the package has the name.
OTHERS: Final = {
    "benchmarks": "the door to measurements",
    "conformance": "what was recorded of servers",
    "oracle": "the door to servers",
    "plugin": "the modules of `pytest_crd` itself: hooks, settings, fixtures",
    "properties": "laws that hold of all of the engine",
}
# What replays recordings of a part of the engine, beside its own tests.
REPLAYS: Final = {
    "engine/cel": "tests/conformance/test_cel.py",
    "engine/crds": "tests/conformance/test_conformance.py",
    "engine/crdvalidation": "tests/conformance/test_conformance.py",
    "engine/errors": "tests/conformance/test_conformance.py",
    "engine/metadata": "tests/conformance/test_conformance.py",
    "engine/passes": "tests/conformance/test_conformance.py",
    "engine/publishing": "tests/conformance/test_published.py",
    "engine/resources": "tests/conformance/test_conformance.py",
    "engine/rules": "tests/conformance/test_cel.py tests/conformance/test_storedrules.py",
    "engine/schema": "tests/conformance/test_conformance.py",
    "engine/strfmt": "tests/conformance/test_conformance.py",
    "engine/values": "tests/conformance/test_conformance.py",
}


def _packages() -> Iterator[str]:
    """Yield the folders of the package that hold modules, relative to it."""
    for path in sorted({module.parent for module in PACKAGE.rglob("*.py")} - {PACKAGE}):
        yield path.relative_to(PACKAGE).as_posix()


def _has_tests(folder: Path) -> bool:
    return any(folder.glob("test_*.py"))


@pytest.mark.parametrize("package", [*_packages()])
def test_every_package_has_a_folder_of_tests(package: str) -> None:
    assert _has_tests(TESTS / package)


def test_every_folder_of_tests_is_that_of_a_package_or_says_what_it_is() -> None:
    folders = {path.parent.relative_to(TESTS).as_posix() for path in TESTS.rglob("test_*.py")} - {"."}

    assert folders - set(_packages()) == OTHERS.keys()


def _rows() -> Iterator[str]:
    """Yield the rows of the table "changed → run": a package of the engine each, and each other package."""
    yield f"| a module of `pytest_crd/` | {_run('tests/plugin')} |"
    for package in _packages():
        if package != "engine" and package.count("/") <= package.startswith("engine/"):
            replayed = REPLAYS.get(package, "")
            yield f"| `pytest_crd/{package}/` | {_run(f'tests/{package} {replayed}'.rstrip())} |"


def _run(folders: str) -> str:
    return f"`pytest -n 2 {folders}`"


def test_contributing_says_what_to_run_after_a_change() -> None:
    table = CONTRIBUTING.split("| changed | run |\n| --- | --- |\n")[1].split("\n\n")[0]

    assert table.splitlines() == list(_rows())


def test_every_replay_that_a_row_names_is_there() -> None:
    for names in REPLAYS.values():
        assert all((ROOT / name).is_file() for name in names.split())
    assert REPLAYS.keys() <= set(_packages())


WORKFLOW: Final[Any] = yaml.safe_load((ROOT / ".github/workflows/tests.yml").read_text(encoding="utf-8"))


def _steps(job: str) -> list[str]:
    return [step["run"] for step in WORKFLOW["jobs"][job]["steps"] if "run" in step]


def test_the_forge_runs_the_command_of_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")

    (command,) = _steps("quick")

    assert f"```sh\n{command}\n```" in readme


def test_the_forge_runs_every_environment_of_tox() -> None:
    listed = re.search(r"^env_list = (.*)$", (ROOT / "tox.ini").read_text(encoding="utf-8"), re.MULTILINE)
    assert listed
    prefix, minors, suffix = re.fullmatch(r"(?:.*, )?(3\.1){(.*)}(-tests)", listed[1]).groups()  # type: ignore[union-attr]
    named = {*listed[1].split(", ")[:3], *(f"{prefix}{minor}{suffix}" for minor in minors.split(","))}

    parts = {one["part"] for one in WORKFLOW["jobs"]["parts"]["strategy"]["matrix"]["include"]}

    assert parts == named - {"3.11-tests"}  # of which the README's command runs more


def test_the_forge_asks_a_server_of_every_version() -> None:
    assert sorted(WORKFLOW["jobs"]["servers"]["strategy"]["matrix"]["version"]) == sorted(profile.KNOWN)


@pytest.mark.parametrize("job", WORKFLOW["jobs"])
def test_what_the_forge_asks_of_the_oracle_can_be_asked(job: str, capsys: pytest.CaptureFixture[str]) -> None:
    """It also says how long each job may take, which is no more than the parts of it take."""
    for command in _steps(job):
        for words in re.findall(r"python -m oracle (\w+ \w+)", command):
            with pytest.raises(SystemExit) as ended:
                door.main([*words.split(), "--help"])
            assert ended.value.code == 0
            assert f"usage: python -m oracle {words}" in capsys.readouterr().out
    assert WORKFLOW["jobs"][job]["timeout-minutes"] <= 60
