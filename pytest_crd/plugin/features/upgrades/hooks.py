"""The hooks of a session that judges upgrades."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Generator, Iterable, Iterator, Sequence
from pathlib import Path

import pytest

from pytest_crd.discovery import baseline, samplepaths
from pytest_crd.discovery.baseline import Baseline
from pytest_crd.discovery.releases import AbsentError
from pytest_crd.engine import InputError
from pytest_crd.plugin import manifests, progressline, session
from pytest_crd.plugin.features.upgrades.items import AllowedItem, UnjudgedItem, UpgradeFile, UpgradeItem
from pytest_crd.plugin.items import added
from pytest_crd.plugin.items.added import MistakenFile
from pytest_crd.plugin.session import Part
from pytest_crd.plugin.settings import project
from pytest_crd.plugin.settings.upgrades import AUTO, BASELINE, UpgradeSettings
from pytest_crd.upgrades import upgradeplan
from pytest_crd.upgrades.upgradeplan import BaselineUpgrades, Plan


class Hooks:
    """Makes a test of the upgrade of each CRD, below the file that it is in today, wherever that lies."""

    def __init__(self, config: pytest.Config, settings: UpgradeSettings) -> None:
        """Take the session's configuration, and the settings of upgrades."""
        self._config = config
        self._settings = settings
        self._planned: Plan | None = None
        self._are_deselected = False
        for index in range(len(settings.baselines)):
            session.add_part(config, functools.partial(self._part, index))

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
        """Collect the upgrades of a file that is named on the command line."""
        is_one = parent.session.isinitpath(file_path) and file_path in self._paths()
        return self._file(parent, file_path) if is_one else None

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        """Add the files with upgrades, which may lie where pytest does not look, to what a session is made of."""
        report = yield
        if isinstance(collector, pytest.Session) and report.passed:
            report.result.extend(self._added(collector))
        return report

    def pytest_deselected(self, items: Sequence[pytest.Item]) -> None:
        """Learn that upgrades are left out on purpose."""
        self._are_deselected |= _any_upgrade(items)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_collection_modifyitems(
        self, session: pytest.Session, items: list[pytest.Item]
    ) -> Generator[None, None, None]:
        """Add a test that fails where no upgrade would be judged, though nobody has left them out: -k and the like may leave it out."""
        is_whole = self._is_whole()
        if is_whole and not _any_upgrade(items):
            items.append(self._unjudged(session, "no test of one was collected"))
        yield
        if is_whole and not self._are_deselected and not _any_upgrade(items):
            what = "a conftest.py or a plugin has dropped the tests of them without a word (pytest_deselected)"
            items.append(self._unjudged(session, what))

    def _is_whole(self) -> bool:
        """Return whether a run should have upgrades: it names no node ids, not all of it failed last, and there are some."""
        is_narrowed = added.names_items(self._config) or self._config.getoption("lf", default=False)
        return not is_narrowed and self._planned is not None and not self._planned.is_empty

    def _unjudged(self, session: pytest.Session, reason: str) -> pytest.Item:
        file = UpgradeFile.from_parent(session, path=self._home, plan=Plan(), is_home=False)
        problem = f"no upgrade is judged, though {BASELINE.option} is given: {reason}"
        return UnjudgedItem.from_parent(file, name=f"upgrade[{BASELINE.ini}]", problem=problem)

    @property
    def _home(self) -> Path:
        """Where what is in no file stands."""
        return self._config.inipath or self._config.rootpath

    def _added(self, collector: pytest.Session) -> Iterator[pytest.File]:
        """Yield the files that a run is given besides what it names: none where it names some, or node ids."""
        if added.names_items(self._config):
            return
        planned = self._plan()
        if planned.problem is not None:
            yield MistakenFile.from_parent(collector, path=self._home, problem=planned.problem)
        paths = self._paths()
        if added.are_named(paths, collector):
            # What cannot be read is about any file.
            paths = [self._home] if planned.unread and not collector.isinitpath(self._home) else []
        for path in paths:
            yield self._file(collector, path)

    def _paths(self) -> Sequence[Path]:
        """Return the files that upgrades stand in."""
        planned = self._plan()
        of_all = [self._home] if planned.unread or planned.of_all else []
        return [*dict.fromkeys((*(task.path for task in planned.tasks), *of_all))]

    def _file(self, parent: pytest.Collector, path: Path) -> UpgradeFile:
        return UpgradeFile.from_parent(parent, path=path, plan=self._plan(), is_home=path == self._home)

    def _plan(self) -> Plan:
        """Return the upgrades; nothing is read before somebody asks for them."""
        if self._planned is None:
            try:
                with progressline.get_progress(self._config)("planning upgrades"):
                    self._planned = self._made()
            except InputError as error:
                # That there is nothing at all is for checks to say, where nobody has asked for upgrades.
                is_unasked = self._settings.baselines == (AUTO,) and session.sources(self._config).is_in_vain
                self._planned = Plan(problem=None if is_unasked else error)
        return self._planned

    def _made(self) -> Plan:
        of_project, settings, config = project.get_settings(self._config), self._settings, self._config
        # What names nothing today is a mistake; yesterday it may be new.
        samplepaths.files(of_project.samples, folder=of_project.folder)
        version = project.kubernetes_versions(config)[0]
        today = baseline.Project(
            of_project.folder,
            of_project.crd_paths,
            of_project.base,
            of_project.crd_commands,
            manifests.has_manifests(config),
        )
        read: dict[str, Baseline | InputError] = {}
        absent: tuple[BaselineUpgrades, ...] = ()
        for name in settings.baselines:
            try:
                read[name] = baseline.read(
                    baseline.LAST_RELEASE if name == AUTO else name,
                    base=settings.base,
                    project=today,
                    kubernetes_version=version,
                    progress=progressline.get_progress(config),
                )
            except InputError as error:
                if name == AUTO and isinstance(error, AbsentError):
                    absent = (BaselineUpgrades(f"no upgrade is judged: {error.mistakes[0].message}", ()),)
                else:
                    read[name] = error
        scope = upgradeplan.Scope(
            of_project.base,
            of_project.folder,
            self._home,
            samplepaths.patterns(of_project.samples),
            of_project.case_files,
            settings.allowed,
            settings.rollback,
        )
        if not read:
            return Plan(parts=absent)
        planned = upgradeplan.make_plan(session.catalogs(config), read, scope)
        return dataclasses.replace(planned, parts=(*planned.parts, *absent))

    def _part(self, index: int) -> Part | None:
        """Return what the header says of a baseline."""
        parts = () if self._planned is None else self._planned.parts
        return Part(parts[index].words, parts[index].notes) if index < len(parts) else None


def _any_upgrade(items: Iterable[pytest.Item]) -> bool:
    return any(isinstance(item, UpgradeItem | AllowedItem | UnjudgedItem) for item in items)
