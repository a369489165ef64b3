"""Files with secrets: created where there is no file, readable by their owner alone, and removed by their creator alone."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_CREATE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW


@contextlib.contextmanager
def temporary(path: Path, text: str) -> Iterator[None]:
    """
    Create a file with *text*, and remove it at the end.

    A file or link that has taken its place by then stays. The file is also removed if its folder has another name by then.

    Raises:
        FileExistsError: *path* exists; a link counts as a file, also if it leads nowhere.
        OSError: The file cannot be written.
    """
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        # The file stays open, so that no other file gets its inode.
        with os.fdopen(os.open(path.name, _CREATE, 0o600, dir_fd=folder), "w", encoding="utf-8") as file:
            try:
                file.write(text)
                file.flush()
                yield
            finally:
                remove(path.name, os.fstat(file.fileno()), folder)
    finally:
        os.close(folder)


def remove(name: str | Path, status: os.stat_result, folder: int | None = None) -> None:
    """Remove the file *name* in a folder, the current one by default, if it is the file of *status*."""
    with contextlib.suppress(FileNotFoundError):
        if os.path.samestat(os.stat(name, dir_fd=folder, follow_symlinks=False), status):
            os.unlink(name, dir_fd=folder)
