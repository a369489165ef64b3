"""Processor time of tests is listed and held to budgets."""

from __future__ import annotations

import costs
import pytest
from costs import Cost

BUSY = """\
import subprocess, sys, time, pytest

def spend(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass

def test_alone():
    spend(0.2)

@pytest.mark.session
def test_with_a_process():
    subprocess.run([sys.executable, "-c", "sum(range(5_000_000))"], check=True)

def test_asleep():
    time.sleep(0.3)

@pytest.mark.parametrize("seconds", [0.06, 0.08])
def test_rows(seconds):
    spend(seconds)
"""


def test_costs_are_processor_times_also_of_started_processes(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(costs, "BUDGET_OF_TEST", 0.1)
    monkeypatch.setattr(costs, "_calculate", lambda: costs._CALCULATION)
    monkeypatch.delenv("BRANCH_COUNTS", raising=False)
    pytester.makepyfile(BUSY)

    result = pytester.runpytest_inprocess(
        "-p", "costs", "-p", "tiers", "-p", "rows", "-p", "no:cacheprovider", "--costs"
    )

    result.assert_outcomes(passed=4)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    seconds = {
        name: float(line.split()[0])
        for line in result.outlines
        for name in ("alone", "process", "asleep", "rows[rows 1-2]")
        if line.endswith(name)
    }
    assert seconds["alone"] > 0.19
    assert seconds["process"] > 0.03
    assert seconds["asleep"] < 0.1
    assert seconds["rows[rows 1-2]"] > 0.13
    excesses = [line for line in result.outlines if "processor time, more than" in line]
    assert [line.partition(" takes ")[0].partition("::")[2] for line in excesses] == ["test_alone"]


def test_costs_are_only_measured_on_request(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_it(): pass")

    result = pytester.runpytest_inprocess("-p", "costs", "-p", "no:cacheprovider")

    assert result.ret == pytest.ExitCode.OK
    result.stdout.no_fnmatch_line("*processor time*")


def test_tests_are_summed_up_by_folder_and_the_dearest_are_listed() -> None:
    listed = [
        Cost("tests/b/test_b.py::test_b", 3, ("long",)),
        Cost("tests/a/deep/test_a.py::test_a", 1.5),
        Cost("tests/a/test_a.py::test_a", 0.25, ("session",)),
    ]

    assert [*costs.table(listed)] == [
        "     3.0 s      1 tests  tests/b",
        "     1.8 s      2 tests  tests/a",
        "     4.8 s      3 tests",
        "     1.8 s      2 tests of the README's test command, whose budget is 130 s",
        "    3.00 s tests/b/test_b.py::test_b",
        "    1.50 s tests/a/deep/test_a.py::test_a",
        "    0.25 s tests/a/test_a.py::test_a",
    ]
    assert len([*costs.table([Cost(f"tests/a/test_a.py::test_{number}", 0) for number in range(30)])]) == 3 + 20


@pytest.mark.parametrize(
    ("cost", "is_counting", "words"),
    [
        (
            Cost("t::a", 1.5),
            False,
            ["t::a takes 1.5 s of processor time, more than 1 s: make it cheaper, or mark it with `long`"],
        ),
        (
            Cost("t::a[rows 1-9]", 3, dearest=1.5),
            False,
            [
                "a row of t::a[rows 1-9] takes 1.5 s of processor time, more than 1 s: make it cheaper, or mark it with `long`"
            ],
        ),
        (Cost("t::a[rows 1-9]", 3, dearest=0.9), False, []),
        (Cost("t::a", 1.5), True, []),
        (Cost("t::a", 0.9), False, []),
        (Cost("t::a", 1.5, ("session",)), False, []),
        (Cost("t::a", 500, ("older",)), False, []),
        (Cost("t::a", 500, ("long",)), False, []),
    ],
)
def test_a_dear_test_needs_a_marker(cost: Cost, words: list[str], *, is_counting: bool) -> None:
    assert [*costs.excesses([cost], is_counting=is_counting)] == words


@pytest.mark.parametrize("is_counting", [False, True])
def test_all_tests_of_the_readme_have_a_budget(*, is_counting: bool) -> None:
    listed = [Cost("t::a", 0.5)] * 326

    (line,) = costs.excesses(listed, is_counting=is_counting)

    assert line.startswith(
        "the tests of the README's test command take 163 s of processor time, more than 130 s: make "
    )
    assert [*costs.excesses(listed[1:], is_counting=is_counting)] == []
