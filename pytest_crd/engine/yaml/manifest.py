"""
Manifest files: which files a path names, and the objects in them.

The only module of the engine that reads files; it knows YAML streams, JSON and `kind: List`, and nothing of CRDs.
"""

from __future__ import annotations

import codecs
import functools
import glob
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from pytest_crd.engine.inputerror import ManifestError, Mistake
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.yaml import yamlreader, yamlstream
from pytest_crd.engine.yaml.document import Document, Duplicate
from pytest_crd.folders import RealPaths, glob_paths, is_manifest

_UTF16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_LIST: Final = "List"
# What stands before a pattern whose files are left out.
LEFT_OUT: Final = "!"
_MOST_PARSED: Final = 512

# An action of a template, with the line where it stands alone.
_ACTION_LINE: Final = re.compile(rb"^[ \t]*\{\{(?:(?!\}\}).)*+(?:\}\}([ \t]*\r?$)?)?", re.MULTILINE | re.DOTALL)
_ACTION: Final = re.compile(rb"\{\{(?:(?!\}\}).)*+(\}\})?", re.DOTALL)


@dataclass(frozen=True, slots=True, eq=False)
class Manifest:
    """
    One object of a file.

    Attributes:
        value: The object, JSON.
        document: The document that it stands in.
        path: Where in the document: empty, or `("items", n)` in a `kind: List`.
    """

    value: JSONValue
    document: Document
    path: tuple[str | int, ...] = ()

    @property
    def source(self) -> str:
        """The file as the user named it."""
        return self.document.source

    @property
    def api_version(self) -> str:
        """Its apiVersion; empty if it states none."""
        return self._stated("apiVersion")

    @property
    def kind(self) -> str:
        """Its kind; empty if it states none."""
        return self._stated("kind")

    @property
    def title(self) -> str:
        """Its kind and name, as far as it states them: `Backup/nightly`."""
        value = self.value if isinstance(self.value, dict) else {}
        metadata = value.get("metadata")
        stated = metadata if isinstance(metadata, dict) else {}
        parts = (value.get("kind"), stated.get("name") or stated.get("generateName") or None)
        return "/".join(str(part) for part in parts if part is not None)

    def _stated(self, key: str) -> str:
        value = self.value.get(key) if isinstance(self.value, dict) else None
        return value if isinstance(value, str) else ""

    def line_of(self, *path: str | int) -> int:
        """Return the 1-based line of the value at *path* in the object, or of the nearest that there is."""
        whole = (*self.path, *path)
        # The marks of a document take as long to make as its value, and most files are one object.
        return self.document.line_of(whole) if whole else self.document.line

    def key_line_of(self, *path: str | int) -> int:
        """Return the 1-based line of the key of the value at *path* in the object, or of the nearest that there is."""
        return self.document.line_of((*self.path, *path), key=True)

    def where_is(self, path: tuple[str | int, ...], offset: int | None = None) -> str:
        """
        Return `file:line` of the value at *path* in the object, or of the nearest that there is.

        With the *offset* of a character of a string: `file:line:column` of that, where it can be told.
        """
        place = None if offset is None else self.document.place_of((*self.path, *path), offset)
        return f"{self.source}:{'{}:{}'.format(*place) if place else self.line_of(*path)}"

    @property
    def duplicates(self) -> Iterator[Duplicate]:
        """The keys that are set twice in the object, or in what is around it in its document."""
        for one in self.document.duplicates:
            shared = min(len(one.path), len(self.path))
            if one.path[:shared] == self.path[:shared]:
                yield one

    @property
    def where(self) -> str:
        """`file:line` of the object."""
        return f"{self.source}:{self.line_of()}"


class ManifestFile(NamedTuple):
    """
    A file that may hold manifests.

    Attributes:
        path: Where it is.
        name: How it is called in messages: relative to the base folder where it is below it.
        named: Whether it was named itself, and not found in a folder or by a glob.
        patterns: The patterns that it was found by.
    """

    path: Path
    name: str
    named: bool
    patterns: tuple[str, ...] = ()

    def read(self) -> bytes:
        """
        Return the bytes of the file.

        Raises:
            ManifestError: The system does not let it be read.
        """
        try:
            return self.path.read_bytes()
        except OSError as error:
            raise ManifestError([Mistake(self.name, 0, f"cannot be read: {error.strerror or error}")]) from None


def files(patterns: Sequence[str], *, base: Path) -> list[ManifestFile]:
    """
    Return the files that *patterns* name, each once, in the order of the patterns and sorted within each.

    Args:
        patterns: Files, folders (read recursively: `.yaml`, `.yml`, `.json`; hidden folders are not) and globs; those of
            `!pattern` are left out, wherever it stands.
        base: What relative patterns are relative to.

    Raises:
        ManifestError: A pattern names nothing that exists, or leaves out nothing; all of them at once.
    """
    found: dict[str, ManifestFile] = {}
    out: dict[str, set[str]] = {}
    real = RealPaths()
    mistakes: list[Mistake] = []
    for pattern in patterns:
        wanted = pattern.removeprefix(LEFT_OUT)
        matches = list(_matches(wanted, base)) if wanted else []
        if not matches:
            mistakes.append(Mistake(pattern, 0, f"{_why_nothing(wanted, base)} (relative to {base})"))
        if pattern != wanted:
            out[pattern] = {real.resolve(path) for path, _ in matches}
            continue
        for path, named in matches:
            resolved = real.resolve(path)
            file = found.get(resolved) or ManifestFile(path, name_of(path, base), named)
            found[resolved] = file._replace(named=file.named or named, patterns=(*file.patterns, pattern))
    for pattern, paths in out.items():
        if paths and paths.isdisjoint(found):
            mistakes.append(Mistake(pattern, 0, "leaves out no file that another path names"))
    if mistakes:
        raise ManifestError(mistakes)
    return [file for path, file in found.items() if not any(path in paths for paths in out.values())]


def is_template(content: bytes) -> bool:
    """
    Return whether *content*, which cannot be read, could be but for the actions of a Helm template, `{{ … }}`.

    A file that is broken in another place too is none: that some text in it has braces excuses nothing.
    """
    # The last group is of an end that there need not be, so that no text is searched for it again and again.
    lines_left = _ACTION_LINE.sub(lambda found: found[0] if found[1] is None else b"", content)
    plain = _ACTION.sub(lambda found: b"x" if found[1] else found[0], lines_left)
    if plain == content:
        return False
    try:
        yamlreader.read(plain)
    except ManifestError:
        return False
    return True


def may_mention(content: bytes, word: str) -> bool:
    """Return whether *word* may occur in a file, so that files with other things in them need not be parsed."""
    return word.encode() in content or content.startswith(_UTF16)


def read(content: bytes, *, source: str) -> list[Manifest]:
    """
    Return the objects of a file, those in a `kind: List`, or in the list of any kind, one by one.

    Args:
        content: The file.
        source: Its name for messages.

    Raises:
        ManifestError: What Kubernetes could not read either, or would pass over without a word; file, line and reason.
    """
    return list(_parse(content, source))


@functools.lru_cache(_MOST_PARSED)
def _parse(content: bytes, source: str) -> tuple[Manifest, ...]:
    """Return the objects of a file; a run looks for CRDs and for samples in the same files."""
    text = yamlreader.decode(content, source=source)
    documents = yamlreader.read(text, source=source)
    manifests = [one for document in documents for one in _unlisted(Manifest(document.value, document))]
    if line := yamlstream.unread(text.content):
        raise ManifestError([Mistake(source, line, yamlstream.UNREAD)])
    return tuple(manifests)


def _matches(pattern: str, base: Path) -> Iterator[tuple[Path, bool]]:
    named = not glob.has_magic(pattern)
    hits = [pattern] if named else glob_paths(pattern, base)
    for hit in hits:
        path = base / hit
        if path.is_dir():
            yield from ((file, False) for file in below(path))
        # `a.yaml/**` finds `a.yaml/` on some Pythons, below which there is nothing.
        elif path.exists() and not hit.endswith("/") and (named or is_manifest(path.name)):
            yield path, named


def _why_nothing(pattern: str, base: Path) -> str:
    if glob.has_magic(pattern) or not pattern:
        return "matches no file"
    return "a folder without YAML and JSON files" if (base / pattern).is_dir() else "no such file or folder"


def below(folder: Path) -> Iterator[Path]:
    """Yield the YAML and JSON files in a folder, sorted, those in hidden folders aside."""
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(parent, name) for name in sorted(names) if is_manifest(name))


def name_of(path: Path, base: Path) -> str:
    """Return how a file is called in messages: relative to *base* where it is below it."""
    whole, start = str(path), f"{base}{os.sep}"
    if whole.startswith(start):  # a tenth of what paths take to find it out
        return whole.removeprefix(start)
    return str(path.relative_to(base)) if path.is_relative_to(base) else whole


def _unlisted(manifest: Manifest) -> Iterator[Manifest]:
    """Yield the items of a list, which may leave out what the kind of a typed list says of them; else the object itself."""
    value = manifest.value
    kind = value.get("kind") if isinstance(value, dict) else None
    if isinstance(kind, str) and kind.endswith(_LIST) and isinstance(value.get("items"), list):
        of_items = {"apiVersion": value.get("apiVersion"), "kind": kind.removesuffix(_LIST)} if kind != _LIST else {}
        for index, item in enumerate(value["items"]):
            whole = {**of_items, **item} if isinstance(item, dict) else item
            yield from _unlisted(Manifest(whole, manifest.document, (*manifest.path, "items", index)))
    else:
        yield manifest
