"""
Trees of files: of a folder, or of a commit, which is read without a checkout.

The name of a file in a tree is a path with slashes; the tree defines the folder that it is relative to.
"""

from __future__ import annotations

import fnmatch
import glob
import itertools
import os
import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Final, Protocol

from pytest_crd import boundary, folders
from pytest_crd.boundary import ProjectBoundary
from pytest_crd.discovery import git, projectfiles
from pytest_crd.engine.inputerror import CrdError, ManifestError, Mistake
from pytest_crd.engine.yaml import manifest
from pytest_crd.folders import RealPaths
from pytest_crd.records import dataclass
from pytest_crd.wording import escape

_LINK: Final = "120000"
_MODULE: Final = "160000"
_WHOLE: Final = "fetch it whole, without a filter"


class Tree(Protocol):
    """Files of a folder or commit."""

    def names(self, patterns: Sequence[str]) -> list[str]:
        """Return the YAML and JSON files that *patterns* match, without duplicates; a pattern without match is ignored."""

    def every(self) -> list[str]:
        """Return all YAML and JSON files of the project, without hidden and third-party ones."""

    def read(self, names: Iterable[str]) -> dict[str, bytes]:
        """Return the contents of the files in *names*; a missing file is ignored."""

    def display_name(self, name: str) -> str:
        """Return the name of a file in messages."""

    def resolve(self, name: str) -> str:
        """Return the name of a file or folder with links resolved."""

    def holds(self, name: str) -> bool:
        """Return whether a file or folder is in the project, with links resolved."""

    def is_folder(self, name: str) -> bool:
        """Return whether a name is of a folder."""

    def is_file(self, name: str) -> bool:
        """Return whether a name is of a file."""


def _split_exclusions(patterns: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the patterns to include, and the patterns to exclude without their `!`."""
    wanted = [pattern for pattern in patterns if not pattern.startswith(manifest.LEFT_OUT)]
    return wanted, [pattern.removeprefix(manifest.LEFT_OUT) for pattern in patterns if pattern not in wanted]


@dataclass(frozen=True)
class FolderTree:
    """
    The files of a folder.

    Attributes:
        folder: The folder that names are relative to.
        named: The patterns that may name paths outside of the project.
    """

    folder: Path
    named: Sequence[str] = ()

    def names(self, patterns: Sequence[str]) -> list[str]:
        """Return the files that *patterns* match, without duplicates and without files that `!pattern` excludes."""
        wanted, left_out = _split_exclusions(patterns)
        out = {name for pattern in left_out for name in self._matching(pattern)}
        matches = dict.fromkeys(name for pattern in wanted for name in self._matching(pattern))
        return [name for name in matches if name not in out]

    def _matching(self, pattern: str) -> list[str]:
        try:
            files = manifest.files([pattern], base=self.folder, named=self.named)
        except ManifestError:
            return []
        return [os.path.relpath(file.path, self.folder).replace(os.sep, "/") for file in files]

    def every(self) -> list[str]:
        """Return all files of the project."""
        return projectfiles.names(self.folder)

    def read(self, names: Iterable[str]) -> dict[str, bytes]:
        """
        Return the contents of the files in *names*; a missing file is ignored.

        Raises:
            ManifestError: A file is a link that leads out of the project, or cannot be read.
        """
        present = (name for name in names if os.path.lexists(os.path.join(self.folder, name)))  # noqa: PTH118 - a Path takes three times as long
        paths = {name: self.folder / name for name in present}
        for name, path in paths.items():
            if path.is_symlink() and not self.holds(name):
                raise ManifestError([Mistake(self.display_name(name), 0, boundary.OUTSIDE)])
        try:
            return {
                name: folders.read_file(path) for name, path in paths.items() if path.exists() and not path.is_dir()
            }
        except OSError as error:
            mistake = Mistake(os.path.relpath(error.filename, self.folder), 0, f"cannot be read: {error.strerror}")
            raise ManifestError([mistake]) from None

    def resolve(self, name: str) -> str:
        """Return the path of a file or folder with links resolved."""
        return self._real.resolve(os.path.join(self.folder, name))  # noqa: PTH118 - a Path takes six times as long

    def holds(self, name: str) -> bool:
        """Return whether a file or folder is in the project, with links resolved."""
        return self._boundary.holds(self.resolve(name))

    def is_folder(self, name: str) -> bool:
        """Return whether a name is of a folder."""
        return os.path.isdir(os.path.join(self.folder, name))  # noqa: PTH112, PTH118 - a Path fails for a long name

    def is_file(self, name: str) -> bool:
        """Return whether a name is of a file."""
        return os.path.isfile(os.path.join(self.folder, name))  # noqa: PTH113, PTH118 - the same

    @cached_property
    def _boundary(self) -> ProjectBoundary:
        return ProjectBoundary(self.folder, self.named)

    @cached_property
    def _real(self) -> RealPaths:
        return RealPaths()

    def display_name(self, name: str) -> str:
        """Return the name of a file in messages: relative to the current folder if it is below it."""
        path, here = self.folder / name, Path.cwd()
        return escape(str(path.relative_to(here) if path.is_relative_to(here) else path))


@dataclass(frozen=True)
class GitTree:
    """
    The files of a commit.

    Attributes:
        repository: The folder of the repository, which names are relative to.
        ref: The name of the commit in messages: a tag, a branch, an id.
        folder: The folder of the project in the repository, with slashes; empty for the repository itself.
        ids: The object id of each file.
        links: The names of symbolic links.
    """

    repository: Path
    ref: str
    folder: str
    ids: Mapping[str, str]
    links: frozenset[str] = frozenset()

    def names(self, patterns: Sequence[str]) -> list[str]:
        """Return the files that *patterns*, relative to the project, match, without duplicates and without files that `!pattern` excludes."""
        wanted, left_out = _split_exclusions(patterns)
        out = {name for pattern in left_out for name in self._matching(pattern)}
        matches = dict.fromkeys(name for pattern in wanted for name in self._matching(pattern))
        return [name for name in matches if name not in out]

    def every(self) -> list[str]:
        """Return all files of the project."""
        return self.below(self.folder)

    def below(self, folder: str) -> list[str]:
        """Return all YAML and JSON files below a *folder* of the repository, without hidden and third-party ones."""
        start = f"{folder}/" if folder else ""
        return [
            name
            for name in self.ids
            if name.startswith(start) and folders.is_manifest(name) and not self._is_foreign(name[len(start) :], start)
        ]

    def read(self, names: Iterable[str]) -> dict[str, bytes]:
        """
        Return the contents of the files in *names*, following links; a missing file is ignored.

        Raises:
            CrdError: git cannot read them.
        """
        wanted = [name for name in names if name in self.ids]
        contents = self._contents(wanted)
        targets = {name: self._target(name, contents[name]) for name in wanted if name in self.links}
        target_contents = self._contents([target for target in targets.values() if target in self.ids])
        for name, target in targets.items():
            contents.pop(name)
            if target in target_contents:
                contents[name] = target_contents[target]
        return contents

    def display_name(self, name: str) -> str:
        """Return the name of a file in messages, in the form that `git show` takes."""
        return escape(f"{self.ref}:{name}")

    def resolve(self, name: str) -> str:
        """Return the name of a file with its link resolved; links to folders are not followed."""
        return self._target(name, self._contents([name])[name]) if name in self.links else name

    def holds(self, name: str) -> bool:
        """Return whether a file or folder is in the repository, with its link resolved."""
        return not posixpath.normpath(self.resolve(name)).startswith(("..", "/"))

    def is_folder(self, name: str) -> bool:
        """Return whether a name is of a folder with files."""
        return any(file.startswith(f"{name}/") for file in self.ids)

    def is_file(self, name: str) -> bool:
        """Return whether a name is of a file."""
        return name in self.ids

    def _target(self, name: str, link: bytes) -> str:
        return posixpath.normpath(posixpath.join(posixpath.dirname(name), os.fsdecode(link)))

    def _contents(self, names: Sequence[str]) -> dict[str, bytes]:
        if not names:
            return {}
        ids = "".join(f"{self.ids[name]}\n" for name in names).encode()
        answer = git.run(self.repository, "cat-file", "--batch", stdin=ids)
        if not answer.succeeded:
            raise CrdError(
                [
                    Mistake(
                        f"git:{self.ref}",
                        0,
                        f"git gives no files: {answer.complaint}; if the clone is partial, {_WHOLE}",
                    )
                ]
            )
        return dict(zip(names, _blobs(answer.output, self.ref), strict=True))

    def _matching(self, pattern: str) -> Iterator[str]:
        is_named = not glob.has_magic(pattern)
        parts = self._inside(pattern if is_named else folders.ignore_ending_case(pattern))
        if parts is None:
            return
        fixed = "/".join(itertools.takewhile(lambda part: not glob.has_magic(part), parts))
        for name in self.ids if is_named else self._manifests:
            if fixed and not (name.startswith(fixed) and name[len(fixed) :][:1] in ("", "/")):
                continue  # most files of most commits
            steps = name.split("/")
            is_file = _matches(parts, steps, is_file=True)
            if is_file or (folders.is_manifest(name) and _is_below(parts, steps)):
                yield name

    def _inside(self, pattern: str) -> tuple[str, ...] | None:
        """Return the parts of *pattern* below the folder of the repository; None if it leads outside."""
        whole = posixpath.normpath(posixpath.join(self.folder, pattern))
        parts = tuple(part for part in whole.split("/") if part != ".")
        return None if ".." in parts else parts

    def _is_foreign(self, name: str, start: str) -> bool:
        above = PurePosixPath(name).parts[:-1]
        return any(
            folder.startswith(".")
            or folder in projectfiles.OF_OTHERS
            or f"{start}{'/'.join(above[: depth + 1])}" in self._environments
            for depth, folder in enumerate(above)
        )

    @cached_property
    def _manifests(self) -> tuple[str, ...]:
        """The YAML and JSON files."""
        return tuple(filter(folders.is_manifest, self.ids))

    @cached_property
    def _environments(self) -> frozenset[str]:
        """The folders with a virtual environment."""
        return frozenset(
            posixpath.dirname(name) for name in self.ids if posixpath.basename(name) == projectfiles.VIRTUAL_ENVIRONMENT
        )


def of_commit(repository: Path, commit: str, *, ref: str, folder: str) -> GitTree:
    """
    Return the tree of a commit.

    Raises:
        CrdError: git cannot list its files.
    """
    answer = git.run(repository, "ls-tree", "-r", "-z", "--full-tree", commit)
    if not answer.succeeded:
        raise CrdError([Mistake(f"git:{ref}", 0, f"git lists no files: {answer.complaint}")])
    ids: dict[str, str] = {}
    links: set[str] = set()
    for entry in filter(None, answer.output.split(b"\0")):
        described, _, path = entry.partition(b"\t")
        mode, _, object_id = described.decode().split()
        name = os.fsdecode(path)
        if mode != _MODULE:
            ids[name] = object_id
        if mode == _LINK:
            links.add(name)
    return GitTree(repository, ref, folder, ids, frozenset(links))


def _blobs(output: bytes, ref: str) -> Iterator[bytes]:
    """Yield the contents in the output of `git cat-file --batch`, each preceded by a line with its size."""
    at = 0
    while at < len(output):
        end = output.index(b"\n", at)
        words = output[at:end].split()
        if words[-1] == b"missing":
            raise CrdError([Mistake(f"git:{ref}", 0, f"the repository has not all files of the commit: {_WHOLE}")])
        start, size = end + 1, int(words[-1])
        yield output[start : start + size]
        at = start + size + 1


def _is_below(pattern: Sequence[str], steps: Sequence[str]) -> bool:
    """Return whether a folder above a file matches, with no hidden folder between them."""
    # In Python's glob, `**` alone matches the start folder itself only as a prefix.
    depths = range(1 if pattern[:1] == ("**",) else 0, len(steps))
    return any(
        _matches(pattern, steps[:depth], is_file=False) and not any(step.startswith(".") for step in steps[depth:-1])
        for depth in depths
    )


def _matches(pattern: Sequence[str], steps: Sequence[str], *, is_file: bool) -> bool:
    """Return whether a path matches *pattern* as in Python's glob; `**` matches any number of folders that are not hidden."""
    # The numbers of steps that the parts so far may match.
    ends = {0}
    for index, part in enumerate(pattern):
        if part != "**":
            ends = {end + 1 for end in ends if end < len(steps) and _is_named(steps[end], part)}
            continue
        if is_file and index + 1 == len(pattern):
            ends.discard(len(steps))
        for end, step in enumerate(steps):
            if end in ends and not step.startswith("."):
                ends.add(end + 1)
    return len(steps) in ends


def _is_named(step: str, part: str) -> bool:
    return fnmatch.fnmatchcase(step, part) and (part.startswith(".") or not step.startswith("."))
