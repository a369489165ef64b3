"""Other plugins of a session: pytest-run-parallel and pytest-socket, by their conventions for items, marks and errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from support.sessions import CASES

if TYPE_CHECKING:
    from support.sessions import Project

# What pytest-run-parallel 0.10 does with items: it warns of some, and runs others in one thread for the reason in a mark.
RUN_PARALLEL = """
def pytest_addoption(parser):
    parser.addoption("--parallel-threads", default=1)


def pytest_collection_finish(session):
    for item in session.items:
        assert hasattr(item, "obj") or hasattr(item, "_parallel_custom_item"), f"{item} is incompatible"
        if mark := item.get_closest_marker("thread_unsafe"):
            print(f"{item.name}: {mark.kwargs['reason']}")


def pytest_configure(config):
    config.addinivalue_line("markers", "thread_unsafe: one thread")
"""
TESTS = """
import pytest


@pytest.fixture
def own(crd_server):
    return crd_server


def test_own(own): pass
def test_server(crd_server): pass
def test_version(crd_version): pass
"""
# The error of pytest-socket 0.8 at any new socket.
SOCKET = """
import socket

import pytest

SocketBlockedError = type("SocketBlockedError", (RuntimeError,), {"__module__": MODULE})


class Blocked(socket.socket):
    def __new__(cls, *args, **kwargs):
        raise SocketBlockedError("A test tried to use socket.socket.")


@pytest.fixture(autouse=True)
def blocked(monkeypatch):
    monkeypatch.setattr(socket, "socket", Blocked)
"""


def test_tests_with_a_server_run_in_one_thread_and_items_are_compatible(project: Project) -> None:
    project.write("conftest.py", RUN_PARALLEL)
    project.write("test_it.py", TESTS)
    project.cases(CASES)

    result = project.run(
        "-s",
        "-W",
        "error",
        "--strict-markers",
        "--crd-checks",
        "--crd-baseline",
        "config/crd/bases",
        "-k",
        "not applies",
    )

    assert "failed" not in result.parseoutcomes()
    reason = "uses crd_server: the clients of a process share one server and one $KUBECONFIG"
    assert [line for line in result.outlines if "$KUBECONFIG" in line] == [
        f"test_own: {reason}",
        f"test_server: {reason}",
    ]


def test_tests_have_no_such_mark_without_the_plugin(project: Project) -> None:
    project.write("test_it.py", "def test_it(crd_server, request):\n    assert not request.node.own_markers\n")

    project.run("--strict-markers").assert_outcomes(passed=1)


def test_a_blocked_socket_is_an_error_with_the_option_that_allows_it(project: Project) -> None:
    """Another error of a socket keeps its traceback."""
    for module in ("pytest_socket", "another"):
        project.write(f"{module}_tests/test_it.py", "def test_it(crd_server): pass\n")
        project.write(f"{module}_tests/conftest.py", SOCKET.replace("MODULE", repr(module)))

    result = project.run("--import-mode=importlib")

    result.assert_outcomes(errors=2)
    words = "crd_server listens on loopback, and pytest-socket blocks all sockets: add --allow-hosts=127.0.0.1 to --disable-socket"
    assert result.outlines.count(words) == 1
    result.stdout.fnmatch_lines(["E *another.SocketBlockedError: A test tried to use socket.socket."])
    result.stdout.no_fnmatch_line("E *pytest_socket.SocketBlockedError*")
