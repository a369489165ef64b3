"""The fixtures `crd_server_module` and `crd_server_session`: servers that several tests share."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from support.sessions import Folder

pytestmark = pytest.mark.session

_TESTS = """
import os
import pytest

pytestmark = pytest.mark.crd_server(namespaces=["team"])

def test_creates(crd_server_module):
    crd_server_module["gardens"].create({"metadata": {"name": "a", "namespace": "team"}})
    assert len(crd_server_module.requests) == 1

def test_reads(crd_server_module):
    assert not crd_server_module.requests
    assert len(crd_server_module["gardens"].list(namespace="")) == 1
    crd_server_module.clock.freeze("2026-01-01T00:00:00Z")
    crd_server_module.reset()
    assert not crd_server_module.requests
    assert crd_server_module["gardens"].list(namespace="") == []
    made = crd_server_module["gardens"].create({"metadata": {"name": "a", "namespace": "team"}})
    assert not made["metadata"]["creationTimestamp"].startswith("2026-01-01")

def test_without(): assert os.environ["KUBECONFIG"].endswith("kubeconfig")
"""

_CLOCK = """
import pytest

@pytest.fixture(scope="module", autouse=True)
def clock(crd_server_module):
    crd_server_module.clock.freeze("2026-01-01T00:00:00Z")
    return crd_server_module.clock

@pytest.fixture
def later(clock):
    clock.advance(3600)
    yield
    clock.advance(3600)

def test_advances(clock): clock.advance(60)

def test_fails(clock):
    clock.resume()
    assert 0

def test_later(later, clock): assert clock.now().isoformat() == "2026-01-01T01:00:00+00:00"

def test_reads(clock): assert clock.now().isoformat() == "2026-01-01T00:00:00+00:00"
"""
_FAULTS = """
started = []

def test_one(crd_server_module):
    crd_server_module.faults.delay(1, verb="get")

def test_two(crd_server_module):
    assert crd_server_module.faults.count == 0
    started.append(crd_server_module.run_command(["sleep", "60"], ready=lambda: True))

def test_three(crd_server_module):
    assert started[0].code is not None
"""
_UNMET_FAULT = """
import pytest

pytestmark = pytest.mark.crd_server(faults=[{"status": 500, "name": "x"}])

def test_one(crd_server_module): pass

def test_two(crd_server_module): pass
"""
_BETWEEN = """
import pytest

@pytest.fixture(scope="module")
def garden(crd_server_module):
    crd_server_module["gardens"].create({"metadata": {"name": "a"}, "spec": {"bogus": 1}})

def test_it(garden): pass

def test_next(crd_server_module): pass
"""
_EXPECTED_ERROR = """
import pytest

from pytest_crd.server.runningcommands import CommandError

def test_it(crd_server):
    with pytest.raises(CommandError, match="exited with 3 before"):
        crd_server.run_command(["sh", "-c", "exit 3"])
"""
_RUNNING_CLOCK = """
import datetime

def _lead(server): return server.clock.now() - datetime.datetime.now(datetime.UTC)

def test_advances(crd_server_session): crd_server_session.clock.advance(3600)

def test_freezes(crd_server_session): crd_server_session.clock.freeze("2030-01-01T00:00:00Z")

def test_reads(crd_server_session): assert abs(_lead(crd_server_session).total_seconds()) < 60
"""
_PRINTS = "def test_it(crd_server_session): print(crd_server_session.url)\n"
# In this order: the server of the session, which the last files use, keeps others from starting.
_FILES = {
    "test_1_module.py": _TESTS,
    "test_2_other.py": "import os\n\ndef test_it(): assert 'crd_server' not in os.environ.get('KUBECONFIG', '')\n",
    "test_3_clock.py": _CLOCK,
    "test_4_faults.py": _FAULTS,
    "test_5_unmet.py": _UNMET_FAULT,
    "test_6_between.py": _BETWEEN,
    "test_7_expected.py": _EXPECTED_ERROR,
    "test_8_running.py": _RUNNING_CLOCK,
    "test_9_first.py": _PRINTS,
    "test_9_second.py": _PRINTS,
    "test_9_two.py": "def test_it(crd_server_session, crd_server): pass\n\ndef test_next(crd_server_session): pass\n",
}


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> pytest.RunResult:
    """The report of all files in one session."""
    folder = Folder(tmp_path_factory.mktemp("sharing"))
    folder.crd()
    folder.ini("crd_server_unknown_fields = error")
    for name, text in _FILES.items():
        folder.write(name, text)
    return folder.run("-v", "-rP", "-p", "no:randomly")


def _outcomes(report: pytest.RunResult, name: str) -> Sequence[str]:
    """Return the outcomes of the tests of a file, in order."""
    return [line.split(" ")[1] for line in report.outlines if line.startswith(f"test_{name}.py::") and "%]" in line]


def test_the_tests_of_a_module_share_a_server_until_it_is_reset(report: pytest.RunResult) -> None:
    assert _outcomes(report, "1_module") == ["PASSED"] * 3
    assert _outcomes(report, "2_other") == ["PASSED"]


def test_all_tests_of_a_session_share_a_server(report: pytest.RunResult) -> None:
    assert _outcomes(report, "9_first") == _outcomes(report, "9_second") == ["PASSED"]
    printed = [line for line in report.outlines if line.startswith("https://127.0.0.1")]
    assert len(printed) == 2
    assert len({*printed}) == 1


def test_two_servers_at_the_same_time_are_an_error(report: pytest.RunResult) -> None:
    assert _outcomes(report, "9_two") == ["ERROR", "PASSED"]
    report.stdout.fnmatch_lines(
        ["crd_server and crd_server_session at the same time: clients of a process use one server, so use one fixture"]
    )


def test_faults_and_commands_of_a_test_end_with_it(report: pytest.RunResult) -> None:
    assert _outcomes(report, "4_faults") == ["FAILED", "PASSED", "PASSED"]
    report.stdout.fnmatch_lines(["crd_server.faults: no request met delay of 1 s (verb='get')"])


def test_a_fault_of_the_mark_that_no_test_meets_is_an_error(report: pytest.RunResult) -> None:
    assert _outcomes(report, "5_unmet") == ["PASSED", "PASSED", "ERROR"]
    report.stdout.fnmatch_lines(["crd_server.faults: no request met status 500 (name='x')"])


def test_requests_between_tests_are_judged_with_the_next_test(report: pytest.RunResult) -> None:
    assert _outcomes(report, "6_between") == ["FAILED", "PASSED"]
    report.stdout.fnmatch_lines(['unknown field "spec.bogus"*'])


def test_each_test_begins_with_the_clock_of_its_module(report: pytest.RunResult) -> None:
    assert _outcomes(report, "3_clock") == ["PASSED", "FAILED", "PASSED", "PASSED"]


def test_a_test_without_a_fixture_of_its_own_restores_the_running_clock(report: pytest.RunResult) -> None:
    assert _outcomes(report, "8_running") == ["PASSED"] * 3


def test_an_expected_error_of_a_command_is_no_failure_of_the_test(report: pytest.RunResult) -> None:
    assert _outcomes(report, "7_expected") == ["PASSED"]
