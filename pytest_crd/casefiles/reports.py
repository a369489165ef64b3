"""
Report files: replaced as a whole, or appended to; a file that is not regular (`/dev/stdout`) is written directly.

A link that leads out of its own folder is refused, since a repository may contain such a link at the path of a report.
"""

from __future__ import annotations

from pathlib import Path

from pytest_crd.casefiles import filereplacement
from pytest_crd.casefiles.filereplacement import resolve


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
    with filereplacement.write_beside(target, content) as whole:
        if mode is not None:
            whole.chmod(mode)
        whole.replace(target)


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
