"""Case files and cases as pytest's files and items."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_crd import options, report
from pytest_crd.cases import loader, runner
from pytest_crd.cases.model import Case, CaseFile
from pytest_crd.cases.result import CaseResult
from pytest_crd.engine import InputError, Version


class CaseFailure(AssertionError):  # noqa: N818 - a failure, not an error: pytest tells the two apart
    """A case did not hold; `str()` is the whole report on it."""

    def __init__(self, title: str, result: CaseResult, *, verbosity: int) -> None:
        """Take what failed, and how much is to be said of it."""
        self.title = title
        self.result = result
        self.verbosity = verbosity
        super().__init__("\n".join(report.lines(title, result, verbosity=verbosity)))


class FailureText:
    """A failure as pytest shows it: in colour on a terminal, plain everywhere else."""

    def __init__(self, failure: CaseFailure) -> None:
        """Take the failure."""
        self._failure = failure
        self.reprcrash = _Crash(report.summary(failure.result))

    def toterminal(self, terminal: Any) -> None:
        """Write the report to pytest's terminal writer."""

        def paint(text: str, style: str) -> str:
            painted: str = terminal.markup(text, **_STYLES[style]) if text else ""
            return painted

        failure = self._failure
        for line in report.lines(failure.title, failure.result, verbosity=failure.verbosity, paint=paint):
            terminal.line(line)

    def __str__(self) -> str:
        """Return the report without colour, as for JUnit and for other processes."""
        return str(self._failure)


class _Crash:
    """What pytest's short summary prints behind the name of the test."""

    def __init__(self, message: str) -> None:
        self.message = message


_STYLES = {
    "title": {"bold": True},
    "path": {"bold": True},
    "expected": {"green": True},
    "actual": {"red": True},
    "reason": {"cyan": True},
}


class BoundCase:
    """A case, and the CRD version that it is about."""

    def __init__(self, case: Case, version: Version, *, path: Path, config: pytest.Config) -> None:
        """Take the case of the file at *path*."""
        self.case = case
        self.version = version
        self.path = path
        self._config = config

    @property
    def name(self) -> str:
        """The name of the case."""
        return self.case.name

    @property
    def marks(self) -> list[pytest.MarkDecorator]:
        """
        What the case's `skip`, `xfail` and `marks` mean to pytest.

        Raises:
            CollectError: A mark that `--strict-markers` does not know.
        """
        case = self.case
        try:
            marks = [getattr(pytest.mark, name) for name in case.marks]
        except pytest.fail.Exception as error:  # so pytest refuses a mark that --strict-markers does not know
            raise pytest.Collector.CollectError(f"{_relative(self.path)}:{case.line}: {error}") from None
        if case.skip is not None:
            marks.append(pytest.mark.skip(reason=case.skip))
        if case.xfail is not None:
            # Only a comparison that fails is excused: a file that is wrong stays an error.
            marks.append(pytest.mark.xfail(reason=case.xfail, strict=True, raises=CaseFailure))
        return marks

    def check(self) -> None:
        """
        Run the case.

        Raises:
            CaseFailure: It does not hold; the message says what differs, and why.
        """
        __tracebackhide__ = True
        result = runner.run(self.case, self.version)
        if not result.held:
            where = f"{_relative(self.path)}:{self.case.line}"
            title = f'{where}: {self.case.section} case "{self.case.name}"'
            raise CaseFailure(title, result, verbosity=self._config.get_verbosity())

    def __repr__(self) -> str:
        """Return where the case stands, and its name."""
        return f"<case {_relative(self.path)}::{self.name}>"


class CaseFileCollector(pytest.File):
    """A case file."""

    def collect(self) -> Iterator[pytest.Item]:
        """Yield the cases; every mistake of the file is one collection error."""
        for bound in bind(self.path, self.config):
            yield CaseItem.from_parent(self, name=bound.name, bound=bound)


class CaseItem(pytest.Item):
    """One case."""

    def __init__(self, *, bound: BoundCase, **kwargs: Any) -> None:
        """Take the case."""
        super().__init__(**kwargs)
        self.bound = bound
        self.extra_keyword_matches.add(bound.case.section.value)
        for mark in bound.marks:
            self.add_marker(mark)

    def runtest(self) -> None:
        """Run the case."""
        self.bound.check()

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *args: Any, **kwargs: Any) -> Any:
        """Return the report on a case that does not hold; anything else is our bug, and shown with its traceback."""
        if isinstance(excinfo.value, CaseFailure):
            return FailureText(excinfo.value)
        return super().repr_failure(excinfo, *args, **kwargs)

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        """Return file, 0-based line and name of the case."""
        return self.path, self.bound.case.line - 1, self.name


def bind(path: Path, config: pytest.Config) -> list[BoundCase]:
    """
    Return the cases of the file at *path*, each with its CRD version.

    Raises:
        CollectError: Everything that is wrong with the file or with the CRDs that it names.
    """
    catalog = options.catalog(config)
    try:
        case_files = loader.load(path.read_bytes(), source=_relative(path))
        return [
            BoundCase(case, version, path=path, config=config)
            for case_file, version in _versions(case_files, path, catalog)
            for case in case_file.cases
        ]
    except InputError as error:
        raise pytest.Collector.CollectError(str(error)) from None
    except OSError as error:
        raise pytest.Collector.CollectError(f"{_relative(path)}: cannot be read: {error.strerror}") from None


def _versions(case_files: tuple[CaseFile, ...], path: Path, catalog: Any) -> Iterator[tuple[CaseFile, Version]]:
    for case_file in case_files:
        yield case_file, catalog.version_of(case_file, folder=path.parent)


def _relative(path: Path) -> str:
    """Return *path* as a terminal in the current folder would name it."""
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)
