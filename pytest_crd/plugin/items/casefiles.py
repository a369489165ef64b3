"""Which files are case files, and which look like one and are none."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

from pytest_crd import folders
from pytest_crd.plugin import session
from pytest_crd.plugin.settings import project

# What every case file has, and hardly any other: enough to tell whose file it is that was named on the command line.
_CASE_FILE: Final = re.compile(rb"""^["']?(crd|crdName)["']?\s*:|^\s*\{\s*["']?(crd|crdName)["']?\s*:""", re.MULTILINE)
# What a manifest of a CRD has, and hardly a case file.
_CRD: Final = re.compile(rb"""^["']?kind["']?\s*:\s*["']?CustomResourceDefinition\b""", re.MULTILINE)
_UNMATCHED: Final = pytest.StashKey[list[Path]]()


def is_one(path: Path, config: pytest.Config, *, is_named: bool) -> bool:
    """
    Return whether a file is collected as a case file.

    Args:
        path: The file.
        config: What is set.
        is_named: Whether the command line names it: then its content counts, too.
    """
    if not folders.is_manifest(path.name):
        return False
    return has_name(path, config) or (is_named and _CASE_FILE.search(path.read_bytes()) is not None)


def has_name(path: Path, config: pytest.Config) -> bool:
    """Return whether a pattern of `crd_case_files` matches."""
    return any(path.match(folders.widened(pattern)) for pattern in project.of(config).case_files)


def note_unmatched(path: Path, config: pytest.Config) -> None:
    """Take a file that pytest visits and nobody collects: one whose name is that of a case file is named in the header."""
    if Path(path.name.lower()).match("*.crd*.y*ml") and not _CRD.search(path.read_bytes()):
        config.stash.setdefault(_UNMATCHED, []).append(path)


def unmatched(config: pytest.Config) -> list[str]:
    """Return a line for the case files that no pattern finds."""
    found = config.stash.get(_UNMATCHED, [])
    names = ", ".join(map(session.shown, found))
    patterns = " ".join(project.of(config).case_files) if found else ""
    return [f"crd: not collected, as no pattern of crd_case_files ({patterns}) matches: {names}"] if found else []
