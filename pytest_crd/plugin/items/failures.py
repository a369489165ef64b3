"""Failures without a traceback: in colour on a terminal, plain elsewhere, and complete in other processes."""

from __future__ import annotations

import abc
import functools
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
from _pytest._code.code import (
    ExceptionRepr,
    ReprFileLocation,
    ReprTraceback,
)  # plugins expect these; no public class exists
from _pytest._io import TerminalWriter
from _pytest.outcomes import Failed

from pytest_crd.wording import escape, escape_lines

if TYPE_CHECKING:
    from pytest_crd.engine import InputError
    from pytest_crd.report.testfacts import About, Cause

_STYLES: Final = {"title": 1, "path": 1, "expected": 32, "actual": 31, "reason": 36}


class CausedFailure(AssertionError, abc.ABC):  # noqa: N818 - a failure, not an error: pytest tells the two apart
    """Base of test failures that list their causes."""

    @abc.abstractmethod
    def causes(self) -> Sequence[Cause]:
        """Return the causes, at least one; called when a report for programs is written."""


class TextFailure(CausedFailure):
    """Failure with a text as its report; `str()` returns it whole."""

    @abc.abstractmethod
    def to_text(self) -> FailureText:
        """Return the report as pytest shows it."""


class _Location(ReprFileLocation):
    """Message at a line of a file; at the whole file if the line is 0."""

    def toterminal(self, tw: TerminalWriter) -> None:
        """Write it in pytest's form; omit the line number if it is 0."""
        if self.lineno:
            super().toterminal(tw)
        else:
            tw.write(self.path, bold=True, red=True)
            tw.line(f": {self.message.splitlines()[0]}")


class FailureText(ExceptionRepr):
    """
    Failure as pytest shows it.

    pytest and its plugins take the reason from an ExceptionRepr: for the short summary, `--tb=line`, JUnit and annotations.
    """

    def __init__(self, *, plain: str, coloured: str, path: str, line: int, summary: str) -> None:
        self._plain = escape_lines(plain)
        self._coloured = escape_lines(coloured, is_coloured=True)
        self.sections = []
        self._crash = self.reprcrash = _Location(escape(path), line, escape_lines(summary))
        self.reprtraceback = ReprTraceback([], None, "long")

    def to_json(self) -> dict[str, str | int]:
        """Return the arguments to create a copy in another process."""
        crash = self._crash
        place: dict[str, str | int] = {"path": crash.path, "line": crash.lineno, "summary": crash.message}
        return {"plain": self._plain, "coloured": self._coloured, **place}

    def with_line(self, line: str) -> FailureText:
        """Return a copy that ends with *line*."""
        fields: dict[str, Any] = self.to_json()
        return FailureText(**{**fields, "plain": f"{self._plain}\n{line}", "coloured": f"{self._coloured}\n{line}"})

    def toterminal(self, terminal: Any) -> None:
        """Write the report to pytest's terminal writer."""
        terminal.line(self._coloured if terminal.hasmarkup else self._plain)

    def __str__(self) -> str:
        """Return the report without colour, for JUnit and others."""
        return self._plain


class MistakenFailure(Failed):
    """Failure of a test that cannot be judged because of a mistake in the user's files."""

    def __init__(self, error: InputError) -> None:
        """Create it from the mistakes."""
        super().__init__(str(error), pytrace=False)
        self.error = error


# pytest's reports show its own exception under this name.
MistakenFailure.__module__, MistakenFailure.__qualname__ = "builtins", "Failed"


class MistakenCollectError(pytest.Collector.CollectError):
    """Error about tests that cannot be collected because of a mistake in the user's files."""

    def __init__(self, error: InputError) -> None:
        """Create it from the mistakes."""
        super().__init__(str(error))
        self.error = error


class TextItem(pytest.Item):
    """Base of the plugin's items, which fail without a traceback: pytest's frames are no help and take time to render."""

    # For pytest-run-parallel, which warns of other items without a function, and runs them in one thread.
    _parallel_custom_item = True
    # Why no live server gets the requests of the item; empty if it does.
    unasked = ""
    # The source of a CRD and the Kubernetes version, if the item fails with all errors for which that server refuses the CRD.
    judged_crd: tuple[str, str] | None = None
    # Whether it is skipped because another item of the run fails for the same refusal.
    is_told = False

    def __init__(self, name: str, parent: pytest.Collector, **kwargs: Any) -> None:
        """Create it with a name; the node id is a text because pytest 9.2 splits another one at brackets, which breaks `--lf`."""
        super().__init__(name, parent, nodeid=f"{parent.nodeid}::{name}", **kwargs)

    def skip_if_told(self, source: str, kubernetes_version: str) -> None:
        """Skip the item, which fails because a server refuses the CRD at *source*, if another item of the run fails for that."""
        for item in self.session.items:
            if isinstance(item, TextItem) and item.judged_crd == (source, kubernetes_version):
                self.is_told = True
                pytest.skip(f"not judged: the server refuses the CRD, as {item.name} says")

    @functools.cached_property
    def location(self) -> tuple[str, int | None, str]:
        """The file, line and name for reports."""
        path, line, name = super().location
        return escape(path), line, name

    @abc.abstractmethod
    def about(self) -> About:
        """Return the facts about the item for reports, after it was run or skipped."""

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return the report in place of a traceback."""
        if isinstance(excinfo.value, TextFailure):
            return excinfo.value.to_text()
        return super().repr_failure(excinfo, style)


def node_id(path: Path, config: pytest.Config) -> str | None:
    """Return the node id of a file whose name needs escapes; None for others, which pytest names."""
    name = os.path.relpath(path, config.rootpath)
    return None if escape(name) == name else escape(name)


def place(path: str, line: int) -> str:
    """Return `file:line`; only the file if the line is 0."""
    return f"{path}:{line}" if line else path


def paint(text: str, style: str) -> str:
    """Return *text* with the colour codes of *style*; empty stays empty."""
    return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if text else ""
