"""The output of `pytest-crd test`: a line about CRDs, failures, and totals; everything else with `-v`."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

import pytest

from pytest_crd import __main__ as program

if TYPE_CHECKING:
    from support.sessions import Project

pytestmark = pytest.mark.session
Lines: TypeAlias = "Callable[..., list[str]]"

WRONG = "crd: gardens.stories.example.com\ncreate:\n- {name: many, input: {spec: {rows: 11}}, accepted: true}\n"


@pytest.fixture
def lines(
    project: Project, sessions_here: None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Lines:
    """Run the command in a project with a CRD, and return the lines of its output."""
    del sessions_here
    monkeypatch.chdir(project.path)
    project.crd("old/gardens.yaml")

    def run(*arguments: str) -> list[str]:
        capsys.readouterr()
        program.main(["test", "--baseline=old", *arguments])
        return capsys.readouterr().out.splitlines()

    return run


FOUND = (
    "crd: 1 CRD, 1 version from config/crd/bases; 5 checks in 1 file; upgrades from old: 1 CRD, 0 objects to judge by; "
    "Kubernetes 1.37"
)


def test_a_run_that_passes_prints_what_was_found_and_the_totals(lines: Lines) -> None:
    first, blank, totals = lines()

    assert (first, blank) == (FOUND, "")
    assert totals.startswith("6 passed in ")


def test_a_failure_stands_between_them(project: Project, lines: Lines) -> None:
    project.cases(WRONG)

    output = lines()

    assert output[:3] == [FOUND, "", 'test_garden.crd.yaml:3: create case "many"']
    assert output[-2] == ""
    assert output[-1].startswith("1 failed, 6 passed in ")
    assert not [line for line in output if line.startswith(("=", "_", "FAILED", "."))]


def test_a_file_that_cannot_be_collected_is_written_like_a_failure(project: Project, lines: Lines) -> None:
    project.cases("crd: gardens.stories.example.com\ncreate:\n- {nam: b, input: {}, accepted: true}\n")

    output = lines()

    assert output[:3] == [
        FOUND,
        "",
        "test_garden.crd.yaml:3: unknown key 'nam' in create case #1; did you mean 'name'?",
    ]
    assert output[-1].startswith("6 passed, 1 error in ")


def test_with_v_pytest_prints_its_lines(project: Project, lines: Lines) -> None:
    project.cases(WRONG)

    output = lines("--", "-v")

    assert "crd: 5 checks in 1 file" in output
    assert any(line.startswith("FAILED test_garden.crd.yaml::many") for line in output)


def test_options_of_pytest_about_its_output_count(project: Project, lines: Lines) -> None:
    project.cases(WRONG)

    output = lines("--", "-rf", "--tb=line")
    assert [line for line in output if line.startswith("FAILED")]
    assert any(line.startswith("test_garden.crd.yaml:3: refused: spec.rows") for line in output)
    assert lines("--", "-q")[0] == ""
    assert "<CaseItem many>" in "\n".join(lines("--", "--collect-only"))


def test_settings_of_the_project_that_do_not_concern_crds_do_not_count(project: Project, lines: Lines) -> None:
    project.ini("log_cli = true", "log_cli_level = DEBUG", "minversion = 99.0", "console_output_style = count")

    assert lines()[0] == FOUND


def test_notes_are_counted_unless_something_is_left_out_by_mistake(project: Project, lines: Lines) -> None:
    project.write("config/crd/bases/copy.yaml", project.read("config/crd/bases/gardens.yaml"))
    project.write("config/samples/a.yaml", "a: [\n")
    project.write("tests/test_a.py", "")

    first, unread, *_ = lines()

    assert first == f"{FOUND}; -v shows 1 note"
    assert unread.startswith("crd: config/samples/a.yaml")


def test_warnings_of_the_server_are_counted(project: Project, lines: Lines) -> None:
    crd = project.read("config/crd/bases/gardens.yaml").replace(
        "label: {type: string}", "label: {type: string, format: tulip}"
    )
    for folder in ("config/crd/bases", "old"):
        project.write(f"{folder}/gardens.yaml", crd)
        project.write(f"{folder}/ponds.yaml", crd.replace("garden", "pond").replace("Garden", "Pond"))

    assert "crd: 2 warnings; -v shows them" in lines()
    assert any('unrecognized format "tulip"' in line for line in lines("--", "-v"))


def test_a_failure_of_no_test_of_a_crd_has_the_name_of_its_test(project: Project, lines: Lines) -> None:
    project.ini("crd_paths = config/crd", "crd_baseline_allow = * spec.rows refused")

    assert any(line.endswith("::upgrade[crd_baseline_allow]") for line in lines())


def test_a_terminal_shows_the_number_of_finished_tests(lines: Lines, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setattr("pytest_crd.plugin.progressline.PATIENCE", 0.0)
    monkeypatch.setattr("pytest_crd.plugin.progressline._PAUSE", 0.0)

    assert any("crd: tests: 6 of 6" in line for line in lines())


@pytest.mark.usefixtures("sessions_here")
def test_results_on_stdout_are_alone_there(
    project: Project, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project.path)
    project.cases(WRONG)

    def run(*arguments: str) -> tuple[int, str, str]:
        code = program.main(["test", "--no-baseline", *arguments])
        return code, *capsys.readouterr()

    code, out, err = run("-o", "json")
    verdicts = json.loads(out)
    assert (code, verdicts["summary"]["failed"], verdicts["complete"]) == (1, 1, True)
    assert "1 failed, 5 passed in " in err
    assert run("-o", "tap", "--", "-v")[1].startswith("TAP version 14\n1..6\nok 1 - config/crd/bases/gardens.yaml: ")
    assert 'tests="6" failures="1"' in run("-o", "junit")[1]
    code, out, err = run("-o", "tap", "--crd-kubernetes-version=1.1")
    assert (code, out) == (2, "")
    assert "1.1" in err


def test_junitxml_is_an_option(project: Project, lines: Lines) -> None:
    lines("--junitxml=results.xml")

    assert 'tests="6"' in project.read("results.xml")
