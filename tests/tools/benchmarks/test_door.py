"""The door to all benchmarks, and the table that it makes of what they find."""

from __future__ import annotations

import argparse
import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from benchmarks import budgets, door, machine, passes, reading
from benchmarks.figures import Figure
from benchmarks.table import BENCHMARKS

HERE = Path(door.__file__).parent


@pytest.fixture(autouse=True)
def _nothing_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither Go nor a corpus: those who measure have them."""
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CRD_CORPUS", raising=False)
    monkeypatch.setattr(machine, "lines", lambda: iter(["Python here: quick"]))
    monkeypatch.setattr(budgets, "read", lambda: {"passes": {"a thing": 2.5}})


def test_who_asks_for_help_is_told_all_benchmarks(capsys: pytest.CaptureFixture[str]) -> None:
    assert door.main(["--help"]) == 0

    said = capsys.readouterr().out
    for benchmark in BENCHMARKS:
        assert f"  {benchmark.name:11}{benchmark.measures}\n" in said


@pytest.mark.parametrize("name", [benchmark.name for benchmark in BENCHMARKS])
def test_each_benchmark_says_what_it_measures_without_measuring(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        door.main([name, "--help"])

    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: python -m benchmarks {name} [-h]")


def test_every_module_that_measures_is_listed() -> None:
    modules = {
        path.stem
        for path in HERE.glob("*.py")
        if re.search(r"^def main\(_?options", path.read_text(encoding="utf-8"), re.MULTILINE)
    }

    assert modules == {benchmark.name for benchmark in BENCHMARKS}


def test_what_several_find_becomes_one_table(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def found(_options: argparse.Namespace) -> Iterator[Figure]:
        print("details")
        yield Figure("a thing", 2.0, "a peer")

    monkeypatch.setattr(passes, "main", found)
    monkeypatch.setattr(reading, "main", found)

    assert door.main(["passes", "reading"]) == 0
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


def test_one_that_lacks_what_it_needs_is_said_to_be_not_measured(capsys: pytest.CaptureFixture[str]) -> None:
    assert door.main(["reading"]) == 2

    said, complaints = capsys.readouterr()
    assert said.splitlines()[-1] == "reading: not measured"
    assert complaints == "name a folder, or set CRD_CORPUS\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nothing"], "no benchmark `nothing`"),
        (["passes", "items", "5"], "`5`: arguments are for one benchmark alone"),
    ],
)
def test_a_command_line_that_is_none_is_told_what_there_is(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert door.main(arguments) == 2

    complaints = capsys.readouterr().err
    assert complaints.startswith(words)
    assert "  upgrades " in complaints


def _finding(monkeypatch: pytest.MonkeyPatch, what: str, ratio: float) -> None:
    def found(_options: argparse.Namespace) -> Iterator[Figure]:
        yield Figure(what, ratio, "a peer")

    for benchmark in BENCHMARKS:
        monkeypatch.setattr(importlib.import_module(f"benchmarks.{benchmark.name}"), "main", found)


def test_without_a_name_all_are_measured(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    _finding(monkeypatch, "a thing", 2.0)

    assert door.main([]) == 0
    rows = capsys.readouterr().out.split("benchmark ")[1].splitlines()[1:]
    assert [row.split()[0] for row in rows] == [benchmark.name for benchmark in BENCHMARKS]


@pytest.mark.parametrize(
    ("what", "ratio", "words"),
    [
        ("a thing", 2.6, "passes: a thing takes 2.60 times as long as a peer, and 2.5 at the most are right\n"),
        ("another", 1.0, "passes: nothing measures 'a thing', which has a budget\n"),
    ],
)
def test_what_is_above_its_budget_or_is_gone_fails(
    what: str, ratio: float, words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _finding(monkeypatch, what, ratio)

    assert door.main(["passes"]) == 1
    assert capsys.readouterr().err == words
    assert door.main(["reading"]) == 0


def test_budgets_are_of_benchmarks_that_need_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    named = {benchmark.name: benchmark.needs for benchmark in BENCHMARKS}

    assert {named[name] for name in budgets.read()} == {""}
