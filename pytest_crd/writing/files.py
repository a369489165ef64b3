"""Files that are replaced whole: whatever happens, there is the old one or the new one."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import tempfile
from pathlib import Path


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
    path.touch(exist_ok=False)
    try:
        replace(path, content, old=digest(b""))
    except BaseException:
        path.unlink()
        raise


def replace(path: Path, content: bytes, *, old: str) -> None:
    """
    Put *content* into a file, of which a link is followed and the permissions stay.

    Args:
        path: The file.
        content: What it is to hold.
        old: The digest of what it holds.

    Raises:
        ChangedError: It holds something else.
        OSError: It cannot be read or written.
    """
    target = path.resolve(strict=True)
    if not os.access(target, os.W_OK):  # of which replacing it takes no notice
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".tmp", dir=target.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(target.stat().st_mode & 0o7777)
        refuse_other(target.read_bytes(), old)
        Path(name).replace(target)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            Path(name).unlink()
        raise
