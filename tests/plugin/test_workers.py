"""With the workers of pytest-xdist, reports, counts and written files are the same as without."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from support.crds import TABS
from support.sessions import GARDEN, Folder
from support.unfilled import FAILS, FILLED, FIXED, HEAD, UNFILLED

if TYPE_CHECKING:
    from support.sessions import Project

pytestmark = [
    pytest.mark.session,
    pytest.mark.slow,
    pytest.mark.counted("pytest_crd.plugin.features.coverage.hooks", "pytest_crd.plugin.features.fill.hooks"),
]
TURNED = "- name: turned\n  input: {spec: {rows: 11}}\n  expected: {spec: {rows: 11}}\n"
# A case that holds, with a note about it.
NOTED = f"{HEAD}unknownFields: allow\ncreate:\n- {{name: a, input: {{spec: {{labl: x}}}}, accepted: true}}\n"
IN_PYTHON = """\
import pytest

@pytest.mark.crd_cases("*noted.crd.yaml")
def test_it(crd_case, record_property):
    record_property("its", "own")
    crd_case.check()
"""
ANNOTATING = """\
from _pytest._code.code import ExceptionRepr

def pytest_runtest_logreport(report):
    if report.failed and isinstance(report.longrepr, ExceptionRepr):
        crash = report.longrepr.reprcrash
        assert not report.longrepr.reprtraceback.reprentries
        with open("annotations.txt", "a") as file:
            file.write(f"{crash.path}:{crash.lineno}: {crash.message}\\n")
"""


def _ponds(folder: Folder, scope: str = "Namespaced") -> None:
    path = folder.crd("config/crd/bases/ponds.yaml", plural="ponds", kind="Pond")
    text = path.read_text(encoding="utf-8").replace("singular: garden", "singular: pond")
    path.write_text(text.replace("scope: Namespaced", f"scope: {scope}"), encoding="utf-8")


WRITING = ("--crd-checks", "--crd-update", "--crd-cov", "--crd-cov-report=json")


def _lay_out_what_is_written(folder: Folder) -> None:
    folder.crd()
    _ponds(folder)
    folder.write("config/crd/bases/templates.yaml", "kind: CustomResourceDefinition\nspec: {{ .Values.spec }}\n")
    folder.cases(UNFILLED + FAILS + TURNED)
    folder.cases(NOTED, "test_noted.crd.yaml")
    folder.write("conftest.py", "")
    folder.write("test_it.py", IN_PYTHON)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Folder, pytest.RunResult]:
    """A finished run of two workers that writes cases and measures coverage."""
    folder = Folder(tmp_path_factory.mktemp("written"))
    _lay_out_what_is_written(folder)
    return folder, folder.start("-p", "xdist", "-n", "2", *WRITING)


def test_one_process_writes_all_files(written: tuple[Folder, pytest.RunResult]) -> None:
    folder, result = written

    result.assert_outcomes(passed=5 + 10, failed=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert folder.read("test_garden.crd.yaml") == FILLED + FIXED + TURNED
    result.stdout.fnmatch_lines(["crd: 3 cases written:", "crd: 1 case not written:"])


def test_all_workers_have_the_same_checks_and_the_header_is_shown_once(
    written: tuple[Folder, pytest.RunResult],
) -> None:
    _, result = written

    assert [line for line in result.outlines if line.startswith("crd: ") and "written" not in line] == [
        "crd: 2 CRDs, 2 versions from config/crd/bases; Kubernetes 1.37",
        "crd: 10 checks in 2 files",
        "crd: config/crd/bases/templates.yaml: passed over, a Helm template",
        "crd: 1 test that has not passed, or is expected to fail, counts for nothing",
    ]
    result.stdout.no_fnmatch_line("*did you mean*")  # shown with `-v` only


def test_workers_send_their_coverage(written: tuple[Folder, pytest.RunResult], empty: Project) -> None:
    folder, _ = written
    _lay_out_what_is_written(empty)

    empty.run(*WRITING).assert_outcomes(passed=5 + 10, failed=1)

    alone, several = (_report(item) for item in (empty, folder))
    assert several == alone
    assert "properties/spec/properties/rows/maximum:broken" in several["versions"][0]["held"]


def _report(folder: Folder) -> Any:
    return json.loads(folder.read("crd_coverage.json"))


RULE = """\
      rule (config/crd/bases/tabs.yaml:19): self.replicas <= self.max
      self.replicas = 11
      self.max = 10
"""
PRUNED = (
    f"{HEAD}pruning:\n- {{name: a, input: {{spec: {{bogus: {{a: 1}}}}}}, expected: {{spec: {{bogus: {{a: 1}}}}}}}}\n"
)
RULED = """\
crd: tabs.example.com
create:
- {name: accepted, input: {spec: {replicas: 11}}, accepted: true}
- {name: another rule, input: {spec: {replicas: 11}}, errors: [{rule: self.replicas >= self.max}]}
- {name: another error, input: {spec: {replicas: 11}}, errors: [{type: Required}]}
- {name: the rule, input: {spec: {replicas: 11}}, errors: [{rule: self.replicas <= self.max}]}
"""
FAILING = ("-v", "--color=yes", "--crd-checks", "--crd-baseline", "before/gardens.yaml")


def _lay_out_what_fails(folder: Folder) -> None:
    folder.crd("before/gardens.yaml")
    folder.crd().write_text(GARDEN.replace("enum: [clay, sand]", "enum: [clay]"), encoding="utf-8")
    _ponds(folder, "Namespacd")
    folder.write("config/crd/bases/tabs.yaml", TABS)
    folder.cases(f"{PRUNED}- {{name: b, input: {{spec: {{size: 1}}}}, expected: {{spec: {{size: 2}}}}}}\n")
    folder.cases(RULED, "test_tabs.crd.yaml")
    folder.cases(NOTED, "test_noted.crd.yaml")
    folder.write("conftest.py", "")
    folder.write("test_it.py", IN_PYTHON)
    folder.write("conftest.py", ANNOTATING)


@pytest.fixture(scope="module")
def failed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Folder, pytest.RunResult]:
    """A finished run of one worker in which a case of each kind, a check and an upgrade fail."""
    folder = Folder(tmp_path_factory.mktemp("failed"))
    _lay_out_what_fails(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", "200")
        return folder, folder.start("-p", "xdist", "-n", "1", "--junitxml=out.xml", *FAILING)


def _plain(result: pytest.RunResult) -> str:
    return re.sub(r"\x1b\[[\d;]*m", "", "\n".join(result.outlines)) + "\n"


def _failures(output: str) -> list[str]:
    """Return the text of each failure in the output."""
    section = output.split("= FAILURES =")[1].partition("\n")[2]
    lines = [line for line in section.splitlines() if not line.startswith("[gw0]")]
    rendered = re.split(r"\n(?:crd: |-+ generated|\S*=+ short)", "\n".join(lines))[0]
    return [item.partition("\n")[2] for item in re.split(r"(?m)^(?=\S*_{8})", rendered)[1:]]


def test_a_failure_in_a_worker_has_the_same_report(failed: tuple[Folder, pytest.RunResult], empty: Project) -> None:
    _, result = failed
    _lay_out_what_fails(empty)

    here = empty.run(*FAILING)

    result.assert_outcomes(failed=7, passed=16, skipped=1)
    here.assert_outcomes(failed=7, passed=16, skipped=1)
    output = _failures("\n".join(result.outlines))
    assert output == _failures("\n".join(here.outlines))
    assert len(output) == 7
    assert "\x1b[31mrefused\x1b[0m: \x1b[1mspec.soil\x1b[0m (v1)" in output[0]  # upgrades come first
    assert any("expected \x1b[32m2\x1b[0m, got \x1b[31m1\x1b[0m" in item for item in output)


def test_a_failure_in_a_worker_lists_differences_and_causes(failed: tuple[Folder, pytest.RunResult]) -> None:
    output = _plain(failed[1])

    assert (
        'test_garden.crd.yaml:3: pruning case "a"\n'
        "gardens.stories.example.com v1 (config/crd/bases/gardens.yaml:1), Kubernetes 1.37\n"
        "\n"
        "expected:\n"
        '  spec.bogus  expected {"a": 1}, but it is absent (pruned: the schema does not specify it, config/crd/bases/gardens.yaml:20)\n'
    ) in output
    assert '\nFAILED test_garden.crd.yaml::a - spec.bogus pruned, expected {"a": 1}\n' in output
    assert "\n  spec.size  expected 2, got 1\n" in output
    assert "\nFAILED test_garden.crd.yaml::b - spec.size is 1, expected 2\n" in output
    assert "\n  config/crd/bases/ponds.yaml:6: spec.scope: " in output
    assert "\n  refused when created; an update that leaves spec.soil as it is passes\n" in output


def test_a_failure_in_a_worker_explains_the_rule(failed: tuple[Folder, pytest.RunResult]) -> None:
    output = _plain(failed[1])

    assert f"refused (422), but expected to be accepted:\n  spec: Invalid value: too many\n{RULE}" in output
    assert (
        "errors:\n  missing  {rule: \"self.replicas >= self.max\"} ('self.replicas >= self.max' is in no rule of the CRD)\n"
        f"  nearest  spec: Invalid value: too many (another rule)\n{RULE}" in output
    )
    assert f"  unasked  spec: Invalid value: too many\n{RULE}" in output


def test_a_failure_in_a_worker_is_in_junit_and_annotations(failed: tuple[Folder, pytest.RunResult]) -> None:
    folder, _ = failed
    report = folder.read("out.xml")
    annotations = set(folder.read("annotations.txt").splitlines())

    assert 'name="accepted[ponds.stories.example.com]"' in report
    assert 'message="spec.scope: Unsupported value: &quot;Namespacd&quot;' in report
    assert 'message="spec.bogus pruned, expected {&quot;a&quot;: 1}"' in report
    assert len(annotations) == 7  # the refused CRD has one annotation for two checks
    assert "test_garden.crd.yaml:4: spec.size is 1, expected 2" in annotations


def test_workers_run_the_same_ids_and_notes_are_shown_on_demand(
    failed: tuple[Folder, pytest.RunResult],
) -> None:
    lines = _plain(failed[1]).splitlines()
    words = "the schema does not specify it; did you mean spec.label?"

    assert [
        line
        for line in lines
        if line.startswith("crd: ")
        and not any(word in line for word in (" has no default", "cost", "(evaluationerror)"))
    ] == [
        "crd: 3 CRDs, 3 versions from config/crd/bases; Kubernetes 1.37",
        "crd: 15 checks in 3 files",
        "crd: upgrades from before/gardens.yaml: 1 CRD, 0 objects to judge by",
        f"crd: test_it.py::test_it[a]: spec.labl: {words}",
        f"crd: test_noted.crd.yaml::a: spec.labl: {words}",
    ]
    ran = {line.partition("] ")[2].partition("] ")[2].strip() for line in lines if line.startswith("[gw0] [")}
    assert {"PASSED test_noted.crd.yaml::a", "PASSED test_tabs.crd.yaml::the rule"} <= ran


def test_a_worker_without_anything_to_check_fails_the_run(empty: Project) -> None:
    empty.write("conftest.py", "")
    empty.write("test_it.py", "def test_it(): pass\n")

    result = empty.run("-p", "pytest_crd.plugin", "-p", "xdist", "-n", "1", "--crd-checks")

    result.assert_outcomes(passed=1)
    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED


def test_a_controller_that_plans_no_check_itself_passes_the_run(project: Project) -> None:
    result = project.run("-p", "pytest_crd.plugin", "-p", "xdist", "-n", "1", "--crd-checks")

    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(["crd: 5 checks in 1 file"])


def test_a_crashing_worker_is_reported_in_the_output(project: Project) -> None:
    project.write("test_a.py", "import os\ndef test_a():\n    os._exit(3)\n")

    result = project.run("-p", "pytest_crd.plugin", "-p", "xdist", "-n", "1", "--max-worker-restart=0", "--crd-cov")

    result.stdout.fnmatch_lines(["crd: gw0 has crashed: the coverage of its tests is lost"])
