"""Facts about tests and collectors for reports: the CRD, and the causes of a failure."""

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
from pytest_crd.engine.api.version import CrdVersion
from pytest_crd.plugin.items.cases import BoundCase
from pytest_crd.plugin.items.failures import CausedFailure, MistakenCollectError, MistakenFailure, TextItem
from pytest_crd.report import causes, verdictrules
from pytest_crd.report.testfacts import About, Cause, FilePlace, VerdictKind

_FIXTURES: Final = frozenset({"crds", "crd", "crd_version", "crd_case"})


class ReportFacts(NamedTuple):
    """
    Facts about the subject of a pytest report; they travel with it as a text.

    Attributes:
        about: The CRD, version and rule of the test.
        causes: The causes of its failure.
        place: The file and line of the test.
    """

    about: About
    causes: tuple[Cause, ...]
    place: FilePlace

    def to_text(self) -> str:
        """Return the facts as an ASCII text, which all channels between processes transport."""
        return json.dumps([self.about.to_json(), [cause.to_json() for cause in self.causes], self.place])

    @classmethod
    def from_text(cls, text: str) -> ReportFacts:
        """Return the facts in a text of `to_text`."""
        about, cause_values, place = json.loads(text)
        return cls(About.from_json(about), tuple(map(Cause.from_json, cause_values)), FilePlace(*place))


def of_test(item: pytest.Item, call: pytest.CallInfo[None], report: pytest.TestReport) -> ReportFacts | None:
    """Return the facts about a test that was run or skipped; None if it does not concern CRDs."""
    if not isinstance(item, TextItem) and not _FIXTURES & {*getattr(item, "fixturenames", ())}:
        return None
    about = item.about() if isinstance(item, TextItem) else _of_python(item)
    path, line, _ = item.location
    place = FilePlace(str(item.config.rootpath / path), 0 if line is None else line + 1)
    if not report.failed:
        return ReportFacts(about, (), place)
    excinfo = call.excinfo
    own_causes = () if excinfo is None else _of_exception(excinfo.value, about.rule)
    return ReportFacts(about, own_causes or (_plain(about.rule, report, excinfo, item, place),), place)


def of_collector(collector: pytest.Collector, report: pytest.CollectReport) -> ReportFacts:
    """Return the facts about a collector that failed."""
    excinfo = getattr(getattr(report, "call", None), "excinfo", None)
    place = FilePlace(str(getattr(collector, "path", collector.config.rootpath)))
    own_causes = () if excinfo is None else _of_exception(excinfo.value, verdictrules.MISTAKE)
    rule = verdictrules.MISTAKE if own_causes else verdictrules.PYTHON_MISTAKE
    about = About(VerdictKind.COLLECTION, rule)
    return ReportFacts(about, own_causes or (_plain(rule, report, excinfo, collector, place),), place)


def _of_exception(error: BaseException, rule: str) -> tuple[Cause, ...]:
    """Return the causes that an exception carries; empty if it has only a message."""
    if isinstance(error, CausedFailure):
        return tuple(error.causes())
    problem = error.error if isinstance(error, MistakenFailure | MistakenCollectError) else error
    if isinstance(problem, InputError):
        return causes.explain_mistakes(problem.mistakes, verdictrules.MISTAKE)
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
    """Return the message of a Python failure as a cause, at the last line of the traceback in the test's file."""
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
    """Return the text of a report without colour, and without the line in which pytest-xdist names the worker."""
    longrepr: Any = report.longrepr
    if not hasattr(longrepr, "toterminal"):
        return "" if longrepr is None else str(longrepr)
    file = io.StringIO()
    writer = TerminalWriter(file)
    writer.hasmarkup = False
    longrepr.toterminal(writer)
    return file.getvalue().strip()


def _of_python(item: pytest.Item) -> About:
    """Return the facts about a Python test, from its fixtures."""
    params: dict[str, Any] = getattr(getattr(item, "callspec", None), "params", {})
    names = {"crd": "", "version": "", "kubernetes_version": ""}
    for value in params.values():
        names.update(_named(value))
    warnings: Sequence[Cause] = ()
    if isinstance(bound := params.get("crd_case"), BoundCase):
        place = FilePlace(str(bound.path), bound.case.line)
        warnings = [Cause(verdictrules.PYTHON, text, place=place) for text in bound.warnings]
    return About(VerdictKind.PYTHON, verdictrules.PYTHON, warnings=tuple(warnings), **names)


def _named(value: Any) -> Iterator[tuple[str, str]]:
    """Yield the names of CRD, version and Kubernetes version in the value of a fixture, each with its key."""
    if isinstance(value, CrdVersion):
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
