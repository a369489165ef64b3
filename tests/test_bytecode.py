"""Each worker rewrites the assertions of its share of the test modules, and a session reads the written bytecode."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import bytecode
import pytest
from _pytest.assertion import rewrite

if TYPE_CHECKING:
    from support.sessions import Project

NAMES = ("test_a", "test_b", "test_c", "test_d")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with test modules."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "pycache_prefix", None)
    for name in NAMES:
        tmp_path.joinpath(f"{name}.py").write_text("def test_it():\n    assert 1 == 1\n", encoding="utf-8")
    tmp_path.joinpath("helpers.py").touch()
    return tmp_path


def _collect(folder: Path, config: pytest.Config, worker: str = "") -> None:
    """Collect in *worker*, one of three; without a worker if it is empty."""
    made: Any = SimpleNamespace(
        args=[""], invocation_params=SimpleNamespace(dir=folder), stash=config.stash, getini=config.getini
    )
    if worker:
        made.workerinput = {"workerid": worker, "workercount": 3}
    bytecode.pytest_collection(SimpleNamespace(config=made))  # type: ignore[arg-type] # a session has only this here


def _written(folder: Path) -> dict[str, int]:
    """Return the times of writing by module."""
    return {file.name.partition(".")[0]: file.stat().st_mtime_ns for file in folder.glob("__pycache__/*.pyc")}


def test_each_worker_rewrites_its_share(folder: Path, pytestconfig: pytest.Config) -> None:
    _collect(folder, pytestconfig, "gw0")
    assert _written(folder).keys() == {"test_a", "test_d"}

    _collect(folder, pytestconfig, "gw1")
    _collect(folder, pytestconfig, "gw2")
    assert _written(folder).keys() == set(NAMES)


def test_bytecode_is_written_once_and_again_after_a_change(folder: Path, pytestconfig: pytest.Config) -> None:
    _collect(folder, pytestconfig, "gw0")
    before = _written(folder)
    folder.joinpath("test_a.py").write_text("def test_it():\n    assert 2 == 2\n", encoding="utf-8")

    _collect(folder, pytestconfig, "gw0")

    assert _written(folder).keys() == before.keys()
    assert _written(folder)["test_a"] > before["test_a"]
    assert _written(folder)["test_d"] == before["test_d"]


def test_a_session_reads_the_bytecode(folder: Path, empty: Project, pytestconfig: pytest.Config) -> None:
    _collect(folder, pytestconfig, "gw0")
    file = rewrite.get_cache_dir(folder / "test_a.py") / f"test_a{rewrite.PYC_TAIL}"
    read = rewrite._read_pyc(folder / "test_a.py", file)
    before = _written(folder)

    empty.run(folder / "test_a.py").assert_outcomes(passed=1)

    assert read is not None
    assert "@pytest_ar" in read.co_names  # rewritten assertions call it
    assert _written(folder) == before


@pytest.mark.parametrize("worker", ["", "gw0"])
def test_nothing_is_written_without_workers_or_if_it_is_not_wanted(
    worker: str, folder: Path, pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", bool(worker))

    _collect(folder, pytestconfig, worker)

    assert not _written(folder)


def test_the_collector_reports_mistakes(folder: Path, pytestconfig: pytest.Config) -> None:
    folder.joinpath("test_a.py").write_text("def (\n", encoding="utf-8")

    _collect(folder, pytestconfig, "gw0")

    assert _written(folder).keys() == {"test_d"}
