"""Failing checks that a project allows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from support.sessions import GARDEN

from pytest_crd.checks import allowedchecks
from pytest_crd.checks.allowedchecks import AllowedCheck
from pytest_crd.checks.verdict import Check, CheckFinding, CheckKind, CheckVerdict
from pytest_crd.engine.inputerror import InputError

if TYPE_CHECKING:
    from support.sessions import Project

HOLDS = CheckVerdict()
FAILS = CheckVerdict("wrong", (CheckFinding("a.yaml:1", "x"),))
NAME = "gardens.stories.example.com"


def check(kind: CheckKind, subject: str, verdict: CheckVerdict = FAILS) -> Check:
    return Check(kind, subject, "a.yaml:1", Path("a.yaml"), 1, "1.37", lambda: verdict)


def test_a_line_has_a_check_a_subject_and_a_reason() -> None:
    actual = allowedchecks.parse("  samples  Garden/eden :  an old one: kept ")

    assert actual == AllowedCheck("samples", "Garden/eden", "an old one: kept")
    assert str(actual) == "samples Garden/eden"
    assert allowedchecks.parse("copies b[0] [warn]: x") == AllowedCheck("copies", "b[0]", "x", warns=True)


@pytest.mark.parametrize("line", ["copies", "copies a", "copies a:", "copies: a", "copies a b: c"])
def test_other_lines_are_mistakes(line: str) -> None:
    with pytest.raises(
        ValueError, match=r"is not CHECK SUBJECT: REASON or CHECK SUBJECT \[warn\]: REASON, as in copies things"
    ):
        allowedchecks.parse(line)


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        (AllowedCheck("copies", "a", "x"), ["copies[a]"]),
        (AllowedCheck("copies", "*", "x"), ["copies[a]", "copies[b[0]]"]),
        (AllowedCheck("*", "a", "x"), ["copies[a]", "rules[a]"]),
        (AllowedCheck("copies", "b[0]", "x"), ["copies[b[0]]"]),
    ],
)
def test_an_entry_covers_checks_by_kind_and_subject(entry: AllowedCheck, expected: list[str]) -> None:
    checks = {Path("a.yaml"): [check("copies", "a"), check("rules", "a")], Path("b.yaml"): [check("copies", "b[0]")]}

    changed = allowedchecks.apply([entry], checks)

    allowed = [item for same_file in changed.values() for item in same_file if item.is_allowed]
    assert [item.name for item in allowed] == expected
    assert {item.run().passed_over for item in allowed} == {"allowed by crd_checks_allow: x"}


def test_a_check_that_holds_stays_as_it_is_if_an_entry_covers_several() -> None:
    checks = {Path(): [check("copies", "a", HOLDS), check("copies", "b")]}
    item, _ = allowedchecks.apply([AllowedCheck("*", "*", "x")], checks)[Path()]

    assert item.run() == HOLDS


@pytest.mark.parametrize("warns", [False, True])
def test_an_entry_about_one_check_that_holds_is_out_of_date(*, warns: bool) -> None:
    (item,) = allowedchecks.apply([AllowedCheck("copies", "a", "x", warns)], {Path(): [check("copies", "a", HOLDS)]})[
        Path()
    ]

    verdict = item.run()

    assert verdict.heading == "allowed to fail, but it holds"
    assert verdict.findings == (CheckFinding("crd_checks_allow", "copies a: the check holds; remove the line"),)


def test_a_check_that_is_passed_over_is_no_news() -> None:
    skipped = CheckVerdict(passed_over="not applied")
    (item,) = allowedchecks.apply([AllowedCheck("copies", "a", "x")], {Path(): [check("copies", "a", skipped)]})[Path()]

    assert item.run() == skipped


def test_findings_become_warnings() -> None:
    (item,) = allowedchecks.apply([AllowedCheck("copies", "a", "x", warns=True)], {Path(): [check("copies", "a")]})[
        Path()
    ]

    verdict = item.run().with_warnings_failing()

    assert verdict.findings == ()
    assert verdict.allowed == (CheckFinding("a.yaml:1", "x (allowed by crd_checks_allow: x)"),)


def test_entries_without_a_check_are_mistakes() -> None:
    entries = [AllowedCheck("copies", "b", "x"), AllowedCheck("copies", "a", "x"), AllowedCheck("copie", "a", "x")]

    with pytest.raises(InputError) as caught:
        allowedchecks.apply(entries, {Path(): [check("copies", "a")]})

    assert str(caught.value).splitlines() == [
        "crd_checks_allow: copies b: there is no such check",
        "crd_checks_allow: copie a: there is no such check",
    ]


def test_an_allowed_check_is_skipped_with_its_reason(project: Project) -> None:
    project.write("charts/garden/crds/gardens.yaml", GARDEN.replace("label", "tag"))
    project.ini("crd_checks = true", "crd_checks_allow =", f"    copies {NAME}: the chart is older")

    result = project.run("-rs", "-k", "copies")

    result.assert_outcomes(skipped=1, deselected=10)
    result.stdout.fnmatch_lines(
        [
            "crd: 11 checks in 2 files (1 of them allowed by crd_checks_allow)",
            "SKIPPED *: allowed by crd_checks_allow: the chart is older",
        ]
    )


def test_a_check_that_warns_passes_and_shows_its_findings(project: Project) -> None:
    project.write("charts/garden/crds/gardens.yaml", GARDEN.replace("label", "tag"))
    project.ini(
        "crd_checks = true",
        "crd_warnings = error",
        "crd_checks_allow =",
        f"    copies {NAME} [warn]: the chart is older",
    )

    result = project.run("-k", "copies")

    result.assert_outcomes(passed=1, deselected=10)
    result.stdout.fnmatch_lines(
        ["crd: *: warning: *: the copy lacks it; * (allowed by crd_checks_allow: the chart is older)"]
    )


def test_an_entry_without_a_check_is_an_error_of_the_run(project: Project) -> None:
    result = project.run("--crd-checks", "--crd-checks-allow", "copies x: y")

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["crd_checks_allow: copies x: there is no such check"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("--crd-checks", "--crd-checks-allow", "copies"),
            "*--crd-checks-allow: 'copies' is not CHECK SUBJECT: REASON*",
        ),
        (("--crd-checks-allow", "copies a: b"), "*--crd-checks-allow does nothing without checks*"),
    ],
)
def test_wrong_entries_are_usage_errors(project: Project, arguments: tuple[str, ...], message: str) -> None:
    project.run(*arguments).stderr.fnmatch_lines([message])


def test_all_wrong_lines_are_told_at_once(project: Project) -> None:
    project.ini("crd_checks = true", "crd_checks_allow =", "    copies a", "    b: c")

    result = project.run()

    result.stderr.fnmatch_lines(["*2 of its lines are no entries:", "*'copies a' is not *", "*'b: c' is not *"])


WARNS = CheckVerdict(
    warnings=(
        CheckFinding("a.yaml:1", "a column", name="column"),
        CheckFinding("a.yaml:2", "a bypass", name="bypass"),
        CheckFinding("a.yaml:3", "of the server"),
    )
)


def _run_with_effects(verdict: CheckVerdict, *entries: AllowedCheck) -> CheckVerdict:
    of_crd = Check(
        "structural", "a-v1", "a.yaml:1", None, 1, "1.37", lambda: verdict, crd="a", effects=("bypass", "column")
    )
    (same_file,) = allowedchecks.apply(entries, {Path("a.yaml"): [of_crd]}).values()
    return same_file[0].run()


def test_a_warning_about_a_part_without_effect_is_allowed_by_its_name() -> None:
    verdict = _run_with_effects(WARNS, AllowedCheck("column", "a", "filled by the controller"))

    assert [warning.text for warning in verdict.warnings] == ["a bypass", "of the server"]
    assert verdict.notes == ("a.yaml:1: a column (allowed by crd_checks_allow: filled by the controller)",)


def test_an_allowed_warning_that_stays_a_warning_never_fails() -> None:
    verdict = _run_with_effects(WARNS, AllowedCheck("column", "*", "x", warns=True)).with_warnings_failing()

    assert [finding.text for finding in verdict.findings] == ["warning: a bypass", "warning: of the server"]
    assert verdict.heading == "accepted, but without effect"
    assert [finding.text for finding in verdict.allowed] == ["a column (allowed by crd_checks_allow: x)"]


def test_an_entry_about_a_warning_that_is_not_there_is_out_of_date() -> None:
    verdict = _run_with_effects(HOLDS, AllowedCheck("column", "a", "x"))

    assert [str(finding.text) for finding in verdict.findings] == [
        "column a: the check has no such warning; remove the line"
    ]
    assert _run_with_effects(FAILS, AllowedCheck("column", "a", "x")) == FAILS
    assert _run_with_effects(HOLDS, AllowedCheck("*n", "a", "x"), AllowedCheck("b*", "a", "x")).findings != ()
    assert _run_with_effects(HOLDS, AllowedCheck("*", "a", "x")) == HOLDS


def test_parts_without_effect_are_warnings_of_a_run(project: Project) -> None:
    path = "config/crd/bases/gardens.yaml"
    column = (
        "    additionalPrinterColumns: [{name: Size, type: string, jsonPath: .spec.nothing}]\n    subresources: {status"
    )
    project.write(path, GARDEN.replace("    subresources: {status", column, 1))

    passed = project.run("--crd-checks", "-k", "structural")
    failed = project.run("--crd-checks", "-k", "structural", "--crd-warnings", "error")

    passed.assert_outcomes(passed=1, deselected=4)
    passed.stdout.fnmatch_lines([f"crd: {path}:*: warning: printer column Size stays empty: *"])
    failed.assert_outcomes(failed=1, deselected=4)
    failed.stdout.fnmatch_lines(["accepted, but without effect:", f"  {path}:*: warning: printer column Size stays*"])
