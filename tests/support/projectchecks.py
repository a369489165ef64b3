"""Checks of a project, planned and run without a session of pytest."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pytest_crd.cases.crdcatalog import Catalog
from pytest_crd.checks import checkplan
from pytest_crd.checks.checkplan import CheckPlan, CheckScope
from pytest_crd.checks.verdict import Check, CheckKind
from pytest_crd.discovery.crdsources import Sources
from pytest_crd.engine import profile


def plan(
    folder: Path, paths: Sequence[str] = (), *, commands: Sequence[str] = (), samples: Sequence[str] = ()
) -> CheckPlan:
    """Return the checks of the project in *folder*, with the settings `crd_paths`, `crd_commands` and `crd_samples`."""
    sources = Sources(folder, tuple(paths), tuple(commands), folder)
    scope = CheckScope(frozenset(), folder, 1, tuple(samples), ())
    planned = checkplan.plan_checks([Catalog(sources, profile.DEFAULT)], scope, home=folder / "pytest.ini")
    assert planned.problem is None, planned.problem
    return planned


def find(planned: CheckPlan, kind: CheckKind) -> list[Check]:
    """Return the checks of a kind."""
    return [check for checks in planned.checks.values() for check in checks if check.kind == kind]
