"""
What was found out about contents, kept under their hashes: whoever finds the same content again need not read it.

Only what follows from contents, and from nothing else but what stands in the key, may be kept: JSON, and never an error.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, Protocol, TypeAlias

# What JSON holds; lists come back where tuples went in.
Fact: TypeAlias = Any

# So much is kept; what was not asked for the longest goes first.
_MOST: Final = 20_000
_SIZE: Final = 32
# What reads texts and patterns for this package.
_READERS: Final = ("yaml", "re2")


def digest(content: bytes) -> str:
    """Return what stands for a content."""
    return hashlib.sha256(content).hexdigest()[:_SIZE]


class Shelf(Protocol):
    """Where facts are kept that are too large to be read by every run: each in a text of its own."""

    def read(self, name: str) -> str | None:
        """Return the text of that name; None where there is none."""

    def write(self, name: str, text: str) -> None:
        """Keep a text, as long as there is room."""


class ContentCache:
    """
    Facts, by what they are about.

    Attributes:
        is_changed: Whether there are some that were not there when it was read.
    """

    def __init__(self, shelf: Shelf | None = None) -> None:
        """Know nothing yet but what stands on a *shelf*."""
        self.is_changed = False
        self._facts: dict[str, Fact] = {}
        self._shelf = shelf

    @functools.cached_property
    def _installation(self) -> str:
        return installation()

    def known(self, about: str, *key: str) -> Fact | None:
        """Return the fact that is known; None where none is."""
        joined = _joined(about, key)
        fact = self._facts.pop(joined, None)
        if fact is not None:
            self._facts[joined] = fact  # behind those that were not asked for
        return fact

    def keep(self, fact: Fact, about: str, *key: str) -> None:
        """Keep a fact, which is not None and shall not be changed afterwards."""
        self._facts[_joined(about, key)] = fact
        self.is_changed = True

    def known_whole(self, about: str, key: str) -> Fact | None:
        """Return the large fact that is known; None where none is."""
        text = self._shelf.read(_named(about, key)) if self._shelf else None
        return None if text is None else _opened(text, self._installation)

    def keep_whole(self, fact: Fact, about: str, key: str) -> None:
        """Keep a fact that is as large as a file."""
        if self._shelf:
            self._shelf.write(_named(about, key), _sealed(fact, self._installation))

    def of(self, find: Callable[[], Fact], about: str, *key: str) -> Fact:
        """
        Return a fact, which is not None: the one that is known, or what *find* returns, which is kept.

        Args:
            find: Finds it out.
            about: What the fact says.
            key: All that it follows from; where a part is empty, nobody knows that, and the fact is not kept.
        """
        if not all(key):
            return find()
        fact = self.known(about, *key)
        if fact is None:
            fact = find()
            self.keep(fact, about, *key)
        return fact

    def to_text(self) -> str:
        """Return all facts, for another run of the same installation."""
        return _sealed(dict(list(self._facts.items())[-_MOST:]), self._installation)

    @classmethod
    def from_text(cls, text: str, shelf: Shelf | None = None) -> ContentCache:
        """Return the facts in a text; none where another installation has written it, or where it is not whole."""
        cache = cls(shelf)
        cache._facts = _opened(text, cache._installation) or {}
        return cache

    def __reduce__(self) -> tuple[type[ContentCache], tuple[()]]:
        """Return what goes to another process: nothing of what is known here."""
        return ContentCache, ()


def installation() -> str:
    """Return what stands for the code that finds facts: this package as its files are, what it depends on, and Python."""
    specs = filter(None, map(importlib.util.find_spec, _READERS))
    readers = (os.path.dirname(spec.origin) for spec in specs if spec.origin)  # noqa: PTH120 - a text
    stands = [sys.version, *_files(str(Path(__file__).parent)), *(one for each in readers for one in _files(each))]
    return digest("\0".join(stands).encode(errors="surrogateescape"))


def _sealed(fact: Fact, by: str) -> str:
    """Return a text of which it can be told which installation has written it, and that it is whole."""
    text = json.dumps(fact, separators=(",", ":"))
    return f"{by} {digest(text.encode())}\n{text}"


def _opened(text: str, by: str) -> Fact | None:
    """Return the fact in a text; None where another installation has written it, or where it is not whole."""
    heading, _, body = text.partition("\n")
    return json.loads(body) if heading == f"{by} {digest(body.encode())}" else None


def _named(about: str, key: str) -> str:
    return digest(_joined(about, (key,)).encode())


def _joined(about: str, key: tuple[str, ...]) -> str:
    return "\0".join((about, *key))


def _files(folder: str) -> Iterator[str]:
    """Yield what changes with a file below a folder: an editable installation has one version, and many states."""
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda one: one.name):
            if entry.is_dir():
                yield from () if entry.name == "__pycache__" else _files(entry.path)
            else:
                stat = entry.stat()
                yield f"{entry.path} {stat.st_size} {stat.st_mtime_ns}"
