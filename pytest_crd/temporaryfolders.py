"""
Temporary folders that the next run removes if their process was killed.

The process holds a lock on a file in its folder until it ends. So a recycled process number, or a process of another container, is no
mistake.
"""

from __future__ import annotations

import contextlib
import fcntl
import functools
import os
import re
import shutil
import tempfile
from pathlib import Path
from typing import Final, Self

_PREFIX: Final = "pytest-crd-"
_NAME: Final = re.compile(rf"{_PREFIX}[0-9]+-[a-z0-9_]+")
_LOCK: Final = "pytest-crd.lock"
_FILES: Final = "files"


class TemporaryFolder:
    """
    A temporary folder of this process. In a `with` statement it is removed with the block, else by `remove`.

    Attributes:
        path: The folder for files, without links in its path.
    """

    def __init__(self) -> None:
        """Create the folder, after the first call has removed the folders of processes that were killed."""
        parent = tempfile.gettempdir()
        _remove_abandoned(parent)
        self._folder = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-", dir=parent)).resolve()
        self._lock = _create_lock(self._folder)
        self.path = self._folder / _FILES
        self.path.mkdir()

    def remove(self) -> None:
        """Remove the folder with all files."""
        _remove(self._folder)
        os.close(self._lock)

    def __enter__(self) -> Self:
        """Return the folder."""
        return self

    def __exit__(self, *_: object) -> None:
        """Remove the folder."""
        self.remove()


def _create_lock(folder: Path) -> int:
    """Create the lock file of a folder and return its descriptor; the file gets its name after it is locked."""
    unnamed = folder / f"{_LOCK}.new"
    lock = os.open(unnamed, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    with contextlib.suppress(OSError):  # a file system without locks: then the next run keeps the folder
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        unnamed.rename(folder / _LOCK)
    return lock


@functools.cache
def _remove_abandoned(parent: str) -> None:
    """Remove the folders of killed processes in *parent*."""
    names: list[str] = []
    with contextlib.suppress(PermissionError):  # a folder that cannot be listed may take new folders
        names = os.listdir(parent)  # noqa: PTH208 - names alone count
    for name in filter(_NAME.fullmatch, names):
        with contextlib.suppress(OSError):  # it is in use, not a folder of ours, or has just been created or removed
            _remove_unlocked(Path(parent, name))


def _remove_unlocked(folder: Path) -> None:
    """
    Remove a folder, unless its process still runs or belongs to another user.

    Raises:
        OSError: The folder has no lock file, or its process holds the lock.
    """
    lock = os.open(folder / _LOCK, os.O_RDWR | os.O_NOFOLLOW)
    try:
        if os.fstat(lock).st_uid == os.getuid() and not folder.is_symlink():
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _remove(folder)
    finally:
        os.close(lock)


def _remove(folder: Path) -> None:
    """Remove a folder, the lock file last, so that the next run continues if this one is killed."""
    files = folder / _FILES
    for parent, names, _ in os.walk(files):
        for name in names:
            inner = Path(parent, name)
            if not inner.is_symlink():
                with contextlib.suppress(OSError):  # a folder of another user
                    inner.chmod(0o700)  # Go's module cache is read-only
    shutil.rmtree(files, ignore_errors=True)
    if not files.exists():
        shutil.rmtree(folder, ignore_errors=True)
