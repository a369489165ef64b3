"""
The file in pytest's cache with what is known of contents, so that a run reads whole what it needs, and nothing else.

It is JSON. What is not whole, or was written by another installation, counts for nothing; of two runs at once, the last one to write is kept.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path
from typing import Final

import pytest

from pytest_crd.contentcache import ContentCache

_FOLDER: Final = "crd"
_NAME: Final = "contents.json"
_CACHE: Final = pytest.StashKey[ContentCache]()


def read(config: pytest.Config) -> ContentCache:
    """Return what is known of contents, once a session; nothing where pytest keeps no cache."""
    path = _path(config)
    try:
        cache = ContentCache.from_text(path.read_text(encoding="utf-8")) if path else ContentCache()
    except (OSError, ValueError):
        cache = ContentCache()
    config.stash[_CACHE] = cache
    return cache


def save(config: pytest.Config) -> None:
    """Write what was found out in this session; where that cannot be, the next one finds it out again."""
    cache, path = config.stash.get(_CACHE, None), _path(config)
    if cache is None or path is None or not cache.is_changed:
        return
    with contextlib.suppress(OSError):
        _replace(path, cache.to_text())


def _path(config: pytest.Config) -> Path | None:
    cache: pytest.Cache | None = getattr(config, "cache", None)
    if cache is None:
        return None
    try:
        return cache.mkdir(_FOLDER) / _NAME
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
