"""Hooks of a session that judges upgrades."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Generator, Iterable, Iterator, Sequence
from pathlib import Path

import pytest

from pytest_crd.discovery import baseline, samplepaths
from pytest_crd.discovery.baseline import Baseline, NoCrdsError
from pytest_crd.discovery.commitcrds import MakeManifests, Project
from pytest_crd.discovery.releases import AbsentError
from pytest_crd.engine import InputError
from pytest_crd.plugin import hookprocess, manifests, progressline, session
from pytest_crd.plugin.features.upgrades.items import AllowedItem, UnjudgedItem, UpgradeFile, UpgradeItem
from pytest_crd.plugin.items import added
from pytest_crd.plugin.items.added import MistakenFile, Selection
from pytest_crd.plugin.session import Part
from pytest_crd.plugin.settings import project
from pytest_crd.plugin.settings.upgrades import AUTO, BASELINE, UpgradeSettings
from pytest_crd.upgrades import upgradeplan
from pytest_crd.upgrades.upgradeplan import BaselineUpgrades, Plan


class Hooks(added.FileAdder):
    """Collects a test for the upgrade of each CRD, below the CRD's file of today, wherever that lies."""

    def __init__(self, config: pytest.Config, settings: UpgradeSettings) -> None:
        """Create the hooks with the session's configuration and the settings of upgrades."""
        self._config = config
        self._settings = settings
        self._cached_plan: Plan | None = None
        self._selection: Selection | None = None
        self._are_deselected = False
        for index in range(len(settings.baselines)):
            session.add_part(config, functools.partial(self._part, index))

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
        """Collect the upgrades of a file that is named on the command line."""
        if not parent.session.isinitpath(file_path) or not added.may_take_part(file_path, self._config):
            return None
        return self._file(parent, file_path) if file_path in self._paths() else None

    def pytest_deselected(self, items: Sequence[pytest.Item]) -> None:
        """Record that upgrades are deselected on purpose."""
        self._are_deselected |= _any_upgrade(items)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_collection_modifyitems(
        self, session: pytest.Session, items: list[pytest.Item]
    ) -> Generator[None, None, None]:
        """Add a failing test if no upgrade would be judged and none is deselected; options like `-k` may deselect that test."""
        is_whole = self._is_whole()
        if is_whole and not _any_upgrade(items):
            items.append(self._unjudged(session, "no test of one was collected"))
        yield
        if is_whole and not self._are_deselected and not _any_upgrade(items):
            reason = "a conftest.py or a plugin has dropped the tests of them without a word (pytest_deselected)"
            items.append(self._unjudged(session, reason))

    def _is_whole(self) -> bool:
        """Return whether a run should have upgrades: the plan has some, and neither the command line nor `--lf` leaves out all."""
        if self._cached_plan is None or self._cached_plan.is_empty or self._selection is None:
            return False
        is_chosen = bool(self._selection.added or self._selection.named)
        return is_chosen and not self._config.getoption("lf", default=False)

    def _unjudged(self, session: pytest.Session, reason: str) -> pytest.Item:
        file = UpgradeFile.from_parent(session, path=self._home, plan=Plan(), is_home=False)
        problem = f"no upgrade is judged, though {BASELINE.option} is given: {reason}"
        return UnjudgedItem.from_parent(file, name=f"upgrade[{BASELINE.ini}]", problem=problem)

    @property
    def _home(self) -> Path:
        """The file of tests about no file of a CRD: the ini file, else the root folder."""
        return self._config.inipath or self._config.rootpath

    def additional_files(self, collector: pytest.Session) -> Iterator[pytest.File]:
        """Yield the files with upgrades that take part in the run and are not named; see `added.select`."""
        if not added.is_chosen(self._config, BASELINE):
            return
        plan = self._plan()
        if plan.problem is not None:
            yield MistakenFile.from_parent(collector, path=self._home, problem=plan.problem)
        self._selection = selection = added.select(self._paths(), collector, BASELINE)
        paths = [*selection.added]
        if plan.unread and self._home in selection.left_out:
            paths.append(self._home)  # a baseline that cannot be read concerns every file
        for path in paths:
            yield self._file(collector, path)

    def _paths(self) -> Sequence[Path]:
        """Return the files that have upgrades."""
        plan = self._plan()
        global_paths = [self._home] if plan.unread or plan.of_all else []
        return [*dict.fromkeys((*(task.path for task in plan.tasks), *global_paths))]

    def _file(self, parent: pytest.Collector, path: Path) -> UpgradeFile:
        return UpgradeFile.from_parent(parent, path=path, plan=self._plan(), is_home=path == self._home)

    def _plan(self) -> Plan:
        """Return the plan of the upgrades; CRDs are read at the first call."""
        if self._cached_plan is None:
            try:
                with progressline.get_progress(self._config)("planning upgrades"):
                    self._cached_plan = self._make_plan()
            except InputError as error:
                # If only `auto` is set, a project without CRDs is an error of checks, not of upgrades.
                is_optional = self._settings.baselines == (AUTO,) and session.sources(self._config).is_in_vain
                self._cached_plan = Plan(problem=None if is_optional else error)
        return self._cached_plan

    def _make_plan(self) -> Plan:
        project_settings, settings, config = project.get_settings(self._config), self._settings, self._config
        # A pattern without samples today is a mistake; in the baseline it may be older than the samples.
        samplepaths.files(project_settings.samples, folder=project_settings.folder)
        version = project.kubernetes_versions(config)[0]
        today = Project(
            project_settings.folder,
            project_settings.crd_paths,
            project_settings.base,
            project_settings.crd_commands,
            self._find_maker(version),
        )
        baselines: dict[str, Baseline | InputError] = {}
        absent: tuple[BaselineUpgrades, ...] = ()
        for name in settings.baselines:
            try:
                baselines[name] = baseline.read(
                    baseline.LAST_RELEASE if name == AUTO else name,
                    base=settings.base,
                    project=today,
                    kubernetes_version=version,
                    progress=progressline.get_progress(config),
                )
            except InputError as error:
                if name == AUTO and isinstance(error, AbsentError):
                    absent = (self._describe_absent(error),)
                else:
                    baselines[name] = error
        scope = upgradeplan.Scope(
            project_settings.base,
            project_settings.folder,
            self._home,
            samplepaths.patterns(project_settings.samples),
            project_settings.case_files,
            settings.allowed,
            settings.rollback,
            settings.migrated,
        )
        if not baselines:
            return Plan(parts=absent)
        plan = upgradeplan.make_plan(session.catalogs(config), baselines, scope)
        return dataclasses.replace(plan, parts=(*plan.parts, *absent))

    def _find_maker(self, version: str) -> MakeManifests | None:
        """
        Return the function that makes CRDs with the Python code of a commit; None if no Python code makes CRDs today.

        Raises:
            InputError: Today's CRDs cannot be loaded.
        """
        if not manifests.has_manifests(self._config):
            return None
        session.sources(self._config).crds(version)  # imports the modules that the process imports from the commit
        hooks = manifests.implementations(self._config.pluginmanager)
        return functools.partial(hookprocess.make, hooks=hooks)

    def _describe_absent(self, error: AbsentError) -> BaselineUpgrades:
        """Return the summary of a baseline that does not exist; CRDs that Python code makes are listed if a commit has none."""
        message = error.mistakes[0].message
        not_compared: tuple[str, ...] = ()
        if isinstance(error, NoCrdsError):
            catalog = session.catalogs(self._config)[0]
            not_compared = upgradeplan.find_not_compared(catalog, (), (), error.commit)
        return BaselineUpgrades("", (), not_compared=not_compared, unjudged=(f"no upgrade is judged: {message}",))

    def _part(self, index: int) -> Part | None:
        """Return the part of the header about a baseline; None before the plan is made."""
        parts = () if self._cached_plan is None else self._cached_plan.parts
        if index >= len(parts):
            return None
        part = parts[index]
        restriction = "" if self._selection is None else self._selection.restriction
        return Part(
            f"{part.words}{restriction}" if part.words else "",
            part.notes,
            hints=part.hints,
            not_tested=part.not_compared,
            unjudged=part.unjudged,
        )


def _any_upgrade(items: Iterable[pytest.Item]) -> bool:
    return any(isinstance(item, UpgradeItem | AllowedItem | UnjudgedItem) for item in items)
