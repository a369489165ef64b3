"""How pytest shows a failure that is no traceback: in colour on a terminal, plain everywhere else, whole in other processes."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import pytest
from _pytest._code.code import ExceptionRepr, ReprFileLocation, ReprTraceback  # what plugins look for; nothing public
from _pytest._io import TerminalWriter
from _pytest.outcomes import Failed

if TYPE_CHECKING:
    from pytest_crd.engine import InputError
    from pytest_crd.report.testfacts import About, Cause

_STYLES: Final = {"title": 1, "path": 1, "expected": 32, "actual": 31, "reason": 36}


class CausedFailure(AssertionError, abc.ABC):  # noqa: N818 - a failure, not an error: pytest tells the two apart
    """What does not hold, of which is known what is wrong, one by one."""

    @abc.abstractmethod
    def causes(self) -> Sequence[Cause]:
        """Return what is wrong, at least one thing; asked for where a report for programs is written."""


class TextFailure(CausedFailure):
    """What does not hold; `str()` is the whole report on it."""

    @abc.abstractmethod
    def shown(self) -> FailureText:
        """Return what pytest shows."""


class _Location(ReprFileLocation):
    """A message at a line of a file; at the file, where the line is 0."""

    def toterminal(self, tw: TerminalWriter) -> None:
        """Write it as pytest does, without a line where there is none."""
        if self.lineno:
            super().toterminal(tw)
        else:
            tw.write(self.path, bold=True, red=True)
            tw.line(f": {self.message.splitlines()[0]}")


class FailureText(ExceptionRepr):
    """
    A failure as pytest shows it.

    pytest and its plugins ask an ExceptionRepr for the reason: for the short summary, `--tb=line`, JUnit, annotations.
    """

    def __init__(self, *, plain: str, coloured: str, path: str, line: int, summary: str) -> None:
        self._plain = plain
        self._coloured = coloured
        self.sections = []
        self._crash = self.reprcrash = _Location(path, line, summary)
        self.reprtraceback = ReprTraceback([], None, "long")

    def to_json(self) -> dict[str, str | int]:
        """Return what the text is made of, for another process."""
        crash = self._crash
        place: dict[str, str | int] = {"path": crash.path, "line": crash.lineno, "summary": crash.message}
        return {"plain": self._plain, "coloured": self._coloured, **place}

    def toterminal(self, terminal: Any) -> None:
        """Write the report to pytest's terminal writer."""
        terminal.line(self._coloured if terminal.hasmarkup else self._plain)

    def __str__(self) -> str:
        """Return the report without colour, as for JUnit."""
        return self._plain


class MistakenFailure(Failed):
    """A test that cannot be judged: somebody has written what cannot be."""

    def __init__(self, error: InputError) -> None:
        """Take what is wrong."""
        super().__init__(str(error), pytrace=False)
        self.error = error


# As pytest's own is called, in the words of its reports.
MistakenFailure.__module__, MistakenFailure.__qualname__ = "builtins", "Failed"


class MistakenCollectError(pytest.Collector.CollectError):
    """Tests that cannot be collected: somebody has written what cannot be."""

    def __init__(self, error: InputError) -> None:
        """Take what is wrong."""
        super().__init__(str(error))
        self.error = error


class TextItem(pytest.Item):
    """An item of the plugin's own: where it does not hold, nobody wants the frames of pytest, whose source takes a while to find."""

    # Why no server is asked what the item asks; empty where one may be.
    unasked = ""

    def __init__(self, name: str, parent: pytest.Collector, **kwargs: Any) -> None:
        """Take the name; pytest 9.2 takes a node id in brackets apart only where it is a text, as `--lf` has it from its cache."""
        super().__init__(name, parent, nodeid=f"{parent.nodeid}::{name}", **kwargs)

    @abc.abstractmethod
    def about(self) -> About:
        """Return what it is about, once it has run or was skipped; asked for where a report for programs is written."""

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return what pytest shows: the report in place of a traceback."""
        if isinstance(excinfo.value, TextFailure):
            return excinfo.value.shown()
        return super().repr_failure(excinfo, style)


def place(path: str, line: int) -> str:
    """Return `file:line`, or the file where the line is 0."""
    return f"{path}:{line}" if line else path


def paint(text: str, style: str) -> str:
    """Put the colour of a style on a text."""
    return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if text else ""
