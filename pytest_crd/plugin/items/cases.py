"""Collectors and items for case files and cases."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from pytest_crd import folders
from pytest_crd.cases import caseruns, loader
from pytest_crd.cases.caseruns import RunCase
from pytest_crd.cases.crdcatalog import Catalog
from pytest_crd.cases.model import Case, CaseFile
from pytest_crd.engine import InputError, Mistake
from pytest_crd.plugin import commandline, session
from pytest_crd.plugin.items import extensions
from pytest_crd.plugin.items.extensions import TestPlace
from pytest_crd.plugin.items.failures import (
    FailureText,
    MistakenCollectError,
    MistakenFailure,
    TextFailure,
    TextItem,
)

if TYPE_CHECKING:
    from pytest_crd.casefiles.notes import Note
    from pytest_crd.cases.caseresult import CaseResult, Context
    from pytest_crd.cases.openshift.suite import Suite
    from pytest_crd.plugin.items.casereports import CaseReport
    from pytest_crd.plugin.items.extensions import FilledContent
    from pytest_crd.report.testfacts import About, Cause

_HOOKS: Final = "crd-cases"


class CaseFailure(TextFailure):
    """Failure of a case."""

    def __init__(self, report: CaseReport) -> None:
        super().__init__(report.plain)
        self._report = report

    def to_text(self) -> FailureText:
        """Return the report, plain and in colour."""
        return self._report.to_text()

    def causes(self) -> tuple[Cause, ...]:
        """Return the causes of the failure."""
        return self._report.causes()


class BoundCase:
    """
    A case with the function that runs it.

    Attributes:
        is_idle: Whether the case was not run since it was handed out; reading it proves nothing.
        is_excused: Whether the case is expected to fail, so that nothing is written into its file.
        notes: Notes about the run, even if the case holds.
        warnings: Warnings about the case, shown once at any verbosity.
        barewords: Notes about the words in its objects that YAML reads as booleans.
        observed: The note to write into its file after a run; None for none.
        kubernetes_version: The Kubernetes version of the run if the session has several; else empty.
        context: CRD, version and Kubernetes version of the run; None before it.
    """

    def __init__(  # noqa: PLR0913 - the parts of a case
        self,
        case: Case,
        run: Callable[[Any], CaseResult],
        *,
        path: Path,
        config: pytest.Config,
        content: FilledContent | None = None,
        kubernetes_version: str = "",
    ) -> None:
        self._case = case
        self._path = path
        self.kubernetes_version = kubernetes_version
        self._run = run
        self._config = config
        self._content = content
        self.is_excused = False
        self.observed: Note | None = None
        if content is not None and case.passed_over:
            self.observed = content.passed_over(case)
        self.is_idle = True
        self.notes: tuple[str, ...] = ()
        self.warnings: tuple[str, ...] = ()
        self.barewords: tuple[str, ...] = ()
        self.context: Context | None = None

    @property
    def case(self) -> Case:
        """The case as declared in the file."""
        return self._case

    @property
    def path(self) -> Path:
        """The case file."""
        return self._path

    @property
    def name(self) -> str:
        """The name of the case, with the Kubernetes version if the session has several."""
        return f"{self.case.name}[{self.kubernetes_version}]" if self.kubernetes_version else self.case.name

    @property
    def marks(self) -> list[pytest.MarkDecorator]:
        """
        The pytest marks for the case's `skip`, `xfail` and `marks`.

        Raises:
            CollectError: A mark is not registered, and `--strict-markers` is set.
        """
        case = self.case
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                marks = [getattr(pytest.mark, name) for name in case.marks]
            for warning in caught:  # pytest's warnings, issued again for the line of the case
                warnings.warn_explicit(warning.message, warning.category, str(self.path), case.line)
        except (
            pytest.fail.Exception,
            pytest.PytestUnknownMarkWarning,
        ) as error:  # the mark is not registered, and must be
            mistake = Mistake(session.display_path(self.path), case.line, str(error))
            raise MistakenCollectError(InputError([mistake])) from None
        if case.skip is not None:
            marks.append(pytest.mark.skip(reason=case.skip))
        elif case.passed_over:
            marks.append(
                pytest.mark.skip(reason=f"what it leaves out is not filled in, as it has `xfail`: {case.xfail}")
            )
        if case.xfail is not None:
            # Only a failed comparison is excused: a mistake in the file stays an error.
            marks.append(pytest.mark.xfail(reason=case.xfail, strict=True, raises=CaseFailure))
        return marks

    def check(self) -> None:
        """
        Run the case.

        Raises:
            CaseFailure: It does not hold; the message has the differences and their causes.
            pytest.fail.Exception: The case has a mistake and cannot be judged.
        """
        __tracebackhide__ = True
        self.is_idle = False
        with self._mirror_requests():
            result = self._check_result()
            if isinstance(result, InputError):
                raise MistakenFailure(result)
            if not result.holds:
                from pytest_crd.plugin.items import casereports  # noqa: PLC0415 - reports are slow to import, and most cases hold

                path, verbosity = session.display_path(self.path), self._config.get_verbosity()
                raise CaseFailure(casereports.CaseReport(path, self.case, result, verbosity))

    def _mirror_requests(self) -> AbstractContextManager[None]:
        """Send the requests of a case to the live server, too."""
        return extensions.mirror_requests(self._config, TestPlace(self._path, self._case.line, self._case.title))

    def run(self) -> CaseResult:
        """
        Run the case and return its result, without side effects on this object.

        Raises:
            InputError: The case has a mistake.
        """
        self.is_idle = False
        return self._run(self._case)

    def _check_result(self) -> CaseResult | InputError:
        try:
            result = self._run(self._case) if self._content is None or self.is_excused else self._observe(self._content)
        except InputError as error:
            return error
        self.notes, self.warnings, self.context = result.notes, result.warnings, result.context
        self.barewords = result.barewords if result.holds else ()  # a failure shows them itself
        return result

    def _observe(self, content: FilledContent) -> CaseResult:
        """Run the case, and keep the note to write into its file."""
        result, self.observed = content.observe(self._case, self._run, version=self.kubernetes_version)
        return result

    def __repr__(self) -> str:
        """Return the file and name of the case."""
        return f"<case {session.display_path(self._path)}::{self._case.name}>"


class Hooks:
    """Hooks of a session with cases."""

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Add notes and warnings of a case to its test report."""
        report = yield
        if call.when == "call" and (bound := bound_case(item)) is not None:
            report.user_properties.extend((session.NOTE, note) for note in bound.notes)
            report.user_properties.extend((session.WARNING, warning) for warning in bound.warnings)
            report.user_properties.extend((session.PLACE, line) for line in bound.barewords)
        return report


class CaseFileCollector(pytest.File):
    """A case file."""

    def collect(self) -> Iterator[pytest.Item]:
        """Yield the cases; all mistakes in the file are one collection error."""
        for bound in bind(self.path, self.config):
            yield CaseItem.from_parent(self, name=bound.name, bound=bound)


class CaseItem(TextItem):
    """Test item of one case."""

    def __init__(self, *, bound: BoundCase, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.bound = bound
        self.extra_keyword_matches.add(bound.case.section.value)
        for mark in bound.marks:
            self.add_marker(mark)

    def runtest(self) -> None:
        """Run the case."""
        self.bound.is_excused = self.get_closest_marker("xfail") is not None
        self.bound.check()

    def run_ahead(self) -> None:
        """Run the case only to learn its requests."""
        self.bound.run()

    def about(self) -> About:
        """Return the facts about the case for reports: its CRD version and its warnings; without a CRD version if it did not run."""
        from pytest_crd.plugin.items import casereports  # noqa: PLC0415 - as above

        bound = self.bound
        version = bound.kubernetes_version
        return casereports.about(self.path, bound.case, version, bound.context, bound.warnings)

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        """Return file, 0-based line and name of the case."""
        return self.path, self.bound.case.line - 1, self.name


def observed_json(item: pytest.Item) -> str:
    """Return the note to write into the file of the case that *item* has run, as JSON for another process; empty for none."""
    bound = bound_case(item)
    return bound.observed.to_json() if bound is not None and bound.observed is not None else ""


def bound_case(item: pytest.Item) -> BoundCase | None:
    """Return the case of an item, or of a Python test; None if it has none."""
    # A skipped test has requested no fixture.
    params = getattr(getattr(item, "callspec", None), "params", {})
    bound = item.bound if isinstance(item, CaseItem) else params.get("crd_case")
    return bound if isinstance(bound, BoundCase) else None


def bind(path: Path, config: pytest.Config) -> list[BoundCase]:
    """
    Return the cases of the file at *path*, each with its CRD version.

    Raises:
        CollectError: The file, or a CRD that it names, has mistakes; the message lists all.
    """
    if not config.pluginmanager.has_plugin(_HOOKS):
        config.pluginmanager.register(Hooks(), _HOOKS)
    try:
        commandline.require_inside(path, config)
        text, filler = folders.read_file(path), config.stash.get(extensions.FILLER, None)
        loaded = loader.load_any(text, source=session.display_path(path), fills=filler is not None)
        if filler and isinstance(loaded, tuple) and (repaired := filler.repair(path, text, loaded)) != text:
            text, loaded = repaired, loader.load_any(repaired, source=session.display_path(path), fills=True)
        content = filler.content(path, text, is_suite=not isinstance(loaded, tuple)) if filler else None
        return [
            BoundCase(case, run, path=path, config=config, content=content, kubernetes_version=label)
            for label, runs in _all_runs(loaded, session.catalogs(config), path.parent, lists=config.option.collectonly)
            for case, run in runs
        ]
    except InputError as error:
        raise MistakenCollectError(error) from None
    except OSError as error:
        mistake = Mistake(session.display_path(path), 0, f"cannot be read: {error.strerror}")
        raise MistakenCollectError(InputError([mistake])) from None


def _all_runs(
    loaded: tuple[CaseFile, ...] | Suite, catalogs: tuple[Catalog, ...], folder: Path, *, lists: bool
) -> Iterator[tuple[str, Iterator[RunCase]]]:
    """
    Yield the cases of a file for each Kubernetes version; the label is the version if there are several, else empty.

    With *lists*, the session runs no case: names and versions of CRDs are enough, and mistakes in their schemas wait for a run.
    """
    for part in loaded if isinstance(loaded, tuple) else (loaded,):
        has_own = isinstance(part, CaseFile) and part.kubernetes_version is not None
        for catalog in catalogs[:1] if has_own else catalogs:
            label = "" if has_own or len(catalogs) == 1 else catalog.kubernetes_version
            yield (
                label,
                caseruns.find(part, catalog, folder, lists=lists),
            )
