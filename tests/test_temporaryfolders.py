"""Temporary folders, which outlive no run."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_crd.temporaryfolders import TemporaryFolder

OWNER = "import sys\nfrom pytest_crd.temporaryfolders import TemporaryFolder\n"
OWNER += "folder = TemporaryFolder()\nprint(folder.path, flush=True)\nsys.stdin.read()\n"


@pytest.fixture
def parent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of temporary folders."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.fixture
def owner(parent: Path) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """Another process with a temporary folder, and the folder."""
    environment = {**os.environ, "TMPDIR": str(parent)}
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, "-c", OWNER], env=environment, stdin=pipe, stdout=pipe, text=True
    ) as process:
        assert process.stdout is not None
        yield process, Path(process.stdout.readline().rstrip("\n"))


def _abandon(folder: Path) -> Path:
    """Create a folder as of a killed process, and return its lock file."""
    (folder / "files").mkdir(parents=True)
    lock = folder / "pytest-crd.lock"
    lock.touch()
    return lock


def test_a_folder_is_removed_with_all_files(parent: Path) -> None:
    with TemporaryFolder() as folder:
        (folder.path / "read-only").mkdir()
        (folder.path / "read-only/file").touch()
        (folder.path / "read-only/link").symlink_to(parent)
        (folder.path / "read-only").chmod(0o500)
        assert folder.path.parent.stat().st_mode & 0o777 == 0o700

    assert [*parent.iterdir()] == []


@pytest.mark.session
def test_the_next_run_removes_the_folder_of_a_killed_process(owner: tuple[subprocess.Popen[str], Path]) -> None:
    process, path = owner
    (path / "file").touch()
    process.kill()
    process.wait()

    with TemporaryFolder():
        assert not path.parent.exists()


@pytest.mark.session
def test_the_folder_of_a_running_process_stays(owner: tuple[subprocess.Popen[str], Path]) -> None:
    _, path = owner

    with TemporaryFolder():
        assert path.is_dir()


def test_folders_of_others_stay(parent: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    others = tmp_path_factory.mktemp("others")
    for name in ("pytest-crd-2026-old_copy", "pytest-crd-12-notes"):
        (parent / name / "files").mkdir(parents=True)
    _abandon(parent / "pytest-crd-garden-12ab_cd3")
    _abandon(others / "linked")
    (parent / "pytest-crd-1-linked00").symlink_to(others / "linked")
    lock = _abandon(parent / "pytest-crd-1-lock0000")
    lock.unlink()
    lock.symlink_to(others / "linked/pytest-crd.lock")
    (parent / "pytest-crd-1-file0000").touch()
    before = {*parent.iterdir()}

    with TemporaryFolder() as folder:
        assert {*parent.iterdir()} - {folder.path.parent} == before
    assert (others / "linked/files").is_dir()


def test_the_folder_of_another_user_stays(parent: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lock = _abandon(parent / "pytest-crd-1-abandoned")
    monkeypatch.setattr(os, "getuid", lambda: lock.stat().st_uid + 1)

    with TemporaryFolder():
        assert lock.exists()


def test_a_folder_that_cannot_be_removed_whole_is_left_to_the_next_run(
    parent: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = _abandon(parent / "pytest-crd-1-abandoned")
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "rmtree", lambda *_, **__: None)
        TemporaryFolder()

    assert lock.exists()


@pytest.mark.usefixtures("parent")
def test_a_parent_that_cannot_be_listed_takes_a_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "listdir", refuse)

    with TemporaryFolder() as folder:
        assert folder.path.is_dir()


def test_a_folder_on_a_file_system_without_locks_is_never_abandoned(
    parent: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError

    monkeypatch.setattr(fcntl, "flock", refuse)

    with TemporaryFolder() as folder:
        assert not (folder.path.parent / "pytest-crd.lock").exists()
    assert [*parent.iterdir()] == []


def test_a_folder_that_others_own_inside_does_not_matter(parent: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(Path, "chmod", refuse)

    with TemporaryFolder() as folder:
        (folder.path / "inner").mkdir()
    assert [*parent.iterdir()] == []
