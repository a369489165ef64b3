"""The example project works as for users, with a known outcome of every test."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from support import sessions

EXAMPLE = Path(__file__).parents[1] / "example_project"


def test_the_example_project_passes_from_its_own_folder(pytester: pytest.Pytester) -> None:
    shutil.copytree(EXAMPLE, pytester.path, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__", ".*"))

    result = sessions.project(pytester).run()

    result.assert_outcomes(passed=66, skipped=2, xfailed=1)
    result.stdout.fnmatch_lines(
        [
            "crd: 3 CRDs, 4 versions from config/crd/bases; Kubernetes 1.37",
            "crd: 16 checks in 5 files; 2 samples",
        ]
    )


def test_the_example_project_is_collected_from_elsewhere_by_its_own_ini_file(pytester: pytest.Pytester) -> None:
    shutil.copytree(
        EXAMPLE, pytester.path / "example", ignore=shutil.ignore_patterns("__pycache__", ".*", "controller")
    )

    result = sessions.project(pytester).run("example")

    result.assert_outcomes(passed=66, skipped=2, xfailed=1)


@pytest.mark.long
def test_the_operator_of_the_example_passes_its_test(pytester: pytest.Pytester) -> None:
    shutil.copytree(EXAMPLE, pytester.path, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__", ".*"))

    result = sessions.project(pytester).start("controller")

    result.assert_outcomes(passed=1)
