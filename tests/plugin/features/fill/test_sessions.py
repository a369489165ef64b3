"""`--crd-fill` and `--crd-update` write observed results into case files, and nothing else."""

from __future__ import annotations

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from support import crds
from support.unfilled import FAILS, FILLED, FIXED, HEAD, TOO_MANY, UNFILLED

from pytest_crd.casefiles import filereplacement

if TYPE_CHECKING:
    from support.sessions import Project

NAME = "test_garden.crd.yaml"
HOLDS = "- name: holds\n  input: {spec: {size: 1}}\n  contains: {spec: {size: 1}}\n"
REFUSED = "- name: fails\n  input: {spec: {rows: 11}}\n  expected: {spec: {rows: 11}}\n"


def _create(*cases: str) -> str:
    return f"{HEAD}create:\n{''.join(cases)}"


def _text(project: Project, name: str = NAME) -> str:
    return (project.path / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("flag", ["--crd-fill", "--crd-update", "--crd-update-verdicts"])
def test_omitted_values_are_filled_in_and_hold_afterwards(project: Project, flag: str) -> None:
    project.cases(UNFILLED)

    result = project.run(flag)

    result.assert_outcomes(passed=2)
    assert result.ret == pytest.ExitCode.OK
    assert _text(project) == FILLED
    result.stdout.fnmatch_lines(
        [
            "crd: 2 cases written:",
            f'  {NAME}:3: create case "rows": filled in errors',
            f'  {NAME}:9: create case "bogus": filled in expected, pruned, defaulted',
        ]
    )
    project.run().assert_outcomes(passed=2)


def test_fields_lost_on_storing_are_filled_in(project: Project) -> None:
    names = "plural: jars, kind: Jar"
    fields = "type: object\nproperties: {spec: {type: object, properties: {size: {type: integer}}}}\n"
    others = "  - {name: v2, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object}}}}}\n"
    project.write(
        "config/crd/bases/jars.yaml", crds.text(names, fields).replace("storage: true", "storage: false") + others
    )
    project.cases("crd: jars.example.com\nversion: v1\ncreate:\n- name: a\n  input: {spec: {size: 1}}\n  lost: TODO\n")

    project.run("--crd-fill").assert_outcomes(passed=1)

    assert _text(project).endswith("  lost: [spec.size]\n")


def test_without_the_option_nothing_is_written_and_the_option_is_suggested(project: Project) -> None:
    project.cases(UNFILLED)

    result = project.run()

    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert _text(project) == UNFILLED
    result.stdout.fnmatch_lines(
        [
            f"{NAME}:5: 'errors' of create case \"rows\" must be a list of one or more expected errors, not *; call pytest with *",
            f'{NAME}:6: create case "bogus" expects nothing; add *; or call pytest with --crd-fill, *',
        ]
    )


@pytest.mark.parametrize(
    ("flag", "case", "told"),
    [
        pytest.param("--crd-fill", "input: {spec: {siez: 1, bogus: 1}}", True, id="no expectation"),
        pytest.param("--crd-fill", "input: {spec: {siez: 1}}\n  expected: TODO", True, id="the object alone"),
        pytest.param(
            "--crd-fill", "input: {spec: {siez: 1}}\n  pruned: [spec.siez]\n  expected: TODO", False, id="listed"
        ),
        pytest.param("--crd-update", "input: {spec: {siez: 1}}\n  pruned: []", True, id="a list that is corrected"),
        pytest.param("--crd-update", "input: {spec: {siez: 1}}\n  expected: {spec: {}}", False, id="written before"),
    ],
)
def test_a_field_recorded_as_pruned_is_reported_if_it_may_be_misspelt(
    project: Project, flag: str, case: str, *, told: bool
) -> None:
    project.cases(_create(f"- name: a\n  {case}\n"))

    result = project.run(flag)

    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["crd: 1 case written:"])
    assert ("    spec.siez is pruned; did you mean spec.size?" in result.outlines) is told
    result.stdout.no_fnmatch_line("*spec.bogus is pruned*")


def test_filling_leaves_cases_that_state_something_as_they_are(project: Project) -> None:
    text = _create(HOLDS, FAILS)
    project.cases(text)

    result = project.run("--crd-fill")

    result.assert_outcomes(passed=1, failed=1)
    assert _text(project) == text
    result.stdout.no_fnmatch_line("crd: *written*")


def test_updating_corrects_cases_that_fail(project: Project) -> None:
    project.cases(_create(HOLDS, FAILS))

    result = project.run("--crd-update")

    result.assert_outcomes(passed=2)
    assert _text(project) == _create(HOLDS, FIXED)
    result.stdout.fnmatch_lines(["crd: 1 case written:", f'  {NAME}:6: create case "fails": corrected expected'])


@pytest.mark.parametrize("flag", ["--crd-fill", "--crd-update"])
@pytest.mark.parametrize(
    ("case", "turn"),
    [
        pytest.param("{name: a, input: {spec: {rows: 11}}, expected: TODO}", "accepted -> refused", id="refused"),
        pytest.param("{name: a, input: {spec: {rows: 1}}, errors: TODO}", "refused -> accepted", id="accepted"),
    ],
)
def test_a_verdict_is_not_reversed(project: Project, flag: str, case: str, turn: str) -> None:
    project.cases(_create(f"- {case}\n"))

    result = project.run(flag)

    result.assert_outcomes(failed=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert _text(project) == _create(f"- {case}\n")
    result.stdout.fnmatch_lines(
        [
            "crd: 1 case not written:",
            f'  {NAME}:3: create case "a": {turn}: only --crd-update-verdicts turns a verdict around',
        ]
    )


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        pytest.param(
            "- name: a\n  input: {spec: {rows: 11}}\n  accepted: true\n  absent: [spec.note]\n  defaulted: []\n",
            "- name: a\n  input: {spec: {rows: 11}}\n  defaulted: [spec.size, spec.watering, spec.watering.hour]\n"
            f'  errors:\n  - field: spec.rows\n    type: Invalid\n    message: "{TOO_MANY}"\n',
            "accepted -> refused; corrected errors, defaulted; removed absent, accepted",
            id="refused",
        ),
        pytest.param(
            "- {name: a, input: {spec: {rows: 9}}, error: less than, pruned: []}\n",
            "- {name: a, input: {spec: {rows: 9}}, pruned: [], expected: {spec: {rows: 9, size: 3, watering: {hour: 6}}}}\n",
            "refused -> accepted; corrected expected; removed error",
            id="accepted",
        ),
        pytest.param(
            "- {name: a, input: {spec: {rows: 11, bogus: 1}}, accepted: true}\n",
            f'- {{name: a, input: {{spec: {{rows: 11, bogus: 1}}}}, errors: [{{field: spec.rows, type: Invalid, message: "{TOO_MANY}"}}], pruned: [spec.bogus]}}\n',
            "accepted -> refused; corrected errors, pruned; removed accepted",
            id="refused, with a field that is dropped",
        ),
    ],
)
def test_a_verdict_is_reversed_on_demand_and_reported(project: Project, before: str, after: str, words: str) -> None:
    project.cases(_create(before))

    result = project.run("--crd-update-verdicts")

    result.assert_outcomes(passed=1)
    assert _text(project) == _create(after)
    result.stdout.fnmatch_lines([f'  {NAME}:3: create case "a": {words}'])
    project.run().assert_outcomes(passed=1)


def test_comments_stay_and_lost_ones_are_named(project: Project) -> None:
    project.cases(
        _create(
            "- name: a\n  accepted: true # why\n  input: {spec: {rows: 11}}\n",
            "- name: b\n  input: {spec: {size: 1}}\n  expected:\n    spec:\n      size: 1\n      watering: {hour: 6}\n"
            "      # ask first\n      note: &anchor a # who\n",
        )
    )

    result = project.run("--crd-update-verdicts")

    result.assert_outcomes(passed=2)
    text = _text(project)
    assert "  # why\n  errors:\n" in text
    assert text.endswith("      watering: {hour: 6}\n      # ask first\n      # who\n")
    result.stdout.fnmatch_lines(
        [
            "crd: comments and anchors that went with what was replaced, by the lines where they stood:",
            f"  {NAME}:13: &anchor",
        ]
    )


@pytest.mark.parametrize(
    ("case", "by_hand"),
    [
        pytest.param("absent: [spec.size]", "absent", id="absent"),
        pytest.param("contains: {spec: {note: a}}", "contains", id="contains what is not there"),
        pytest.param("contains: {spec: {sizes: 1}}", "contains", id="contains what cannot be"),
        pytest.param("contains: {spec: {size: 2}}\n  absent: [spec.size]", "absent", id="something else beside"),
        pytest.param(
            "contains: {spec: {size: 1}}\n  input: {spec: {size: 1, bogus: 1}}", "fields of the input", id="misspelt"
        ),
    ],
)
def test_cases_that_only_a_person_can_correct_are_left_and_reported(project: Project, case: str, by_hand: str) -> None:
    text = _create(f"- name: a\n{'' if 'input' in case else '  input: {spec: {size: 1}}'}\n  {case}\n", HOLDS)
    project.cases(text)

    result = project.run("--crd-update")

    result.assert_outcomes(passed=1, failed=1)
    assert _text(project) == text
    result.stdout.fnmatch_lines([f'  {NAME}:3: create case "a": to be corrected by hand: {by_hand}*'])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            "contains: {spec: {size: 2, rows: 1}}", "contains: {spec: {size: 1, rows: 1}}", id="a part of the object"
        ),
        pytest.param("pruned: [spec.other]\n  accepted: true", "pruned: []\n  accepted: true", id="paths"),
        pytest.param(
            "defaulted: [spec.watering.hour]",
            "defaulted: [spec.watering.hour, spec.watering]",
            id="paths that are there keep their place",
        ),
        pytest.param("warnings: [a]", "warnings: []", id="warnings"),
    ],
)
def test_each_key_is_corrected_independently(project: Project, before: str, after: str) -> None:
    case = "- name: a\n  input: {spec: {size: 1, rows: 1}}\n  "
    project.cases(_create(f"{case}{before}\n"))

    project.run("--crd-update").assert_outcomes(passed=1)

    assert _text(project) == _create(f"{case}{after}\n")


def test_errors_that_are_met_stay_as_they_are_stated(project: Project) -> None:
    case = """\
- name: a
  input: {spec: {rows: 11, soil: mud, size: big}}
  errors:
  # the rows
  - {field: spec.rows, matches: 10$} # ten
  - field: spec.soil # nearly
    type: Invalid
  - {field: status.phase, type: Required}
"""
    project.cases(_create(case))

    project.run("--crd-update").assert_outcomes(passed=1)

    text = _text(project)
    assert (
        "  # the rows\n  - {field: spec.rows, matches: 10$} # ten\n  - field: spec.soil # nearly\n    type: NotSupported\n"
        in text
    )
    assert "status.phase" not in text
    assert '  - {field: spec.size, type: TypeInvalid, message: \'Invalid value: "string": ' in text
    project.run().assert_outcomes(passed=1)


def test_cases_that_are_skipped_or_known_to_fail_are_not_touched(project: Project) -> None:
    text = _create(
        FAILS.replace("name: fails", "name: skipped\n  skip: later"),
        FAILS.replace("name: fails", "name: known\n  xfail: a bug"),
        FAILS.replace("name: fails", "name: marked\n  marks: [flaky]"),
    )
    project.cases(text)
    project.ini("markers = flaky")
    project.write(
        "conftest.py",
        "import pytest\n"
        "def pytest_collection_modifyitems(items):\n"
        "    for item in items:\n"
        "        if item.get_closest_marker('flaky'):\n"
        "            item.add_marker(pytest.mark.xfail(reason='flaky'))\n",
    )

    result = project.run("--crd-update-verdicts")

    result.assert_outcomes(skipped=1, xfailed=2)
    assert _text(project) == text


@pytest.mark.parametrize("key", ["skip", "xfail"])
@pytest.mark.parametrize("flag", ["--crd-fill", "--crd-update-verdicts"])
@pytest.mark.parametrize("rest", ["", "\n  expected: TODO"], ids=["nothing is stated", "a blank"])
def test_omitted_values_of_a_case_that_does_not_run_are_passed_over_and_reported(
    project: Project, key: str, flag: str, rest: str
) -> None:
    text = _create(f"- name: a\n  input: {{}}\n  {key}: later{rest}\n")
    project.cases(text)

    result = project.run(flag, "-rs")

    result.assert_outcomes(skipped=1)
    assert result.ret == pytest.ExitCode.OK
    assert _text(project) == text
    result.stdout.fnmatch_lines(
        [
            "crd: 1 case left to be filled in, as not run:",
            f'  {NAME}:3: create case "a", as it has `{key}`',
            "SKIPPED * later",
        ]
    )


def test_a_passed_over_case_does_not_block_others(project: Project) -> None:
    skipped = "- name: a\n  input: {}\n  xfail: later\n"
    project.cases(UNFILLED + skipped)

    result = project.run("--crd-fill")

    result.assert_outcomes(passed=2, skipped=1)
    assert _text(project) == FILLED + skipped
    result.stdout.fnmatch_lines([f'  {NAME}:14: create case "a", as it has `xfail`'])


def test_omitted_values_of_a_case_in_a_python_test_are_passed_over_and_reported(project: Project) -> None:
    text = _create("- name: a\n  input: {}\n  skip: later\n")
    project.cases(text, name="cases/garden.yaml")
    project.write(
        "test_cases.py",
        "import pytest\n@pytest.mark.crd_cases('cases/*.yaml')\ndef test_case(crd_case):\n    crd_case.check()\n",
    )

    result = project.run("--crd-fill", "-n", "1", "-p", "xdist", "-p", "pytest_crd.plugin")

    result.assert_outcomes(skipped=1)
    assert _text(project, "cases/garden.yaml") == text
    result.stdout.fnmatch_lines(['  cases/garden.yaml:3: create case "a", as it has `skip`'])


def test_a_case_that_is_wrong_is_not_touched(project: Project) -> None:
    text = f"{HEAD}update:\n- name: a\n  old: {{spec: {{rows: 11}}}}\n  input: {{spec: {{rows: 1}}}}\n"
    project.cases(text)

    result = project.run("--crd-fill")

    result.assert_outcomes(failed=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert _text(project) == text
    result.stdout.fnmatch_lines([f"{NAME}:4: 'old' of update case \"a\" is not valid under its CRD, *"])


def test_only_cases_that_ran_are_written_and_the_others_are_named(project: Project) -> None:
    project.cases(UNFILLED)

    result = project.run("--crd-fill", "-k", "rows")

    result.assert_outcomes(passed=1, deselected=1)
    assert _text(project) == FILLED.partition("  expected")[0]
    result.stdout.fnmatch_lines(["crd: 1 case left to be filled in, as not run:", f'  {NAME}:9: create case "bogus"'])


def test_last_failed_updates_only_failed_cases(project: Project) -> None:
    project.cases(_create(HOLDS, FAILS))
    project.run("-p", "cacheprovider").assert_outcomes(passed=1, failed=1)

    project.run("-p", "cacheprovider", "--lf", "--crd-update").assert_outcomes(passed=1)

    assert _text(project) == _create(HOLDS, FIXED)


def test_results_before_the_first_failure_are_written(project: Project) -> None:
    bad = "- {name: bad, input: {spec: {rows: 11}}, accepted: true}\n"
    project.cases(_create(FAILS, bad, HOLDS))

    result = project.run("-x", "--crd-update")

    result.assert_outcomes(passed=1, failed=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert _text(project) == _create(FIXED, bad, HOLDS)


def test_collect_only_writes_no_case_file(project: Project) -> None:
    project.cases(UNFILLED)

    project.run("--crd-fill", "--collect-only")

    assert _text(project) == UNFILLED


def test_a_session_that_is_interrupted_writes_nothing(project: Project) -> None:
    project.cases(UNFILLED)
    project.write("test_z.py", "def test_z():\n    raise KeyboardInterrupt\n")

    result = project.run("--crd-fill")

    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert _text(project) == UNFILLED
    result.stdout.fnmatch_lines(["crd: 1 file not written, as the session was stopped:", f"  {NAME}"])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_session_that_is_stopped_while_it_writes_writes_no_further_file(
    project: Project, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    project.cases(UNFILLED)
    project.cases(UNFILLED, name="test_other.crd.yaml")
    replace = filereplacement.replace
    handlers = [signal.getsignal(number_) for number_ in (signal.SIGINT, signal.SIGTERM)]

    def stop(path: Path, content: bytes, *, old: str) -> None:
        signal.raise_signal(number)
        replace(path, content, old=old)

    monkeypatch.setattr(filereplacement, "replace", stop)

    result = project.run("--crd-fill")

    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert (_text(project), _text(project, "test_other.crd.yaml")) == (FILLED, UNFILLED)
    result.stdout.fnmatch_lines(
        ["crd: 2 cases written:", "crd: 1 file not written, as the session was stopped:", "  test_other.crd.yaml"]
    )
    assert [signal.getsignal(number_) for number_ in (signal.SIGINT, signal.SIGTERM)] == handlers


def test_a_session_in_a_thread_writes_all_the_same(project: Project) -> None:
    project.cases(UNFILLED)

    with ThreadPoolExecutor() as pool:
        result = pool.submit(project.run, "--crd-fill").result()

    result.assert_outcomes(passed=2)
    assert _text(project) == FILLED


def test_temporary_files_of_a_killed_session_are_not_read(project: Project) -> None:
    project.cases(UNFILLED)
    project.write(f".{NAME}.0123abcd.tmp", "crd: [")

    result = project.run("--crd-fill", ".")

    result.assert_outcomes(passed=2)
    assert _text(project) == FILLED
    result.stdout.no_fnmatch_line("*.tmp*")


def test_cases_of_python_tests_are_written_too_however_often_they_run(project: Project) -> None:
    project.cases(UNFILLED, name="cases/garden.yaml")
    project.write(
        "test_cases.py",
        "import pytest\n"
        "@pytest.mark.crd_cases('cases/*.yaml')\n"
        "@pytest.mark.parametrize('number', [1, 2])\n"
        "def test_case(crd_case, number):\n"
        "    crd_case.check()\n",
    )

    project.run("--crd-fill").assert_outcomes(passed=4)

    assert _text(project, "cases/garden.yaml") == FILLED


def test_a_case_whose_python_test_fails_is_not_written(project: Project) -> None:
    project.cases(UNFILLED, name="cases/garden.yaml")
    project.write(
        "test_cases.py",
        "import pytest\n"
        "@pytest.mark.crd_cases('cases/*.yaml')\n"
        "def test_case(crd_case):\n"
        "    crd_case.check()\n"
        "    assert crd_case.name == 'rows'\n"
        "@pytest.mark.xfail\n"
        "@pytest.mark.crd_cases('cases/*.yaml')\n"
        "def test_excused(crd_case):\n"
        "    crd_case.check()\n"
        "    assert False\n",
    )

    result = project.run("--crd-fill", "-k", "not excused")

    result.assert_outcomes(passed=1, failed=1, deselected=2)
    assert _text(project, "cases/garden.yaml") == FILLED.partition("  expected")[0]
    result.stdout.fnmatch_lines(['  cases/garden.yaml:9: create case "bogus": its test failed'])


def test_a_case_of_a_python_test_that_is_known_to_fail_is_not_touched(project: Project) -> None:
    text = _create(FAILS.replace("name: fails", "name: known\n  xfail: a bug"))
    project.cases(text, name="cases/garden.yaml")
    project.write(
        "test_cases.py",
        "import pytest\n@pytest.mark.crd_cases('cases/*.yaml')\ndef test_case(crd_case):\n    crd_case.check()\n",
    )

    result = project.run("--crd-update-verdicts")

    result.assert_outcomes(xfailed=1)
    assert result.ret == pytest.ExitCode.OK
    assert _text(project, "cases/garden.yaml") == text
    result.stdout.no_fnmatch_line("crd: *written*")


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_case_whose_python_test_declares_xfail_at_run_time_is_not_written(project: Project, when: str) -> None:
    project.cases(UNFILLED, name="cases/garden.yaml")
    before, after = (
        ("    request.applymarker(pytest.mark.xfail)\n", "") if when == "before" else ("", "    pytest.xfail('b')\n")
    )
    project.write(
        "test_cases.py",
        "import pytest\n"
        "@pytest.mark.crd_cases('cases/*.yaml')\n"
        f"def test_case(crd_case, request):\n{before}    crd_case.check()\n{after}",
    )

    result = project.run("--crd-fill")

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert _text(project, "cases/garden.yaml") == UNFILLED
    result.stdout.fnmatch_lines(['  cases/garden.yaml:3: create case "rows": its test is known to fail'])


def test_errors_that_differ_between_kubernetes_versions_are_written_by_version(project: Project) -> None:
    text = _create("- {name: twice, input: {spec: {beds: [{name: a}, {name: a}]}}, errors: TODO}\n", HOLDS)
    project.cases(text)

    project.run("--crd-fill", "--crd-kubernetes-version", "1.32 1.37").assert_outcomes(passed=4)

    assert 'errorsUnder: {"1.37": [' in _text(project)
    project.run("--crd-kubernetes-version", "1.32 1.37").assert_outcomes(passed=4)


def test_a_run_of_one_kubernetes_version_corrects_its_own_errors(project: Project) -> None:
    project.cases(
        _create(
            "- name: twice\n  input: {spec: {beds: [{name: a}, {name: a}]}}\n"
            '  errors: [{message: \'Duplicate value: {"name":"a"}\'}]\n  errorsUnder: {"1.32": [{message: wrong}], "1.33": [{message: b}]}\n'
        )
    )

    project.run("--crd-update", "--crd-kubernetes-version", "1.32").assert_outcomes(passed=1)

    text = _text(project)
    assert 'errors: [{message: \'Duplicate value: {"name":"a"}\'}]' in text
    assert '"1.33": [{message: b}]' in text
    assert "wrong" not in text


def test_a_case_is_written_after_a_run_for_all_kubernetes_versions(project: Project) -> None:
    project.cases(UNFILLED)

    result = project.run("--crd-fill", "--crd-kubernetes-version", "1.34 1.37", "-k", "rows or 1.37")

    result.assert_outcomes(passed=3, deselected=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert _text(project) == FILLED.partition("  expected")[0]
    result.stdout.fnmatch_lines(
        [
            f'  {NAME}:9: create case "bogus": it was not run under Kubernetes 1.34, so that its answer there is not known'
        ]
    )


def test_last_failed_of_a_single_kubernetes_version_is_not_updated(project: Project) -> None:
    text = _create(
        "- name: twice\n  input: {spec: {beds: [{name: a}, {name: a}]}}\n"
        '  errors: [{message: \'Duplicate value: {"name":"a"}\'}]\n'
    )
    project.cases(text)
    versions = ("-p", "cacheprovider", "--crd-kubernetes-version", "1.32 1.37")
    project.run(*versions).assert_outcomes(passed=1, failed=1)

    result = project.run(*versions, "--lf", "--crd-update")

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert _text(project) == text
    result.stdout.fnmatch_lines([f'  {NAME}:3: create case "twice": it was not run under Kubernetes 1.*'])


def test_a_suite_is_never_written(project: Project) -> None:
    suite = """\
apiVersion: apiextensions.k8s.io/v1
name: Garden
crdName: gardens.stories.example.com
tests:
  onCreate:
  - name: fails
    initial: "{apiVersion: stories.example.com/v1, kind: Garden, spec: {size: 1}}"
    expected: "{apiVersion: stories.example.com/v1, kind: Garden, spec: {size: 2}}"
"""
    project.cases(suite)

    result = project.run("--crd-update-verdicts")

    result.assert_outcomes(failed=1)
    assert _text(project) == suite
    result.stdout.fnmatch_lines(["  *: suites in the format of openshift/api are never written"])


def test_a_file_that_has_changed_since_it_was_read_is_left_alone(project: Project) -> None:
    project.cases(UNFILLED)
    project.write(
        "test_a.py", f"def test_a():\n    with open('{NAME}', 'a') as file:\n        file.write('# changed\\n')\n"
    )

    result = project.run("--crd-fill")

    result.assert_outcomes(passed=3)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert _text(project) == f"{UNFILLED}# changed\n"
    result.stdout.fnmatch_lines(
        ["crd: 2 cases not written:", "  *: the file has changed since it was read; nothing was written into it"]
    )


def test_the_target_of_a_link_is_written_and_the_link_stays(project: Project) -> None:
    target = project.write("cases/garden.yaml", UNFILLED)
    (project.path / NAME).symlink_to(target)
    target.chmod(0o640)

    result = project.run("--crd-fill")

    result.assert_outcomes(passed=2)
    assert (project.path / NAME).is_symlink()
    assert target.read_text(encoding="utf-8") == FILLED
    assert target.stat().st_mode & 0o777 == 0o640
    result.stdout.fnmatch_lines(['  cases/garden.yaml:3: create case "rows": filled in errors'])


def test_a_file_that_cannot_be_written_does_not_keep_others(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.cases(UNFILLED)
    project.cases(UNFILLED, name="test_other.crd.yaml")
    access = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path).name != NAME and access(path, mode))

    result = project.run("--crd-fill")

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert (_text(project), _text(project, "test_other.crd.yaml")) == (UNFILLED, FILLED)
    result.stdout.fnmatch_lines([f"  {NAME}:3: *: the file cannot be written: Permission denied"])


# Generated cases


def _generated(project: Project) -> None:
    project.ini()
    project.run("--crd-generate", "Garden")


def _change(project: Project, old: str, new: str) -> None:
    path = project.path / "config/crd/bases/gardens.yaml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


GENERATED = "test_gardens.crd.yaml"


def test_a_generated_case_is_renamed_after_its_new_outcome(project: Project) -> None:
    _generated(project)
    _change(project, "maximum: 10", "maximum: 11")
    _change(project, "enum: [clay, sand]", "enum: [clay]")

    result = project.run("--crd-update-verdicts")

    assert result.ret == pytest.ExitCode.OK
    text = _text(project, GENERATED)
    assert '"spec.rows: 11 is too large"' not in text
    assert '"spec.rows: 11 is small enough"' in text
    assert "'spec.soil: \"sand\" is not allowed'" in text
    result.stdout.fnmatch_lines(['*refused -> accepted; now called "spec.rows: 11 is small enough"; *'])
    result.stdout.no_fnmatch_line("*named by hand*")
    project.run().assert_outcomes(passed=result.parseoutcomes()["passed"])


def test_generated_cases_about_a_field_that_is_gone_are_removed(project: Project) -> None:
    _generated(project)
    before = len(_text(project, GENERATED).split("- name:"))
    _change(project, "              rows: {type: integer, minimum: 1, maximum: 10}\n", "")

    result = project.run("--crd-update-verdicts")

    assert result.ret == pytest.ExitCode.OK
    text = _text(project, GENERATED)
    assert "spec.rows" not in text
    assert len(text.split("- name:")) < before
    result.stdout.fnmatch_lines(
        [
            "crd: * cases removed, as the CRD no longer has the field:",
            f'  {GENERATED}:*: create case "spec.rows: 0 is too small"',
        ]
    )
    again = project.run()
    assert again.ret == pytest.ExitCode.OK


def test_without_the_option_no_case_is_removed_or_renamed(project: Project) -> None:
    _generated(project)
    before = _text(project, GENERATED)
    _change(project, "rows: {type: integer, minimum: 1, maximum: 10}", "lines: {type: integer}")

    project.run("--crd-fill")

    assert _text(project, GENERATED) == before


def test_a_manually_chosen_name_stays_and_is_reported(project: Project) -> None:
    project.cases(_create(REFUSED))

    result = project.run("--crd-update-verdicts")

    assert result.ret == pytest.ExitCode.OK
    assert "- name: fails\n" in _text(project)
    result.stdout.fnmatch_lines(
        [
            "crd: 1 case named by hand, though the verdict is another now; see whether the name still holds:",
            f'  {NAME}:3: create case "fails"',
        ]
    )


def test_a_new_name_that_another_case_has_gets_a_number(project: Project) -> None:
    case = "- {name: 'spec.rows: 5 is too large', input: {spec: {rows: 5}}, errors: [{field: spec.rows}]}\n"
    second = "- {name: 'spec.rows: 5 is small enough', input: {spec: {rows: 5}}, contains: {spec: {rows: 5}}}\n"
    project.cases(_create(case, second))

    result = project.run("--crd-update-verdicts", "-k", "too")

    assert "'spec.rows: 5 is small enough (2)'" in _text(project).replace('"', "'")
    result.stdout.fnmatch_lines(['*now called "spec.rows: 5 is small enough (2)"*'])


def test_the_only_case_of_a_file_is_not_removed(project: Project) -> None:
    text = _create("- {name: 'spec.gone: 5 is allowed', input: {spec: {gone: 5}}, contains: {spec: {gone: 5}}}\n")
    project.cases(text)

    result = project.run("--crd-update-verdicts")

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert _text(project) == text
    result.stdout.fnmatch_lines(["crd: 1 case not written:", f"  {NAME}:3: *: it is about a field *remove it yourself"])


BASE = "x-smallest: &smallest {spec: {rows: 6}} # kept\n\ncreate:\n"
USERS = (
    "- {name: a, input: *smallest, patch: {spec: {soil: clay}}, contains: {spec: {soil: clay}}}\n"
    "- {name: b, input: *smallest, patch: {spec: {soil: peat}}, errors: [{field: spec.soil}]}\n"
)


@pytest.fixture
def strict(project: Project) -> Project:
    """Return a project with a CRD that refuses the base object of the case file."""
    crd = project.read("config/crd/bases/gardens.yaml")
    project.write(
        "config/crd/bases/gardens.yaml",
        crd.replace("minimum: 1,", "minimum: 8,").replace(
            "type: object\n            properties:",
            "type: object\n            required: [rows]\n            properties:",
            1,
        ),
    )
    project.cases(f"{HEAD}{BASE}{USERS}")
    return project


@pytest.mark.parametrize(
    "workers", [(), pytest.param(("-n2", "-p", "xdist", "-p", "pytest_crd.plugin"), marks=pytest.mark.long)]
)
def test_a_base_object_that_is_refused_is_repaired_before_cases_run(workers: tuple[str, ...], strict: Project) -> None:
    strict.run().assert_outcomes(failed=2)

    result = strict.run("--crd-update", *workers)

    result.assert_outcomes(passed=2)
    assert _text(strict) == f"{HEAD}{BASE}{USERS}".replace("rows: 6", "rows: 8")
    result.stdout.fnmatch_lines([f"crd: {NAME}: the base object has other values now: spec.rows"])


def test_a_repaired_base_object_is_told_without_a_header(strict: Project) -> None:
    result = strict.run("--crd-update", "-q", f"{NAME}::a")

    result.assert_outcomes(passed=1)
    assert "rows: 8" in _text(strict)
    result.stdout.fnmatch_lines([f"crd: {NAME}: the base object has other values now: spec.rows"])


@pytest.mark.parametrize(
    ("files", "options"),
    [
        ({}, ("-k", "other", "--crd-checks")),
        ({"test_broken.py": "import nothing_of_this_name\n"}, ()),
    ],
    ids=["no case is chosen", "collection fails"],
)
def test_a_base_object_stays_if_none_of_its_cases_is_run(
    files: dict[str, str], options: tuple[str, ...], strict: Project
) -> None:
    for name, text in files.items():
        strict.write(name, text)

    result = strict.run("--crd-update", *options)

    assert _text(strict) == f"{HEAD}{BASE}{USERS}"
    result.stdout.no_fnmatch_line("*the base object has other values*")


@pytest.mark.parametrize("option", ["--crd-fill", "--collect-only"])
def test_a_base_object_stays_without_an_update(option: str, strict: Project) -> None:
    strict.run(option, *(["--crd-update"] if option == "--collect-only" else []))

    assert _text(strict) == f"{HEAD}{BASE}{USERS}"
