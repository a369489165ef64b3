"""Files that are replaced whole: whatever happens, there is the old one or the new one."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pytest_crd.casefiles import reports

# What new files get, of which the user's mask takes its part; and what nobody else may read yet.
_NEW: Final = 0o666
_OWN: Final = 0o600


class ChangedError(Exception):
    """A file that is no longer what was read."""


def digest(content: bytes) -> str:
    """Return what tells a content from all others."""
    return hashlib.sha256(content).hexdigest()


def refuse_other(content: bytes, old: str) -> None:
    """Raise ChangedError where *content* has another digest than *old*."""
    if digest(content) != old:
        raise ChangedError


def create(path: Path, content: bytes) -> None:
    """
    Put *content* into a new file, with the permissions that new files get.

    Raises:
        OSError: It is there, or cannot be written.
    """
    with _written_beside(path, content, _NEW) as whole:
        try:
            os.link(whole, path)  # which, unlike a move, takes nothing's place
        except FileExistsError:
            raise
        except OSError:  # a file system without links
            if os.path.lexists(path):
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST)) from None
            whole.replace(path)


def replace(path: Path, content: bytes, *, old: str) -> None:
    """
    Put *content* into a file, and keep its permissions; a link is followed unless it leads out of its own folder.

    Args:
        path: The file.
        content: What it is to hold.
        old: The digest of what it holds.

    Raises:
        ChangedError: It holds something else.
        OSError: It cannot be read or written.
    """
    target = reports.resolve(path).resolve(strict=True)
    if not os.access(target, os.W_OK):  # of which replacing it takes no notice
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    with _written_beside(target, content, _OWN) as whole:
        whole.chmod(target.stat().st_mode & 0o7777)
        refuse_other(target.read_bytes(), old)
        whole.replace(target)


@contextlib.contextmanager
def _written_beside(target: Path, content: bytes, mode: int) -> Iterator[Path]:
    """
    Give a file with *content* that has no other name than its own; it is removed again where it still has that one.

    Nothing that looks for case files or CRDs reads one that is hidden and ends in `.tmp`, should a killed process leave it.
    """
    path = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        yield path
    finally:
        path.unlink(missing_ok=True)
