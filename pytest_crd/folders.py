"""
What counts in folders: which files are manifests by their names, what a glob names, and which links lead back.

It loads nothing, for a session without CRDs has it too.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

# How the names of files with manifests end, in small or capital letters.
ENDINGS: Final = (".yaml", ".yml", ".json")
# The names of case files, unless others are set.
CASE_FILES: Final = ("test_*.crd.yaml", "test_*.crd.yml")
_ANY_FOLDERS: Final = "**"
_NO_NAMES: Final = ("", ".", "..")


class RealPaths:
    """The real paths of many files: what a folder is, is asked once, as it takes as long as opening a file."""

    def __init__(self) -> None:
        self._folders: dict[str, str] = {}

    def of(self, path: Path) -> str:
        """Return the path of a file without links, whether it is there or not."""
        folder, name = os.path.split(path)
        if name in _NO_NAMES or os.path.islink(path):  # noqa: PTH114 - a Path takes twice as long
            return os.path.realpath(path)
        if folder not in self._folders:
            self._folders[folder] = os.path.realpath(folder)
        return os.path.join(self._folders[folder], name)  # noqa: PTH118


def is_manifest(name: str) -> bool:
    """Return whether a file is one of YAML or JSON by its name."""
    return name.lower().endswith(ENDINGS)


def widened(pattern: str) -> str:
    """Return a glob that also names what ends in the same in capital letters: `*.yaml` has `UP.YAML`, too."""
    ending = next((one for one in ENDINGS if pattern.lower().endswith(one)), "")
    letters = "".join(f"[{letter}{letter.upper()}]" for letter in ending[1:])
    return f"{pattern.removesuffix(pattern[-len(ending) :])}.{letters}" if ending else pattern


def matching(pattern: str, folder: Path) -> list[str]:
    """
    Return what a *pattern* names, as Python's glob does, sorted: relative to *folder* where the pattern is.

    But `**` follows no link that leads back, and an ending is one in capital letters, too.
    """
    wanted = widened(pattern) if glob.has_magic(pattern) else pattern
    return sorted({*_matching(wanted, str(folder))})


def leads_back(path: str | os.PathLike[str]) -> bool:
    """Return whether a link leads to a folder that it is in, by the way that *path* takes: who follows it never ends."""
    target = os.path.realpath(path)
    return any(Path(os.path.realpath(parent)).is_relative_to(target) for parent in Path(path).parents)


def _matching(pattern: str, folder: str) -> Iterator[str]:
    parts = pattern.split("/")
    if _ANY_FOLDERS not in parts:
        # Not Path.glob, which takes no absolute pattern.
        yield from glob.glob(pattern, root_dir=folder)  # noqa: PTH207
        return
    at = parts.index(_ANY_FOLDERS)
    start, rest = "".join(f"{part}/" for part in parts[:at]), parts[at + 1 :]
    for begun in glob.glob(start, root_dir=folder) if start else [""]:  # noqa: PTH207
        top = os.path.realpath(os.path.join(folder, begun))  # noqa: PTH118 - a Path loses the slash at its end
        for found in _folders(top):
            here = f"{begun}{found}"
            if any(rest):
                yield from (f"{here}{hit}" for hit in _matching("/".join(rest), os.path.join(top, found)))  # noqa: PTH118
                continue
            if here and (rest or not found):  # without a rest, the others are listed in the folders that they are in
                yield here
            if not rest:
                yield from (f"{here}{name}" for name in _listed(os.path.join(top, found)))  # noqa: PTH118


def _folders(top: str, name: str = "") -> Iterator[str]:
    """Yield the folders below *top* with a slash behind each, itself first, as nothing; hidden ones aside."""
    yield name
    for one in _listed(os.path.join(top, name)):  # noqa: PTH118
        path = os.path.join(top, name, one)  # noqa: PTH118
        if os.path.isdir(path) and not (os.path.islink(path) and leads_back(path)):  # noqa: PTH112, PTH114
            yield from _folders(top, f"{name}{one}/")


def _listed(folder: str) -> list[str]:
    """Return what stands in a folder and is not hidden; nothing where the system does not say."""
    try:
        return [name for name in os.listdir(folder) if not name.startswith(".")]  # noqa: PTH208
    except OSError:
        return []
