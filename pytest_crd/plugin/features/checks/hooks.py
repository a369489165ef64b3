"""Hooks of a session that checks CRDs and samples."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_crd.checks import checkplan
from pytest_crd.checks.checkplan import CheckPlan
from pytest_crd.plugin import heap, progressline, session
from pytest_crd.plugin.features.checks.items import CheckFile
from pytest_crd.plugin.items import added
from pytest_crd.plugin.items.added import MistakenFile, Selection
from pytest_crd.plugin.items.failures import node_id
from pytest_crd.plugin.session import Part
from pytest_crd.plugin.settings import project
from pytest_crd.plugin.settings.checks import CHECKS, CheckSettings
from pytest_crd.plugin.settings.policies import CHECKED_POLICIES


class Hooks(added.FileAdder):
    """Collects a test for each check, below the file of its CRD or sample, wherever that lies."""

    def __init__(self, config: pytest.Config, settings: CheckSettings) -> None:
        """Create the hooks with the session's configuration and the settings of checks."""
        self._config = config
        self._settings = settings
        self._cached_plan: CheckPlan | None = None
        self._selection: Selection | None = None
        session.add_part(config, self._part)

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
        """Collect a file that is named on the command line, unless it is a case file or a Python file."""
        if not parent.session.isinitpath(file_path) or not added.may_take_part(file_path, self._config):
            return None
        plan = self._plan()
        if plan.problem is not None and added.names_items(self._config):
            return MistakenFile.from_parent(parent, path=file_path, problem=plan.problem)
        return self._file(parent, file_path) if file_path in plan.checks else None

    def additional_files(self, collector: pytest.Session) -> Iterator[pytest.File]:
        """Yield the files with checks that take part in the run and are not named; see `added.select`."""
        if not added.is_chosen(self._config, CHECKS):
            return
        plan = self._plan()
        self._selection = added.select([*plan.checks], collector, CHECKS)
        if plan.problem is not None and not plan.is_in_vain:
            path, problem = self._config.rootpath, plan.problem
            yield MistakenFile.from_parent(collector, path=path, nodeid="CRDs", problem=problem)
        for path in self._selection.added:
            yield self._file(collector, path)

    def _file(self, parent: pytest.Collector, path: Path) -> CheckFile:
        checks, fail = self._plan().checks[path], self._settings.warnings_fail
        name = node_id(path, self._config)
        return CheckFile.from_parent(parent, path=path, name=name, nodeid=name, checks=checks, warnings_fail=fail)

    def _plan(self) -> CheckPlan:
        """Return the plan of the checks; CRDs are read at the first call."""
        if self._cached_plan is None:
            heap.begin(self._config)
            settings, of_project = self._settings, project.get_settings(self._config)
            scope = checkplan.CheckScope(
                of_project.stored,
                of_project.folder,
                settings.rule_budget,
                of_project.samples,
                settings.lints,
                settings.allowed,
                self._config.stash.get(CHECKED_POLICIES, None),
            )
            home = self._config.inipath or self._config.rootpath
            with progressline.get_progress(self._config)("planning checks"):
                self._cached_plan = checkplan.plan_checks(session.catalogs(self._config), scope, home=home)
        return self._cached_plan

    def _part(self) -> Part | None:
        plan = self._cached_plan
        if plan is None:
            return None
        if plan.is_in_vain:
            return Part(plan.words, plan.notes, str(plan.problem))
        restriction = "" if self._selection is None else self._selection.restriction
        return Part(f"{plan.words}{restriction}", plan.notes, hints=plan.hints)
