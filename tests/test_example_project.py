"""The example project works as for users, with a known outcome of every test."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Final

import pytest
from support import sessions

EXAMPLE: Final = Path(__file__).parents[1] / "example_project"
GENERATED: Final = shutil.ignore_patterns("__pycache__", ".*")


@pytest.mark.long  # README's first command runs it so, too
def test_the_example_project_passes_from_its_own_folder(pytester: pytest.Pytester) -> None:
    shutil.copytree(EXAMPLE, pytester.path, dirs_exist_ok=True, ignore=GENERATED)

    result = sessions.Project(pytester.path).run("--deselect", "controller")

    result.assert_outcomes(passed=86, skipped=2, deselected=1, xfailed=1)
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(
        [
            "crd: 4 CRDs, 6 versions from config/crd/bases and conftest.py (pytest_crd_manifests); Kubernetes 1.37",
            "crd: 32 checks in 7 files; 2 samples",
            "crd: upgrades from released: 1 CRD, 1 object to judge by",
            "TOTAL *",
        ]
    )


@pytest.mark.long
def test_the_example_project_is_collected_from_elsewhere_by_its_own_ini_file(pytester: pytest.Pytester) -> None:
    shutil.copytree(EXAMPLE, pytester.path / "example", ignore=GENERATED)

    result = sessions.Project(pytester.path).run("example", "--deselect", "controller")

    result.assert_outcomes(passed=86, skipped=2, deselected=1, xfailed=1)
    assert result.ret == pytest.ExitCode.OK


@pytest.mark.long
def test_everything_of_the_example_project_passes_with_its_operator(pytester: pytest.Pytester) -> None:
    shutil.copytree(EXAMPLE, pytester.path, dirs_exist_ok=True, ignore=GENERATED)

    result = sessions.Project(pytester.path).start()

    result.assert_outcomes(passed=87, skipped=2, xfailed=1)
    assert result.ret == pytest.ExitCode.OK


def _is_hidden(path: Path) -> bool:
    """Return whether a file or a folder around it is hidden, as the caches of a run of the example are."""
    return any(part.startswith(".") for part in path.parts)


def test_the_page_of_the_example_names_every_file() -> None:
    page = (EXAMPLE / "README.md").read_text(encoding="utf-8")
    named = {
        path for row in page.splitlines() if row.startswith("|") for path in re.findall(r"`([^`]+)`", row.split("|")[2])
    }
    files = (
        path
        for path in EXAMPLE.rglob("*")
        if path.is_file() and path.suffix != ".pyc" and not _is_hidden(path.relative_to(EXAMPLE))
    )
    paths = {path.relative_to(EXAMPLE).as_posix() for path in files} - {"README.md"}

    assert {name for name in named if not (EXAMPLE / name).exists()} == set()
    assert {path for path in paths if not any(path == name or path.startswith(f"{name}/") for name in named)} == set()
