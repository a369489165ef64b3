"""The progress line of long operations."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from support import terminals

from pytest_crd.plugin.progressline import ProgressLine

if TYPE_CHECKING:
    from support.sessions import Project


class _Reporter:
    """Reporter that emulates a terminal with forty columns."""

    isatty = True

    def __init__(self) -> None:
        self.currentfspath: str | None = None
        self.written: list[str] = []
        self.is_captured = True

    def rewrite(self, line: str, *, erase: bool, flush: bool) -> None:
        assert flush
        assert not self.is_captured
        assert "\n" not in line
        self.written.append(line + (" " * (39 - len(line)) if erase else ""))

    def write_line(self, line: str, *, flush: bool) -> None:
        assert flush
        assert not self.is_captured
        self.written.append(line)

    @contextlib.contextmanager
    def global_and_fixture_disabled(self) -> Iterator[None]:
        self.is_captured = False
        yield
        self.is_captured = True


class _Session:
    """A session with a clock that tests set."""

    def __init__(self, *, verbosity: int = 0, **plugins: Any) -> None:
        self.reporter = _Reporter()
        self.now = 100.0
        registered = {"terminalreporter": self.reporter, "capturemanager": self.reporter, **plugins}
        config: Any = SimpleNamespace(
            pluginmanager=SimpleNamespace(get_plugin=registered.get),
            get_verbosity=lambda: verbosity,
            get_terminal_writer=lambda: SimpleNamespace(fullwidth=40),
        )
        self.line = ProgressLine(config, lambda: self.now)

    def take_lines(self) -> list[str]:
        """Return the lines written since the last call, without the spaces that erase old text."""
        written = [line.rstrip() for line in self.reporter.written]
        self.reporter.written.clear()
        return written


def test_an_operation_of_more_than_two_seconds_is_shown_and_cleared() -> None:
    session = _Session()

    with session.line.showing("reading") as report_step:
        report_step(0, 3, "a.yaml")
        session.now += 1.9
        report_step(1, 3, "b.yaml")
        assert session.take_lines() == []
        session.now += 0.1
        report_step(1, 3, "b.yaml")
        assert session.reporter.written == [f"{'crd: reading: 1 of 3, b.yaml':39}"]
        session.take_lines()
        session.now += 0.05
        report_step(2, 3, "c.yaml")
        assert session.take_lines() == []  # too soon after the last line
        session.now += 0.06
        report_step(2, 3, "")
        assert session.take_lines() == ["crd: reading: 2 of 3"]

    assert session.reporter.written == [" " * 39, ""]


def test_a_quick_operation_is_not_shown() -> None:
    session = _Session()

    with session.line.showing("reading") as report_step:
        report_step(0, 1, "a")

    assert session.take_lines() == []


def test_inner_operations_share_the_delay_and_clear_their_lines() -> None:
    session = _Session()

    with session.line.showing("all"):
        with session.line.showing("one") as report_step:
            session.now += 1.5
            report_step(0, 1, "")
        with session.line.showing("two") as report_step:
            session.now += 1
            report_step(0, 1, "")
        assert session.take_lines() == ["crd: two: 0 of 1", "", ""]
    with session.line.showing("three") as report_step:
        session.now += 1.5
        report_step(0, 1, "")

    assert session.take_lines() == []


def test_a_line_is_cleared_after_an_error() -> None:
    session = _Session()

    def read() -> None:
        with session.line.showing("reading") as report_step:
            session.now += 2
            report_step(0, 1, "a")
            raise ValueError("wrong")

    with pytest.raises(ValueError, match="wrong"):
        read()

    assert session.take_lines() == ["crd: reading: 0 of 1, a", "", ""]


@pytest.mark.parametrize(
    ("what", "at", "line"),
    [
        ("reading", "config/crd/bases/gardens.yaml", "crd: reading: 0 of 1, .../gardens.yaml"),
        ("reading", "123456789 123456789", "crd: reading: 0 of 1, 123456789 123456789"[:39]),
        ("reading", "a\nb\x1b[2J", "crd: reading: 0 of 1, a?b?[2J"),
        ("reading what is in the way", "spec.size", "crd: reading what is in the way: 0 of 1"),
        ("reading what is in the way of others", "spec.size", "crd: reading what is in the way of other"[:39]),
    ],
)
def test_a_line_is_one_line(what: str, at: str, line: str) -> None:
    session = _Session()

    with session.line.showing(what) as report_step:
        session.now += 2
        report_step(0, 1, at)

    output = session.take_lines()[0]
    assert len(output) <= 39
    assert output == line or (output.startswith("crd: reading: 0 of 1, ...") and at.endswith(output[-14:]))


@pytest.mark.parametrize(
    "session",
    [
        _Session(verbosity=-1),
        _Session(terminalreporter=None),
    ],
)
def test_nothing_is_shown_without_a_reporter_or_with_quiet(session: _Session) -> None:
    with session.line.showing("reading") as report_step:
        session.now += 99
        report_step(0, 1, "a")

    assert session.take_lines() == []


def test_without_a_terminal_a_line_is_printed_every_twenty_seconds() -> None:
    session = _Session()
    session.reporter.isatty = False

    with session.line.showing("reading") as report_step:
        for done, seconds in enumerate((19.9, 0.1, 19.9, 0.1)):
            session.now += seconds
            report_step(done, 4, "deploy/operator/crds/gardens.yaml\x1b" if done == 1 else "")

    assert session.take_lines() == [
        "crd: reading: 1 of 4, deploy/operator/crds/gardens.yaml?",
        "crd: reading: 3 of 4",
    ]


def test_nothing_is_written_over_the_line_of_a_test() -> None:
    session = _Session()
    session.reporter.currentfspath = "test_garden.crd.yaml"

    with session.line.showing("reading") as report_step:
        session.now += 9
        report_step(0, 1, "a")

    assert session.take_lines() == []


def test_the_line_is_shown_without_capturing() -> None:
    session = _Session(capturemanager=None)
    session.reporter.is_captured = False

    with session.line.showing("reading") as report_step:
        session.now += 2
        report_step(0, 1, "a")

    assert session.take_lines() == ["crd: reading: 0 of 1, a", "", ""]


@pytest.fixture
def terminal(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    return terminals.attach(project, monkeypatch)


def test_the_files_of_crds_and_samples_are_shown(terminal: Project) -> None:
    terminal.write("config/samples/a.yaml", "apiVersion: stories.example.com/v1\nkind: Garden\nmetadata: {name: a}\n")
    terminal.write("docs/b.yaml", "apiVersion: stories.example.com/v1\nkind: Garden\nmetadata: {name: b}\n")

    result = terminal.run("--crd-checks", "config")

    lines = terminals.lines(result)
    assert lines[:4] == [
        "crd: reading CRDs: 0 of 1, config/crd/bases/gardens.yaml",
        "crd: reading samples: 0 of 1, config/samples/a.yaml",
        "crd: looking for samples elsewhere: 0 of 2, config/crd/bases/gardens.yaml",
        "crd: looking for samples elsewhere: 1 of 2, docs/b.yaml",
    ]
    assert result.ret == 0


def test_commands_are_shown_while_a_case_file_is_collected(terminal: Project) -> None:
    terminal.cases()
    terminal.ini("crd_commands = cat config/crd/bases/gardens.yaml")

    result = terminal.run()

    assert terminals.lines(result)[0] == "crd: reading CRDs: 0 of 1, `cat config/crd/bases/gardens.yaml`"
    result.assert_outcomes(passed=3)


def test_generating_shows_fields_and_cases(terminal: Project) -> None:
    lines = terminals.lines(terminal.run("--crd-generate=Garden"))

    assert any(line.startswith("crd: trying fields of Garden v1: 2 of ") for line in lines)
    assert any(line.startswith("crd: running cases of Garden v1: 1 of ") for line in lines)
    assert lines[0] == "crd: reading CRDs: 0 of 1, config/crd/bases/gardens.yaml"


def test_the_files_of_a_baseline_are_shown(terminal: Project) -> None:
    terminal.write("old/gardens.yaml", terminal.read("config/crd/bases/gardens.yaml"))
    terminal.write("config/samples/a.yaml", "apiVersion: stories.example.com/v1\nkind: Garden\nmetadata: {name: a}\n")
    terminal.write(
        "old/config/samples/b.yaml", "apiVersion: stories.example.com/v1\nkind: Garden\nmetadata: {name: b}\n"
    )
    terminal.cases(name="old/test_garden.crd.yaml")

    result = terminal.run("--crd-baseline=old", "config")

    assert {
        "crd: reading old: 0 of 3, old/gardens.yaml",
        "crd: reading CRDs: 0 of 1, config/crd/bases/gardens.yaml",
        "crd: reading samples: 0 of 2, config/samples/a.yaml",
        "crd: reading samples: 0 of 1, config/samples/b.yaml",
        "crd: reading case files: 0 of 1, test_garden.crd.yaml",
    } <= {*terminals.lines(result)}


@pytest.mark.long
def test_workers_show_nothing(terminal: Project) -> None:
    terminal.write(
        "conftest.py",
        f"{terminal.read('conftest.py')}    from pytest_crd.plugin import progressline\n    progressline.PATIENCE = 0\n",
    )

    result = terminal.run("-p", "xdist", "-p", "pytest_crd.plugin", "-n1", "--crd-checks")

    assert not [line for line in terminals.lines(result) if " of " in line]
    assert result.ret == 0
