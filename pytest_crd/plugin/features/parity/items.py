"""Collectors and items for parity checks, below the files of their CRDs."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from pytest_crd.classes.divergences import AllowedDivergence
from pytest_crd.classes.paritychecks import ParityCheck
from pytest_crd.engine import InputError
from pytest_crd.plugin import session
from pytest_crd.plugin.features.parity import reports
from pytest_crd.plugin.features.parity.plan import ParityPlan
from pytest_crd.plugin.features.parity.reports import OutdatedFailure, ParityFailure
from pytest_crd.plugin.items.extensions import TestPlace
from pytest_crd.plugin.items.failures import MistakenFailure, TextItem
from pytest_crd.plugin.settings import inilines
from pytest_crd.plugin.settings.parity import ALLOWED, PARITY
from pytest_crd.plugin.settings.project import COMMANDS
from pytest_crd.report.testfacts import About

_UNASKED = "classes are compared with the answers of the engine alone"


class ParityFile(pytest.File):
    """File with CRDs that classes must agree with; the ini file for CRDs without a file."""

    def __init__(self, *, plan: ParityPlan, is_home: bool, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._plan, self._is_home = plan, is_home

    def collect(self) -> Iterator[pytest.Item]:
        """Yield the checks of the file; at home also the test of allowances about several checks."""
        for check in self._plan.checks.get(self.path, ()):
            yield ParityItem.from_parent(self, name=check.name, check=check, general=self._plan.general)
        if self._is_home and self._plan.general:
            yield AllowancesItem.from_parent(self, name=f"parity[{ALLOWED.ini}]", plan=self._plan)


class ParityItem(TextItem):
    """Test item of one parity check."""

    unasked = _UNASKED

    def __init__(self, *, check: ParityCheck, general: Sequence[AllowedDivergence], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.check = check
        self._general = general
        self.extra_keyword_matches.add("parity")

    def runtest(self) -> None:
        """
        Compare the class with the CRD.

        Raises:
            ParityFailure: They differ, or an allowance matches nothing.
            MistakenFailure: They cannot be compared.
        """
        crd = self.check.version.crd
        try:
            verdict = self.check.verdict
        except InputError as error:
            if not crd.first_response.accepted:
                self.skip_if_told(crd.source, crd.kubernetes_version)
            raise MistakenFailure(error) from None
        self.user_properties += [
            (session.NOTE, f"allowed: {divergence} ({entry.reason})") for divergence, entry in verdict.allowed
        ]
        outdated = [entry for entry in self.check.allowed if entry not in verdict.used and entry not in self._general]
        if verdict.findings or outdated:
            place = TestPlace(self.path, self.line, self.name)
            raise ParityFailure(self.check, outdated, place, verbosity=self.config.get_verbosity())

    def about(self) -> About:
        """Return the facts about the check for reports."""
        return reports.about(self.check)

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        """Return file, 0-based line and name of the check."""
        return self.path, self.line - 1 if self.line else None, self.name

    @property
    def line(self) -> int:
        """The line of the CRD; without a file, the line of `crd_commands` or `crd_parity`."""
        return self.check.line or inilines.line_of(self.config, COMMANDS) or inilines.line_of(self.config, PARITY)


class AllowancesItem(TextItem):
    """Item about allowances for several checks: each must match a divergence."""

    unasked = _UNASKED

    def __init__(self, *, plan: ParityPlan, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._plan = plan
        self.extra_keyword_matches.add("parity")

    def runtest(self) -> None:
        """
        Compare the allowances with all checks.

        Raises:
            OutdatedFailure: An allowance matches nothing.
            MistakenFailure: A class and its CRD cannot be compared.
        """
        try:
            outdated = self._plan.find_outdated()
        except InputError as error:
            raise MistakenFailure(error) from None
        if outdated:
            raise OutdatedFailure(outdated, TestPlace(self.path, self._line, self.name))

    def about(self) -> About:
        """Return the facts for reports: no single CRD."""
        return reports.about(None)

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        """Return the file, the 0-based line of `crd_parity_allow`, and the name."""
        return self.path, self._line - 1 if self._line else None, self.name

    @property
    def _line(self) -> int:
        return inilines.line_of(self.config, ALLOWED)
