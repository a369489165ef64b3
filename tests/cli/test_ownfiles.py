"""Files of killed processes are replaced; all others stay."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_crd.cli import ownfiles

pytestmark = pytest.mark.session


@pytest.fixture
def process() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(["/bin/sleep", "60"]) as started:
        yield started
        started.kill()


@pytest.fixture
def path(process: subprocess.Popen[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that another process has signed."""
    with monkeypatch.context() as patch:
        patch.setattr(os, "getpid", lambda: process.pid)
        text = ownfiles.sign("a token")
    assert text.endswith("\na token")
    (tmp_path / "kubeconfig").write_text(text, encoding="utf-8")
    return tmp_path / "kubeconfig"


@pytest.mark.parametrize("is_zombie", [True, False])
def test_the_file_of_a_killed_process_is_removed(
    process: subprocess.Popen[bytes], path: Path, *, is_zombie: bool
) -> None:
    assert not ownfiles.remove_stale(path)
    process.kill()
    if is_zombie:
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    else:
        process.wait()
    assert ownfiles.remove_stale(path)
    assert not path.exists()


def test_a_file_of_an_earlier_process_with_the_same_number_is_removed(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    started = text.split("started ")[1].split(",")[0]
    path.write_text(text.replace(started, f"{int(started) - 1}"), encoding="utf-8")
    assert ownfiles.remove_stale(path)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a token", "another token"),
        ("# pytest-crd: process", "# process"),
        ("# pytest-crd", " # pytest-crd"),
        (f"on {platform.node()};", "on another;"),
        ("a token", f"a token{' ' * 70_000}"),
    ],
    ids=["changed", "unsigned", "indented", "another machine", "large"],
)
def test_a_file_that_no_process_of_this_machine_signed_stays(
    process: subprocess.Popen[bytes], path: Path, before: str, after: str
) -> None:
    process.kill()
    process.wait()
    text = path.read_text(encoding="utf-8")
    assert before in text
    path.write_text(text.replace(before, after), encoding="utf-8")
    assert not ownfiles.remove_stale(path)
    assert path.exists()


def test_a_link_a_pipe_and_a_file_of_another_user_stay(
    process: subprocess.Popen[bytes], path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    process.kill()
    process.wait()
    link, pipe = path.with_name("link"), path.with_name("pipe")
    link.symlink_to(path)
    os.mkfifo(pipe)
    user = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: user + 1)
    assert not any(map(ownfiles.remove_stale, (link, pipe, path, path.with_name("missing"))))
    assert all(item.exists() for item in (link, pipe, path))


@pytest.mark.parametrize(
    ("listed", "is_stale"),
    [("S    Sat Nov 28 16:00:00 2026", False), ("S    Sat Nov 28 17:00:00 2026", True), ("Z    -", True), ("", True)],
)
def test_systems_without_a_folder_of_processes_list_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, listed: str, *, is_stale: bool
) -> None:
    program, path = tmp_path / "ps", tmp_path / "kubeconfig"
    monkeypatch.setattr(ownfiles, "_PROCESSES", tmp_path / "none")
    monkeypatch.setattr(ownfiles, "_PS", str(program))
    assert ownfiles.sign("a token") == "a token"  # nothing lists processes
    for words in ("S    Sat Nov 28 16:00:00 2026", listed):
        program.write_text(f"#!/bin/sh\necho '{words}'\n", encoding="utf-8")
        program.chmod(0o755)
        if not path.exists():
            path.write_text(ownfiles.sign("a token"), encoding="utf-8")
    assert ownfiles.remove_stale(path) is is_stale
