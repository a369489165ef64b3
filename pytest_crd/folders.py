"""
File rules shared by all of the package: endings of manifests, globs, links that form a cycle, and reading of regular files.

It imports only the standard library, because every session loads it, even one without CRDs.
"""

from __future__ import annotations

import errno
import fnmatch
import functools
import glob
import os
import stat
from collections.abc import Iterator
from pathlib import Path, PurePath
from typing import Final

# Endings of manifest files, compared without regard to case.
ENDINGS: Final = (".yaml", ".yml", ".json")
# Name patterns of case files, unless the project sets its own.
CASE_FILES: Final = ("test_*.crd.yaml", "test_*.crd.yml")
# The file with the data of coverage.
COVERAGE_DATA: Final = ".crd_coverage"
# The size of the largest file that is read.
MOST_BYTES: Final = 64 << 20
_ANY_FOLDERS: Final = "**"
_NO_NAMES: Final = ("", ".", "..")


class RealPaths:
    """Cache of resolved folders: resolving a path takes as long as opening a file."""

    def __init__(self) -> None:
        self._folders: dict[str, str] = {}

    def resolve(self, path: str | Path) -> str:
        """Return *path* with all links resolved, whether the file exists or not."""
        whole = str(path)
        at = whole.rfind("/") + 1
        folder, name = whole[:at], whole[at:]
        if name in _NO_NAMES or os.path.islink(whole):  # noqa: PTH114 - a Path takes twice as long
            return os.path.realpath(whole)
        if folder not in self._folders:
            self._folders[folder] = os.path.join(os.path.realpath(folder), "")  # noqa: PTH118 - an added slash
        return f"{self._folders[folder]}{name}"


def read_file(path: Path) -> bytes:
    """
    Return the bytes of a regular file.

    Raises:
        OSError: It cannot be read, is no regular file, such as a pipe or a device, or is larger than 64 MiB.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # a pipe without a writer would block
    try:
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, "it is no regular file", str(path))
        with open(descriptor, "rb", closefd=False) as file:
            content = file.read(MOST_BYTES + 1)
    finally:
        os.close(descriptor)
    if len(content) > MOST_BYTES:
        raise OSError(errno.EFBIG, "it is larger than 64 MiB", str(path))
    return content


def is_manifest(name: str) -> bool:
    """Return whether a file name ends like a YAML or JSON file."""
    return name.endswith(ENDINGS) or name.lower().endswith(ENDINGS)


@functools.cache
def ignore_ending_case(pattern: str) -> str:
    """Return a glob like *pattern* that ignores the case of the ending: `*.yaml` matches `UP.YAML`, too."""
    ending = next((ending for ending in ENDINGS if pattern.lower().endswith(ending)), "")
    letters = "".join(f"[{letter}{letter.upper()}]" for letter in ending[1:])
    return f"{pattern.removesuffix(pattern[-len(ending) :])}.{letters}" if ending else pattern


def matches(path: PurePath, pattern: str) -> bool:
    """
    Return whether the end of a path matches a relative glob, or the whole path an absolute glob.

    `PurePath.match` of Python 3.13 backtracks.
    """
    parts, names = PurePath(pattern).parts, path.parts
    if not parts or len(parts) > len(names) or (pattern.startswith("/") and len(parts) < len(names)):
        return False
    return all(map(fnmatch.fnmatchcase, names[-len(parts) :], parts))


def glob_paths(pattern: str, folder: Path) -> list[str]:
    """
    Return the sorted paths that *pattern* matches, relative to *folder* unless the pattern is absolute.

    It differs from `glob.glob` in two ways: `**` does not follow a link to a folder above it, and endings match in capital letters, too.
    """
    cased = ignore_ending_case(pattern) if glob.has_magic(pattern) else pattern
    return sorted({*_glob_paths(cased, str(folder), "", set())})


def is_link_cycle(path: str | os.PathLike[str]) -> bool:
    """Return whether the link at *path* leads to a folder above it, so that following it never ends."""
    target = os.path.realpath(path)
    return any(Path(os.path.realpath(parent)).is_relative_to(target) for parent in Path(path).parents)


def _glob_paths(pattern: str, folder: str, shown: str, done: set[tuple[str, str]]) -> Iterator[str]:
    """Yield the paths that *pattern* matches in a folder, which is *shown* so; nothing if both are *done*, as after several `**`."""
    if (shown, pattern) in done:
        return
    done.add((shown, pattern))
    parts = pattern.split("/")
    if _ANY_FOLDERS not in parts:
        # Path.glob refuses absolute patterns.
        yield from glob.glob(pattern, root_dir=folder)  # noqa: PTH207
        return
    at = parts.index(_ANY_FOLDERS)
    start, rest = "".join(f"{part}/" for part in parts[:at]), parts[at + 1 :]
    for prefix in glob.glob(start, root_dir=folder) if start else [""]:  # noqa: PTH207
        top = os.path.realpath(os.path.join(folder, prefix))  # noqa: PTH118 - a Path loses the slash at its end
        for subfolder in _folders(top):
            here = f"{prefix}{subfolder}"
            if any(rest):
                inner = _glob_paths("/".join(rest), os.path.join(top, subfolder), f"{shown}{here}", done)  # noqa: PTH118
                yield from (f"{here}{name}" for name in inner)
                continue
            if here and (
                rest or not subfolder
            ):  # if `**` is the last part, other folders are listed as entries of their parents
                yield here
            if not rest:
                yield from (f"{here}{name}" for name in _list_visible(os.path.join(top, subfolder)))  # noqa: PTH118


def _folders(top: str, name: str = "") -> Iterator[str]:
    """Yield *top* as `""` and all folders below it as relative paths that end in a slash, without hidden ones."""
    yield name
    for entry in _list_visible(os.path.join(top, name)):  # noqa: PTH118
        path = os.path.join(top, name, entry)  # noqa: PTH118
        if os.path.isdir(path) and not (os.path.islink(path) and is_link_cycle(path)):  # noqa: PTH112, PTH114
            yield from _folders(top, f"{name}{entry}/")


def _list_visible(folder: str) -> list[str]:
    """Return the names in *folder* that are not hidden; empty if the folder cannot be read."""
    try:
        return [name for name in os.listdir(folder) if not name.startswith(".")]  # noqa: PTH208
    except OSError:
        return []
