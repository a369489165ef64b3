"""A file is replaced whole or not at all."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_crd.writing import files

OLD, NEW = b"the old file\n", b"the new one\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file in a folder of its own."""
    path = tmp_path / "cases" / "test_a.crd.yaml"
    path.parent.mkdir()
    path.write_bytes(OLD)
    return path


def replace(path: Path) -> None:
    files.replace(path, NEW, old=files.digest(OLD))


def test_a_file_is_replaced(file: Path) -> None:
    replace(file)

    assert file.read_bytes() == NEW
    assert [*file.parent.iterdir()] == [file]


@pytest.mark.parametrize("mode", [0o640, 0o755, 0o600])
def test_its_permissions_stay(file: Path, mode: int) -> None:
    file.chmod(mode)

    replace(file)

    assert stat.S_IMODE(file.stat().st_mode) == mode


def test_what_a_link_leads_to_is_replaced_and_the_link_stays(file: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.yaml"
    link.symlink_to(file)

    replace(link)

    assert link.is_symlink()
    assert file.read_bytes() == NEW


def test_a_file_that_is_another_by_now_is_left_alone(file: Path) -> None:
    with pytest.raises(files.ChangedError):
        files.replace(file, NEW, old=files.digest(NEW))

    assert file.read_bytes() == OLD
    assert [*file.parent.iterdir()] == [file]


def test_a_file_that_must_not_be_written_is_left_alone(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: not (path == file and mode == os.W_OK))

    with pytest.raises(PermissionError):
        replace(file)

    assert file.read_bytes() == OLD


def test_a_file_that_is_gone_is_not_made_again(file: Path) -> None:
    file.unlink()

    with pytest.raises(FileNotFoundError):
        replace(file)

    assert not [*file.parent.iterdir()]


class _Crash(BaseException):
    """The process ends here."""


def _crashing(at: str) -> Callable[..., object]:
    def crash(*_: object, **__: object) -> object:
        raise _Crash(at)

    return crash


@pytest.mark.parametrize(
    ("owner", "name"),
    [
        pytest.param(tempfile, "mkstemp", id="before anything"),
        pytest.param(os, "fsync", id="before all is on the disk"),
        pytest.param(Path, "chmod", id="before the permissions"),
        pytest.param(Path, "read_bytes", id="before the last look"),
        pytest.param(Path, "replace", id="before the new file takes its place"),
    ],
)
def test_a_crash_leaves_the_old_file(file: Path, monkeypatch: pytest.MonkeyPatch, owner: object, name: str) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(owner, name, _crashing(name))
        with pytest.raises(_Crash):
            replace(file)

    assert file.read_bytes() == OLD
    assert [*file.parent.iterdir()] == [file]


def test_a_crash_behind_it_leaves_the_new_file(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Path.replace

    def crash(path: Path, target: Path) -> None:
        whole(path, target)
        raise _Crash

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", crash)
        with pytest.raises(_Crash):
            replace(file)

    assert file.read_bytes() == NEW
    assert [*file.parent.iterdir()] == [file]
