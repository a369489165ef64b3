"""
Report files: replaced as a whole, or appended to; a file that is not regular (`/dev/stdout`) is written directly.

A link that leads out of its own folder is refused, since a repository may contain such a link at the path of a report.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
from pathlib import Path
from typing import Final

# The system's own links, such as /dev/stdout.
_SYSTEM: Final = (Path("/dev"), Path("/proc"))


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


def write(path: Path, text: str) -> None:
    """
    Replace the file at *path* atomically, and create its folder if needed.

    Raises:
        OSError: The file cannot be written.
    """
    content, target = _encoded(text), resolve(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and not path.is_file():
        path.write_bytes(content)
        return
    mode = target.stat().st_mode & 0o777 if target.exists() else None
    whole = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
    try:
        with os.fdopen(os.open(whole, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            whole.chmod(mode)
        whole.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            whole.unlink(missing_ok=True)
        raise


def append(path: Path, text: str) -> None:
    """
    Append to the file at *path*.

    Raises:
        OSError: The file cannot be written.
    """
    with resolve(path).open("ab") as file:
        file.write(_encoded(text))


def remove(path: Path) -> None:
    """
    Remove the regular file at *path*, if there is one.

    Raises:
        OSError: The file cannot be removed.
    """
    if path.is_file():
        resolve(path).unlink()


def _encoded(text: str) -> bytes:
    """Return a text as UTF-8; lone surrogates are escaped as in JSON."""
    return text.encode("utf-8", "backslashreplace")
