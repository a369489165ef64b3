"""Atomic replacement of files: at any time, either the old or the new content is there."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Final

# The mode of new files, less the user's mask; and that of files which only the owner may read.
_NEW: Final = 0o666
_OWN: Final = 0o600
# The system's own links, such as /dev/stdout.
_SYSTEM: Final = (Path("/dev"), Path("/proc"))


class ChangedError(Exception):
    """A file that has changed since it was read."""


def digest(content: bytes) -> str:
    """Return a digest that identifies the content."""
    return hashlib.sha256(content).hexdigest()


def require_digest(content: bytes, old: str) -> None:
    """Raise ChangedError if *content* has another digest than *old*."""
    if digest(content) != old:
        raise ChangedError


def resolve(path: Path) -> Path:
    """
    Return the file or folder at *path*, with links followed.

    Raises:
        OSError: *path* is a link that leads out of its own folder.
    """
    target = path.resolve()
    is_outside = path.is_symlink() and not target.is_relative_to(path.parent.resolve())
    if is_outside and not any(path.absolute().is_relative_to(folder) for folder in _SYSTEM):
        raise OSError(errno.ELOOP, f"it is a link to {target}, out of its folder; name that path instead")
    return target


def create(path: Path, content: bytes) -> None:
    """
    Write *content* to a new file, with the permissions of new files.

    Raises:
        OSError: The file exists, or cannot be written.
    """
    with write_beside(path, content) as whole:
        try:
            os.link(whole, path)  # unlike a move, this never replaces a file
        except FileExistsError:
            raise
        except OSError:  # a file system without links
            if os.path.lexists(path):
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST)) from None
            whole.replace(path)


def replace(path: Path, content: bytes, *, old: str) -> None:
    """
    Replace the content of a file, and keep its permissions; a link is followed unless it leads out of its own folder.

    Args:
        path: The file.
        content: The new content.
        old: The digest of the old content.

    Raises:
        ChangedError: The file has another content.
        OSError: The file cannot be read or written.
    """
    target = resolve(path).resolve(strict=True)
    if not os.access(target, os.W_OK):  # replacing a file ignores this
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    with write_beside(target, content, mode=_OWN) as whole:
        whole.chmod(target.stat().st_mode & 0o7777)
        require_digest(target.read_bytes(), old)
        whole.replace(target)


@contextlib.contextmanager
def write_beside(target: Path, content: bytes, *, mode: int = _NEW) -> Iterator[Path]:
    """
    Yield a temporary file with *content* beside *target*; it is removed at the end if it still exists.

    It is hidden and ends in `.tmp`, so that case files and CRDs are not searched in one that a killed process leaves
    behind.
    """
    path = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        yield path
    finally:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)
