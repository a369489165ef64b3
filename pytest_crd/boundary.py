"""
The boundary of a project: the git repository around a folder, else the folder itself.

A file of a repository names only paths inside of the project, with links resolved. Other paths count only if the command line names them.
"""

from __future__ import annotations

import errno
import functools
import glob
import itertools
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from pytest_crd import folders

_REPOSITORY: Final = ".git"
# The folder above all others: it has two names in POSIX, and an empty one in a commit.
_TOPS: Final = ("", "/", "//")
OUTSIDE: Final = "it leads out of the project; copy the file into the project"
"""The message about a path outside of the project."""


def find_project(folder: str | os.PathLike[str]) -> str:
    """Return the top of the git repository around *folder*, else *folder* itself; links are resolved."""
    real = os.path.realpath(folder)
    parent = real
    while not os.path.lexists(f"{parent}/{_REPOSITORY}"):
        if parent in _TOPS:
            return real
        parent = os.path.dirname(parent)  # noqa: PTH120 - a Path takes five times as long
    return parent


def contains(folder: str, real: str) -> bool:
    """Return whether a folder is or contains a path; the links of both are resolved."""
    return real == folder or real.startswith(folder if folder in _TOPS else f"{folder}/")


def is_inside(path: str | os.PathLike[str], *folders: str) -> bool:
    """Return whether a path, with its links resolved, is in one of *folders*, whose links are resolved."""
    real = os.path.realpath(path)
    return any(contains(folder, real) for folder in folders)


def start_of(pattern: str) -> str:
    """Return the leading parts of a glob without wildcards; a path itself."""
    if not glob.has_magic(pattern):
        return pattern
    fixed = itertools.takewhile(lambda part: not glob.has_magic(part), pattern.split("/"))
    return "".join(f"{part}/" for part in fixed)


def require_output(path: Path) -> None:
    """
    Refuse a relative path of a file to write whose folder leads out of the project around the current folder.

    Raises:
        OSError: It leads there; an absolute path may be anywhere.
    """
    if not path.is_absolute() and not is_inside(path.parent, find_project(Path.cwd())):
        raise OSError(errno.EACCES, "its folder leads out of the project; write the absolute path")


class ProjectBoundary:
    """The project around a folder, and the paths that patterns name; most files are in the project, so that others cost more."""

    def __init__(self, base: Path, named: Iterable[str] = ()) -> None:
        """Create the boundary of the project around *base*, and of the *named* patterns relative to it."""
        self._base = base
        self._patterns = tuple(named)

    @functools.cached_property
    def project(self) -> str:
        """The top folder of the project."""
        return find_project(self._base)

    @functools.cached_property
    def _named(self) -> tuple[str, ...]:
        return tuple(os.path.realpath(self._base / start_of(pattern)) for pattern in self._patterns)

    def holds(self, real: str) -> bool:
        """Return whether a path, whose links are resolved, is inside."""
        return contains(self.project, real) or any(contains(folder, real) for folder in self._named)

    def find_exit(self, path: Path) -> Path:
        """Return the first of the links on the way to a path that leads outside; the path itself if there is none."""
        between = [parent for parent in path.parents if parent != self._base and parent.is_relative_to(self._base)]
        return next((parent for parent in reversed(between) if not self.holds(os.path.realpath(parent))), path)

    def read(self, path: Path) -> bytes:
        """
        Return the content of a file.

        Raises:
            OSError: The file is outside, or cannot be read.
        """
        if not self.holds(os.path.realpath(path)):
            raise OSError(errno.EACCES, OUTSIDE)
        return folders.read_file(path)
