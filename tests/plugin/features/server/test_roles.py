"""Roles of `crd_server`: settings, mark, users and reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from support import servers
from support.sessions import Folder

if TYPE_CHECKING:
    from support.sessions import Project

ROLES = """\
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: manager}
rules:
- apiGroups: [stories.example.com]
  resources: [gardens]
  verbs: [list, delete]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: manager}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: manager}
subjects: [{kind: ServiceAccount, name: operator, namespace: ops}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: broken}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: gone}
subjects: [{kind: User, name: jane}]
"""
HEAD = """\
import json, pathlib, ssl, time, urllib.request
import pytest, yaml

OPERATOR = "system:serviceaccount:ops:operator"


def ask(kubeconfig, path):
    config = yaml.safe_load(pathlib.Path(kubeconfig).read_text())
    url, token = config["clusters"][0]["cluster"]["server"], config["users"][0]["user"]["token"]
    request = urllib.request.Request(url + path, headers={"Authorization": "Bearer " + token})
    try:
        with urllib.request.urlopen(request, context=ssl._create_unverified_context()) as response:
            return response.status
    except urllib.error.HTTPError as error:
        with error:
            return json.loads(error.read())["message"]


"""
GARDENS = "/apis/stories.example.com/v1/gardens"
SETTING = "crd_server_rbac = config/rbac"


def _test(project: Project, *lines: str) -> None:
    project.write("config/rbac/roles.yaml", ROLES)
    _write(project, "test_it.py", *lines)


def _write(folder: Folder, name: str, *lines: str) -> None:
    folder.write(name, HEAD + "\n".join(lines) + "\n")


_FILES = {
    "test_kubeconfig.py": (
        "def test_it(crd_server):",
        "    operator = crd_server.kubeconfig_for(OPERATOR)",
        "    assert operator != crd_server.kubeconfig_for(OPERATOR)",
        f"    assert ask(operator, '{GARDENS}') == 200",
        "    assert 'cannot list resource \"pods\"' in ask(operator, '/api/v1/pods')",
        "    assert ask(crd_server.kubeconfig, '/api/v1/pods') == 200",
        "    assert crd_server.forbidden == {OPERATOR + ' cannot list pods at the cluster scope': 1}",
        "    assert [request.user for request in crd_server.requests] == [OPERATOR, OPERATOR, 'kubernetes-admin']",
        "    with pytest.raises(LookupError, match='the nearest subjects are system:serviceaccount:ops:operator'):",
        "        crd_server.kubeconfig_for('system:serviceaccount:ops:manager')",
        "",
        "def test_fails(crd_server):",
        "    for _ in range(2):",
        "        ask(crd_server.kubeconfig_for('bob', ['g'], may_be_unbound=True), '/api/v1/pods')",
        "    assert 0",
    ),
    "test_users.py": (
        "def test_reset(crd_server):",
        "    kubeconfig = crd_server.kubeconfig_for(OPERATOR)",
        f"    assert ask(kubeconfig, '{GARDENS}') == 200",
        "    crd_server.reset()",
        f"    assert ask(kubeconfig, '{GARDENS}') == 200",
        "    assert 'cannot list resource \"pods\"' in ask(kubeconfig, '/api/v1/pods')",
        "",
        "SHOW = ['sh', '-c', 'echo $KUBECONFIG; sleep 60']",
        "",
        "def run(crd_server, **options):",
        "    with crd_server.run_command(SHOW, ready=lambda: True, **options) as command:",
        "        while not command.output: time.sleep(0.01)",
        "        return command.output.strip()",
        "",
        "def test_command(crd_server):",
        "    with pytest.raises(LookupError, match='the server has roles, and the command would be the administrator'):",
        "        run(crd_server)",
        "    with pytest.raises(LookupError, match='the nearest subjects are'):",
        "        run(crd_server, user='system:serviceaccount:ops:operators')",
        "    kubeconfig = run(crd_server, user=OPERATOR)",
        "    assert 'cannot list resource \"pods\"' in ask(kubeconfig, '/api/v1/pods')",
        "    assert run(crd_server, user='kubernetes-admin') == crd_server.kubeconfig",
        "    other = crd_server.kubeconfig_for(OPERATOR)",
        "    assert run(crd_server, environment={'KUBECONFIG': other}) == other",
        "",
        "from pytest_crd.server.runningcommands import CommandError",
        "",
        "def test_operator(crd_server):",
        "    with pytest.raises(LookupError, match='name its user'):",
        "        crd_server.run_operator('operator.py')",
        "    with pytest.raises(CommandError, match='did not get ready'):",
        "        crd_server.run_operator('operator.py', user=OPERATOR, timeout=0.01)",
        "",
        "def test_refusals(crd_server):",
        "    owner = crd_server['configmaps'].create({'metadata': {'name': 'a'}})['metadata']",
        "    reference = {'apiVersion': 'v1', 'kind': 'ConfigMap', 'name': 'a', 'uid': owner['uid']}",
        "    crd_server['configmaps'].create({'metadata': {'name': 'b', 'ownerReferences': [reference]}})",
        "    crd_server['configmaps'].delete('a')",
        "    assert crd_server.requests.find(verb='delete', name='b', by='system:serviceaccount:kube-system:generic-garbage-collector')",
        "    ask(crd_server.kubeconfig, '/api/v1/pods')",
        "    with pytest.raises(LookupError, match='all requests are the administrator'):",
        "        crd_server.forbidden",
        f"    assert ask(crd_server.kubeconfig_for(OPERATOR), '{GARDENS}') == 200",
        "    assert crd_server.forbidden == {}",
        "    crd_server.reset()",
        "    with pytest.raises(LookupError, match='all requests are the administrator'):",
        "        crd_server.forbidden",
    ),
}


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> pytest.RunResult:
    """The report of all files in one session with roles."""
    folder = Folder(tmp_path_factory.mktemp("roles"))
    folder.crd()
    folder.ini(SETTING, "crd_server_garbage_collection = true")
    folder.write("config/rbac/roles.yaml", ROLES)
    folder.write("operator.py", "")
    for name, lines in _FILES.items():
        _write(folder, name, *lines)
    return folder.run("-v", "-rA")


@pytest.mark.session
def test_a_kubeconfig_of_a_user_has_the_rights_of_its_roles(report: pytest.RunResult) -> None:
    report.stdout.fnmatch_lines(["test_kubeconfig.py::test_it PASSED*", "test_kubeconfig.py::test_fails FAILED*"])
    report.stdout.fnmatch_lines(
        [
            "no role allows: bob cannot list pods at the cluster scope (2 times)",
            "crd: crd_server refused requests that no role allows: 2 bob cannot list pods at the cluster scope, 3 system:*",
            "crd: crd_server_rbac: no request needed 1 of 2 permissions",
            "  config/rbac/roles.yaml:5: ClusterRole manager: delete gardens.stories.example.com",
            "crd: config/rbac/roles.yaml:15: warning: ClusterRoleBinding broken binds ClusterRole gone, which does not exist",
        ]
    )


@pytest.mark.session
def test_a_server_with_roles_has_users_for_commands_operators_and_refusals(report: pytest.RunResult) -> None:
    """A reset server has the roles of the project; refusals need requests of another user than the administrator."""
    for name in ("reset", "command", "operator", "refusals"):
        report.stdout.fnmatch_lines([f"test_users.py::test_{name} PASSED*"])


@pytest.mark.long
@pytest.mark.session
def test_all_tests_together_need_the_rules(project: Project) -> None:
    _test(
        project,
        "@pytest.mark.parametrize('path', ['', '/a'])",
        "@pytest.mark.crd_server(rbac=['config/rbac'])",
        "def test_it(crd_server, path):",
        f"    ask(crd_server.kubeconfig_for(OPERATOR), '{GARDENS}' + path)",
    )
    roles = ROLES.replace("[list, delete]", "[list]")
    project.write("config/rbac/roles.yaml", roles)
    result = project.run("-n2", "-p", "xdist", "-p", "pytest_crd.plugin")
    result.assert_outcomes(passed=2)
    result.stdout.no_fnmatch_line("*no request needed*")


@pytest.mark.session
def test_roles_can_be_the_output_of_a_command(project: Project) -> None:
    project.ini("crd_server_rbac_commands = cat config/rbac/roles.yaml")
    _test(
        project, "def test_it(crd_server):", f"    assert ask(crd_server.kubeconfig_for(OPERATOR), '{GARDENS}') == 200"
    )
    project.run().assert_outcomes(passed=1)
    project.run("--crd-server-rbac=config/rbac").assert_outcomes(passed=1)


def test_places_without_roles_fail_the_test(project: Project) -> None:
    project.ini("crd_server_rbac = nowhere")
    _test(
        project,
        "def test_it(crd_server):",
        "    pass",
        "",
        "@pytest.mark.crd_server(rbac='config')",
        "def test_text(crd_server):",
        "    pass",
    )
    result = project.run()
    result.assert_outcomes(errors=2)
    result.stdout.fnmatch_lines(["*nowhere: no such file or folder*", "*rbac='config': a list; write *"])


def test_a_cluster_has_users_of_its_own() -> None:
    server = servers.crd_server(servers.api())
    with pytest.raises(LookupError, match="with --crd-live there are no kubeconfigs for users"):
        server.kubeconfig_for("jane")
