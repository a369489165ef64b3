"""
The baseline: the CRDs that users have today, with the samples and case files that belong to them.

It is a folder, a file, or a commit, which is read where git keeps it: nothing is checked out, nothing is written.
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
    What is set about the CRDs of today, and counts for a commit too.

    Attributes:
        folder: The folder of the project.
        paths: Files, folders, globs, and `!pattern` for what is left out.
        base: What they are relative to.
        commands: Commands whose output is read today.
        is_made: Whether Python makes CRDs today, too.
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
        words: Which they are, in words.
        tree: The files beside them; None where the baseline is one file.
        found: What was found.
    """

    words: str
    tree: Tree | None
    found: CrdFiles

    def crds(self, kubernetes_version: str) -> CustomResourceDefinitions:
        """Return the CRDs as they are under a Kubernetes version; there is at least one."""
        crds = [crd.under(kubernetes_version) for crd in self.found.crds]
        return CustomResourceDefinitions(crds, self.found.notes)


def read(
    wanted: str, *, base: Path, project: Project, kubernetes_version: str, progress: Progress = silent
) -> Baseline:
    """
    Return the baseline that a setting names.

    Args:
        wanted: A folder, a file, or `git:REF`.
        base: What a path is relative to.
        project: Where CRDs are read from today.
        kubernetes_version: Whose words mistakes have.
        progress: Who is told while files are read.

    Raises:
        AbsentError: There is no such commit, or no CRD in it.
        InputError: It cannot be read.
    """
    with progress(f"reading {wanted}") as tell:
        if wanted.startswith(OF_GIT):
            return _of_commit(wanted, project, kubernetes_version, tell)
        found = CrdFiles(kubernetes_version)
        found.read_all([wanted], base=base, tell=tell)
    found.raise_mistakes()
    folder = base / wanted
    return Baseline(wanted, FolderTree(folder.absolute()) if folder.is_dir() else None, found)


def _of_commit(wanted: str, project: Project, kubernetes_version: str, tell: Tell) -> Baseline:
    if project.commands:
        listed = ", ".join(f"`{command}`" for command in project.commands)
        message = (
            f"crd_commands are not run at a commit ({listed}): name a folder with what they print there, "
            "or the files in crd_paths"
        )
        raise AbsentError([Mistake(wanted, 0, message)])
    commit = releases.find(project.folder, wanted.removeprefix(OF_GIT))
    folder = Path(os.path.relpath(project.folder.resolve(), commit.repository.resolve())).as_posix()
    tree = filetrees.of_commit(commit.repository, commit.id, ref=commit.ref, folder="" if folder == "." else folder)
    found = CrdFiles(kubernetes_version)
    for origin, names in _places(tree, project):
        for name, content in each(tree.read(names).items(), tell, lambda one: one[0]):
            found.take(content, source=tree.shown(name), origin=origin)
        if found.crds or found.mistakes:
            break
    found.raise_mistakes()
    words = " ".join(filter(None, (f"{OF_GIT}{commit.ref} ({commit.id[:9]})", commit.note)))
    if not found.crds:
        where = " ".join(project.paths) or "any of its files"
        made = f"; what {madecrds.HOOK} made then is in no file: name a folder with it" if project.is_made else ""
        raise AbsentError([Mistake(wanted, 0, f"no CRD in {where} at {words}{made}"), *found.notes])
    return Baseline(words, tree, found)


def _places(tree: GitTree, project: Project) -> Iterator[tuple[FileOrigin, Sequence[str]]]:
    """Yield where CRDs may be at a commit, as they are looked for today: by what is set, else the likeliest first."""
    patterns = [_from_folder(path, project) for path in project.paths]
    if any(not pattern.startswith(manifest.LEFT_OUT) for pattern in patterns):
        yield FileOrigin.GIVEN, tree.names(patterns)
        return
    left_out = {*tree.names([pattern.removeprefix(manifest.LEFT_OUT) for pattern in patterns])}
    for folder in dict.fromkeys((tree.folder, "")):
        start = posixpath.relpath(folder or ".", tree.folder or ".")
        usual = {path: tree.names([posixpath.join(start, path)]) for path in search.CONVENTIONAL_PATHS}
        narrowest = search.narrowest(path for path, names in usual.items() if names)
        found = [name for path in narrowest for name in usual[path]]
        if search.has_operator(narrowest):
            below = f"{folder}/" if folder else ""
            of_others = search.of_operators(name.removeprefix(below) for name in tree.below(folder))
            found += [f"{below}{name}" for names in of_others.values() for name in names]
        yield FileOrigin.CONVENTIONAL, [name for name in found if name not in left_out]
        contents = tree.read(name for name in tree.below(folder) if name not in left_out)
        names = [name for name, content in contents.items() if projectfiles.may_have_crds(content)]
        for_tests = [name for name in names if projectfiles.is_for_tests(PurePosixPath(name), PurePosixPath(folder))]
        yield FileOrigin.FOUND, [name for name in names if name not in for_tests]
        yield FileOrigin.FOUND_IN_TESTS, for_tests


def _from_folder(pattern: str, project: Project) -> str:
    """Return a *pattern* as it is relative to the folder of the project."""
    mark = manifest.LEFT_OUT if pattern.startswith(manifest.LEFT_OUT) else ""
    path = os.path.relpath(project.base / pattern.removeprefix(mark), project.folder)
    return f"{mark}{path.replace(os.sep, '/')}"
