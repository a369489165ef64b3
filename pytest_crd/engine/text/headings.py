"""
What the objects of a file are, told from what they hold: that alone is looked at of most files, and may be known by their content.

A text comes in, with what is known of contents; out comes each object with its heading. Of a known text, an object is read when
somebody asks for more than its line.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from pytest_crd import contentcache
from pytest_crd.contentcache import ContentCache
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.text import manifest
from pytest_crd.engine.text.document import Document
from pytest_crd.engine.text.manifest import Manifest

_HEADINGS: Final = "objects"


class Heading(NamedTuple):
    """
    What an object says that it is.

    Attributes:
        line: The 1-based line on which it begins.
        api_version: Its apiVersion; empty where it states none.
        kind: Its kind; empty where it states none.
        name: How it is called among others: `Backup/nightly`.
    """

    line: int
    api_version: str
    kind: str
    name: str


class HeadedManifest(NamedTuple):
    """
    An object of a file.

    Attributes:
        heading: What it says that it is.
        manifest: The object.
        digest: What stands for its content, and where in the file it is.
    """

    heading: Heading
    manifest: Manifest
    digest: str


class UnreadManifest(Manifest):
    """An object of a file that is read when somebody asks for more than its line."""

    __slots__ = ("_find", "_line", "_source")
    _find: Callable[[], Manifest]
    _line: int
    _source: str

    def __init__(self, find: Callable[[], Manifest], source: str, line: int) -> None:
        """Take what finds the object in its file, which must be the same each time; the name of that; and the line."""
        for name, value in (("_find", find), ("_source", source), ("_line", line)):
            object.__setattr__(self, name, value)

    @property
    def value(self) -> JSONValue:
        """The object, JSON."""
        return self._find().value

    @property
    def document(self) -> Document:
        """The document that it stands in."""
        return self._find().document

    @property
    def path(self) -> tuple[str | int, ...]:
        """Where in the document."""
        return self._find().path

    @property
    def source(self) -> str:
        """The file as the user named it."""
        return self._source

    def line_of(self, *path: str | int) -> int:
        """Return the 1-based line of the value at *path* in the object, or of the nearest that there is."""
        return self._find().line_of(*path) if path else self._line


def read(content: bytes, *, source: str, cache: ContentCache, keeps: bool = False) -> list[HeadedManifest]:
    """
    Return the objects of a file, as `manifest.read` does, each with its heading.

    Args:
        content: The file.
        source: Its name for messages.
        cache: What is known of contents.
        keeps: Whether all that was read is kept, not the headings alone, for who will ask for more.

    Raises:
        ManifestError: As of that; what cannot be read is never known.
    """
    digest = contentcache.digest(content)
    known = cache.known(_HEADINGS, digest)
    if known is None:
        items: Sequence[Manifest] = manifest.read(content, source=source, cache=cache if keeps else None)
        headings = [_heading(item) for item in items]
        cache.keep(headings, _HEADINGS, digest)
    else:
        headings = [Heading(*one) for one in known]
        items = list(_unread(content, source, headings, cache))
    pairs = zip(headings, items, strict=True)
    return [HeadedManifest(heading, item, f"{digest}:{index}") for index, (heading, item) in enumerate(pairs)]


def stated(value: JSONValue) -> tuple[str, str]:
    """Return the apiVersion and the kind that an object states, each empty where it states none."""
    parts = (value.get("apiVersion"), value.get("kind")) if isinstance(value, dict) else (None, None)
    api_version, kind = (part if isinstance(part, str) else "" for part in parts)
    return api_version, kind


def name_of(value: JSONValue) -> str:
    """Return how an object is called among others: `Backup/nightly`."""
    if not isinstance(value, dict):
        return ""
    metadata = value.get("metadata")
    names: Iterator[JSONValue] = (
        metadata.get(key) for key in ("name", "generateName") if isinstance(metadata, dict) and metadata.get(key)
    )
    return "/".join(str(part) for part in (value.get("kind"), next(names, None)) if part is not None)


def _heading(item: Manifest) -> Heading:
    return Heading(item.line_of(), *stated(item.value), name_of(item.value))


def _unread(content: bytes, source: str, headings: Sequence[Heading], cache: ContentCache) -> Iterator[Manifest]:
    """Yield the objects of a file, which is read once, when one of them is."""

    @functools.cache
    def items() -> list[Manifest]:
        return manifest.read(content, source=source, cache=cache)

    for index, heading in enumerate(headings):
        yield UnreadManifest(lambda index=index: items()[index], source, heading.line)  # type: ignore[misc]
