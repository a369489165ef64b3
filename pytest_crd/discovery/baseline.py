"""
The baseline: the CRDs that users have today, with the samples and case files that belong to them.

It is a folder, a file, or a commit.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pytest_crd.discovery import kustomizations, madecrds, releases, releasewalk
from pytest_crd.discovery.commitcrds import CommitReader, Project
from pytest_crd.discovery.filetrees import FolderTree, Tree
from pytest_crd.discovery.releases import AbsentError, Commit
from pytest_crd.discovery.releasewalk import EarlierReleases, OldCrd, ReleaseCrds
from pytest_crd.engine import CustomResourceDefinitions
from pytest_crd.engine.inputerror import Mistake
from pytest_crd.engine.loading.crdfiles import CrdFiles, Remark
from pytest_crd.progress import Progress, Tell, silent

OF_GIT: Final = "git:"
LAST_RELEASE: Final = f"{OF_GIT}latest-tag"


class NoCrdsError(AbsentError):
    """
    A commit has no CRD.

    Attributes:
        commit: The commit, in words.
    """

    def __init__(self, mistakes: Iterable[Mistake], commit: str = "") -> None:
        """Create it with the searched places and notes, and the commit in words."""
        super().__init__(mistakes)
        self.commit = commit


@dataclass(frozen=True)
class Baseline:
    """
    The CRDs that users have today, read once.

    Attributes:
        words: Its description.
        tree: The files around them; None if the baseline is a single file.
        files: The files with CRDs; those of the last release if there are several.
        earlier: The releases before it; None if it is no commit, or has all releases.
        releases: All releases, the oldest first, if the baseline has all.
        notes: Notes about releases.
        makers: The names of the Python files whose hook made CRDs at the commit.
        is_checkout: Whether it is the current commit, without changed files.
    """

    words: str
    tree: Tree | None
    files: CrdFiles
    earlier: EarlierReleases | None = None
    releases: tuple[ReleaseCrds, ...] = ()
    notes: tuple[str, ...] = ()
    makers: tuple[str, ...] = ()
    is_checkout: bool = False

    def crds(self, kubernetes_version: str) -> CustomResourceDefinitions:
        """Return the CRDs under a Kubernetes version, at least one."""
        crds = [crd.under(kubernetes_version) for crd in self.files.crds]
        return CustomResourceDefinitions(crds, self.files.notes)

    def old_crds(self, kubernetes_version: str) -> dict[str, list[OldCrd]]:
        """Return the CRDs of all releases under a Kubernetes version, each once, by an id that is unique in its release."""
        if self.releases:
            return releasewalk.group(self.releases, kubernetes_version)
        crds, earlier = self.crds(kubernetes_version), self.earlier
        if earlier is None:
            return {crds.id_of(crd): [OldCrd(crd)] for crd in crds}
        find = earlier.find_history
        return {crds.id_of(crd): [OldCrd(crd, (), functools.partial(find, crd.name))] for crd in crds}


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
        AbsentError: The commit does not exist.
        NoCrdsError: The commit has no CRD.
        InputError: The baseline has mistakes.
    """
    with progress(f"reading {location}") as tell:
        if location.startswith(OF_GIT):
            return _of_commit(location, project, kubernetes_version, tell)
        applied = kustomizations.of_folder(FolderTree(base), [location])
        crd_files = CrdFiles(kubernetes_version, kustomizations=applied)
        crd_files.read_all([location], base=base, tell=tell)
    crd_files.notes += applied.problems(crd_files.names, crd_files.crd_names)
    crd_files.raise_mistakes()
    folder = base / location
    return Baseline(location, FolderTree(folder.absolute()) if folder.is_dir() else None, crd_files)


def _of_commit(location: str, project: Project, kubernetes_version: str, tell: Tell) -> Baseline:
    ref = location.removeprefix(OF_GIT)
    commit = releases.find_commit(project.folder, ref)
    if commit.releases is not None and releases.is_of_all(ref):
        return _of_releases(location, commit, project, kubernetes_version, tell)
    read_crds = CommitReader(commit.repository, project, kubernetes_version).read(commit.id, commit.ref, tell)
    crd_files = read_crds.files
    crd_files.raise_mistakes()
    words = " ".join(filter(None, (f"{OF_GIT}{commit.ref} ({commit.id[:9]})", commit.note)))
    if not crd_files.crds:
        raise _without_crds(location, words, project, crd_files)
    earlier = EarlierReleases(commit, project, kubernetes_version)
    is_checkout = releases.is_checkout(commit)
    return Baseline(words, read_crds.tree, crd_files, earlier, makers=read_crds.makers, is_checkout=is_checkout)


def _of_releases(location: str, commit: Commit, project: Project, kubernetes_version: str, tell: Tell) -> Baseline:
    """Return the baseline of all releases."""
    walk = releasewalk.read(commit, project, kubernetes_version, tell)
    words = f"{location}: {walk.words}"
    if walk.last is None:
        notes = [Remark(location, 0, note) for note in walk.notes]
        raise _without_crds(location, words, project, CrdFiles(kubernetes_version, notes=notes))
    tree, crd_files, makers = walk.last
    return Baseline(words, tree, crd_files, releases=walk.releases, notes=walk.notes, makers=makers)


def _without_crds(location: str, words: str, project: Project, crd_files: CrdFiles) -> NoCrdsError:
    where = " ".join((*project.paths, *(f"`{command}`" for command in project.commands))) or "any of its files"
    hint = f", and no {madecrds.HOOK} makes one there" if project.make else ""
    return NoCrdsError([Mistake(location, 0, f"no CRD in {where} at {words}{hint}"), *crd_files.notes], words)
