"""
The files in pytest's cache with what is known of contents, so that a run reads whole what it needs, and nothing else.

They are JSON. What is not whole, or was written by another installation, counts for nothing; of two runs at once, the last one to write is kept.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import pytest

from pytest_crd.contentcache import ContentCache

_FOLDER: Final = "crd"
_NAME: Final = "contents.json"
# That of what is as large as a file, and of how many there are at the most.
_WHOLE: Final = "whole"
MOST: Final = 256
_CACHE: Final = pytest.StashKey[ContentCache]()
_SHELF: Final = pytest.StashKey["FileShelf"]()


@dataclass(slots=True)
class FileShelf:
    """
    A folder with a file for each text.

    Attributes:
        folder: The folder, which need not be there.
        written: What was written in this session, by its name.
    """

    folder: Path
    written: dict[str, str] = field(default_factory=dict)

    def read(self, name: str) -> str | None:
        """Return the text of that name; None where there is none."""
        try:
            return (self.folder / name).read_text(encoding="utf-8")
        except (OSError, ValueError):
            return None

    def write(self, name: str, text: str) -> None:
        """Keep a text until the session ends."""
        self.written[name] = text

    def save(self) -> None:
        """Write what there is, in the place of what is the oldest where there is no more room."""
        if not self.written:
            return
        self.folder.mkdir(exist_ok=True)
        for name, text in self.written.items():
            _replace(self.folder / name, text)
        by_age = sorted(self.folder.iterdir(), key=lambda path: path.stat().st_mtime_ns)
        for path in by_age[:-MOST]:
            path.unlink(missing_ok=True)


def read(config: pytest.Config) -> ContentCache:
    """Return what is known of contents, once a session; nothing where pytest keeps no cache."""
    folder = _folder(config)
    if folder is None:
        return ContentCache()
    shelf = FileShelf(folder / _WHOLE)
    try:
        cache = ContentCache.from_text((folder / _NAME).read_text(encoding="utf-8"), shelf)
    except (OSError, ValueError):
        cache = ContentCache(shelf)
    config.stash[_CACHE], config.stash[_SHELF] = cache, shelf
    return cache


def save(config: pytest.Config) -> None:
    """Write what was found out in this session; where that cannot be, the next one finds it out again."""
    cache, folder = config.stash.get(_CACHE, None), _folder(config)
    if cache is None or folder is None:
        return
    with contextlib.suppress(OSError):
        if cache.is_changed:
            _replace(folder / _NAME, cache.to_text())
        config.stash[_SHELF].save()


def _folder(config: pytest.Config) -> Path | None:
    cache: pytest.Cache | None = getattr(config, "cache", None)
    if cache is None:
        return None
    try:
        return cache.mkdir(_FOLDER)
    except OSError:
        return None


def _replace(path: Path, text: str) -> None:
    """Replace a file whole: who reads it meanwhile has the one or the other."""
    handle, name = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
