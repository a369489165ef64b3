"""The hooks of a session that checks CRDs and samples."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from pytest_crd.checks import checkplan
from pytest_crd.checks.checkplan import CheckPlan
from pytest_crd.plugin import commandline, heap, progressline, session
from pytest_crd.plugin.features.checks.items import CheckFile
from pytest_crd.plugin.items import added, casefiles
from pytest_crd.plugin.items.added import MistakenFile
from pytest_crd.plugin.session import Part
from pytest_crd.plugin.settings import project
from pytest_crd.plugin.settings.checks import CHECKS, CheckSettings


class Hooks:
    """Makes a test of each check, below the file that it speaks of, wherever that lies."""

    def __init__(self, config: pytest.Config, settings: CheckSettings) -> None:
        """Take the session's configuration, and the settings of checks."""
        self._config = config
        self._settings = settings
        self._planned: CheckPlan | None = None
        session.add_part(config, self._part)

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
        """Collect a file that is named on the command line, unless it is a case file."""
        if not parent.session.isinitpath(file_path) or casefiles.is_case_file(file_path, parent.config, is_named=True):
            return None
        planned = self._plan()
        if planned.problem is not None and added.names_items(self._config):
            return MistakenFile.from_parent(parent, path=file_path, problem=planned.problem)
        return self._file(parent, file_path) if file_path in planned.checks else None

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        """Add the files with checks, which may lie where pytest does not look, to what a session is made of."""
        report = yield
        if isinstance(collector, pytest.Session) and report.passed:
            report.result.extend(self._added(collector))
        return report

    def _added(self, collector: pytest.Session) -> Iterator[pytest.File]:
        """Yield the files that a run has besides what it names: none where it names some of them, or node ids."""
        planned = self._plan()
        if added.names_items(self._config) or added.are_named(planned.checks, collector):
            return
        if planned.problem is not None and not planned.is_in_vain:
            path, problem = self._config.rootpath, planned.problem
            yield MistakenFile.from_parent(collector, path=path, nodeid="CRDs", problem=problem)
        for path in self._chosen(planned):
            yield self._file(collector, path)

    def _chosen(self, planned: CheckPlan) -> list[Path]:
        """Return the files with checks that a run has besides what it names: those below the folders that it names, or all."""
        named = commandline.folders(self._config)
        return [path for path in planned.checks if not named or commandline.is_below(path, named)]

    def _file(self, parent: pytest.Collector, path: Path) -> CheckFile:
        checks, fail = self._plan().checks[path], self._settings.warnings_fail
        return CheckFile.from_parent(parent, path=path, checks=checks, warnings_fail=fail)

    def _plan(self) -> CheckPlan:
        """Return the checks; nothing is read before somebody asks for them."""
        if self._planned is None:
            heap.begin(self._config)
            settings, of_project = self._settings, project.get_settings(self._config)
            scope = checkplan.CheckScope(
                of_project.stored, of_project.folder, settings.rule_budget, of_project.samples, settings.lints
            )
            home = self._config.inipath or self._config.rootpath
            with progressline.get_progress(self._config)("planning checks"):
                self._planned = checkplan.plan_checks(session.catalogs(self._config), scope, home=home)
        return self._planned

    def _part(self) -> Part | None:
        planned = self._planned
        if planned is None:
            return None
        if planned.is_in_vain:
            return Part(planned.words, planned.notes, str(planned.problem))
        left_out = len(planned.checks) - len(self._chosen(planned))
        if not left_out or added.names_items(self._config):
            return Part(planned.words, (*planned.notes, *planned.hints))
        words = f"{planned.words}; {self._restriction(planned)}"
        return Part(words, (*planned.notes, *planned.hints), self._reason(planned))

    def _restriction(self, planned: CheckPlan) -> str:
        """Say that the command line restricts the checks to folders."""
        count = sum(len(planned.checks[path]) for path in self._chosen(planned))
        where = " ".join(map(session.display_path, commandline.folders(self._config)))
        return f"{count or 'none'} of them below {where}, which the command line names"

    def _reason(self, planned: CheckPlan) -> str:
        """Return why there is nothing to check, where somebody has asked for checks of folders that have none."""
        is_asked_for = CHECKS.find_entry(self._config).source == CHECKS.option
        return "" if self._chosen(planned) or not is_asked_for else self._restriction(planned)
