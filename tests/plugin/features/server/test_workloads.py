"""Simulated workloads of `crd_server`: the mark, the setting, holds, and their part of the test report."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from support.sessions import Project

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


@pytest.mark.parametrize("is_set", [True, False])
def test_a_setting_and_the_mark_simulate_workloads(project: Project, is_set: bool) -> None:  # noqa: FBT001 - a row of the table
    if is_set:
        project.ini("crd_server_workloads = true")
    project.write(
        "test_it.py",
        f"{_READY}\ndef test_setting(crd_server): assert create(crd_server) is {is_set}\n"
        f"@pytest.mark.crd_server(workloads={not is_set})\n"
        f"def test_mark(crd_server): assert create(crd_server) is {not is_set}\n",
    )
    result = project.run()

    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["crd: crd_server simulated the status, as nothing runs: 1 Deployment"])


def test_a_mark_with_another_value_is_an_error(project: Project) -> None:
    project.write("test_it.py", f"{_READY}\n@pytest.mark.crd_server(workloads=['x'])\ndef test_it(crd_server): pass\n")
    result = project.run()

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([r"workloads=[[]'x'[]]: True or False"])


def test_a_hold_that_held_nothing_back_fails_its_test(project: Project) -> None:
    project.ini("crd_server_workloads = true")
    project.write(
        "test_it.py",
        f"{_READY}\ndef test_it(crd_server):\n    crd_server['deployments'].hold('y')\n    assert create(crd_server)\n",
    )
    result = project.run()

    result.assert_outcomes(failed=1)
    words = "held nothing back: no such object in the namespace default changed"
    result.stdout.fnmatch_lines(
        [
            f"crd_server[[]'deployments.apps'[]].hold('y') {words}",
            "simulated, as nothing runs: the status of 1 Deployment",
            "hold: deployments.apps default/y: held nothing back",
        ]
    )


def test_a_hold_on_a_shared_server_ends_with_its_test(project: Project) -> None:
    project.ini("crd_server_workloads = true")
    project.write(
        "test_it.py",
        f"{_READY}\n"
        "def test_first(crd_server_module):\n"
        "    crd_server_module['deployments'].hold('x')\n"
        "    assert not create(crd_server_module)\n"
        "def test_second(crd_server_module):\n"
        "    assert crd_server_module['deployments'].get('x')['status']['readyReplicas'] == 1\n"
        "    crd_server_module['deployments'].hold('z')\n",
    )
    result = project.run()

    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["crd_server[[]'deployments.apps'[]].hold('z') held nothing back:*"])
    result.stdout.no_fnmatch_line("*hold('x') held nothing back*")


def test_a_hold_outside_of_the_tests_of_a_shared_server_fails_its_last_test(project: Project) -> None:
    project.ini("crd_server_workloads = true")
    project.write(
        "test_it.py",
        f"{_READY}\n"
        "@pytest.fixture(scope='module', autouse=True)\n"
        "def _held(crd_server_module): crd_server_module['deployments'].hold('y')\n"
        "def test_it(crd_server_module): assert create(crd_server_module)\n",
    )
    result = project.run()

    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["crd_server[[]'deployments.apps'[]].hold('y') held nothing back:*"])
