"""Parity checks of marked tests: the value of the fixture `crd_parity`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pytest

from pytest_crd.classes import divergences, paritychecks
from pytest_crd.classes.paritychecks import ParityCheck
from pytest_crd.engine import CrdLookupError, CustomResourceDefinitions, InputError
from pytest_crd.plugin.features.parity.reports import ParityFailure
from pytest_crd.plugin.items.extensions import TestPlace
from pytest_crd.plugin.items.failures import MistakenFailure

_MARK: Final = "crd_parity"
_FORM: Final = '@pytest.mark.crd_parity(BackupSpec, "backups.example.com/v1")'
_ALLOW: Final = "allow"


class MarkedParity:
    """
    The comparisons of the marks of a test.

    Attributes:
        is_idle: Whether `check` was not called.
    """

    def __init__(self, checks: Sequence[ParityCheck], place: TestPlace, *, verbosity: int) -> None:
        """Create it with the checks, the test and the verbosity of the session."""
        self._checks, self._place, self._verbosity = checks, place, verbosity
        self.is_idle = True

    def check(self) -> None:
        """
        Compare the classes of the marks with their CRDs.

        Raises:
            ParityFailure: They differ, or an allowance matches nothing.
            pytest.fail.Exception: They cannot be compared.
        """
        self.is_idle = False
        for check in self._checks:
            try:
                verdict = check.verdict
            except InputError as error:
                raise MistakenFailure(error) from None
            outdated = [entry for entry in check.allowed if entry not in verdict.used]
            if verdict.findings or outdated:
                raise ParityFailure(check, outdated, self._place, verbosity=self._verbosity)

    def __repr__(self) -> str:
        """Return the names of the checks."""
        return ", ".join(check.name for check in self._checks)


def open_checks(item: pytest.Item, crds: CustomResourceDefinitions) -> MarkedParity:
    """Return the comparisons of the marks of a test; fail the test if a mark is wrong."""
    marks = list(item.iter_markers(_MARK))
    if not marks:
        pytest.fail(f"say which class with {_FORM}", pytrace=False)
    path, line, name = item.location
    place = TestPlace(item.config.rootpath / path, 0 if line is None else line + 1, name)
    checks = [_make_check(mark, crds) for mark in reversed(marks)]
    return MarkedParity(checks, place, verbosity=item.config.get_verbosity())


def _make_check(mark: pytest.Mark, crds: CustomResourceDefinitions) -> ParityCheck:
    if len(mark.args) != 2 or not isinstance(mark.args[1], str) or mark.kwargs.keys() - {_ALLOW}:
        pytest.fail(f"write {_FORM}", pytrace=False)
    model, target = mark.args
    try:
        crd, name = paritychecks.split_target(target)
        version = crds[crd].without_admission().version(name)
        allowed = [divergences.parse(f"{target} {line}") for line in mark.kwargs.get(_ALLOW, ())]
    except (CrdLookupError, ValueError) as error:
        pytest.fail(f"@pytest.mark.{_MARK}: {error.args[0]}", pytrace=False)
    return ParityCheck(f"{crd}-{name}", model, paritychecks.name_of(model), version, allowed=allowed)
