"""Case files and cases as pytest's files and items."""

from __future__ import annotations

import dataclasses
import functools
import os
import warnings
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import pytest

from pytest_crd import garbage, suggestions
from pytest_crd.cases import caserunner, expectedowners, loader, objectsources, unreachable
from pytest_crd.cases.caseresult import CaseResult, Context
from pytest_crd.cases.crdcatalog import Catalog
from pytest_crd.cases.model import Case, CaseFile, CaseFileError
from pytest_crd.cases.subject import CaseSubject
from pytest_crd.engine import InputError, Mistake
from pytest_crd.plugin import session
from pytest_crd.plugin.items import extensions, failures
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
    from pytest_crd.cases.openshift.suite import Suite
    from pytest_crd.plugin.items.extensions import FilledContent
    from pytest_crd.report.testfacts import About, Cause

_HOOKS: Final = "crd-cases"
# A case, and what runs it, also with other expectations.
RunCase: TypeAlias = tuple[Case, Callable[[Any], CaseResult]]


class CaseFailure(TextFailure):
    """A case did not hold."""

    def __init__(self, case: BoundCase, result: CaseResult, *, verbosity: int) -> None:
        self.path = session.shown(case.path)
        self.line = case.case.line
        self.section = case.case.section
        self.title = title = f"{self.path}:{self.line}: {case.case.title}"
        self.result = result
        self.verbosity = verbosity
        from pytest_crd.report import text as report  # noqa: PLC0415 - only a failure needs it

        super().__init__("\n".join(report.lines(title, result, verbosity=verbosity)))

    def shown(self) -> FailureText:
        """Return the report, in colour too."""
        from pytest_crd.report import text as report  # noqa: PLC0415 - only a failure needs it

        lines = report.lines(self.title, self.result, verbosity=self.verbosity, paint=failures.paint)
        summary = report.summary(self.result)
        return FailureText(plain=str(self), coloured="\n".join(lines), path=self.path, line=self.line, summary=summary)

    def causes(self) -> tuple[Cause, ...]:
        """Return what differs, one by one."""
        from pytest_crd.report import causes, verdictrules  # noqa: PLC0415 - only a report for programs needs them

        return causes.explain_case(self.result, verdictrules.name_section_rule(self.section))


class BoundCase:
    """
    A case, and what runs it.

    Attributes:
        is_idle: Whether nobody has read or run it since it was handed out.
        is_excused: Whether it is known to fail, so that nothing is written into its file.
        notes: What is worth to know of a case that was run, though it may hold.
        warnings: What everybody is told of it, once.
        barewords: Which words of its objects are read as booleans.
        observed: What is to be written into its file, once it was run; None where nothing is.
        kubernetes_version: The version that it is run for, where the session has several; else empty.
        context: Where it ran; None before.
    """

    def __init__(  # noqa: PLR0913 - what is known of a case
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
        """What the file says."""
        self.is_idle = False
        return self._case

    @property
    def path(self) -> Path:
        """The file."""
        self.is_idle = False
        return self._path

    @property
    def name(self) -> str:
        """The name of the case, with the Kubernetes version where the session has several."""
        return f"{self.case.name}[{self.kubernetes_version}]" if self.kubernetes_version else self.case.name

    @property
    def marks(self) -> list[pytest.MarkDecorator]:
        """
        What the case's `skip`, `xfail` and `marks` mean to pytest.

        Raises:
            CollectError: A mark that `--strict-markers` does not know.
        """
        case = self.case
        try:
            with warnings.catch_warnings(record=True) as given:
                warnings.simplefilter("always")
                marks = [getattr(pytest.mark, name) for name in case.marks]
            for one in given:  # which pytest issues for this line
                warnings.warn_explicit(one.message, one.category, str(self.path), case.line)
        except (
            pytest.fail.Exception,
            pytest.PytestUnknownMarkWarning,
        ) as error:  # a mark that is not known, where it must be
            mistake = Mistake(session.shown(self.path), case.line, str(error))
            raise MistakenCollectError(InputError([mistake])) from None
        if case.skip is not None:
            marks.append(pytest.mark.skip(reason=case.skip))
        elif case.passed_over:
            marks.append(
                pytest.mark.skip(reason=f"what it leaves out is not filled in, as it has `xfail`: {case.xfail}")
            )
        if case.xfail is not None:
            # Only a comparison that fails is excused: a file that is wrong stays an error.
            marks.append(pytest.mark.xfail(reason=case.xfail, strict=True, raises=CaseFailure))
        return marks

    def check(self) -> None:
        """
        Run the case.

        Raises:
            CaseFailure: It does not hold; the message says what differs, and why.
            pytest.fail.Exception: Whether it holds is not known: it says something that cannot be.
        """
        __tracebackhide__ = True
        self.is_idle = False
        with extensions.beside(self._config, TestPlace(self._path, self._case.line, self._case.title)):
            result = self._result()
            if isinstance(result, InputError):
                raise MistakenFailure(result)
            if not result.holds:
                raise CaseFailure(self, result, verbosity=self._config.get_verbosity())

    def ask(self) -> CaseResult:
        """
        Run the case, and return its outcome.

        Raises:
            InputError: It says something that cannot be.
        """
        return self._run(self._case)

    @garbage.paused()
    def _result(self) -> CaseResult | InputError:
        try:
            result = self._run(self._case) if self._content is None or self.is_excused else self._observe(self._content)
        except InputError as error:
            return error
        self.notes, self.warnings, self.context = result.notes, result.warnings, result.context
        self.barewords = result.barewords if result.holds else ()  # else they stand in the failure
        return result

    def _observe(self, content: FilledContent) -> CaseResult:
        """Run the case, and keep what is to be written into its file."""
        result, self.observed = content.observe(self._case, self._run, version=self.kubernetes_version)
        return result

    def __repr__(self) -> str:
        """Return where the case stands, and its name."""
        return f"<case {session.shown(self._path)}::{self._case.name}>"


class Hooks:
    """What a session with cases asks of each test."""

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Put what is worth to know of a case into the report on it."""
        report = yield
        if call.when == "call" and (bound := _bound(item)) is not None:
            report.user_properties.extend((session.NOTE, note) for note in bound.notes)
            report.user_properties.extend((session.WARNING, warning) for warning in bound.warnings)
            report.user_properties.extend((session.PLACE, line) for line in bound.barewords)
        return report


class CaseFileCollector(pytest.File):
    """A case file."""

    def collect(self) -> Iterator[pytest.Item]:
        """Yield the cases; every mistake of the file is one collection error."""
        for bound in bind(self.path, self.config):
            yield CaseItem.from_parent(self, name=bound.name, bound=bound)


class CaseItem(TextItem):
    """One case."""

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

    def foresee(self) -> None:
        """Run it for its questions alone."""
        self.bound.ask()

    def about(self) -> About:
        """Return the CRD version that the case was run for; none where it was not run."""
        from pytest_crd.report import verdictrules  # noqa: PLC0415 - only a report for programs needs them
        from pytest_crd.report.testfacts import About, Cause, FilePlace, VerdictKind  # noqa: PLC0415

        bound, rule = self.bound, verdictrules.name_section_rule(self.bound.case.section)
        place = FilePlace(str(self.path), bound.case.line)
        warnings = tuple(Cause(rule, one, place=place) for one in bound.warnings)
        if (context := bound.context) is None:
            return About(VerdictKind.CASE, rule, kubernetes_version=bound.kubernetes_version, warnings=warnings)
        version = context.kubernetes_version
        return About(VerdictKind.CASE, rule, context.crd, context.version, version, warnings)

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        """Return file, 0-based line and name of the case."""
        return self.path, self.bound.case.line - 1, self.name


def observed_of(item: pytest.Item) -> str:
    """Return what is to be written into the file of the case that *item* has run, for another process; empty where nothing is."""
    bound = _bound(item)
    return bound.observed.to_json() if bound is not None and bound.observed is not None else ""


def _bound(item: pytest.Item) -> BoundCase | None:
    # What is skipped has asked for no fixture.
    params = getattr(getattr(item, "callspec", None), "params", {})
    bound = item.bound if isinstance(item, CaseItem) else params.get("crd_case")
    return bound if isinstance(bound, BoundCase) else None


@garbage.paused()
def bind(path: Path, config: pytest.Config) -> list[BoundCase]:
    """
    Return the cases of the file at *path*, each with its CRD version.

    Raises:
        CollectError: Everything that is wrong with the file or with the CRDs that it names.
    """
    if not config.pluginmanager.has_plugin(_HOOKS):
        config.pluginmanager.register(Hooks(), _HOOKS)
    try:
        text, filler = path.read_bytes(), config.stash.get(extensions.FILLER, None)
        loaded = loader.load_any(text, source=session.shown(path), fills=filler is not None)
        content = filler.content(path, text, is_suite=not isinstance(loaded, tuple)) if filler else None
        return [
            BoundCase(case, run, path=path, config=config, content=content, kubernetes_version=label)
            for label, runs in _all_runs(loaded, session.catalogs(config), path.parent)
            for case, run in runs
        ]
    except InputError as error:
        raise MistakenCollectError(error) from None
    except OSError as error:
        mistake = Mistake(session.shown(path), 0, f"cannot be read: {error.strerror}")
        raise MistakenCollectError(InputError([mistake])) from None


def _all_runs(
    loaded: tuple[CaseFile, ...] | Suite, catalogs: tuple[Catalog, ...], folder: Path
) -> Iterator[tuple[str, Iterator[RunCase]]]:
    """Yield the cases of a file once for each Kubernetes version, with its name where there are several."""
    for part in loaded if isinstance(loaded, tuple) else (loaded,):
        has_own = isinstance(part, CaseFile) and part.kubernetes_version is not None
        for catalog in catalogs[:1] if has_own else catalogs:
            label = "" if has_own or len(catalogs) == 1 else catalog.kubernetes_version
            yield (
                label,
                (_runs(part, catalog, folder) if isinstance(part, CaseFile) else _suite_runs(part, catalog, folder)),
            )


def _runs(case_file: CaseFile, catalog: Catalog, folder: Path) -> Iterator[RunCase]:
    """Yield the cases of a file, each with what runs it; all that is about one CRD version shares what is known of it."""
    version = catalog.version_of(case_file, folder=folder)
    subjects, budget = {version: CaseSubject(version)}, suggestions.WorkBudget()
    mistakes: list[Mistake] = []
    for declared in case_file.cases:
        try:
            case = objectsources.resolve(declared, folder)
        except CaseFileError as error:
            mistakes += error.mistakes
            continue
        old = catalog.old_version_of(case, version, folder=folder)
        old_subject = subjects.setdefault(old, CaseSubject(old))
        mistakes += unreachable.find_mistakes(case, subjects[version], old_subject)
        mistakes += expectedowners.find_mistakes(case, budget)
        yield case, functools.partial(caserunner.run, subject=subjects[version], old_subject=old_subject)
    if mistakes:
        raise CaseFileError(sorted(mistakes))


def _run_suite_case(run: Callable[[], CaseResult], _: Case) -> CaseResult:
    return run()


def _suite_runs(suite: Suite, catalog: Catalog, folder: Path) -> Iterator[RunCase]:
    """Yield the cases of a suite, each for every CRD that the suite is about."""
    from pytest_crd.cases.openshift import suiterunner  # noqa: PLC0415 - most projects have no suites

    for variant in catalog.variants_of(suite, folder=folder):
        subject = CaseSubject(variant.version)
        for one in suite.cases:
            old = catalog.suite_old_version_of(suite, one.case, variant)
            old_subject = subject if old is variant.version else CaseSubject(old)
            name = f"{one.case.name} ({variant.label})" if variant.label else one.case.name
            run = functools.partial(
                _run_suite_case, functools.partial(suiterunner.run, one, subject, old_subject=old_subject)
            )
            yield dataclasses.replace(one.case, name=name), run
