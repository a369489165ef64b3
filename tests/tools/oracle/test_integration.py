"""
Known failures of upstream's integration tests.

A file has a reason for each failure, a page lists the reasons, and outcomes of a run are compared with them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from oracle.comparisons import integration
from oracle.comparisons.integration import Reason
from oracle.servers.gotests import Outcome, parse_outcome

PAGE: Final = (Path(__file__).parents[3] / "docs/developing/upstream.md").read_text(encoding="utf-8")
WHY: Final = [Reason("no etcd", "etcd is missing", ("TestA", "TestB/one"))]


@pytest.mark.parametrize("project", integration.PROJECTS)
def test_the_page_lists_each_reason_with_its_tests(project: str) -> None:
    reasons = integration.reasons(project)
    table = [f"| {' '.join(f'`{test}`' for test in reason.tests)} | {reason.why} |" for reason in reasons]

    assert "| test | why |\n| --- | --- |\n" + "\n".join(table) + "\n\n" in PAGE


@pytest.mark.parametrize("project", integration.PROJECTS)
def test_each_test_has_one_reason(project: str) -> None:
    tests = [test for reason in integration.reasons(project) for test in reason.tests]

    assert sorted(set(tests)) == sorted(tests)


def test_a_known_failure_is_no_surprise() -> None:
    outcomes = {"TestA": Outcome(("TestA",), "etcd is missing"), "TestB": Outcome(("TestB/one",), "etcd is missing")}

    assert [*integration.surprises(outcomes, WHY)] == []


def test_a_reason_for_a_whole_test_covers_its_parts() -> None:
    assert [*integration.surprises({"TestA": Outcome(("TestA/one", "TestA/two"), "etcd is missing")}, WHY)] == []


def test_a_reason_for_a_part_covers_its_parts() -> None:
    assert [*integration.surprises({"TestB": Outcome(("TestB/one/x", "TestB/one/y"), "etcd is missing")}, WHY)] == []


def test_a_reason_for_a_test_that_did_not_run_is_no_surprise() -> None:
    assert [*integration.surprises({"TestC": Outcome((), "")}, WHY)] == []


def test_a_pass_despite_a_known_reason_is_a_surprise() -> None:
    outcomes = {"TestA": Outcome((), ""), "TestB": Outcome(("TestB/two",), "etcd is missing")}

    first, second, third = integration.surprises(outcomes, WHY)

    assert first == "TestA passes"
    assert second.startswith("TestB/two fails without a known reason")
    assert third == "TestB/one passes"


def test_a_failure_with_different_words_is_a_surprise() -> None:
    (surprise,) = integration.surprises({"TestA": Outcome(("TestA",), "panic")}, WHY)

    assert surprise.startswith("TestA fails without a word of `etcd is missing`")


def test_the_innermost_failed_subtests_are_named() -> None:
    log = "--- FAIL: TestA (1s)\n    --- FAIL: TestA/one (0s)\n    --- PASS: TestA/two (0s)\n"

    assert parse_outcome("TestA", log) == Outcome(("TestA/one",), log)


def test_an_unfinished_test_counts_as_failed() -> None:
    assert parse_outcome("TestA", "panic: no\n").failed == ("TestA",)


def test_a_skipped_test_counts_as_failed() -> None:
    assert parse_outcome("TestA", "--- SKIP: TestA (0s)\n").failed == ("TestA",)


def test_a_test_without_a_passed_subtest_failed_as_a_whole() -> None:
    log = "--- FAIL: TestA (1s)\n    --- FAIL: TestA/one (0s)\n    --- FAIL: TestA/two (0s)\n"

    assert parse_outcome("TestA", log).failed == ("TestA",)


def test_reasons_for_missing_tests_are_reported() -> None:
    assert integration.find_missing({"TestA", "TestB"}, WHY) == []
    assert integration.find_missing({"TestA"}, WHY) == ["TestB/one"]
