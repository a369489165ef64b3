"""
The failures of a session in blocks: upgrades first, then checks, then cases, and one block for each cause.

A failure whose causes all have their origin at a place of the CRDs that a block before it shows is only counted in that block. With `-v`
each failure has a block; so it has with `--tb=no` and `--tb=line`, which show no counts.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING, Any, Final

import pytest

from pytest_crd import lazyimport
from pytest_crd.plugin.items.failures import CausedFailure, FailureText, TextItem
from pytest_crd.records import NamedTuple
from pytest_crd.wording import counted

if TYPE_CHECKING:
    from pytest_crd.report import causegroups, testfacts
    from pytest_crd.report.causegroups import CauseGroups
else:
    causegroups = lazyimport.module("pytest_crd.report.causegroups")
    testfacts = lazyimport.module("pytest_crd.report.testfacts")

# The attribute of a report with the kind and the causes of its failure; pytest-xdist sends it along.
_MARK: Final = "pytest_crd_block"
_MOST_FILES: Final = 3
# The styles of `--tb` that show no block.
_WITHOUT_BLOCKS: Final = ("no", "line")
_FAILED: Final = "failed"
_REPORTS: Final[pytest.StashKey[list[Any]]] = pytest.StashKey()


class Mark(NamedTuple):
    """
    The mark of a failure.

    Attributes:
        kind: The kind of test.
        causes: The identities of its causes, of `causegroups.CauseId`.
    """

    kind: str
    causes: Sequence[tuple[str, str, str]]


def mark(report: pytest.TestReport, item: TextItem, failure: CausedFailure) -> None:
    """Mark the report of a failed test with its kind and its causes."""
    about = item.about()
    causes = [causegroups.identify(about, cause) for cause in failure.causes()]
    setattr(report, _MARK, json.dumps(Mark(about.kind, causes)))


class Hooks:
    """Hooks that put the failures of a session, which has some, into blocks while the summary is written."""

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_terminal_summary(
        self, terminalreporter: pytest.TerminalReporter, config: pytest.Config
    ) -> Generator[None, None, None]:
        """Write the summary with one block for each cause."""
        stats = terminalreporter.stats
        failed = stats[_FAILED]
        config.stash[_REPORTS] = [report for reports in stats.values() for report in reports]
        is_complete = config.get_verbosity() > 0 or config.getoption("tbstyle") in _WITHOUT_BLOCKS
        stats[_FAILED] = _blocks(failed, is_complete=is_complete)
        try:
            yield
        finally:
            stats[_FAILED] = failed


def all_reports(config: pytest.Config) -> list[Any]:
    """Return all reports of a session with failures, also the reports that a block only counts."""
    return config.stash.get(_REPORTS, [])


def _blocks(failed: Sequence[pytest.TestReport], *, is_complete: bool) -> list[pytest.TestReport]:
    """Return the reports to show, in their order: all if *is_complete*, else the first report of each cause."""
    groups: CauseGroups[list[pytest.TestReport]] = causegroups.CauseGroups()
    blocks: list[tuple[pytest.TestReport, list[pytest.TestReport]]] = []
    for report in sorted(failed, key=_rank):
        causes = [] if is_complete else [causegroups.CauseId(*cause) for cause in _read(report).causes]
        owners = [groups.find(cause) for cause in causes]
        if owners and owners[0] is not None and None not in owners:
            owners[0].append(report)
            continue
        others: list[pytest.TestReport] = []
        for cause in causes:
            groups.add(cause, others)
        blocks.append((report, others))
    return [_count(report, others) if others else report for report, others in blocks]


def _count(report: pytest.TestReport, others: Sequence[pytest.TestReport]) -> pytest.TestReport:
    """Return a copy of a report that counts *others* of the same cause."""
    files: dict[str, list[str]] = {}
    for follower in others:
        files.setdefault(_read(follower).kind, []).append(follower.nodeid.partition("::")[0])
    parts = [f"{counted(len(names), kind)} in {_shorten(names)}" for kind, names in files.items()]
    copied = copy.copy(report)
    assert isinstance(report.longrepr, FailureText)  # noqa: S101 - a marked report has one
    copied.longrepr = report.longrepr.with_line(f"the same cause fails {', and '.join(parts)}; -v shows them")
    return copied


def _shorten(names: Sequence[str]) -> str:
    files = list(dict.fromkeys(names))
    more = f" and {counted(len(files) - _MOST_FILES, 'more file')}" if len(files) > _MOST_FILES else ""
    return f"{', '.join(files[:_MOST_FILES])}{more}"


def _rank(report: pytest.TestReport) -> int:
    return causegroups.rank(testfacts.VerdictKind(_read(report).kind))


def _read(report: pytest.TestReport) -> Mark:
    text = getattr(report, _MARK, "")
    return Mark(*json.loads(text)) if text else Mark(testfacts.VerdictKind.PYTHON, ())
