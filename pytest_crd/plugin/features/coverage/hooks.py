"""Hooks of a session that measures and reports the coverage of schemas."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

from pytest_crd.casefiles import filereplacement, reports, yamltext
from pytest_crd.coverage import accounts, coveragetable, data, reportfiles, summary
from pytest_crd.coverage.accounts import Accounts
from pytest_crd.coverage.data import Data, DataError, Record
from pytest_crd.coverage.summary import Summary
from pytest_crd.engine import CustomResourceDefinition, InputError, load
from pytest_crd.engine.observer import SESSION
from pytest_crd.plugin import session
from pytest_crd.plugin.features.coverage.requestsources import RequestSources
from pytest_crd.plugin.settings import project
from pytest_crd.plugin.settings.coverage import CoverageSettings, Report, ReportKind
from pytest_crd.wording import escape_lines

# The key of the data that a worker of pytest-xdist sends to its controller.
_REACHED: Final = "pytest_crd_coverage"


class Hooks:
    """Sums up the coverage of all tests, and reports it at the end."""

    def __init__(self, config: pytest.Config, settings: CoverageSettings) -> None:
        """Create the hooks with the session's configuration and the settings of coverage."""
        self._config = config
        self._settings = settings
        self._askers = RequestSources(SESSION)
        config.pluginmanager.register(self._askers, "crd-coverage-requestsources")
        self._accounts = Accounts()
        self._reached = Data()
        self._summary: Summary | None = None
        self._messages: list[str] = []
        self._is_broken = False

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Add the coverage of a worker of pytest-xdist."""
        reached = getattr(node, "workeroutput", {}).get(_REACHED)
        if reached is not None:
            self._accounts.add(accounts.from_json(reached))
        else:
            self._messages.append(f"{node.gateway.id} has crashed: the coverage of its tests is lost")

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Sum up the coverage, store it for later runs, and write the reports."""
        if self._config.option.collectonly:
            return
        self._accounts.add(self._askers.ledger.accounts(self._settings.root))
        output = getattr(self._config, "workeroutput", None)
        if output is not None:
            output[_REACHED] = self._accounts.to_json()
            return
        self._reached = self._accounts.settle()
        if not self._finish() and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Write the table and the messages."""
        if self._summary is None and not self._messages:
            return
        terminalreporter.ensure_newline()
        terminalreporter.section("coverage of CRDs", sep="_")
        kinds = {report.kind for report in self._settings.reports}
        if self._summary is not None and kinds & {ReportKind.TERM, ReportKind.TERM_MISSING}:
            for line in coveragetable.lines(self._summary, with_missing=ReportKind.TERM_MISSING in kinds):
                terminalreporter.write_line(escape_lines(line))
        for text in self._messages:
            terminalreporter.write_line(escape_lines(f"crd: {text}"))

    def _finish(self) -> bool:
        """Sum up, store and report the coverage; return whether all succeeded and enough is covered."""
        is_complete = self._append()
        crds = self._find_crds()
        if not crds:
            return False  # the messages say why
        self._summary = summarized = summary.summarize(
            crds.values(), self._reached, self._settings.exclusions, counts_seen=self._settings.counts_seen
        )
        session.store_coverage(self._config, summarized)
        self._messages += summarized.problems
        if self._accounts.uncounted:
            self._messages.append(_uncounted(self._accounts.uncounted))
        if not summarized.requests:
            self._messages.append(
                "no test that passed has made a request for an object of these CRDs: nothing of them is covered"
            )
        # Data of earlier runs that could not be read is not overwritten.
        return all(
            [is_complete and self._keep(), self._write(summarized), self._is_enough(summarized), not self._is_broken]
        )

    def _append(self) -> bool:
        """Add the coverage of earlier runs if `--crd-cov-append` is given; return whether their data can be read."""
        if not self._settings.appends:
            return True
        try:
            earlier = data.read(self._settings.data_file)
        except DataError as error:
            name = session.display_path(self._settings.data_file)
            self._messages.append(f"{name} is no data file of --crd-cov: {error}; remove it, or omit --crd-cov-append")
            return False
        current = {*self._project(), *self._reached}
        usable = {
            digest: record
            for digest, record in earlier.items()
            if digest in current or self._read(digest, record) is not None
        }
        self._messages += [
            f"the stored coverage of {record.name} is dropped: the CRD has changed, or is gone"
            for digest, record in earlier.items()
            if digest not in usable
        ]
        self._reached.add(Data(usable))
        return True

    def _find_crds(self) -> dict[str, CustomResourceDefinition]:
        """Return the CRDs to cover, by digest: the project's CRDs, and CRDs that cases name by path."""
        crds = dict(self._project())
        for digest, record in self._reached.items():
            if digest in crds:
                continue
            if (crd := self._read(digest, record)) is not None:
                crds[digest] = crd
            else:
                self._messages.append(
                    f"the coverage of {record.name} does not count: {record.file} changed during the run"
                )
                self._is_broken = True
        return crds

    @cache  # noqa: B019 - the object lives as long as the session; no property, which the lowest pytest reads on every plugin
    def _project(self) -> dict[str, CustomResourceDefinition]:
        """Return the CRDs of the project, by digest."""
        try:
            return {data.compute_digest(crd): crd for crd in session.catalogs(self._config)[0].crds}
        except InputError as error:
            if not (session.sources(self._config).is_in_vain and self._reached):
                self._messages.append(f"coverage is not known: {error}")
                self._is_broken = True
            return {}

    def _read(self, digest: str, record: Record) -> CustomResourceDefinition | None:
        """Return the CRD of a record, read from its file; None if the file has another CRD now."""
        root, version = self._settings.root, project.kubernetes_versions(self._config)[0]
        try:
            crds = load([record.file], kubernetes_version=version, base=root) if record.file else ()
        except InputError:
            return None
        return next((crd for crd in crds if data.compute_digest(crd) == digest), None)

    def _keep(self) -> bool:
        """Store the coverage for later runs; return whether that succeeded."""
        text = json.dumps(self._reached.to_json(), indent=1) + "\n"
        return self._write_file(self._settings.data_file, text)

    def _write(self, totals: Summary) -> bool:
        """Write the reports that go to files; return whether all succeeded."""
        is_written = True
        for report in self._settings.reports:
            if report.path is not None:
                main, texts = self._texts(report, report.path, totals)
                folder = report.path if report.is_folder else None
                if all(self._write_file(path, text, folder) for path, text in texts):
                    self._messages.append(f"coverage is written to {session.display_path(main)}")
                else:
                    is_written = False
        return is_written

    def _texts(self, report: Report, path: Path, totals: Summary) -> tuple[Path, Iterable[tuple[Path, str]]]:
        """Return the main file of a report, which a reader opens, and all its files with their texts."""
        if report.kind is not ReportKind.HTML:
            return path, [(path, reportfiles.render(report.kind, totals, self._settings.root))]
        from pytest_crd.coverage import page  # noqa: PLC0415 - only this report creates objects

        if not report.is_folder:
            return path, [(path, page.render(totals, yamltext.block))]
        pages = page.render_folder(totals, yamltext.block)
        return path / page.INDEX, ((path / name, text) for name, text in pages)

    def _write_file(self, path: Path, text: str, folder: Path | None = None) -> bool:
        """Write a file, in *folder* if the report has several; return whether that succeeded."""
        try:
            if folder is not None:
                filereplacement.resolve(folder)
            reports.write(path, text)
        except OSError as error:
            self._messages.append(f"{session.display_path(path)} cannot be written: {error.strerror}")
            return False
        return True

    def _is_enough(self, totals: Summary) -> bool:
        """Return whether the coverage is at least `crd_cov_fail_under`; add a message if not."""
        wanted, tally = self._settings.fail_under, totals.tally
        if tally.percent >= wanted:
            return True
        percent_seen = tally.percent_seen
        hint = f"; {_rounded(percent_seen)} with seen points (no case states their results)"
        self._messages.append(
            f"coverage is {_rounded(tally.percent)}, less than the {wanted:g}% of crd_cov_fail_under"
            f"{hint if percent_seen > tally.percent else ''}"
        )
        return False


def _rounded(percent: float) -> str:
    # Rounded down, so that a percentage below the limit never looks like the limit.
    return f"{math.floor(percent * 100) / 100:g}%"


def _uncounted(tests: int) -> str:
    who = f"{tests} test{'s that have' if tests > 1 else ' that has'}"
    return f"{who} not passed, or {'are' if tests > 1 else 'is'} expected to fail, count{'' if tests > 1 else 's'} for nothing"
