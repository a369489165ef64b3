"""
Files of a process that it removes at its end: after `kill -9` they stay, and the next process may replace them.

The first line of such a file names the process by its number and start time, and has a digest of the rest. A file with other content is not
one of these. Files with secrets are readable by their owner alone.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import re
import stat
import subprocess
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


_LINE: Final = "# pytest-crd: process {pid}, started {start}, on {host}; the rest has SHA-256 {digest}\n"
_SIGNED: Final = re.compile(
    r"# pytest-crd: process ([0-9]+), started ([^\n,]++), on ([^\n;]*+); the rest has SHA-256 ([0-9a-f]{64})\n"
)
_READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
_MOST_BYTES: Final = 1 << 16
_ZOMBIE: Final = "Z"
_PROCESSES: Final = Path("/proc")
# For systems without that folder; its words do not depend on the environment.
_PS: Final = "/bin/ps"
_ENVIRONMENT: Final = {"LC_ALL": "C", "TZ": "UTC"}


def sign(text: str) -> str:
    """Return the text of a file of this process; unsigned if its start time is unknown."""
    try:
        start = _find_start(os.getpid())
    except OSError:
        return text
    return _LINE.format(pid=os.getpid(), start=start, host=platform.node(), digest=_digest(text)) + text


def remove_stale(path: Path) -> bool:
    """
    Remove the file of a process that has ended.

    A file stays if this user does not own it, if it is a link, if it was not signed or has changed since, if its process runs, or if it is
    from another machine or container.

    Args:
        path: The path.

    Returns:
        Whether a file was removed.
    """
    with contextlib.suppress(OSError), os.fdopen(os.open(path, _READ), "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid():
            return False
        if _is_stale(file.read(_MOST_BYTES).decode(errors="replace")):
            remove(path, status)
            return True
    return False


def _is_stale(text: str) -> bool:
    """
    Return whether the process has ended that signed a text.

    Raises:
        OSError: The processes of this machine are unknown.
    """
    signed = _SIGNED.match(text)
    if signed is None:
        return False
    pid, start, host, digest = signed.groups()
    if host != platform.node() or digest != _digest(text[signed.end() :]):
        return False
    return _find_start(int(pid)) != start


def _find_start(pid: int) -> str:
    """
    Return the start time of a process; empty if it has ended.

    Raises:
        OSError: It is unknown.
    """
    if (_PROCESSES / "self").exists():
        try:
            fields = (_PROCESSES / str(pid) / "stat").read_text(errors="replace").rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            return ""
        return "" if fields[0] == _ZOMBIE else fields[19]
    command = [_PS, "-o", "stat=,lstart=", "-p", str(pid)]
    listed = subprocess.run(command, capture_output=True, text=True, check=False, env=_ENVIRONMENT).stdout  # noqa: S603 - fixed words
    state, _, start = listed.strip().partition(" ")
    return "" if state.startswith(_ZOMBIE) else start.strip()


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
