"""Faults and commands of `crd_server` in the report of a test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from support.sessions import Folder

if TYPE_CHECKING:
    from support.sessions import Project

_CLIENT = """
import base64, json, pathlib, ssl, urllib.request, urllib.error, yaml

def get(crd_server, path):
    config = yaml.safe_load(pathlib.Path(crd_server.kubeconfig).read_text())
    authority = base64.b64decode(config["clusters"][0]["cluster"]["certificate-authority-data"]).decode()
    request = urllib.request.Request(crd_server.url + path, headers={"Authorization": "Bearer " + config["users"][0]["user"]["token"], "User-Agent": "operator"})
    try:
        with urllib.request.urlopen(request, context=ssl.create_default_context(cadata=authority)) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)
"""
_PATH = "/apis/stories.example.com/v1/namespaces/default/gardens"


_FILES = {
    "test_seen.py": (
        "import pytest\nfrom client import get\n\n"
        "@pytest.mark.crd_server(faults=[{'status': 503, 'resource': 'gardens'}])\n"
        "def test_it(crd_server):\n"
        f"    assert [get(crd_server, '{_PATH}')[0] for _ in range(2)] == [503, 200]\n"
        "    assert len(crd_server.requests.find(verb='list', resource='gardens', by='operator', code=503)) == 1\n\n"
        "def test_fails(crd_server):\n"
        "    crd_server.faults.random(1, rate=1, resource='gardens')\n"
        f"    get(crd_server, '{_PATH}')\n"
        "    assert 0\n"
    ),
    "test_unmet.py": "def test_it(crd_server): crd_server.faults.cut(verb='patch')\n",
    "test_command.py": (
        "import time\n\n"
        "def test_it(crd_server):\n"
        "    command = crd_server.run_command(['sh', '-c', 'echo $KUBECONFIG; exit 4'], ready=lambda: True)\n"
        "    while command.code is None: time.sleep(0.01)\n"
    ),
}


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> pytest.RunResult:
    """The report of all files in one session."""
    folder = Folder(tmp_path_factory.mktemp("faults"))
    folder.crd()
    folder.write("client.py", _CLIENT)
    for name, text in _FILES.items():
        folder.write(name, text)
    return folder.run("-v")


@pytest.mark.session
def test_a_test_sees_which_requests_met_a_fault(report: pytest.RunResult) -> None:
    report.assert_outcomes(passed=1, failed=3)
    report.stdout.fnmatch_lines(["test_seen.py::test_it PASSED*", "test_seen.py::test_fails FAILED*"])
    report.stdout.fnmatch_lines(
        [
            "*Captured crd_server call*",
            "fault: random faults of seed 1 (resource=?gardens?): 1 request",
            f"operator: GET {_PATH} 504 * (fault: status 504)",
            "crd: crd_server played faults on requests: 1 status 503, 1 status 504",
        ]
    )


@pytest.mark.session
def test_a_fault_that_no_request_meets_fails_the_test(report: pytest.RunResult) -> None:
    report.stdout.fnmatch_lines(["test_unmet.py::test_it FAILED*"])
    report.stdout.fnmatch_lines(["crd_server.faults: no request met cut connection (verb='patch')"])


@pytest.mark.session
def test_a_command_that_ends_during_the_test_fails_it_with_its_output(report: pytest.RunResult) -> None:
    report.stdout.fnmatch_lines(
        [
            "`sh -c 'echo $KUBECONFIG; exit 4'` exited with 4 during the test",
            "*Captured `sh -c *",
            "*/crd_server0/kubeconfig",
        ]
    )


@pytest.mark.long
def test_an_operator_runs_until_the_end_of_the_test(project: Project) -> None:
    project.write(
        "operator.py",
        "import kopf\n\n"
        "@kopf.on.create('stories.example.com', 'v1', 'gardens')\n"
        "def grow(patch, **_): patch.metadata.annotations['grown'] = 'yes'\n",
    )
    project.write(
        "test_it.py",
        "def test_it(crd_server):\n"
        "    operator = crd_server.run_operator('operator.py')\n"
        "    crd_server['gardens'].create({'metadata': {'name': 'a'}})\n"
        "    crd_server['gardens'].wait('a', lambda it: 'grown' in it['metadata'].get('annotations', {}))\n"
        "    assert crd_server.requests.find(verb='patch', resource='gardens', name='a', namespace='default', by='kopf')\n"
        "    print(f'process {operator._group._command.pid}')\n",
    )
    result = project.run("-rP")
    result.assert_outcomes(passed=1)
