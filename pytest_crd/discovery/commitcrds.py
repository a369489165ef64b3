"""
The CRDs of commits: where today's settings say, or where projects have CRDs.

Files are read from git's object store without a checkout. Commands and hooks run in a temporary checkout.
"""

from __future__ import annotations

import functools
import hashlib
import os
import posixpath
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple, TypeAlias

from pytest_crd.discovery import (
    checkouts,
    commands,
    filetrees,
    git,
    headings,
    kustomizations,
    madecrds,
    projectfiles,
    search,
)
from pytest_crd.discovery.checkouts import Checkout
from pytest_crd.discovery.filetrees import GitTree
from pytest_crd.discovery.kustomizations import Kustomizations
from pytest_crd.discovery.madecrds import MadeManifests
from pytest_crd.engine.inputerror import CrdError, Mistake
from pytest_crd.engine.loading.crdfiles import CrdFiles, FileOrigin
from pytest_crd.engine.yaml import manifest
from pytest_crd.progress import Tell, each, ignore_step

_PYTHON: Final = ".py"

MakeManifests: TypeAlias = Callable[[Checkout, Path, Callable[[], None]], Sequence[MadeManifests]]


class Project(NamedTuple):
    """
    The settings of today's CRDs, which are applied to a commit, too.

    Attributes:
        folder: The folder of the project.
        paths: Files, folders, globs, and `!pattern` for excluded ones.
        base: The folder that they are relative to.
        commands: Commands whose output is read today.
        make: Function that calls the hooks of a checkout in a process of its own, for CRDs that Python code builds; None if there are none
            today. Its arguments are the checkout, the working folder, and a function that is called until the process has ended.
    """

    folder: Path
    paths: tuple[str, ...]
    base: Path
    commands: tuple[str, ...] = ()
    make: MakeManifests | None = None


# The name of a file, the ids of all that its CRDs depend on, and its origin.
_Key: TypeAlias = tuple[str, tuple[str, ...], FileOrigin]


class CommitCrds(NamedTuple):
    """
    The CRDs of a commit.

    Attributes:
        tree: The files of the commit.
        files: The files with CRDs, and the mistakes in them.
        makers: The names of the Python files whose hook made CRDs.
    """

    tree: GitTree
    files: CrdFiles
    makers: tuple[str, ...] = ()


@dataclass
class CommitReader:
    """
    A reader of commits; a file or output that several commits have is read once.

    Attributes:
        repository: The folder of the repository.
        project: The settings of today's CRDs.
        kubernetes_version: The Kubernetes version of messages about mistakes.
        has_schemas: Whether schemas are read; without them, a CRD only tells its versions.
    """

    repository: Path
    project: Project
    kubernetes_version: str
    has_schemas: bool = True
    _files: dict[_Key, CrdFiles] = field(default_factory=dict, init=False)

    def read(self, commit: str, ref: str, tell: Tell = ignore_step) -> CommitCrds:
        """
        Return the CRDs of a commit.

        Args:
            commit: The id of the commit.
            ref: Its name in messages.
            tell: Reports each file.

        Raises:
            CrdError: git cannot read the commit, or cannot check it out.
        """
        folder = Path(os.path.relpath(self.project.folder.resolve(), self.repository.resolve())).as_posix()
        tree = filetrees.of_commit(self.repository, commit, ref=ref, folder="" if folder == "." else folder)
        crd_files = CrdFiles(self.kubernetes_version)
        applied = kustomizations.of_commit(tree, _patterns(self.project)) if self.has_schemas else None
        for origin, found in _places(tree, self.project):
            names = [name for name in found if applied is None or not applied.is_patch(name)]
            keys = {name: (name, _ids(name, commit, tree, applied), origin) for name in names}
            contents = tree.read(name for name, key in keys.items() if key not in self._files)
            for name, key in each(keys.items(), tell, lambda item: item[0]):
                if name in contents:
                    self._files[key] = self._read(contents[name], tree.display_name(name), origin, name, applied)
                if key in self._files:  # not for a link to nowhere
                    _add(crd_files, self._files[key])
            if crd_files.crds or crd_files.mistakes:
                crd_files.notes += applied.problems(names, crd_files.crd_names) if applied is not None else ()
                break
        makers: tuple[str, ...] = ()
        # Most commits have no Python file, and each call of git takes milliseconds.
        may_have_hook = self.project.make is not None and any(name.endswith(_PYTHON) for name in tree.ids)
        make = self.project.make if may_have_hook and self._has_hook(commit) else None
        if self.project.commands or make:
            with checkouts.check_out(self.repository, commit, ref) as checkout:
                self._run_commands(checkout.root / tree.folder, ref, tell, crd_files)
                if make:
                    waiting = functools.partial(tell, 0, 1, f"{madecrds.HOOK} at {ref}")
                    call = functools.partial(make, checkout, checkout.root / tree.folder, waiting)
                    makers = _add_made(call, ref, crd_files)
        return CommitCrds(tree, crd_files, makers)

    def _has_hook(self, commit: str) -> bool:
        """Return whether a Python file of a commit names the hook."""
        search = ("grep", "--quiet", "--fixed-strings", madecrds.HOOK, commit, "--", f"*{_PYTHON}")
        answer = git.run(self.repository, *search)
        return answer.succeeded or bool(answer.complaint)  # a checkout tells the problem

    def _run_commands(self, folder: Path, ref: str, tell: Tell, crd_files: CrdFiles) -> None:
        """Add the CRDs that today's commands print in a checkout."""
        all_commands = self.project.commands
        for index, command in enumerate(all_commands):
            waiting = functools.partial(tell, index, len(all_commands), f"`{command}` at {ref}")
            try:
                output = commands.run(command, folder=folder, waiting=waiting, environment=git.environment())
            except CrdError as error:
                crd_files.mistakes += _mistakes_at(ref, error)
                continue
            key = (command, (hashlib.sha256(output).hexdigest(),), FileOrigin.NAMED)
            if key not in self._files:
                self._files[key] = self._read(output, f"{ref}:{command}", FileOrigin.NAMED)
            _add(crd_files, self._files[key])

    def _read(
        self, content: bytes, source: str, origin: FileOrigin, name: str = "", applied: Kustomizations | None = None
    ) -> CrdFiles:
        if not self.has_schemas:
            crd_files = self._take(headings.without_schemas(content), source, origin)
            if crd_files.crds and not crd_files.mistakes:
                return crd_files
        return self._take(content, source, origin, name, applied)

    def _take(
        self, content: bytes, source: str, origin: FileOrigin, name: str = "", applied: Kustomizations | None = None
    ) -> CrdFiles:
        crd_files = CrdFiles(self.kubernetes_version, kustomizations=applied)
        if origin is FileOrigin.NAMED:
            crd_files.take_output(content, source=source)
        else:
            crd_files.take(content, source=source, origin=origin, name=name)
        return crd_files


def _ids(name: str, commit: str, tree: GitTree, applied: Kustomizations | None) -> tuple[str, ...]:
    """Return ids of all that the CRDs of a file depend on: the file, and the kustomizations that apply to it with their patches."""
    chain = applied.of_file(name) if applied is not None else []
    files = (name, *(file for item in chain for file in (item.name, *sorted(item.files))))
    # A link keeps its own content if its target changes.
    return tuple(commit if file in tree.links else tree.ids[file] for file in files)


def _add_made(make: Callable[[], Sequence[MadeManifests]], ref: str, crd_files: CrdFiles) -> tuple[str, ...]:
    """Add the CRDs that the hooks of a checkout make, and return the names of the files with these hooks."""
    try:
        all_manifests = make()
    except CrdError as error:
        crd_files.mistakes += _mistakes_at(ref, error)
        return ()
    for manifests in all_manifests:
        texts = {f"{ref}:{name}": text for name, text in manifests.texts.items()}
        crd_files.take_made(texts, source=f"{ref}:{manifests.source}")
    return tuple(dict.fromkeys(manifests.maker for manifests in all_manifests))


def _mistakes_at(ref: str, error: CrdError) -> list[Mistake]:
    return [Mistake(f"{ref}: {item.source}", item.line, item.message) for item in error.mistakes]


def _add(crd_files: CrdFiles, others: CrdFiles) -> None:
    crd_files.read_crds += others.read_crds
    crd_files.mistakes += others.mistakes
    crd_files.notes += others.notes


def _places(tree: GitTree, project: Project) -> Iterator[tuple[FileOrigin, Sequence[str]]]:
    """Yield the files of a commit that may have CRDs: the files of today's settings, else the conventional places first."""
    patterns = _patterns(project)
    if any(not pattern.startswith(manifest.LEFT_OUT) for pattern in patterns):
        yield FileOrigin.GIVEN, tree.names(patterns)
        return
    if project.commands:
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


def _patterns(project: Project) -> list[str]:
    """Return the patterns of today's settings, relative to the folder of the project."""
    return [_from_folder(path, project) for path in project.paths]


def _from_folder(pattern: str, project: Project) -> str:
    """Return *pattern* relative to the folder of the project."""
    mark = manifest.LEFT_OUT if pattern.startswith(manifest.LEFT_OUT) else ""
    path = os.path.relpath(project.base / pattern.removeprefix(mark), project.folder)
    return f"{mark}{path.replace(os.sep, '/')}"
