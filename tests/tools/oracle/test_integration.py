"""What upstream's integration tests are known not to do: the file that has it, the page that tells it, and how it is held against outcomes."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from oracle.comparisons import integration
from oracle.comparisons.integration import Reason
from oracle.servers.gotests import Outcome, outcome_of

PAGE: Final = (Path(__file__).parents[3] / "docs/developing/upstream.md").read_text(encoding="utf-8")
WHY: Final = [Reason("no etcd", "etcd is missing", ("TestA", "TestB/one"))]


def test_the_page_tells_of_each_reason_and_its_tests() -> None:
    table = [f"| {' '.join(f'`{test}`' for test in one.tests)} | {one.why} |" for one in integration.reasons()]

    assert "| test | why |\n| --- | --- |\n" + "\n".join(table) + "\n\n" in PAGE


def test_each_test_has_one_reason() -> None:
    tests = [test for reason in integration.reasons() for test in reason.tests]

    assert sorted(set(tests)) == sorted(tests)


def test_what_fails_as_it_is_known_to_is_no_surprise() -> None:
    outcomes = {"TestA": Outcome(("TestA",), "etcd is missing"), "TestB": Outcome(("TestB/one",), "etcd is missing")}

    assert [*integration.surprises(outcomes, WHY)] == []


def test_what_was_not_run_is_no_surprise() -> None:
    assert [*integration.surprises({"TestC": Outcome((), "")}, WHY)] == []


def test_what_passes_though_a_reason_is_known_is_a_surprise() -> None:
    outcomes = {"TestA": Outcome((), ""), "TestB": Outcome(("TestB/two",), "etcd is missing")}

    first, second, third = integration.surprises(outcomes, WHY)

    assert first == "TestA passes"
    assert second.startswith("TestB/two fails, and nothing says why")
    assert third == "TestB/one passes"


def test_what_fails_with_other_words_is_a_surprise() -> None:
    (found,) = integration.surprises({"TestA": Outcome(("TestA",), "panic")}, WHY)

    assert found.startswith("TestA fails without a word of `etcd is missing`")


def test_the_innermost_parts_that_failed_are_named() -> None:
    said = "--- FAIL: TestA (1s)\n    --- FAIL: TestA/one (0s)\n    --- PASS: TestA/two (0s)\n"

    assert outcome_of("TestA", said) == Outcome(("TestA/one",), said)


def test_a_test_that_did_not_come_to_its_end_failed() -> None:
    assert outcome_of("TestA", "panic: no\n").failed == ("TestA",)


def test_a_test_that_was_left_out_did_not_pass() -> None:
    assert outcome_of("TestA", "--- SKIP: TestA (0s)\n").failed == ("TestA",)


def test_a_test_of_which_nothing_passed_failed_as_a_whole() -> None:
    said = "--- FAIL: TestA (1s)\n    --- FAIL: TestA/one (0s)\n    --- FAIL: TestA/two (0s)\n"

    assert outcome_of("TestA", said).failed == ("TestA",)


def test_a_reason_for_a_test_that_is_not_there_is_told() -> None:
    assert integration.outlived({"TestA", "TestB"}, WHY) == []
    assert integration.outlived({"TestA"}, WHY) == ["TestB/one"]
