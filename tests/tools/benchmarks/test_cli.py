"""The command line of all benchmarks, and the table of their results."""

from __future__ import annotations

import argparse
import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from benchmarks import budgets, cli, machine, passes, reading
from benchmarks.figures import Figure
from benchmarks.table import BENCHMARKS

HERE = Path(cli.__file__).parent


@pytest.fixture(autouse=True)
def _no_go_and_no_corpus(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide Go and the corpus, which only people who run benchmarks have."""
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CRD_CORPUS", raising=False)
    monkeypatch.setattr(machine, "lines", lambda: iter(["Python here: quick"]))
    monkeypatch.setattr(budgets, "read", lambda: {"passes": {"a thing": 2.5}})


def test_help_lists_every_benchmark(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--help"]) == 0

    output = capsys.readouterr().out
    for benchmark in BENCHMARKS:
        assert f"  {benchmark.name:11}{benchmark.measures}\n" in output


@pytest.mark.parametrize("name", [benchmark.name for benchmark in BENCHMARKS])
def test_help_for_a_benchmark_measures_nothing(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main([name, "--help"])

    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: python -m benchmarks {name} [-h]")


def test_every_module_that_measures_is_listed() -> None:
    modules = {
        path.stem
        for path in HERE.glob("*.py")
        if re.search(r"^def main\(_?options", path.read_text(encoding="utf-8"), re.MULTILINE)
    }

    assert modules == {benchmark.name for benchmark in BENCHMARKS}


def test_figures_of_several_benchmarks_share_one_table(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def measure(_options: argparse.Namespace) -> Iterator[Figure]:
        print("details")
        yield Figure("a thing", 2.0, "a peer")

    monkeypatch.setattr(passes, "main", measure)
    monkeypatch.setattr(reading, "main", measure)

    assert cli.main(["passes", "reading"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "passes: pruning and defaulting against a copy of the object",
        "details",
        "reading: YAML against PyYAML's own reader",
        "details",
        "",
        "Python here: quick",
        "",
        "benchmark  what     times  against",
        "passes     a thing   2.00  a peer",
        "reading    a thing   2.00  a peer",
    ]


def test_a_benchmark_without_its_inputs_is_reported_as_not_measured(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["reading"]) == 2

    output, complaints = capsys.readouterr()
    assert output.splitlines()[-1] == "reading: not measured"
    assert complaints == "name a folder, or set CRD_CORPUS\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nothing"], "no benchmark `nothing`"),
        (["passes", "items", "5"], "`5`: arguments are for one benchmark alone"),
    ],
)
def test_a_wrong_command_line_lists_the_benchmarks(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(arguments) == 2

    complaints = capsys.readouterr().err
    assert complaints.startswith(words)
    assert "  upgrades " in complaints


def _patch_benchmarks(monkeypatch: pytest.MonkeyPatch, name: str, ratio: float) -> None:
    def measure(_options: argparse.Namespace) -> Iterator[Figure]:
        yield Figure(name, ratio, "a peer")

    for benchmark in BENCHMARKS:
        monkeypatch.setattr(importlib.import_module(f"benchmarks.{benchmark.name}"), "main", measure)


def test_without_a_name_all_benchmarks_run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    _patch_benchmarks(monkeypatch, "a thing", 2.0)

    assert cli.main([]) == 0
    rows = capsys.readouterr().out.split("benchmark ")[1].splitlines()[1:]
    assert [row.split()[0] for row in rows] == [benchmark.name for benchmark in BENCHMARKS]


@pytest.mark.parametrize(
    ("name", "ratio", "words"),
    [
        ("a thing", 2.6, "passes: a thing takes 2.60 times as long as a peer, and 2.5 at the most are right\n"),
        ("another", 1.0, "passes: nothing measures 'a thing', which has a budget\n"),
    ],
)
def test_a_figure_over_budget_or_missing_fails(
    name: str, ratio: float, words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _patch_benchmarks(monkeypatch, name, ratio)

    assert cli.main(["passes"]) == 1
    assert capsys.readouterr().err == words
    assert cli.main(["reading"]) == 0


def test_a_count_over_budget_prints_the_line_to_write(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def measure(_options: argparse.Namespace) -> Iterator[Figure]:
        yield Figure("a thing", 2.6, "a peer", is_counted=True)

    monkeypatch.setattr(passes, "main", measure)

    assert cli.main(["passes"]) == 1
    assert capsys.readouterr().err.splitlines() == [
        "passes: a thing is 2.600 of a peer, and 2.5 at the most are right; if it is meant, write into budgets.toml:",
        "[passes]",
        '"a thing" = 2.730',
    ]


def test_only_benchmarks_without_inputs_have_budgets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    named = {benchmark.name: benchmark.needs for benchmark in BENCHMARKS}

    assert {named[name] for name in budgets.read()} == {""}
