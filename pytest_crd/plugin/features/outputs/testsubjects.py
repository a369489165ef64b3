"""What pytest's tests and collectors are about, and what is wrong with them: facts of the plugin's own, and of tests in Python."""

from __future__ import annotations

import io
import json
import traceback
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

import pytest
from _pytest._io import TerminalWriter

from pytest_crd.cases.crdcatalog import Catalog
from pytest_crd.engine import CustomResourceDefinition, InputError, NotAcceptedError, NotStructuralError
from pytest_crd.engine.api.version import Version
from pytest_crd.plugin.items.cases import BoundCase
from pytest_crd.plugin.items.failures import CausedFailure, MistakenCollectError, MistakenFailure, TextItem
from pytest_crd.report import causes, verdictrules
from pytest_crd.report.testfacts import About, Cause, FilePlace, VerdictKind

_FIXTURES: Final = frozenset({"crds", "crd", "crd_version", "crd_case"})


class ReportFacts(NamedTuple):
    """
    What a report of pytest's is about; it travels with it, as a text.

    Attributes:
        about: What the test is about.
        causes: What is wrong.
        place: Where it stands.
    """

    about: About
    causes: tuple[Cause, ...]
    place: FilePlace

    def to_text(self) -> str:
        """Return it as a text of ASCII, which every way between processes takes."""
        return json.dumps([self.about.to_json(), [one.to_json() for one in self.causes], self.place])

    @classmethod
    def from_text(cls, text: str) -> ReportFacts:
        """Return what another process has sent."""
        about, found, place = json.loads(text)
        return cls(About.from_json(about), tuple(map(Cause.from_json, found)), FilePlace(*place))


def of_test(item: pytest.Item, call: pytest.CallInfo[None], report: pytest.TestReport) -> ReportFacts | None:
    """Return what a test is about that was run, or is not run; None where it has nothing to do with CRDs."""
    if not isinstance(item, TextItem) and not _FIXTURES & {*getattr(item, "fixturenames", ())}:
        return None
    about = item.about() if isinstance(item, TextItem) else _of_python(item)
    path, line, _ = item.location
    place = FilePlace(str(item.config.rootpath / path), 0 if line is None else line + 1)
    if not report.failed:
        return ReportFacts(about, (), place)
    excinfo = call.excinfo
    found = () if excinfo is None else _of_exception(excinfo.value, about.rule)
    return ReportFacts(about, found or (_plain(about.rule, report, excinfo, item, place),), place)


def of_collector(collector: pytest.Collector, report: pytest.CollectReport) -> ReportFacts:
    """Return what is wrong with a file that cannot be collected."""
    excinfo = getattr(getattr(report, "call", None), "excinfo", None)
    place = FilePlace(str(getattr(collector, "path", collector.config.rootpath)))
    found = () if excinfo is None else _of_exception(excinfo.value, verdictrules.MISTAKE)
    rule = verdictrules.MISTAKE if found else verdictrules.PYTHON_MISTAKE
    about = About(VerdictKind.COLLECTION, rule)
    return ReportFacts(about, found or (_plain(rule, report, excinfo, collector, place),), place)


def _of_exception(error: BaseException, rule: str) -> tuple[Cause, ...]:
    """Return what an exception says of itself; nothing where that is but its words."""
    if isinstance(error, CausedFailure):
        return tuple(error.causes())
    wrong = error.error if isinstance(error, MistakenFailure | MistakenCollectError) else error
    if isinstance(wrong, InputError):
        return causes.explain_mistakes(wrong.mistakes, verdictrules.MISTAKE)
    if isinstance(error, NotAcceptedError | NotStructuralError):
        return causes.explain_errors(error.errors, rule)
    return ()


def _plain(
    rule: str,
    report: pytest.TestReport | pytest.CollectReport,
    excinfo: pytest.ExceptionInfo[BaseException] | None,
    node: pytest.Item | pytest.Collector,
    place: FilePlace,
) -> Cause:
    """Return what is wrong with a test in Python: what its exception says, at the line of its own file where that came from."""
    if excinfo is None:
        return Cause(rule, text_of(report), place=place)
    error = excinfo.value
    inner = (isinstance(error, pytest.Collector.CollectError) and error.__cause__) or error
    crash = getattr(report.longrepr, "reprcrash", None)
    words = str(crash.message) if crash is not None else f"{type(inner).__name__}: {inner}"
    if isinstance(inner, SyntaxError) and inner.filename:
        return Cause(rule, words, place=FilePlace(inner.filename, inner.lineno or 0))
    own = [line for frame, line in traceback.walk_tb(inner.__traceback__) if frame.f_code.co_filename == str(node.path)]
    return Cause(rule, words, place=FilePlace(str(node.path), own[-1]) if own else place)


def text_of(report: pytest.TestReport | pytest.CollectReport) -> str:
    """Return what a report shows, without colour, and without the line with which pytest-xdist says who has made it."""
    longrepr: Any = report.longrepr
    if not hasattr(longrepr, "toterminal"):
        return "" if longrepr is None else str(longrepr)
    file = io.StringIO()
    writer = TerminalWriter(file)
    writer.hasmarkup = False
    longrepr.toterminal(writer)
    return file.getvalue().strip()


def _of_python(item: pytest.Item) -> About:
    """Return what a test in Python is about, by its fixtures."""
    params: dict[str, Any] = getattr(getattr(item, "callspec", None), "params", {})
    names = {"crd": "", "version": "", "kubernetes_version": ""}
    for value in params.values():
        names.update(_named(value))
    warnings: Sequence[Cause] = ()
    if isinstance(bound := params.get("crd_case"), BoundCase):
        place = FilePlace(str(bound.path), bound.case.line)
        warnings = [Cause(verdictrules.PYTHON, one, place=place) for one in bound.warnings]
    return About(VerdictKind.PYTHON, verdictrules.PYTHON, warnings=tuple(warnings), **names)


def _named(value: Any) -> Iterator[tuple[str, str]]:
    """Yield which CRD, version and Kubernetes version the value of a fixture stands for."""
    if isinstance(value, Version):
        yield "version", value.name
        value = value.crd
    if isinstance(value, CustomResourceDefinition):
        yield "crd", value.name
    if isinstance(value, CustomResourceDefinition | Catalog):
        yield "kubernetes_version", value.kubernetes_version
    if isinstance(value, BoundCase) and value.context is not None:
        yield "crd", value.context.crd
        yield "version", value.context.version
        yield "kubernetes_version", value.context.kubernetes_version
