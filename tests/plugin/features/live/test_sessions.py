"""`--crd-live`: questions to a server, their counts, and the objects created and removed there."""

from __future__ import annotations

import contextlib
import json
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest
from live.fakeserver import CRDS, NAMESPACES, FakeServer
from live.loopback import Reply, serving
from support import terminals
from support.sessions import Folder

from pytest_crd import engine
from pytest_crd.live import client, lease, sandbox
from pytest_crd.plugin.features.live import lookahead

if TYPE_CHECKING:
    from support.sessions import Project

    Ending = Callable[[str], Project]

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

POLICY = """\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: data}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]}
  validations: [{expression: has(object.data)}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: data}
spec: {policyName: data, validationActions: [Deny]}
"""


@contextlib.contextmanager
def _serve() -> Iterator[FakeServer]:
    fake = FakeServer()
    with pytest.MonkeyPatch.context() as patch, serving(fake) as url:
        patch.setattr(client, "PAUSES", (0.0,) * len(client.PAUSES))
        fake.url = url
        yield fake


@pytest.fixture
def server() -> Iterator[FakeServer]:
    """A fake server, with all pauses set to zero."""
    with _serve() as fake:
        yield fake


@pytest.fixture
def requesting(project: Project) -> Project:
    """A project with requests of all kinds."""
    project.cases(REQUESTS)
    return project


def _live(project: Folder, server: FakeServer, *arguments: str) -> pytest.RunResult:
    return project.run("--crd-live", server.url, *arguments)


def _refusing(part: str, code: int, message: str) -> Any:
    """Return an interceptor that refuses requests with *part* in the URL or body."""

    def interfere(method: str, url: str, body: Any) -> Reply | None:
        if method != "GET" and part in f"{method} {url} {json.dumps(body)}":
            return Reply(code, json.dumps({"kind": "Status", "message": message, "reason": "Other", "code": code}))
        return None

    return interfere


# Many questions in one session


PRUNING = """\
crd: gardens.stories.example.com
pruning:
- {name: a, input: {spec: {rows: 99, bogus: 1}}, expected: {spec: {rows: 99}}}
- {name: b, input: {status: {phase: Dry, bogus: 1}}, expected: {status: {phase: Dry}}}
- {name: c, input: {spec: {rows: many}}, expected: {spec: {rows: many}}}
"""
WRONG = """\
crd: gardens.stories.example.com
create:
- {name: a, skip: not now, input: {}, accepted: true}
update:
- {name: b, old: {spec: {rows: 99}}, input: {}, accepted: true}
"""
PYTHON = """\
import pytest

@pytest.mark.crd_cases("test_garden.crd.yaml")
def test_case(crd_case): crd_case.check()

def test_engine(crd): assert crd.name

def test_exit(): raise SystemExit(7)
"""
SAMPLE = "apiVersion: stories.example.com/v1\nkind: Garden\nmetadata: {name: a, namespace: home}\nspec: {rows: 1}\n"
Agreed = tuple[FakeServer, pytest.RunResult]


@pytest.fixture(scope="module")
def agreed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Agreed]:
    """A server, and the result of a session that compares cases, checks, samples and an upgrade with it."""
    folder = Folder(tmp_path_factory.mktemp("agreed"))
    folder.crd()
    folder.crd("before/gardens.yaml")
    folder.cases()
    for name, text in (("requests", REQUESTS), ("pruning", PRUNING), ("wrong", WRONG)):
        folder.cases(text, f"test_{name}.crd.yaml")
    folder.write("test_python.py", PYTHON)
    folder.write("samples/a.yaml", SAMPLE)
    folder.ini("crd_lints = ssatags", "crd_checks = true", "crd_baseline = before", "crd_paths = config")
    with _serve() as fake:
        yield fake, _live(folder, fake, "-v")


@pytest.mark.session
def test_requests_are_sent_and_no_object_is_left(agreed: Agreed) -> None:
    """Cases of passes are compared by creates; a test that exits ends nothing."""
    server, result = agreed

    result.assert_outcomes(passed=24, failed=2, skipped=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["test_python.py::test_exit FAILED*"])
    result.stdout.fnmatch_lines(
        [
            "crd: live: http://127.0.0.1:*, Kubernetes 1.37 (v1.37.0): CRDs in groups of their own",
            "crd: live: 17 agreed, 0 disagreed, 8 not asked, 0 no answer",
        ]
    )
    created = [line for line in server.written() if line.startswith("POST")]
    assert [line.rpartition("/")[0] for line in created if "gardens" not in line] == [
        "POST /api/v1",
        *["POST /apis/apiextensions.k8s.io/v1"] * 3,
    ]
    assert len([line for line in server.log if "dryRun" in line]) == 17
    assert server.names() == []


@pytest.mark.session
def test_checks_and_samples_are_sent_to_the_server(agreed: Agreed) -> None:
    server, result = agreed

    result.stdout.fnmatch_lines(["samples/a.yaml::samples[[]Garden/a] PASSED*"])
    result.stdout.fnmatch_lines(["crd: live: 1 not asked: no request asks what the check 'deployable' looks for"])
    assert f"POST {NAMESPACES}" in server.log
    assert f"POST {CRDS}?dryRun=All&fieldValidation=Strict" in server.log


@pytest.mark.session
def test_passes_that_no_create_stores_are_compared_on_a_crd_without_validation(agreed: Agreed) -> None:
    agreed[1].stdout.fnmatch_lines(
        [
            "crd: live: 2 agreed: asked of a CRD of the same structure that checks no values",
            "crd: live: 1 not asked: no create stores the object: Garden.*",
        ]
    )


@pytest.mark.session
def test_cases_in_python_tests_are_sent_and_upgrades_are_not(agreed: Agreed) -> None:
    agreed[1].stdout.fnmatch_lines(
        [
            "crd: live: 1 not asked: a Python test asks the engine alone",
            "crd: live: 1 not asked: what an upgrade does is asked of the engine alone",
        ]
    )


@pytest.mark.session
def test_a_case_that_is_wrong_or_skipped_is_not_sent(agreed: Agreed) -> None:
    # Of two checks without an answer, and of the wrong case.
    agreed[1].stdout.fnmatch_lines(
        [
            "*'old' of update case \"b\" is not valid under its CRD*",
            "crd: live: 3 not asked: the test itself asks nothing that has an answer",
        ]
    )


DISPUTED = """\
crd: gardens.stories.example.com
create:
- {name: it is stored, input: {spec: {rows: 2}}, accepted: true}
- {name: it is lost, input: {spec: {rows: 3}}, accepted: true}
- {name: known, xfail: it is so, input: {spec: {rows: 4}}, expected: {spec: {rows: 5}}}
- {name: known here alone, xfail: it is so, input: {spec: {rows: 6}}, expected: {spec: {rows: 7}}}
"""
LOST = 'admission webhook "gate.example.com" denied the request: not today'


@pytest.fixture(scope="module")
def disputed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Agreed]:
    """A server, and the result of a session with disagreements and without some answers."""
    folder = Folder(tmp_path_factory.mktemp("disputed"))
    folder.crd()
    folder.cases(DISPUTED)
    refusals = (
        *(_refusing(f'"rows": {rows}}}', 422, "no more gardens") for rows in (2, 6)),
        _refusing('"rows": 3}', 400, LOST),
    )
    with _serve() as fake:
        fake.interfere = lambda *asked: next(filter(None, (refuse(*asked) for refuse in refusals)), None)
        yield fake, _live(folder, fake)


@pytest.mark.session
def test_a_disagreement_fails_the_test_and_has_a_text_for_an_issue(disputed: Agreed) -> None:
    _, result = disputed

    result.assert_outcomes(failed=3, xfailed=1)
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
            "crd: live: 1 agreed, 2 disagreed, 0 not asked, 1 no answer",
            "FAILED test_garden.crd.yaml::it is stored - live: disagreed: *",
        ]
    )
    result.stdout.no_fnmatch_line("*pytest-crd.example.com*")


@pytest.mark.session
def test_a_case_that_is_expected_to_fail_is_no_excuse_for_a_server(disputed: Agreed) -> None:
    disputed[1].stdout.fnmatch_lines(["*spec.rows *expected 7, got 6", "*known here alone*answers otherwise"])
    disputed[1].stdout.no_fnmatch_line("*expected 5, got 4*")


@pytest.mark.session
def test_a_missing_answer_is_neither_agreement_nor_disagreement(disputed: Agreed) -> None:
    server, result = disputed

    result.stdout.fnmatch_lines(
        ['test_garden.crd.yaml:4: create case "it is lost": no answer from http://127.0.0.1:*', f"  400 {LOST}"]
    )
    assert server.names() == []


# Parts of a session


def test_a_server_of_another_version_is_named_before_anything_is_written_there(
    requesting: Project, server: FakeServer
) -> None:
    server.minor = "36"

    result = _live(requesting, server, "--collect-only", "-q", "--crd-kubernetes-version", "1.37")

    result.stdout.fnmatch_lines(
        [
            "crd: live: http://127.0.0.1:*, Kubernetes 1.36 (v1.36.0): CRDs in groups of their own",
            "crd: live: tests answer for Kubernetes 1.37, and are compared as 1.36",
        ]
    )
    result.stdout.no_fnmatch_line("crd: live: * agreed*")
    assert result.ret == 0
    assert server.written() == []


def test_a_terminal_shows_the_number_of_installed_crds(
    requesting: Project, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lookahead, "_PAUSE", 0.002)

    result = _live(terminals.attach(requesting, monkeypatch), server)

    result.assert_outcomes(passed=5)
    output = [line for line in terminals.lines(result) if line.startswith("crd: live: CRDs on the server: ")]
    assert output
    assert {line.rpartition(" ")[2] for line in output} <= {"0", "1", "2"}


def test_a_run_without_questions_fails(project: Project, server: FakeServer) -> None:
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


# How a run ends

KILLED = "os.kill(os.getpid(), signal.SIG{})"
# The plugin of hypothesis imports hypothesis at the end of every session.
OF_PROCESS = ("-p", "no:cacheprovider", "-p", "no:hypothesispytest")


@pytest.fixture
def ending(requesting: Project) -> Ending:
    """Make a project with requests, after which a test ends the run in some way."""

    def make(how: str) -> Project:
        requesting.write("test_it.py", f"import contextlib, os, signal, urllib.request\ndef test_it(): {how}\n")
        return requesting

    return make


@pytest.fixture
def ctrl_c() -> Iterator[None]:
    """Let processes be interrupted by Ctrl-C also where it is ignored, as it is in the background of a shell."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def _signalled(pytester: pytest.Pytester, server: FakeServer) -> pytest.RunResult:
    """Run the cases and the test that ends the run in a process of their own."""
    return pytester.runpytest_subprocess(*OF_PROCESS, "--crd-live", server.url, timeout=120)


@pytest.mark.counted("pytest_crd.plugin.features.live.hooks", "pytest_crd.plugin.settings.live")
@pytest.mark.slow
@pytest.mark.parametrize("by", [pytest.param("INT", id="Ctrl-C"), pytest.param("TERM", id="SIGTERM")])
def test_nothing_is_left_however_a_run_ends(
    ending: Ending, pytester: pytest.Pytester, server: FakeServer, by: str, ctrl_c: None
) -> None:
    ending(KILLED.format(by))

    result = _signalled(pytester, server)

    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["crd: live: 5 agreed, *"])
    assert any(line.startswith(f"POST {CRDS}") for line in server.log)
    assert server.names() == []


def test_nothing_is_left_after_an_error_of_pytest_itself(requesting: Project, server: FakeServer) -> None:
    requesting.write(
        "conftest.py", "def pytest_runtest_logfinish(nodeid):\n    if 'grows' in nodeid:\n        raise OSError\n"
    )

    result = _live(requesting, server)

    assert result.ret == pytest.ExitCode.INTERNAL_ERROR
    assert server.names() == []


@pytest.mark.counted("pytest_crd.plugin.features.live.hooks", "pytest_crd.plugin.settings.live")
@pytest.mark.slow
def test_objects_of_a_killed_run_are_named_by_the_next_and_removed_an_hour_after_their_lease(
    ending: Ending, pytester: pytest.Pytester, server: FakeServer
) -> None:
    project = ending(KILLED.format("KILL"))
    _signalled(pytester, server)
    remaining = server.names()
    assert [name.rpartition("/")[0] for name in remaining] == [NAMESPACES, CRDS, CRDS]

    result = _live(project, server, "-k", "stored")

    result.stdout.fnmatch_lines(["crd: live: left alone, of another run or not ours: [0-9]* objects (-v names them)"])
    assert server.names() == remaining
    for name in remaining:
        server.objects[name]["metadata"]["annotations"][lease.ANNOTATION] = "2026-01-01T00:00:00Z"
    server.objects[remaining[0]]["metadata"]["labels"] = {}
    result = _live(project, server, "-k", "stored")
    result.stdout.fnmatch_lines(
        [
            "crd: live: removed leftovers of an earlier run: 2 objects (-v names them)",
            "crd: live: left alone, of another run or not ours: namespace/*",
        ]
    )
    assert server.names() == remaining[:1]


def test_after_a_lost_connection_leftovers_are_named_with_a_remedy(ending: Ending, server: FakeServer) -> None:
    def interfere(_: str, url: str, __: Any) -> Reply | None:
        if url == "/lose":
            server.interfere = lambda *_: Reply(0)
        return None

    server.interfere = interfere

    result = _live(
        ending(f"\n    with contextlib.suppress(OSError): urllib.request.urlopen('{server.url}/lose')"), server
    )

    result.stdout.fnmatch_lines(
        [
            "crd: live: the server does not answer any more: GET *",
            "crd: live: left on the server: namespace/pytest-crd-*, customresourcedefinition/gardens.*; to remove it: *",
        ]
    )
    command = "kubectl --server http://127.0.0.1:* delete customresourcedefinitions,namespaces -l pytest-crd.example.com/run=*"
    result.stdout.fnmatch_lines([f"*; to remove it: {command}"])
    assert server.names() != []


def test_leftovers_are_named_if_the_removal_is_interrupted(
    requesting: Project,
    pytester: pytest.Pytester,
    server: FakeServer,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def interrupted(box: sandbox.Sandbox) -> None:
        box._is_over.set()
        raise KeyboardInterrupt

    monkeypatch.setattr(sandbox.Sandbox, "end", interrupted)

    with pytest.raises(KeyboardInterrupt):
        pytester.inline_run("-p", "no:cacheprovider", "--crd-live", server.url)

    output = capsys.readouterr().out
    assert "crd: live: left on the server: namespace/pytest-crd-" in output
    assert "; to remove it: kubectl --server http://127.0.0.1:" in output
    assert server.names() != []


@pytest.mark.counted("pytest_crd.plugin.features.live.hooks", "pytest_crd.plugin.settings.live")
@pytest.mark.slow
def test_objects_of_all_workers_are_removed_even_if_one_is_killed(ending: Ending, server: FakeServer) -> None:
    result = _live(ending(KILLED.format("KILL")), server, "-p", "pytest_crd.plugin", "-p", "xdist", "-n2", *OF_PROCESS)

    result.assert_outcomes(passed=5, failed=1)
    result.stdout.fnmatch_lines(["crd: live: 5 agreed, 0 disagreed, 0 not asked, 0 no answer"])
    namespaces = {line.split("/")[5] for line in server.log if "/namespaces/pytest-crd-" in line and "gardens" in line}
    assert len(namespaces) == 2
    assert server.names() == []


def test_crds_are_created_side_by_side_during_the_first_test(
    project: Project, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lookahead, "_AHEAD", 1)
    project.crd("config/crd/bases/ponds.yaml", plural="ponds", kind="Pond")
    case = "create:\n- name: a\n  input: {spec: {rows: 1}}\n  accepted: true\n"
    for plural in ("gardens", "ponds"):
        project.cases(f"crd: {plural}.stories.example.com\n{case}", name=f"test_{plural}.crd.yaml")

    def interfere(_: str, url: str, __: Any) -> Reply | None:
        created = [name for name in server.objects if name.startswith(CRDS)]
        return Reply(429) if "/gardens?dryRun" in url and len(created) < 2 else None

    server.interfere = interfere

    result = _live(project, server)

    result.assert_outcomes(passed=2)
    assert server.names() == []


# Questions that are sent, and questions that are not


def test_foreseen_questions_are_those_of_the_running_test(requesting: Project, server: FakeServer) -> None:
    """A server that does not list remnants is used all the same."""
    requesting.write(
        "conftest.py",
        "def pytest_collection_modifyitems(items):\n"
        "    for item in items:\n"
        "        item.bound.ask = lambda: (_ for _ in ()).throw(ValueError)\n",
    )
    server.interfere = lambda method, url, _: (
        Reply(403, '{"message": "no"}') if (method, url) == ("GET", CRDS) else None
    )

    result = _live(requesting, server)

    result.assert_outcomes(passed=5)
    result.stdout.fnmatch_lines(
        [
            "crd: live: whether earlier runs have left something is not known: GET http://*: 403 no",
            "crd: live: 5 agreed, *",
        ]
    )


def test_a_disagreement_is_coloured_and_whole_in_junit(requesting: Project, server: FakeServer) -> None:
    """The arguments may be in a file, which is the command line; answers to foreseen questions of another test do not count."""
    requesting.write(
        "conftest.py",
        "def pytest_collection_modifyitems(items):\n"
        "    first, second = (item.bound.run for item in items[:2])\n"
        "    items[0].bound.run, items[1].bound.run = second, first\n",
    )
    server.interfere = _refusing('"rows": 2}', 422, "no more gardens")
    arguments: tuple[str, ...] = (
        f"--crd-live={server.url}",
        "-k",
        "stored or many",
        "--color=yes",
        "--junitxml=report.xml",
        "-q",
    )
    if pytest.version_tuple >= (8, 2):  # since then, pytest reads arguments from files
        requesting.write("arguments", "\n".join((*arguments, "")))
        arguments = ("@arguments",)

    result = requesting.run(*arguments)

    result.stdout.fnmatch_lines(['*create case "it is stored": http* answers otherwise*'])
    result.stdout.fnmatch_lines(["*crd: live: 1 agreed, 1 disagreed, *"])
    report = requesting.read("report.xml")
    assert "What pytest-crd answers" in report
    verdicts = {
        case.get("name"): [item.get("value") for item in case.iter("property") if item.get("name") == "crd_live"]
        for case in ET.fromstring(report).iter("testcase")  # noqa: S314 - of this test
    }
    assert verdicts == {"it is stored": ["disagreed"], "too many": ["agreed"]}


def test_installed_crds_are_used_and_nothing_is_created(requesting: Project, server: FakeServer) -> None:
    """No policy is created either, and questions of later tests count for no coverage."""
    read = engine.load([requesting.path / "config/crd/bases/gardens.yaml"])[0]
    with contextlib.closing(client.Server(server.url)) as second:
        second.ask("POST", CRDS, dict(read.manifest))
    server.log.clear()
    requesting.write("policies.yaml", POLICY)
    requesting.ini("crd_policies = policies.yaml")
    data = "{name: data, input: {apiVersion: v1, kind: ConfigMap, data: {a: b}}, accepted: true}"
    wrong = "{name: no data, input: {apiVersion: v1, kind: ConfigMap}, accepted: true}"
    requesting.cases(f"policy: data\ncases: [{data}, {wrong}]\n", "test_sizes.crd.yaml")

    result = _live(requesting, server, "--crd-live-installed", "--crd-cov")

    result.assert_outcomes(passed=6, failed=1)
    result.stdout.fnmatch_lines(
        [
            "crd: live: http://127.0.0.1:*, Kubernetes 1.37 (v1.37.0): the CRDs that are installed, by dry runs",
            "crd: live: 2 agreed, 0 disagreed, 5 not asked, 0 no answer",
            "crd: live: 3 not asked: an update needs a stored object, which might wake an operator",
            "crd: live: 2 not asked: a policy of the project would be created beside the CRDs that are installed",
        ]
    )
    result.stdout.fnmatch_lines(["policies.yaml:1: data: 1 of 2 results", "  not seen: validations[[]0] fails"])
    assert server.written() == []
    assert server.names() == [f"{CRDS}/gardens.stories.example.com"]


def test_a_session_without_a_terminal_compares_all_the_same(requesting: Project, server: FakeServer) -> None:
    result = _live(requesting, server, "-p", "no:terminal")

    assert result.ret == 0
    assert len([line for line in server.log if "dryRun" in line]) == 5
    assert server.names() == []


# The command line


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--crd-live", "nothing"), "--crd-live: */nothing: neither a URL (http://…) nor the file of a kubeconfig"),
        (("--crd-live=",), "--crd-live: write one URL|KUBECONFIG, once"),
        (("--crd-live", "http://a", "--crd-live", "http://b"), "--crd-live: write one URL|KUBECONFIG, once"),
        (("--crd-live-installed",), "--crd-live-installed does nothing without --crd-live: name the server"),
        (("--crd-live-context", "a"), "--crd-live-context does nothing without --crd-live: name the server"),
    ],
)
def test_a_mistake_on_the_command_line_is_a_usage_error(
    project: Project, arguments: tuple[str, ...], message: str
) -> None:
    result = project.run(*arguments)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {message}"])


def test_the_path_of_a_kubeconfig_is_no_part_of_the_project(project: Project) -> None:
    path = project.write("elsewhere/config", "{}")

    result = project.run("--crd-live", path, "--crd-live-context", "mine")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: --crd-live: write --crd-live={path}: pytest takes a separate path *"])


@pytest.mark.parametrize("is_skipped", [True, False])
def test_a_certificate_that_is_not_verified_is_named_once_and_warned_of_never(
    requesting: Project, server: FakeServer, *, is_skipped: bool
) -> None:
    certificate = Path(__file__).parents[3] / "live/selfsigned.pem"
    with serving(server, certificate=certificate) as url:
        cluster = {"server": url, "insecure-skip-tls-verify": is_skipped}
        context = {"name": "mine", "context": {"cluster": "c", "user": "u"}}
        content = {
            "clusters": [{"name": "c", "cluster": cluster}],
            "contexts": [context],
            "users": [{"name": "u", "user": {}}],
        }
        path = requesting.write("elsewhere/config", json.dumps(content))

        result = requesting.run(f"--crd-live={path}", "--crd-live-context", "mine", "-W", "error", "-k", "stored")

    if is_skipped:
        result.assert_outcomes(passed=1, deselected=4)
        result.stdout.fnmatch_lines([f"crd: live: {url}, Kubernetes 1.37 (v1.37.0): *", "crd: live: 1 agreed, *"])
        line = "crd: live: its certificate is not verified: the kubeconfig says insecure-skip-tls-verify"
        assert result.outlines.count(line) == 1
        result.stdout.no_fnmatch_line("*Unverified HTTPS request*")
        result.stdout.no_fnmatch_line("*warning*")
    else:
        result.stderr.fnmatch_lines(["*CERTIFICATE_VERIFY_FAILED*"])


@pytest.mark.parametrize("way", ["ini", "environment"])
def test_no_file_and_no_environment_makes_a_run_write_to_a_server(
    project: Project, server: FakeServer, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if way == "ini":
        project.ini(f"addopts = --crd-live {server.url}")
    else:
        monkeypatch.setenv("PYTEST_ADDOPTS", f"--crd-live {server.url}")

    result = project.run()

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --crd-live: on the command line only, never in addopts or PYTEST_ADDOPTS"])
    assert server.log == []


@pytest.mark.slow
def test_a_session_without_a_server_imports_no_client(requesting: Project, pytester: pytest.Pytester) -> None:
    requesting.write(
        "conftest.py",
        "import sys\ndef pytest_sessionfinish(): print([name for name in sys.modules if name.startswith(('pytest_crd.live', 'pytest_crd.plugin.features.'))])\n",
    )

    result = pytester.runpytest_subprocess(*OF_PROCESS, "-s")

    result.stdout.fnmatch_lines(["*[[]]"])
