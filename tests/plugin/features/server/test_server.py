"""The fixture `crd_server`: a server for a test, and its part of the test report."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from support.sessions import Folder

from pytest_crd.plugin.settings.server import ADMISSION_PLUGINS, UNKNOWN_FIELDS, UNVALIDATED
from pytest_crd.plugin.settings.setting import Setting, SettingEntry

if TYPE_CHECKING:
    from support.sessions import Project


def _write(folder: Folder, name: str, *lines: str) -> None:
    folder.write(name, "import pathlib\n\nimport pytest\n\n\n" + "\n".join(lines) + "\n")


def _test(project: Project, *lines: str) -> None:
    _write(project, "test_it.py", *lines)


_LOSES = (
    "def test_it(crd_server):",
    "    crd_server['gardens'].create({'metadata': {'name': 'a'}, 'spec': {'bogus': 1}})",
    "    crd_server['limits'].create({'metadata': {'name': 'a'}, 'dato': {}})",
)
_ASKS_FOR_OTHERS = (
    "def test_it(crd_server):",
    "    import json, ssl, urllib.error, urllib.request, yaml",
    "    user = yaml.safe_load(pathlib.Path(crd_server.kubeconfig).read_text())['users'][0]['user']",
    "    for path in ('/api/v1/componentstatuses', '/apis/example.com/v1/things'):",
    "        headers = {'Authorization': f'Bearer {user[\"token\"]}'}",
    "        asked = urllib.request.Request(crd_server.url + path, headers=headers)",
    "        with pytest.raises(urllib.error.HTTPError, match='404'):",
    "            urllib.request.urlopen(asked, context=ssl._create_unverified_context())",
    "    assert crd_server.unserved == {'ComponentStatus': 1}",
)
_ERRORS = """
import pathlib, ssl, urllib.error, urllib.request

import pytest, yaml

from pytest_crd.server.api import Api

answer = Api.answer

def _answer(self, request):
    return 1 // 0 if request.path == "/version" else answer(self, request)

def _meet(crd_server):
    user = yaml.safe_load(pathlib.Path(crd_server.kubeconfig).read_text())["users"][0]["user"]
    request = urllib.request.Request(f"{crd_server.url}/version", headers={"Authorization": f"Bearer {user['token']}"})
    with pytest.raises(urllib.error.HTTPError, match="500"):
        urllib.request.urlopen(request, context=ssl._create_unverified_context())

@pytest.fixture(autouse=True)
def broken(monkeypatch): monkeypatch.setattr(Api, "answer", _answer)

@pytest.fixture
def at_the_end(crd_server):
    yield
    _meet(crd_server)

def test_in_the_call(crd_server): _meet(crd_server)

def test_that_fails(crd_server):
    _meet(crd_server)
    assert not "shown"

def test_after_the_call(at_the_end): pass
"""
_OWNED = """\
def _is_collected(crd_server):
    owner = crd_server["gardens"].create({"metadata": {"name": "a"}})
    reference = {"apiVersion": owner["apiVersion"], "kind": "Garden", "name": "a", "uid": owner["metadata"]["uid"]}
    crd_server["configmaps"].create({"metadata": {"name": "c", "ownerReferences": [reference]}})
    crd_server["gardens"].delete("a")
    return crd_server["configmaps"].list() == []

def test_setting(crd_server): assert _is_collected(crd_server) is not MARK

@pytest.mark.crd_server(garbage_collection=MARK)
def test_mark(crd_server): assert _is_collected(crd_server) is MARK
"""
# Files of tests without settings.
FILES = {
    "test_own.py": (
        "@pytest.mark.parametrize('number', [1, 2])",
        "def test_it(crd_server, number):",
        "    gardens = crd_server['gardens']",
        "    assert gardens.list() == []",
        "    assert gardens.create({'metadata': {'name': 'a'}})['kind'] == 'Garden'",
        "    assert crd_server.url.startswith('https://127.0.0.1:')",
        "    assert crd_server.url in pathlib.Path(crd_server.kubeconfig).read_text()",
    ),
    "test_marks.py": (
        "pytestmark = pytest.mark.crd_server(namespaces=['team'])",
        "@pytest.mark.crd_server(objects=['objects/*.yaml'], kubernetes_version='1.34')",
        "def test_it(crd_server):",
        "    assert crd_server['gardens'].get('a', namespace='team')['kind'] == 'Garden'",
        "    assert crd_server['configmaps'].get('c')['metadata']['name'] == 'c'",
    ),
    "test_mark.py": ("@pytest.mark.crd_server(namespaces=['x'])", "def test_it(): pass"),
    "test_last.py": (
        "def test_it(crd_server):",
        "    for number in range(12):",
        "        crd_server['gardens'].apply({'metadata': {'name': f'g{number}'}})",
        "    assert 0",
        "def test_other(crd_server): assert 0",
        "def test_without(): assert 0",
        "def test_plain(): pass",
    ),
    "test_polling.py": (
        "def test_it(crd_server):",
        "    import ssl, urllib.request",
        "    gardens = crd_server['gardens']",
        "    gardens.create({'metadata': {'name': 'a'}})",
        "    for _ in range(30):",
        "        gardens.get('a')",
        "    for agent, times in (('operator', 12), ('sidecar', 1)):",
        "        asked = urllib.request.Request(crd_server.url + '/readyz', headers={'User-Agent': agent})",
        "        for _ in range(times):",
        "            urllib.request.urlopen(asked, context=ssl._create_unverified_context()).close()",
        "            gardens.list()",
        "    assert 0",
    ),
    "test_loses.py": _LOSES,
    "test_others.py": _ASKS_FOR_OTHERS,
    "test_collected.py": (_OWNED.replace("MARK", "True"),),
    "test_users.py": (
        "def test_it(crd_server):",
        "    with pytest.raises(LookupError, match='set crd_server_rbac in the ini file'):",
        "        crd_server.kubeconfig_for('system:serviceaccount:ops:operator')",
    ),
    "test_unenforced.py": (
        "def test_it(crd_server):",
        "    crd_server['resourcequotas'].create({'metadata': {'name': 'a'}, 'spec': {'hard': {'pods': '1'}}})",
        "    assert crd_server.unenforced == {'ResourceQuota': 1}",
    ),
}


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> pytest.RunResult:
    """The report of all files in one session."""
    folder = Folder(tmp_path_factory.mktemp("servers"))
    folder.crd()
    folder.write(
        "objects/a.yaml",
        "apiVersion: stories.example.com/v1\nkind: Garden\nmetadata: {name: a, namespace: team}\n"
        "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n",
    )
    for name, lines in FILES.items():
        _write(folder, name, *lines)
    folder.write("test_errors.py", _ERRORS)
    return folder.run("-v")


@pytest.mark.session
def test_each_test_has_a_server_of_its_own_with_the_state_of_its_marks(report: pytest.RunResult) -> None:
    report.assert_outcomes(passed=11, failed=7, errors=1)
    report.stdout.fnmatch_lines(
        ["test_marks.py::test_it PASSED*", "test_own.py::test_it[[]1] PASSED*", "test_own.py::test_it[[]2] PASSED*"]
    )


@pytest.mark.session
def test_a_marker_without_the_fixture_is_reported(report: pytest.RunResult) -> None:
    report.stdout.fnmatch_lines(["test_mark.py::test_it FAILED*"])
    report.stdout.fnmatch_lines(
        ["*crd_server(namespaces=[[]'x'[]]) does nothing: the test has no argument crd_server*"]
    )


@pytest.mark.session
def test_a_failing_test_shows_the_last_requests(report: pytest.RunResult) -> None:
    report.stdout.fnmatch_lines(
        [
            "*Captured crd_server call*",
            "… 2 requests before",
            "pytest-crd: PATCH /apis/stories.example.com/v1/namespaces/default/gardens/g2?fieldManager=pytest-crd 201",
        ]
    )
    # Two failed tests sent no request, and have no such section.
    assert str(report.stdout).count("Captured crd_server call") == 2 + 2


@pytest.mark.session
def test_polling_does_not_hide_the_requests_of_an_operator(report: pytest.RunResult) -> None:
    lines = (
        "… 43 reads of the test itself are left out",
        "pytest-crd: POST /apis/stories.example.com/v1/namespaces/default/gardens 201",
        "operator: GET /readyz 200 (12 times)",
        "sidecar: GET /readyz 200",
    )

    assert "\n".join(lines) in report.stdout.str()


@pytest.mark.session
def test_dropped_fields_unvalidated_objects_and_other_notes_are_reported(report: pytest.RunResult) -> None:
    report.stdout.fnmatch_lines_random(
        [
            "crd: crd_server stored without validation: 1 LimitRange*",
            'crd: *.yaml:*: warning: unknown field "spec.bogus": create of gardens.stories.example.com (new) by pytest-crd',
            'crd: crd_server: warning: unknown field "dato": create of limitranges (new) by pytest-crd',
            "crd: crd_server answered with 404 requests for kinds that only a cluster serves: 1 ComponentStatus",
            "crd: crd_server stored without effect on other requests: *1 ResourceQuota",
        ]
    )
    for name in ("loses", "others", "unenforced"):
        report.stdout.fnmatch_lines([f"test_{name}.py::test_it PASSED*"])


@pytest.mark.session
def test_an_unexpected_error_of_the_server_fails_the_test_that_met_it(report: pytest.RunResult) -> None:
    bug = ["GET /version: pytest-crd has a bug:", "*ZeroDivisionError*"]

    report.stdout.fnmatch_lines(
        ["*ERROR at teardown of test_after_the_call*", *bug, "*test_in_the_call*", *bug, "*test_that_fails*", *bug],
    )


@pytest.mark.session
def test_the_mark_collects_garbage_without_a_setting(report: pytest.RunResult) -> None:
    report.stdout.fnmatch_lines(["test_collected.py::test_setting PASSED*", "test_collected.py::test_mark PASSED*"])


@pytest.mark.session
def test_without_roles_only_the_administrator_has_a_kubeconfig(report: pytest.RunResult) -> None:
    report.stdout.fnmatch_lines(["test_users.py::test_it PASSED*"])


# Files of tests with settings.
SET = {
    "test_collected.py": (_OWNED.replace("MARK", "False"),),
    "test_plugins.py": (
        "def ask(crd_server):",
        "    owner = {'apiVersion': 'v9', 'kind': 'No', 'name': 'a', 'uid': 'b', 'blockOwnerDeletion': True}",
        "    crd_server['configmaps'].create({'metadata': {'name': 'a', 'ownerReferences': [owner]}})",
        "",
        "def test_setting(crd_server):",
        "    with pytest.raises(Exception, match='cannot find RESTMapping for APIVersion v9 Kind No'):",
        "        ask(crd_server)",
        "",
        "@pytest.mark.crd_server(admission_plugins=[])",
        "def test_mark(crd_server): ask(crd_server)",
    ),
    "test_loses.py": _LOSES,
    "test_others.py": _ASKS_FOR_OTHERS,
    "test_coverage.py": (
        "def test_it(crd_server): crd_server['gardens'].create({'metadata': {'name': 'a'}, 'spec': {'size': 4}})",
    ),
}


@pytest.fixture(scope="module")
def set_report(tmp_path_factory: pytest.TempPathFactory) -> pytest.RunResult:
    """The report of a session with settings."""
    folder = Folder(tmp_path_factory.mktemp("settings"))
    folder.crd()
    folder.ini(
        "crd_server_garbage_collection = true",
        "crd_server_admission_plugins = OwnerReferencesPermissionEnforcement",
        "crd_server_unvalidated = error",
    )
    for name, lines in SET.items():
        _write(folder, name, *lines)
    return folder.run("-v", "--crd-cov")


@pytest.mark.session
def test_settings_collect_garbage_and_name_admission_plugins_unless_the_mark_differs(
    set_report: pytest.RunResult,
) -> None:
    set_report.assert_outcomes(passed=5, failed=2)
    for name in ("collected", "plugins"):
        set_report.stdout.fnmatch_lines([f"test_{name}.py::test_setting PASSED*", f"test_{name}.py::test_mark PASSED*"])


@pytest.mark.session
def test_a_setting_turns_notes_about_unvalidated_objects_into_failures(set_report: pytest.RunResult) -> None:
    set_report.stdout.fnmatch_lines(["test_loses.py::test_it FAILED*", "test_others.py::test_it FAILED*"])
    set_report.stdout.fnmatch_lines_random(
        [
            "*LimitRange was stored without validation*",
            "*ComponentStatus is served by a cluster, and not by crd_server*",
        ]
    )


@pytest.mark.session
def test_requests_to_a_server_count_for_coverage(set_report: pytest.RunResult) -> None:
    set_report.stdout.re_match_lines(
        [r"gardens\.stories\.example\.com v1 +63 +0 +12 +51 .*"]
    )  # reached, but no test states an outcome


def test_a_setting_turns_notes_about_dropped_fields_into_failures(project: Project) -> None:
    _test(project, *_LOSES, "def test_other(crd_server): crd_server['limits'].create({'metadata': {'name': 'a'}})")

    result = project.run("-o", "crd_server_unknown_fields=error")

    result.assert_outcomes(failed=1, passed=1)
    result.stdout.fnmatch_lines_random(
        [
            '*unknown field "spec.bogus": create of gardens.stories.example.com*(*.yaml:*)*',
            'unknown field "dato": create of limitranges (new) by pytest-crd',
        ]
    )


@pytest.mark.parametrize(
    ("setting", "value", "words"),
    [
        (
            ADMISSION_PLUGINS,
            ["LimitRanger"],
            "'LimitRanger' is not imitated; there is OwnerReferencesPermissionEnforcement",
        ),
        (UNVALIDATED, "maybe", "'maybe': write note or error"),
        (UNKNOWN_FIELDS, "maybe", "'maybe': write note or error"),
    ],
)
def test_a_wrong_setting_of_servers_is_a_usage_error(setting: Setting[Any], value: object, words: str) -> None:
    with pytest.raises(pytest.UsageError) as error:
        setting.read(SettingEntry(value, setting.ini, Path()))

    assert str(error.value) == f"{setting.ini}: {words}"


def test_with_several_kubernetes_versions_there_is_a_server_of_each(project: Project) -> None:
    project.ini("crd_kubernetes_version = 1.37 1.34")
    _test(
        project,
        "seen = []",
        "",
        "def test_it(crd_server, crds):",
        "    gardens = crd_server['gardens']",
        "    seen.append(crds['Garden'].kubernetes_version)",
        "    with pytest.raises(Exception) as refused:",
        "        gardens.create({'metadata': {'name': 'a'}, 'spec': {'rows': 'many'}})",
        "    pathlib.Path(f'{seen[-1]}.txt').write_text(str(refused.value))",
        "",
        "def test_both():",
        "    assert seen == ['1.37', '1.34']",
    )
    project.run().assert_outcomes(passed=3)
    assert "is invalid: spec.rows: Invalid value" in project.read("1.37.txt")


SERVED = "no server answers as Kubernetes 1.33; write one of 1.34, 1.35, 1.36, 1.37; preview: 1.38"
OR_MARK = ', or @pytest.mark.crd_server(kubernetes_version="1.34") at this test'


@pytest.mark.parametrize(
    ("ini", "options", "place"),
    [
        ("crd_kubernetes_version = 1.33", (), "*.ini:2: crd_kubernetes_version"),
        ("crd_kubernetes_version = 1.37", ("--crd-kubernetes-version=1.33",), "--crd-kubernetes-version"),
    ],
)
def test_a_setting_of_a_version_without_a_server_is_an_error_unless_the_mark_names_another_one(
    project: Project, ini: str, options: tuple[str, ...], place: str
) -> None:
    project.ini(ini)
    _test(
        project,
        "def test_it(crd_server): pass",
        "",
        "@pytest.mark.crd_server(kubernetes_version='v1.34.1')",
        "def test_mark(crd_server): pass",
    )
    result = project.run(*options)

    result.assert_outcomes(errors=1, passed=1)
    result.stdout.fnmatch_lines([f"{place}: {SERVED}{OR_MARK}"])


WRONG_MARKS = {
    "(kubernetes_version='1.1')": "test_it.py:6: the mark crd_server: unknown Kubernetes version '1.1'*",
    "(kubernetes_version='v1.33.1')": f"test_it.py:9: the mark crd_server: {SERVED}",
    "('x')": "*write @pytest.mark.crd_server(kubernetes_version=*",
    "(name='x')": "*write @pytest.mark.crd_server(kubernetes_version=*",
    "(garbage_collection='false')": "*garbage_collection='false': True or False",
    "(admission_plugins=['x'])": "*admission_plugins: 'x' is not imitated; there is OwnerReferences*",
    "(namespaces='x')": "*namespaces='x': a list; write @pytest.mark.crd_server(*",
    "(workloads=['x'])": "workloads=[[]'x'[]]: True or False",
    "(objects=['no.yaml'])": "*no.yaml*",
    "(objects=['bad.yaml'])": "*bad.yaml:1: *no resource is called 'Thing.v9.example'*",
    "(objects=['wrong.yaml'])": "*wrong.yaml:1: *spec.rows*",
    "(faults=[{'status': 418}])": "the mark crd_server: faults: no fault with the status 418: write 409, 429, 500, 503 or 504",
}


def test_marks_that_are_wrong_are_errors(project: Project) -> None:
    project.write("bad.yaml", "apiVersion: v9.example/v1\nkind: Thing\nmetadata: {name: a}\n")
    project.write(
        "wrong.yaml", "apiVersion: stories.example.com/v1\nkind: Garden\nmetadata: {name: a}\nspec: {rows: 99}\n"
    )
    tests = (
        f"@pytest.mark.crd_server{mark}\ndef test_{number}_it(crd_server): pass\n"
        for number, mark in enumerate(WRONG_MARKS)
    )
    _test(project, *tests)
    result = project.run()

    result.assert_outcomes(errors=len(WRONG_MARKS))
    for number, words in enumerate(WRONG_MARKS.values()):
        section = result.stdout.str().partition(f"ERROR at setup of test_{number}_it ")[2].partition("\n____")[0]
        pytest.LineMatcher(section.splitlines()).fnmatch_lines([words])


def test_a_crd_that_servers_refuse_is_reported(project: Project) -> None:
    crd = "config/crd/bases/gardens.yaml"
    project.write(crd, project.read(crd).replace("scope: Namespaced", "scope: Nowhere"))
    _test(project, "def test_it(crd_server): pass")
    result = project.run()

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*gardens.stories.example.com is not accepted*"])


def test_a_missing_extra_is_reported(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pytest_crd.server.httpserver", None)
    monkeypatch.delattr("pytest_crd.server.httpserver", raising=False)
    _test(project, "def test_it(crd_server): pass")
    result = project.run()

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*crd_server needs the extra `server`: pip install 'pytest-crd?server?' (*"])
