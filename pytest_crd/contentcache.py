"""
What was found out about contents, kept under their hashes: whoever finds the same content again need not read it.

Only what follows from contents, and from nothing else but what stands in the key, may be kept: JSON, and never an error.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, TypeAlias

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


class ContentCache:
    """
    Facts, by what they are about.

    Attributes:
        is_changed: Whether there are some that were not there when it was read.
    """

    def __init__(self) -> None:
        """Know nothing yet."""
        self.is_changed = False
        self._facts: dict[str, Fact] = {}

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
        facts = dict(list(self._facts.items())[-_MOST:])
        text = json.dumps(facts, separators=(",", ":"))
        return f"{installation()} {digest(text.encode())}\n{text}"

    @classmethod
    def from_text(cls, text: str) -> ContentCache:
        """Return the facts in a text; none where another installation has written it, or where it is not whole."""
        cache = cls()
        heading, _, body = text.partition("\n")
        if heading == f"{installation()} {digest(body.encode())}":
            cache._facts = json.loads(body)
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
