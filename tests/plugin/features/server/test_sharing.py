"""The fixtures `crd_server_module` and `crd_server_session`: servers that several tests share."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from support.sessions import Project

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


def test_the_tests_of_a_module_share_a_server_until_it_is_reset(project: Project) -> None:
    project.write("test_it.py", _TESTS)
    project.write(
        "test_other.py", "import os\n\ndef test_it(): assert 'crd_server' not in os.environ.get('KUBECONFIG', '')\n"
    )
    project.run().assert_outcomes(passed=4)


def test_all_tests_of_a_session_share_a_server(project: Project) -> None:
    for name in ("test_a.py", "test_b.py"):
        project.write(name, "def test_it(crd_server_session): print(crd_server_session.url)\n")
    result = project.run("-rP")
    result.assert_outcomes(passed=2)
    assert len({line for line in result.outlines if line.startswith("https://127.0.0.1")}) == 1


def test_two_servers_at_the_same_time_are_an_error(project: Project) -> None:
    project.write(
        "test_it.py", "def test_it(crd_server_session, crd_server): pass\n\ndef test_next(crd_server_session): pass\n"
    )
    result = project.run()
    result.assert_outcomes(errors=1, passed=1)
    result.stdout.fnmatch_lines(
        ["crd_server and crd_server_session at the same time: clients of a process use one server, so use one fixture"]
    )


def test_faults_and_commands_of_a_test_end_with_it(project: Project) -> None:
    project.write(
        "test_it.py",
        "started = []\n\n"
        "def test_one(crd_server_module):\n"
        "    crd_server_module.faults.delay(1, verb='get')\n\n"
        "def test_two(crd_server_module):\n"
        "    assert crd_server_module.faults.count == 0\n"
        "    started.append(crd_server_module.run_command(['sleep', '60'], ready=lambda: True))\n\n"
        "def test_three(crd_server_module):\n"
        "    assert started[0].code is not None\n",
    )
    result = project.run()
    result.assert_outcomes(failed=1, passed=2)
    result.stdout.fnmatch_lines(["crd_server.faults: no request met delay of 1 s (verb='get')"])


def test_a_fault_of_the_mark_that_no_test_meets_is_an_error(project: Project) -> None:
    project.write(
        "test_it.py",
        "import pytest\n\n"
        "pytestmark = pytest.mark.crd_server(faults=[{'status': 500, 'name': 'x'}])\n\n"
        "def test_one(crd_server_module): pass\n\n"
        "def test_two(crd_server_module): pass\n",
    )
    result = project.run()
    result.assert_outcomes(passed=2, errors=1)
    result.stdout.fnmatch_lines(["crd_server.faults: no request met status 500 (name='x')"])


def test_requests_between_tests_are_judged_with_the_next_test(project: Project) -> None:
    project.ini("crd_server_unknown_fields = error")
    project.write(
        "test_it.py",
        "import pytest\n\n"
        "@pytest.fixture(scope='module')\n"
        "def garden(crd_server_module):\n"
        "    crd_server_module['gardens'].create({'metadata': {'name': 'a'}, 'spec': {'bogus': 1}})\n\n"
        "def test_it(garden): pass\n",
    )
    result = project.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(['unknown field "spec.bogus"*'])


def test_each_test_begins_with_the_clock_of_its_module(project: Project) -> None:
    project.write(
        "test_it.py",
        "import pytest\n\n"
        "@pytest.fixture(scope='module', autouse=True)\n"
        "def clock(crd_server_module):\n"
        "    crd_server_module.clock.freeze('2026-01-01T00:00:00Z')\n"
        "    return crd_server_module.clock\n\n"
        "@pytest.fixture\n"
        "def later(clock):\n"
        "    clock.advance(3600)\n"
        "    yield\n"
        "    clock.advance(3600)\n\n"
        "def test_advances(clock): clock.advance(60)\n\n"
        "def test_fails(clock):\n"
        "    clock.resume()\n"
        "    assert 0\n\n"
        "def test_later(later, clock): assert clock.now().isoformat() == '2026-01-01T01:00:00+00:00'\n\n"
        "def test_reads(clock): assert clock.now().isoformat() == '2026-01-01T00:00:00+00:00'\n",
    )
    project.run("-p", "no:randomly").assert_outcomes(passed=3, failed=1)


def test_a_test_without_a_fixture_of_its_own_restores_the_running_clock(project: Project) -> None:
    project.write(
        "test_it.py",
        "import datetime\n\n"
        "def _lead(server): return server.clock.now() - datetime.datetime.now(datetime.UTC)\n\n"
        "def test_advances(crd_server_session): crd_server_session.clock.advance(3600)\n\n"
        "def test_freezes(crd_server_session): crd_server_session.clock.freeze('2030-01-01T00:00:00Z')\n\n"
        "def test_reads(crd_server_session): assert abs(_lead(crd_server_session).total_seconds()) < 60\n",
    )
    project.run("-p", "no:randomly").assert_outcomes(passed=3)


def test_an_expected_error_of_a_command_is_no_failure_of_the_test(project: Project) -> None:
    project.write(
        "test_it.py",
        "import pytest\n\n"
        "from pytest_crd.server.runningcommands import CommandError\n\n"
        "def test_it(crd_server):\n"
        "    with pytest.raises(CommandError, match='exited with 3 before'):\n"
        "        crd_server.run_command(['sh', '-c', 'exit 3'])\n",
    )
    project.run().assert_outcomes(passed=1)
