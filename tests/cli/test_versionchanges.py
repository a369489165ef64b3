"""`pytest-crd diff --kubernetes-version OLD..NEW`, and the same report after `pytest-crd test` with several versions."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_crd import __main__ as program
from pytest_crd.plugin import testrun
from pytest_crd.plugin.testrun import SessionEnd

pytestmark = pytest.mark.session  # git lists the case files
PREVIEW = "1.38 (preview, not compared with a server)"

CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: tabs.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: tabs, kind: Tab}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              name: {type: string, minLength: 3, maxLength: 10}
              note: {type: string, default: "-"}
"""
COSTLY = (
    CRD.replace("tabs", "caps").replace("Tab", "Cap").rstrip()
    + """
            x-kubernetes-validations:
            - rule: "self.name != self.note"
            - rule: "type(self.name) == type(self.note)"
"""
)
CASES = """\
crd: tabs.example.com
create:
- name: short
  input: {spec: {name: ab}}
  errors:
  - {field: spec.name, type: Invalid}
- name: short, in words
  input: {spec: {name: ab}}
  error: at least 3 chars
- name: short, for any version
  input: {spec: {name: ab}}
  errors:
  - {field: spec.name}
- name: short, as it will be
  input: {spec: {name: ab}}
  errors:
  - {field: spec.name, type: TooShort}
- name: short, by version
  input: {spec: {name: ab}}
  errors:
  - {field: spec.name, type: Invalid}
  errorsUnder:
    "1.38":
    - {field: spec.name, type: TooShort}
- name: later
  input: {spec: {name: ab}}
  errors:
  - {field: spec.name, type: Invalid}
  skip: not yet
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "crds").mkdir()
    (tmp_path / "crds/tabs.yaml").write_text(CRD)
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = program.main(["diff", *arguments])
    output, errors = capsys.readouterr()
    return code, output, errors


def test_a_project_without_a_change_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    code, output, _ = run(capsys, "--kubernetes-version", "1.36..1.37")

    assert (code, output) == (0, "0 of 1 CRD change; 0 of 0 cases change; from Kubernetes 1.36 to 1.37\n")


def test_a_case_that_fails_under_both_versions_is_a_note(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "crd: tabs.example.com\ncreate:\n- {name: short, input: {spec: {name: ab}}, accepted: true}\n"
    (folder / "test_tabs.crd.yaml").write_text(text)

    _, output, _ = run(capsys, "--kubernetes-version", "1.37..1.38")

    assert output == (
        'note: test_tabs.crd.yaml:3: create case "short": fails under both versions\n'
        f"0 of 1 CRD change; 0 of 1 case change; from Kubernetes 1.37 to {PREVIEW}\n"
    )


def test_cases_with_other_words_are_shown_with_the_lines_to_write(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "test_tabs.crd.yaml").write_text(CASES)

    code, output, _ = run(capsys, "--kubernetes-version", "1.37..1.38")

    assert code == 1
    assert output == (
        f'test_tabs.crd.yaml:3: create case "short": holds under Kubernetes 1.37, fails under {PREVIEW}; there, write:\n'
        '    errorsUnder: {"1.38": [{field: spec.name, type: TooShort}]}\n'
        f'test_tabs.crd.yaml:7: create case "short, in words": holds under Kubernetes 1.37, fails under {PREVIEW}; there, write:\n'
        "    errors:\n"
        '    - {field: spec.name, type: TooShort, message: "Too short: must be at least 3 characters"}\n'
        f'test_tabs.crd.yaml:14: create case "short, as it will be": fails under Kubernetes 1.37, holds under {PREVIEW}\n'
        "0 of 1 CRD change; 3 of 5 cases change (2 errors, 1 mended); "
        "from Kubernetes 1.37 to 1.38 (preview, not compared with a server)\n"
    )


def test_a_crd_is_shown_with_the_costs_of_its_rules(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "crds/caps.yaml").write_text(COSTLY)

    code, output, _ = run(capsys, "--kubernetes-version", "1.37..1.38")
    back, refused, _ = run(capsys, "--kubernetes-version", "1.38..1.37")

    assert (code, back) == (0, 1)
    assert output.startswith(f"crds/caps.yaml:1: caps.example.com: refused by Kubernetes 1.37, accepted by {PREVIEW}\n")
    assert refused.startswith(
        f"crds/caps.yaml:1: caps.example.com: accepted by Kubernetes {PREVIEW}, refused by 1.37\n"
    )
    assert refused.count("  cost of v1 ") == 1
    assert "  cost of v1 properties/spec/x-kubernetes-validations/1: 7 -> " in refused
    assert "1 of 2 CRDs change (1 refused)" in refused


def test_a_crd_that_changes_for_other_reasons_has_no_costs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Only 1.36 and newer look at the types of `format`."""
    (folder / "crds/tabs.yaml").write_text(CRD.replace("rule", "rule").replace("name: {", "name: {format: int32, "))

    code, output, _ = run(capsys, "--kubernetes-version", "1.32..1.37")

    assert code == 0, output


def test_a_changed_verdict_and_a_changed_object_have_their_own_kinds(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "crds/tabs.yaml").write_text(
        CRD.replace("maxLength: 10}", "maxLength: 10}\n              small: {type: integer, format: int32}")
    )
    (folder / "test_tabs.crd.yaml").write_text(
        "crd: tabs.example.com\ncreate:\n- name: large\n  input: {spec: {small: 3000000000}}\n  accepted: true\n"
    )

    _, output, _ = run(capsys, "--kubernetes-version", "1.35..1.36")

    assert "1 of 1 case change (1 refused)" in output


@pytest.mark.parametrize(
    ("head", "reason", "expected"),
    [
        ('kubernetesVersion: "1.36"\n', "its cases are of Kubernetes 1.36 alone", 0),
        ("unknown: 1\n", "unknown", 2),
    ],
)
def test_files_that_are_not_compared_are_notes(
    folder: Path, capsys: pytest.CaptureFixture[str], head: str, reason: str, expected: int
) -> None:
    (folder / "test_tabs.crd.yaml").write_text(f"{head}{CASES}")

    code, output, _ = run(capsys, "--kubernetes-version", "1.37..1.38")

    assert code == expected
    assert output.startswith("note: test_tabs.crd.yaml: not compared: ")
    assert reason in output.splitlines()[0]


def test_cases_of_policies_are_left_to_a_test_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "test_policy.crd.yaml").write_text(
        "policy: few\ncases:\n- name: a\n  input: {kind: Tab}\n  accepted: true\n"
    )

    assert "its cases are of a policy" in run(capsys, "--kubernetes-version", "1.37..1.38")[1]


def test_suites_are_compared_without_lines(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "pytest.ini").write_text("[pytest]\ncrd_case_files = *.testsuite.yaml\n")
    (folder / "stable.tabs.testsuite.yaml").write_text(
        "crdName: tabs.example.com\ntests:\n  onCreate:\n  - {name: a, initial: 'spec: {name: ab}', expectedError: 'at least 3 chars'}\n"
    )

    _, output, _ = run(capsys, "--kubernetes-version", "1.37..1.38")

    assert "    # not known: " in output
    assert "1 of 1 case change (1 errors)" in output


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "name the CRDs of users, or two versions, as in --kubernetes-version 1.37..1.38"),
        (("--kubernetes-version", "1.37..1.99"), "unknown Kubernetes version '1.99'"),
        (("crds", "--kubernetes-version", "1.37..1.38"), "is about the project in the current folder"),
    ],
)
def test_other_uses_are_wrong(capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], words: str) -> None:
    code, _, errors = run(capsys, *arguments)

    assert code == 2
    assert words in errors


@pytest.mark.parametrize(
    ("code", "arguments", "is_shown"),
    [
        (pytest.ExitCode.TESTS_FAILED, ("--kubernetes-version", "1.37", "--kubernetes-version", "1.38"), True),
        (pytest.ExitCode.TESTS_FAILED, ("--kubernetes-version", "1.37 1.38"), True),
        (pytest.ExitCode.TESTS_FAILED, ("--kubernetes-version", "1.38"), False),
        (pytest.ExitCode.OK, ("--kubernetes-version", "1.37 1.38"), False),
    ],
)
def test_a_failed_run_of_several_versions_ends_in_their_changes(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    code: pytest.ExitCode,
    arguments: tuple[str, ...],
    is_shown: bool,  # noqa: FBT001 - a parameter of the table
) -> None:
    monkeypatch.setattr(testrun, "run", lambda *_, **__: SessionEnd(code, was_interrupted=False))

    program.main(["test", *arguments])

    line = f"0 of 1 CRD change; 0 of 0 cases change; from Kubernetes 1.37 to {PREVIEW}\n"
    assert capsys.readouterr().out == (line if is_shown else "")
