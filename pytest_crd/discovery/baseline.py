"""
The baseline: the CRDs that users have today, with the samples and case files that belong to them.

It is a folder, a file, or a commit. A commit is read from git's object store, without a checkout.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple

from pytest_crd.discovery import filetrees, madecrds, projectfiles, releases, search
from pytest_crd.discovery.filetrees import FolderTree, GitTree, Tree
from pytest_crd.discovery.releases import AbsentError
from pytest_crd.engine import CustomResourceDefinitions
from pytest_crd.engine.inputerror import Mistake
from pytest_crd.engine.loading.crdfiles import CrdFiles, FileOrigin
from pytest_crd.engine.yaml import manifest
from pytest_crd.progress import Progress, Tell, each, silent

OF_GIT: Final = "git:"
LAST_RELEASE: Final = f"{OF_GIT}latest-tag"


class Project(NamedTuple):
    """
    The settings of today's CRDs, which are applied to a commit, too.

    Attributes:
        folder: The folder of the project.
        paths: Files, folders, globs, and `!pattern` for excluded ones.
        base: The folder that they are relative to.
        commands: Commands whose output is read today.
        is_made: Whether Python code builds some CRDs today.
    """

    folder: Path
    paths: tuple[str, ...]
    base: Path
    commands: tuple[str, ...] = ()
    is_made: bool = False


@dataclass(frozen=True)
class Baseline:
    """
    The CRDs that users have today, read once.

    Attributes:
        words: Its description.
        tree: The files around them; None if the baseline is a single file.
        files: The files with CRDs.
    """

    words: str
    tree: Tree | None
    files: CrdFiles

    def crds(self, kubernetes_version: str) -> CustomResourceDefinitions:
        """Return the CRDs under a Kubernetes version, at least one."""
        crds = [crd.under(kubernetes_version) for crd in self.files.crds]
        return CustomResourceDefinitions(crds, self.files.notes)


def read(
    location: str, *, base: Path, project: Project, kubernetes_version: str, progress: Progress = silent
) -> Baseline:
    """
    Read a baseline and return it.

    Args:
        location: A folder, a file, or `git:REF`.
        base: The folder of a relative path.
        project: The settings of today's CRDs.
        kubernetes_version: The Kubernetes version of messages about mistakes.
        progress: Shows which files are read.

    Raises:
        AbsentError: The commit does not exist, or has no CRD.
        InputError: The baseline has mistakes.
    """
    with progress(f"reading {location}") as tell:
        if location.startswith(OF_GIT):
            return _of_commit(location, project, kubernetes_version, tell)
        crd_files = CrdFiles(kubernetes_version)
        crd_files.read_all([location], base=base, tell=tell)
    crd_files.raise_mistakes()
    folder = base / location
    return Baseline(location, FolderTree(folder.absolute()) if folder.is_dir() else None, crd_files)


def _of_commit(location: str, project: Project, kubernetes_version: str, tell: Tell) -> Baseline:
    if project.commands:
        listed = ", ".join(f"`{command}`" for command in project.commands)
        message = (
            f"crd_commands are not run at a commit ({listed}): name a folder with their output, "
            "or the files in crd_paths"
        )
        raise AbsentError([Mistake(location, 0, message)])
    commit = releases.find_commit(project.folder, location.removeprefix(OF_GIT))
    folder = Path(os.path.relpath(project.folder.resolve(), commit.repository.resolve())).as_posix()
    tree = filetrees.of_commit(commit.repository, commit.id, ref=commit.ref, folder="" if folder == "." else folder)
    crd_files = CrdFiles(kubernetes_version)
    for origin, names in _places(tree, project):
        for name, content in each(tree.read(names).items(), tell, lambda item: item[0]):
            crd_files.take(content, source=tree.display_name(name), origin=origin)
        if crd_files.crds or crd_files.mistakes:
            break
    crd_files.raise_mistakes()
    words = " ".join(filter(None, (f"{OF_GIT}{commit.ref} ({commit.id[:9]})", commit.note)))
    if not crd_files.crds:
        where = " ".join(project.paths) or "any of its files"
        hint = (
            f"; CRDs of {madecrds.HOOK} are in no file of a commit: name a folder that has them"
            if project.is_made
            else ""
        )
        raise AbsentError([Mistake(location, 0, f"no CRD in {where} at {words}{hint}"), *crd_files.notes])
    return Baseline(words, tree, crd_files)


def _places(tree: GitTree, project: Project) -> Iterator[tuple[FileOrigin, Sequence[str]]]:
    """Yield the files of a commit that may have CRDs: the files of today's settings, else the conventional places first."""
    patterns = [_from_folder(path, project) for path in project.paths]
    if any(not pattern.startswith(manifest.LEFT_OUT) for pattern in patterns):
        yield FileOrigin.GIVEN, tree.names(patterns)
        return
    left_out = {*tree.names([pattern.removeprefix(manifest.LEFT_OUT) for pattern in patterns])}
    for folder in dict.fromkeys((tree.folder, "")):
        start = posixpath.relpath(folder or ".", tree.folder or ".")
        usual = {path: tree.names([posixpath.join(start, path)]) for path in search.CONVENTIONAL_PATHS}
        narrowest = search.narrowest(path for path, names in usual.items() if names)
        conventional = [name for path in narrowest for name in usual[path]]
        if search.has_operator(narrowest):
            below = f"{folder}/" if folder else ""
            by_operator = search.find_operators(name.removeprefix(below) for name in tree.below(folder))
            conventional += [f"{below}{name}" for names in by_operator.values() for name in names]
        yield FileOrigin.CONVENTIONAL, [name for name in conventional if name not in left_out]
        contents = tree.read(name for name in tree.below(folder) if name not in left_out)
        names = [name for name, content in contents.items() if projectfiles.may_have_crds(content)]
        for_tests = [name for name in names if projectfiles.is_for_tests(PurePosixPath(name), PurePosixPath(folder))]
        yield FileOrigin.FOUND, [name for name in names if name not in for_tests]
        yield FileOrigin.FOUND_IN_TESTS, for_tests


def _from_folder(pattern: str, project: Project) -> str:
    """Return *pattern* relative to the folder of the project."""
    mark = manifest.LEFT_OUT if pattern.startswith(manifest.LEFT_OUT) else ""
    path = os.path.relpath(project.base / pattern.removeprefix(mark), project.folder)
    return f"{mark}{path.replace(os.sep, '/')}"
