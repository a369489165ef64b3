"""Simulated workloads of `crd_server`: the mark, the setting, holds, and their part of the test report."""

from __future__ import annotations

import pytest
from support.sessions import Folder

pytestmark = pytest.mark.session

_READY = """
import pytest

SPEC = {
    "selector": {"matchLabels": {"a": "b"}},
    "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}},
}

def create(crd_server, name="x"):
    crd_server["deployments"].create({"metadata": {"name": name}, "spec": SPEC})
    return crd_server["deployments"].get(name).get("status", {}).get("readyReplicas") == 1
"""


def _marked(value: object) -> str:
    """Return a test without a mark that simulates workloads if *value* is false, and a test with the mark for *value*."""
    return (
        f"def test_setting(crd_server): assert create(crd_server) is {not value}\n"
        f"@pytest.mark.crd_server(workloads={value})\n"
        f"def test_mark(crd_server): assert create(crd_server) is {value}\n"
    )


_FILES = {
    "test_mark.py": _marked(value=False),
    "test_hold.py": (
        "def test_it(crd_server):\n    crd_server['deployments'].hold('y')\n    assert create(crd_server)\n"
    ),
    "test_shared.py": (
        "def test_first(crd_server_module):\n"
        "    crd_server_module['deployments'].hold('x')\n"
        "    assert not create(crd_server_module)\n"
        "def test_second(crd_server_module):\n"
        "    assert crd_server_module['deployments'].get('x')['status']['readyReplicas'] == 1\n"
        "    crd_server_module['deployments'].hold('z')\n"
    ),
    "test_outside.py": (
        "@pytest.fixture(scope='module', autouse=True)\n"
        "def _held(crd_server_module): crd_server_module['deployments'].hold('w')\n"
        "def test_it(crd_server_module): assert create(crd_server_module)\n"
    ),
}


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> pytest.RunResult:
    """The report of all files in one session that simulates workloads."""
    folder = Folder(tmp_path_factory.mktemp("workloads"))
    folder.crd()
    folder.ini("crd_server_workloads = true")
    for name, text in _FILES.items():
        folder.write(name, f"{_READY}\n{text}")
    return folder.run("-v")


def test_a_setting_simulates_workloads_unless_the_mark_forbids_it(report: pytest.RunResult) -> None:
    report.assert_outcomes(passed=4, failed=2, errors=1)
    report.stdout.fnmatch_lines(["test_mark.py::test_setting PASSED*", "test_mark.py::test_mark PASSED*"])
    report.stdout.fnmatch_lines(["crd: crd_server simulated the status, as nothing runs: 4 Deployment"])


def test_the_mark_simulates_workloads_without_a_setting(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = Folder(tmp_path_factory.mktemp("marked"))
    folder.crd()
    folder.write("test_mark.py", f"{_READY}\n{_marked(value=True)}")

    result = folder.run()

    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["crd: crd_server simulated the status, as nothing runs: 1 Deployment"])


def test_a_hold_that_held_nothing_back_fails_its_test(report: pytest.RunResult) -> None:
    words = "held nothing back: no such object in the namespace default changed"
    report.stdout.fnmatch_lines(["test_hold.py::test_it FAILED*"])
    report.stdout.fnmatch_lines(
        [
            f"crd_server[[]'deployments.apps'[]].hold('y') {words}",
            "simulated, as nothing runs: the status of 1 Deployment",
            "hold: deployments.apps default/y: held nothing back",
        ]
    )


def test_a_hold_on_a_shared_server_ends_with_its_test(report: pytest.RunResult) -> None:
    report.stdout.fnmatch_lines(["test_shared.py::test_first PASSED*", "test_shared.py::test_second FAILED*"])
    report.stdout.fnmatch_lines(["crd_server[[]'deployments.apps'[]].hold('z') held nothing back:*"])
    report.stdout.no_fnmatch_line("*hold('x') held nothing back*")


def test_a_hold_outside_of_the_tests_of_a_shared_server_fails_its_last_test(report: pytest.RunResult) -> None:
    report.stdout.fnmatch_lines(["test_outside.py::test_it PASSED*", "test_outside.py::test_it ERROR*"])
    report.stdout.fnmatch_lines(["crd_server[[]'deployments.apps'[]].hold('w') held nothing back:*"])
