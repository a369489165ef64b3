"""Hooks of a session that compares classes with CRDs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from pytest_crd.plugin import heap, progressline, session
from pytest_crd.plugin.features.parity import plan
from pytest_crd.plugin.features.parity.items import ParityFile
from pytest_crd.plugin.features.parity.plan import ParityPlan
from pytest_crd.plugin.items import added
from pytest_crd.plugin.items.added import MistakenFile, Selection
from pytest_crd.plugin.session import Part
from pytest_crd.plugin.settings.parity import PARITY, ParitySettings


class Hooks(added.FileAdder):
    """Collects a test for each class, below the file of its CRD, wherever that lies."""

    def __init__(self, config: pytest.Config, settings: ParitySettings) -> None:
        """Create the hooks with the session's configuration and the settings of parity checks."""
        self._config = config
        self._settings = plan.parse_settings(settings)
        self._cached_plan: ParityPlan | None = None
        self._selection: Selection | None = None
        session.add_part(config, self._part)

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
        """Collect the checks of a file that is named on the command line."""
        if not parent.session.isinitpath(file_path) or not added.may_take_part(file_path, self._config):
            return None
        parity_plan = self._plan()
        if parity_plan.problem is not None and added.names_items(self._config):
            return MistakenFile.from_parent(parent, path=file_path, problem=parity_plan.problem)
        return self._file(parent, file_path) if file_path in self._paths() else None

    def additional_files(self, collector: pytest.Session) -> Iterator[pytest.File]:
        """Yield the files with checks that take part in the run and are not named; see `added.select`."""
        if not added.is_chosen(self._config, PARITY):
            return
        parity_plan = self._plan()
        self._selection = added.select(self._paths(), collector, PARITY)
        if parity_plan.problem is not None:
            yield MistakenFile.from_parent(collector, path=self._home, nodeid=PARITY.ini, problem=parity_plan.problem)
        for path in self._selection.added:
            yield self._file(collector, path)

    @property
    def _home(self) -> Path:
        """The file of tests about no file of a CRD: the ini file, else the root folder."""
        return self._config.inipath or self._config.rootpath

    def _paths(self) -> Sequence[Path]:
        """Return the files that have checks."""
        parity_plan = self._plan()
        return [*dict.fromkeys((*parity_plan.checks, *([self._home] if parity_plan.general else [])))]

    def _file(self, parent: pytest.Collector, path: Path) -> ParityFile:
        return ParityFile.from_parent(parent, path=path, plan=self._plan(), is_home=path == self._home)

    def _plan(self) -> ParityPlan:
        """Return the plan of the checks; CRDs are read and classes imported at the first call."""
        if self._cached_plan is None:
            heap.begin(self._config)
            with progressline.get_progress(self._config)("planning parity checks"):
                self._cached_plan = plan.make_plan(
                    self._config, self._settings, session.catalogs(self._config), home=self._home
                )
        return self._cached_plan

    def _part(self) -> Part | None:
        if self._cached_plan is None or self._cached_plan.problem is not None:
            return None
        restriction = "" if self._selection is None else self._selection.restriction
        return Part(f"{self._cached_plan.words}{restriction}")
