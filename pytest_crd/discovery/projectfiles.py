"""
The manifest files of a project, listed by git or by a walk, and those among them that contain CustomResourceDefinitions.

Hidden files and folders of others (`node_modules`, `vendor`, virtual environments) do not belong to a project.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePath
from typing import Final

from pytest_crd import folders, lazyre
from pytest_crd.discovery import git
from pytest_crd.engine.crds import declared, decoded
from pytest_crd.engine.loading import slips
from pytest_crd.records import dataclass

OF_OTHERS: Final = frozenset({"node_modules", "vendor"})
# `test`, `testdata`, `e2e`, `e2e-tests`, `integration_test`.
_OF_TESTS: Final = lazyre.compile(r"(?:^|[-_.])(?:test|e2e(?:$|[-_.]))")
_SPLIT: Final = operator.methodcaller("split", "/")
VIRTUAL_ENVIRONMENT: Final = "pyvenv.cfg"


@dataclass(frozen=True)
class Discovery:
    """
    The files of a folder.

    Attributes:
        root: The folder.
        is_of_git: Whether git has listed the files; else they were found by a walk.
        count: The number of YAML and JSON files.
        files: The files that contain CRDs, or manifests that look like one, sorted.
    """

    root: Path
    is_of_git: bool
    count: int
    files: tuple[Path, ...]


def find_crd_files(root: Path) -> Discovery:
    """
    Return the files below *root* that contain CRDs; files that git ignores are left out, without git all files count.

    Args:
        root: An absolute path.
    """
    listed = _listed(root, "--cached", "--others", "--exclude-standard")
    paths = [root / name for name in _sorted(root, listed)]
    return Discovery(root, listed is not None, len(paths), tuple(_with_crds(paths)))


def names(root: Path) -> list[str]:
    """Return the YAML and JSON files below *root* that belong to the project, relative to it with slashes, and sorted by folder."""
    return _sorted(root, _listed(root, "--cached", "--others", "--exclude-standard"))


def files(root: Path) -> list[Path]:
    """Return the paths of `names`: a path costs as much as the reading of its folder."""
    return [root / name for name in names(root)]


def _sorted(root: Path, listed: list[str] | None) -> list[str]:
    return sorted({*(_walked(root) if listed is None else listed)}, key=_SPLIT)


def ignored(root: Path) -> tuple[Path, ...]:
    """Return the files below *root* that contain CRDs and that git ignores; empty without git."""
    listed = _listed(root, "--others", "--ignored", "--exclude-standard") or ()
    return tuple(_with_crds(root / name for name in sorted(listed, key=_SPLIT)))


def repository(folder: Path) -> Path | None:
    """Return the folder of the git repository around *folder*; None outside of a repository."""
    answer = git.run(folder, "rev-parse", "--show-toplevel")
    return Path(answer.line) if answer.line else None


def is_for_tests(path: PurePath, root: PurePath) -> bool:
    """Return whether a file below *root* is in a folder for tests or developers only."""
    parents = path.relative_to(root).parts[:-1]
    return any(folder == "hack" or _OF_TESTS.search(folder) for folder in parents)


def _listed(root: Path, *which: str) -> list[str] | None:
    """Return the YAML and JSON files that git lists, relative to *root*; None if git fails, as in a repository of another user."""
    answer = git.run(root, "ls-files", "-z", *which, "--", *(f":(icase)*{ending}" for ending in folders.ENDINGS))
    if not answer.succeeded:
        return None
    names = (os.fsdecode(name) for name in answer.output.split(b"\0") if name)
    foreign: dict[PurePath, bool] = {}
    return [name for name in names if not _is_foreign(root, PurePath(name).parent, foreign)]


def _is_foreign(root: Path, folder: PurePath, cache: dict[PurePath, bool]) -> bool:
    """Return whether *folder*, relative to *root*, or a folder above it is hidden or belongs to others; *cache* is extended."""
    if folder not in cache:
        cache[folder] = bool(folder.name) and (
            _is_foreign(root, folder.parent, cache) or _is_left_out(str(root / folder.parent), folder.name)
        )
    return cache[folder]


def _is_left_out(parent: str, name: str) -> bool:
    is_usual = name[0] != "." and name not in OF_OTHERS
    return not is_usual or os.path.isfile(f"{parent}/{name}/{VIRTUAL_ENVIRONMENT}")  # noqa: PTH113 - a Path takes ten times the calls


def _walked(root: Path) -> Iterator[str]:
    top = str(root)
    for parent, inner, names in os.walk(top):
        inner[:] = [name for name in inner if not _is_left_out(parent, name)]
        prefix = f"{parent[len(top) :]}/".lstrip("/")
        yield from [f"{prefix}{name}" for name in names if name.endswith(folders.ENDINGS) or folders.is_manifest(name)]


def _with_crds(paths: Iterable[Path]) -> Iterator[Path]:
    for path in paths:
        try:
            content = folders.read_file(path)
        except OSError:  # deleted without git's knowledge, or a dangling link
            continue
        if may_have_crds(content):
            yield path


def may_have_crds(content: bytes) -> bool:
    """Return whether a file may contain CRDs, or manifests that look like one."""
    return declared.KIND.encode() in content or (decoded.GROUP.encode() in content and slips.may_hold(content))
