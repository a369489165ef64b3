"""
The manifests of a project: which of its files have CustomResourceDefinitions in them, by git or by a walk, read as bytes alone.

What belongs to others (`node_modules`, `vendor`, virtual environments) or is hidden is no part of a project.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Final

from pytest_crd import folders
from pytest_crd.discovery import git
from pytest_crd.engine.crds import declared, decoded, misspelling

OF_OTHERS: Final = frozenset({"node_modules", "vendor"})
# `test`, `testdata`, `e2e`, `e2e-tests`, `integration_test`.
_OF_TESTS: Final = re.compile(r"(?:^|[-_.])(?:test|e2e(?:$|[-_.]))")
VIRTUAL_ENVIRONMENT: Final = "pyvenv.cfg"


@dataclass(frozen=True, slots=True)
class Discovery:
    """
    What a folder has.

    Attributes:
        root: The folder.
        is_of_git: Whether git has said which files belong to the project; else a walk has.
        count: How many YAML and JSON files there are.
        files: Those that have CRDs in them, or what is nearly one, sorted.
    """

    root: Path
    is_of_git: bool
    count: int
    files: tuple[Path, ...]


def find(root: Path) -> Discovery:
    """
    Return the files below *root* that have CRDs in them: those that git knows or does not ignore, or without git all.

    Args:
        root: An absolute path.
    """
    listed = _listed(root, "--cached", "--others", "--exclude-standard")
    paths = _sorted(root, listed)
    return Discovery(root, listed is not None, len(paths), tuple(_with_crds(paths)))


def files(root: Path) -> list[Path]:
    """Return the YAML and JSON files below *root* that belong to the project, sorted."""
    return _sorted(root, _listed(root, "--cached", "--others", "--exclude-standard"))


def _sorted(root: Path, listed: list[Path] | None) -> list[Path]:
    return sorted(set(_walked(root) if listed is None else listed))


def ignored(root: Path) -> tuple[Path, ...]:
    """Return the files below *root* that have CRDs in them and that git ignores; none where there is no git."""
    return tuple(_with_crds(sorted(_listed(root, "--others", "--ignored", "--exclude-standard") or ())))


def repository(folder: Path) -> Path | None:
    """Return the folder of the git repository that *folder* is in; None where there is none."""
    answer = git.ask(folder, "rev-parse", "--show-toplevel")
    return Path(answer.line) if answer.line else None


def is_for_tests(path: PurePath, root: PurePath) -> bool:
    """Return whether a file below *root* stands among what only tests and developers use."""
    above = path.relative_to(root).parts[:-1]
    return any(folder == "hack" or _OF_TESTS.search(folder) for folder in above)


def _listed(root: Path, *which: str) -> list[Path] | None:
    """Return the YAML and JSON files that git lists; None where it does not answer, as for a repository of somebody else."""
    answer = git.ask(root, "ls-files", "-z", *which, "--", *(f":(icase)*{ending}" for ending in folders.ENDINGS))
    if not answer.succeeded:
        return None
    names = (os.fsdecode(name) for name in answer.output.split(b"\0") if name)
    foreign: dict[PurePath, bool] = {}
    return [root / name for name in names if not _is_foreign(root, PurePath(name).parent, foreign)]


def _is_foreign(root: Path, folder: PurePath, known: dict[PurePath, bool]) -> bool:
    """Return whether *folder*, relative to *root*, is hidden or belongs to others, or one above it; *known* is added to."""
    if folder not in known:
        known[folder] = bool(folder.name) and (
            _is_foreign(root, folder.parent, known) or _is_left_out(root / folder.parent, folder.name)
        )
    return known[folder]


def _is_left_out(parent: Path, name: str) -> bool:
    return name.startswith(".") or name in OF_OTHERS or (parent / name / VIRTUAL_ENVIRONMENT).is_file()


def _walked(root: Path) -> Iterator[Path]:
    for parent, inner, names in os.walk(root):
        inner[:] = [name for name in inner if not _is_left_out(Path(parent), name)]
        yield from (Path(parent, name) for name in names if folders.is_manifest(name))


def _with_crds(paths: Iterable[Path]) -> Iterator[Path]:
    for path in paths:
        try:
            content = path.read_bytes()
        except OSError:  # deleted but not yet for git, or a link to nowhere: no file of the project
            continue
        if may_have_crds(content):
            yield path


def may_have_crds(content: bytes) -> bool:
    """Return whether there may be CRDs in a file, or what is nearly one."""
    return declared.KIND.encode() in content or (decoded.GROUP.encode() in content and misspelling.may_hold(content))
