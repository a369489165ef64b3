"""Test suites of other projects: their list, outcomes of a run, and their comparison."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest
from oracle import options
from oracle.comparisons import suites
from oracle.servers import envtestassets, envtestserver
from oracle.suites import comparing, listing, runs
from oracle.suites.comparing import Comparison
from oracle.suites.listing import Reason
from oracle.suites.runs import Outcome

PAGE: Final = (Path(__file__).parents[3] / "docs/developing/upstream.md").read_text(encoding="utf-8")
PASSED: Final = Outcome(passed=True)
FAILED: Final = Outcome(passed=False, message="refused")


def _spec(text: str, state: str, **rest: Any) -> Any:
    return {"ContainerHierarchyTexts": ["Client"], "LeafNodeType": "It", "LeafNodeText": text, "State": state, **rest}


def test_each_suite_has_a_fixed_version_and_at_most_one_reason_for_a_spec() -> None:
    names = listing.read_suites()
    reasons = listing.read_reasons()
    specs = [(reason.suite, spec) for reason in reasons for spec in reason.specs]

    assert all(suite.source.partition("@")[2] for suite in names.values())
    assert {reason.suite for reason in reasons} <= names.keys()
    assert sorted(set(specs)) == sorted(specs)


def test_the_page_has_the_table_of_the_results() -> None:
    assert comparing.table() in PAGE


def test_the_table_has_the_counts_and_reasons_of_each_suite() -> None:
    name, (there, here) = next(iter(comparing.read_results().items()))

    assert f"| {name} | " in comparing.table()
    assert f" | {there} | {here} | {comparing.share(there, here)} |" in comparing.table()


def test_specs_that_pass_on_the_real_server_count() -> None:
    there = {"a": PASSED, "b": PASSED, "c": FAILED, "d": PASSED}
    comparison = Comparison("s", there, {"a": PASSED, "b": FAILED, "c": FAILED})

    assert comparison.passed == ["a", "b", "d"]
    assert [(name, outcome.message) for name, outcome in comparison.failed.items()] == [
        ("b", "refused"),
        ("d", "did not run"),
    ]


def test_failures_without_a_reason_and_reasons_without_a_failure_are_surprises() -> None:
    comparison = Comparison("s", {"a": PASSED, "b": PASSED, "c": FAILED}, {"a": FAILED, "b": PASSED})

    reasons = [Reason("s", "why", ("b", "c", "e")), Reason("t", "why", ("a",))]
    first, *others = comparison.find_surprises(reasons)

    assert first == "s: a fails without a known reason:\n    refused"
    assert others == [
        "s: b passes here",
        "s: c does not pass on the kube-apiserver",
        "s: e does not pass on the kube-apiserver",
    ]


def test_a_suite_without_passed_specs_has_no_share() -> None:
    assert (comparing.share(0, 0), comparing.share(3, 2)) == ("-", "66.7")


def test_reports_of_ginkgo_name_specs_by_their_containers() -> None:
    specs = [
        _spec("creates", "passed"),
        _spec("creates", "failed", Failure={"Message": "no"}),
        _spec("waits", "skipped"),
        _spec("", "failed", LeafNodeType="BeforeSuite"),
    ]

    outcomes = runs.read_report([{"SpecReports": specs}, {"SpecReports": None}])

    assert outcomes == {
        "Client creates": Outcome(passed=True, message="passed: "),
        "Client creates (2)": Outcome(passed=False, message="failed: no"),
    }


def test_tests_without_ginkgo_are_read_from_the_output() -> None:
    output = "=== RUN   TestClient\nRunning Suite: Client\n--- PASS: TestClient (1s)\n"
    output += "=== RUN   TestA\n=== RUN   TestB\n--- PASS: TestA (0s)\nsorry\n--- FAIL: TestB (0s)\n"

    outcomes = dict(runs.read_plain_tests(output))

    assert outcomes["TestA"].passed
    assert not outcomes["TestB"].passed
    assert outcomes["TestB"].message.endswith("sorry\n")
    assert "TestClient" not in outcomes


def test_words_select_suites() -> None:
    assert suites.find_suites(["lightkube"]) == [listing.read_suites()["lightkube"]]
    assert len(suites.find_suites([])) == len(listing.read_suites())
    with pytest.raises(options.UsageError, match="no such suite: nobody"):
        suites.find_suites(["nobody"])


def test_the_programs_of_envtest_start_the_server_of_this_checkout(tmp_path: Path) -> None:
    envtestassets.write_ours(tmp_path)

    assert {path.name for path in tmp_path.iterdir()} == {"etcd", "kube-apiserver"}
    assert all(path.stat().st_mode & 0o111 for path in tmp_path.iterdir())
    assert "oracle.servers.envtestserver" in (tmp_path / "kube-apiserver").read_text(encoding="utf-8")


def test_the_server_needs_the_port_and_certificates_of_envtest(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        envtestserver.serve(["--allow-privileged=true"])
    assert "--secure-port, --cert-dir" in capsys.readouterr().err
