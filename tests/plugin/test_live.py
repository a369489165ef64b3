"""`--crd-live`: what is asked of a server, counted, made there, and removed again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from live.fakeserver import CRDS, NAMESPACES, FakeServer
from live.loopback import Reply, serving

from pytest_crd.live import judge, sandbox

if TYPE_CHECKING:
    from plugin.conftest import Project

REQUESTS = """\
crd: gardens.stories.example.com
create:
- name: it is stored
  input: {spec: {rows: 2}}
  accepted: true
- name: too many
  input: {spec: {rows: 11}}
  error: less than or equal to 10
update:
- name: it grows
  old: {metadata: {finalizers: [stories.example.com/gardener]}, spec: {rows: 2}, status: {phase: Dry}}
  input: {spec: {rows: 3}}
  contains: {spec: {rows: 3}, status: {phase: Dry}}
- name: it grew where more was allowed
  oldCRD:
    patch: [{op: remove, path: /spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/rows/maximum}]
  old: {spec: {rows: 20}}
  input: {spec: {rows: 20, label: a}}
  accepted: true
updateStatus:
- name: it rains
  old: {spec: {rows: 2}}
  input: {status: {phase: Wet}}
  contains: {status: {phase: Wet}}
"""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeServer]:
    """A server, of which nobody waits for anything."""
    monkeypatch.setattr(sandbox, "TURNS_VISIBLE", 0.0)
    monkeypatch.setattr(judge, "_BREATH", 0.0)
    fake = FakeServer()
    with serving(fake) as url:
        fake.url = url
        yield fake


@pytest.fixture
def asked(project: Project) -> Project:
    """A project with requests of all kinds."""
    project.cases(REQUESTS)
    return project


def _live(project: Project, server: FakeServer, *arguments: str) -> pytest.RunResult:
    return project.run("--crd-live", server.url, *arguments)


def _refusing(part: str, code: int, message: str) -> Any:
    """Return what stands before a server and refuses the requests whose URL or body has a part."""

    def interfere(method: str, url: str, body: Any) -> Reply | None:
        if method != "GET" and part in f"{method} {url} {json.dumps(body)}":
            return Reply(code, json.dumps({"kind": "Status", "message": message, "reason": "Other", "code": code}))
        return None

    return interfere


def test_requests_are_asked_and_nothing_is_left(asked: Project, server: FakeServer) -> None:
    result = _live(asked, server)

    result.assert_outcomes(passed=5)
    result.stdout.fnmatch_lines(
        [
            "crd: live: http://127.0.0.1:*, Kubernetes 1.37 (v1.37.0): CRDs in groups of their own",
            "crd: live: 5 agreed, 0 disagreed, 0 not asked, 0 no answer",
        ]
    )
    made = [line for line in server.written() if line.startswith("POST")]
    assert [line.rpartition("/")[0] for line in made if "gardens" not in line] == [
        "POST /api/v1",
        *["POST /apis/apiextensions.k8s.io/v1"] * 2,
    ]
    assert len([line for line in server.log if "dryRun" in line]) == 5
    assert server.names() == []


def test_the_server_is_named_before_anything_is_written_there(asked: Project, server: FakeServer) -> None:
    result = _live(asked, server, "--collect-only", "-q")

    result.stdout.fnmatch_lines(["crd: live: http://127.0.0.1:*, Kubernetes 1.37 (v1.37.0): *"])
    result.stdout.no_fnmatch_line("crd: live: * agreed*")
    assert result.ret == 0
    assert server.written() == []


def test_a_disagreement_fails_the_test_and_can_be_pasted(asked: Project, server: FakeServer) -> None:
    server.interfere = _refusing('"rows": 2}', 422, "no more gardens")

    result = _live(asked, server, "-k", "stored")

    result.assert_outcomes(failed=1, deselected=4)
    result.stdout.fnmatch_lines(
        [
            'test_garden.crd.yaml:3: create case "it is stored": http://127.0.0.1:* answers otherwise',
            "  code:",
            "    server:     422",
            "    pytest-crd: 201",
            "[*][*]Kubernetes version of the server[*][*], and the one that pytest-crd answers for: 1.37 (v1.37.0), 1.37",
            "  name: gardens.stories.example.com",
            "  path: /apis/stories.example.com/v1/namespaces/default/gardens",
            "    apiVersion: stories.example.com/v1",
            "[*][*]What the server answers[*][*]:",
            "message: no more gardens",
            "[*][*]What pytest-crd answers[*][*]:",
            "crd: live: 0 agreed, 1 disagreed, 0 not asked, 0 no answer",
            "FAILED test_garden.crd.yaml::it is stored - live: disagreed: *",
        ]
    )
    result.stdout.no_fnmatch_line("*pytest-crd.example.com*")


def test_a_case_that_is_expected_to_fail_is_no_excuse_for_a_server(project: Project, server: FakeServer) -> None:
    project.cases(
        "crd: gardens.stories.example.com\ncreate:\n- name: a\n  xfail: it is so\n  input: {spec: {rows: 2}}\n"
        "  expected: {spec: {rows: 3}}\n"
    )
    _live(project, server).assert_outcomes(xfailed=1)
    server.interfere = _refusing("dryRun", 422, "no more gardens")

    result = _live(project, server)

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*spec.rows *expected 3, got 2", "*answers otherwise"])


def test_what_is_no_answer_is_neither_a_pass_nor_a_disagreement(asked: Project, server: FakeServer) -> None:
    message = 'admission webhook "gate.example.com" denied the request: not today'
    server.interfere = _refusing("dryRun", 400, message)

    result = _live(asked, server)

    result.assert_outcomes(failed=5)
    result.stdout.fnmatch_lines(
        [
            'test_garden.crd.yaml:3: create case "it is stored": no answer from http://127.0.0.1:*',
            f"  400 {message}",
            "crd: live: 0 agreed, 0 disagreed, 0 not asked, 5 no answer: nothing was answered",
        ]
    )
    assert server.names() == []


def test_a_run_in_which_nothing_is_asked_fails(project: Project, server: FakeServer) -> None:
    project.write("test_it.py", "def test_it(crd): assert crd.name\n")

    result = _live(project, server)

    result.assert_outcomes(passed=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(
        [
            "crd: live: 0 agreed, 0 disagreed, 1 not asked, 0 no answer: nothing was answered",
            "crd: live: 1 not asked: a Python test asks the engine alone",
        ]
    )
    assert server.written() == []


def test_checks_and_samples_are_asked(project: Project, server: FakeServer) -> None:
    project.write(
        "samples/a.yaml",
        "apiVersion: stories.example.com/v1\nkind: Garden\nmetadata: {name: a, namespace: home}\nspec: {rows: 1}\n",
    )
    project.ini("crd_lints = ssatags", "crd_checks = true")

    result = _live(project, server)

    result.assert_outcomes(passed=5)
    result.stdout.fnmatch_lines(
        [
            "crd: live: 4 agreed, 0 disagreed, 1 not asked, 0 no answer",
            "crd: live: 1 not asked: a server says nothing of what deployable looks for",
        ]
    )
    assert server.names() == []
    assert f"POST {NAMESPACES}" in server.log
    assert f"POST {CRDS}?dryRun=All&fieldValidation=Strict" in server.log


def test_passes_are_asked_through_creates(gardener: Project, server: FakeServer) -> None:
    result = _live(gardener, server)

    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines(["crd: live: 3 agreed, 0 disagreed, 0 not asked, 0 no answer"])


def test_passes_that_no_create_stores_are_asked_of_a_crd_that_checks_no_values(
    project: Project, server: FakeServer
) -> None:
    project.cases(
        "crd: gardens.stories.example.com\npruning:\n- name: a\n  input: {spec: {rows: 99, bogus: 1}}\n"
        "  expected: {spec: {rows: 99}}\n- name: b\n  input: {status: {phase: Dry, bogus: 1}}\n"
        "  expected: {status: {phase: Dry}}\n- name: c\n  input: {spec: {rows: many}}\n  expected: {spec: {rows: many}}\n"
    )

    result = _live(project, server)

    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines(
        [
            "crd: live: 2 agreed, 0 disagreed, 1 not asked, 0 no answer",
            "crd: live: 2 agreed: asked of a CRD of the same structure that checks no values",
            "crd: live: 1 not asked: no create stores the object: Garden.*",
        ]
    )


def test_workers_of_xdist_have_namespaces_of_their_own(asked: Project, server: FakeServer) -> None:
    result = _live(asked, server, "-n2")

    result.assert_outcomes(passed=5)
    result.stdout.fnmatch_lines(["crd: live: 5 agreed, 0 disagreed, 0 not asked, 0 no answer"])
    namespaces = {line.split("/")[5] for line in server.log if "/namespaces/pytest-crd-" in line and "gardens" in line}
    assert len(namespaces) == 2
    assert server.names() == []
