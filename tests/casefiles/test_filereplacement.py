"""A file is replaced whole or not at all."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_crd.casefiles import filereplacement

OLD, NEW = b"the old file\n", b"the new one\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file in a folder of its own."""
    path = tmp_path / "cases" / "test_a.crd.yaml"
    path.parent.mkdir()
    path.write_bytes(OLD)
    return path


def replace(path: Path) -> None:
    filereplacement.replace(path, NEW, old=filereplacement.digest(OLD))


def test_a_file_is_replaced(file: Path) -> None:
    replace(file)

    assert file.read_bytes() == NEW
    assert [*file.parent.iterdir()] == [file]


@pytest.mark.parametrize("mode", [0o640, 0o755, 0o600])
def test_its_permissions_stay(file: Path, mode: int) -> None:
    file.chmod(mode)

    replace(file)

    assert stat.S_IMODE(file.stat().st_mode) == mode


def test_the_target_of_a_link_is_replaced_and_the_link_stays(file: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.yaml"
    link.symlink_to(file)

    replace(link)

    assert link.is_symlink()
    assert file.read_bytes() == NEW


def test_a_link_out_of_its_folder_is_refused(file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "link.yaml").symlink_to(file)

    with pytest.raises(OSError, match="out of its folder"):
        replace(folder / "link.yaml")

    assert file.read_bytes() == OLD


def test_a_file_that_is_another_by_now_is_left_alone(file: Path) -> None:
    with pytest.raises(filereplacement.ChangedError):
        filereplacement.replace(file, NEW, old=filereplacement.digest(NEW))

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
        pytest.param(os, "open", id="before anything"),
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


def test_a_new_file_gets_the_permissions_of_new_files(tmp_path: Path) -> None:
    path, second = tmp_path / "new.yaml", tmp_path / "other"
    second.touch()

    filereplacement.create(path, NEW)

    assert path.read_bytes() == NEW
    assert path.stat().st_mode == second.stat().st_mode
    assert {*tmp_path.iterdir()} == {path, second}


@pytest.mark.parametrize("has_links", [True, False])
@pytest.mark.parametrize("is_link", [True, False])
def test_a_new_file_takes_the_place_of_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, has_links: bool, is_link: bool
) -> None:
    path = tmp_path / "new.yaml"
    if is_link:
        path.symlink_to(tmp_path / "nowhere")
    else:
        path.write_bytes(OLD)
    if not has_links:
        monkeypatch.setattr(os, "link", _refuse)

    with pytest.raises(FileExistsError):
        filereplacement.create(path, NEW)

    assert path.is_symlink() if is_link else path.read_bytes() == OLD
    assert [*tmp_path.iterdir()] == [path]


def _refuse(*_: object) -> None:
    raise PermissionError


def test_a_file_system_without_links_has_new_files_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "link", _refuse)

    filereplacement.create(tmp_path / "new.yaml", NEW)

    assert [(item.name, item.read_bytes()) for item in tmp_path.iterdir()] == [("new.yaml", NEW)]


KILLED = """\
import os, signal, sys
from pathlib import Path
from pytest_crd.casefiles import filereplacement

ACTIONS = {"os.mkdir", "open", "os.link", "os.rename", "os.remove", "os.chmod"}
left = int(sys.argv[2])

def kill(event, arguments):
    global left
    if event in ACTIONS and any(".tmp" in str(one) or str(one) == sys.argv[1] for one in arguments[:2]):
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(kill)
path = Path(sys.argv[1])
if path.exists():
    filereplacement.replace(path, b"the new one\\n", old=filereplacement.digest(b"the old file\\n"))
else:
    filereplacement.create(path, b"the new one\\n")
"""


@pytest.mark.session
@pytest.mark.parametrize("content", [OLD, None], ids=["replaced", "new"])
def test_a_process_that_is_killed_at_any_step_leaves_no_half(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "test_a.crd.yaml"
    codes = []
    for step in range(9):
        for old in tmp_path.iterdir():
            old.unlink()
        if content is not None:
            path.write_bytes(content)

        done = subprocess.run([sys.executable, "-c", KILLED, str(path), str(step)], check=False)

        codes.append(done.returncode)
        assert (path.read_bytes() if path.exists() else None) in {content, NEW}
        assert all(item == path or (item.name.startswith(".") and item.suffix == ".tmp") for item in tmp_path.iterdir())
        if done.returncode == 0:
            break
    assert codes == [-signal.SIGKILL] * (len(codes) - 1) + [0]
    assert len(codes) > 3
    assert [*tmp_path.iterdir()] == [path]
