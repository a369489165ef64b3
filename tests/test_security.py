"""`SECURITY.md`: each item of the threat model names existing tests, and sessions behave as described."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from support.sessions import Project

ROOT: Final = Path(__file__).parents[1]
TEXT: Final = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
ITEMS: Final = [line for line in TEXT.splitlines() if line.startswith("- ")]
TESTS: Final = {
    name
    for path in (ROOT / "tests").rglob("test_*.py")
    for name in re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
}

# A conftest.py that records the session's side effects: sockets, programs, and written files.
AUDIT: Final = """
import os, pathlib, sys

EVENTS = {"socket.connect", "socket.bind", "socket.sendto", "subprocess.Popen", "os.exec", "os.posix_spawn", "os.system", "os.fork"}
CHANGES = {"os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.truncate"}
HERE = pathlib.Path(__file__).parent
log = []

def audit(event, arguments):
    if event in EVENTS:
        log.append(f"{event} {arguments[0] if event == 'subprocess.Popen' else ''}")
    elif event == "open" and arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
        note(event, arguments[0])
    elif event in CHANGES:
        note(event, arguments[0])

def note(event, path):
    if not isinstance(path, (str, bytes, os.PathLike)):
        return
    target = pathlib.Path(os.path.abspath(os.fsdecode(path)))
    if not target.is_relative_to(HERE) and target != pathlib.Path(os.devnull):
        log.append(f"{event} {target}")

sys.addaudithook(audit)

def pytest_unconfigure():
    print("AUDITED", *log, sep="\\n")
"""


@pytest.mark.parametrize("item", ITEMS)
def test_each_item_names_tests_that_exist(item: str) -> None:
    names = re.findall(r"`(test_\w+)`", item)

    assert names
    assert set(names) <= TESTS


def test_all_tests_that_the_page_names_exist() -> None:
    assert set(re.findall(r"`(test_\w+)`", TEXT)) <= TESTS


def test_python_is_started_without_the_current_folder() -> None:
    paths = (ROOT / "pytest_crd").rglob("*.py")
    starts = [line for path in paths for line in path.read_text("utf-8").splitlines() if "sys.executable" in line]

    assert len(starts) == 3
    assert [line for line in starts if not re.search(r"sys\.executable(, \"|\)} )-P\b", line)] == []


def test_a_session_opens_no_socket_runs_only_git_and_writes_only_in_the_project(
    gardener: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")  # Python writes bytecode beside its modules
    gardener.ini("crd_checks = on")
    gardener.write("conftest.py", AUDIT)
    gardener.write("test_python.py", "def test_all(crd):\n    crd.assert_accepted()\n")

    result = gardener.start("--capture=sys")

    assert result.ret == pytest.ExitCode.OK
    assert set(result.stdout.str().partition("AUDITED")[2].split("\n")) - {""} == {"subprocess.Popen git"}


def test_the_audit_of_a_session_sees_sockets_programs_and_files(gardener: Project) -> None:
    gardener.write("conftest.py", AUDIT)
    gardener.write(
        "test_python.py",
        "import socket, subprocess, sys\n\n"
        "def test_all(tmp_path_factory):\n"
        "    with socket.socket() as server:\n"
        "        server.bind(('127.0.0.1', 0))\n"
        "    subprocess.run([sys.executable, '-c', ''], check=True)\n"
        "    open('../outside', 'w').close()\n",
    )

    result = gardener.start("--capture=sys")

    log = result.stdout.str().partition("AUDITED")[2]
    assert [word for word in ("socket.bind", "subprocess.Popen", "outside") if word not in log] == []


def test_the_server_of_a_test_is_on_loopback_and_its_kubeconfig_private(gardener: Project) -> None:
    gardener.write(
        "test_python.py",
        "import pathlib\n\n"
        "def test_all(crd_server):\n"
        "    assert crd_server.url.startswith('https://127.0.0.1:')\n"
        "    assert pathlib.Path(crd_server.kubeconfig).stat().st_mode & 0o777 == 0o600\n",
    )

    gardener.run("test_python.py").assert_outcomes(passed=1)
