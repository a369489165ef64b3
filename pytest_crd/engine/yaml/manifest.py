"""
Manifest files: the files of a path, and the objects in them.

Only this module of the engine reads files. It handles YAML streams, JSON and `kind: List`, but has no rules about CRDs.
"""

from __future__ import annotations

import codecs
import functools
import glob
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from pytest_crd import boundary, folders, lazyre
from pytest_crd.boundary import ProjectBoundary
from pytest_crd.engine.inputerror import ManifestError, Mistake
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.yaml import yamlreader, yamlstream
from pytest_crd.engine.yaml.document import Document, Duplicate
from pytest_crd.folders import RealPaths, glob_paths, is_manifest
from pytest_crd.records import NamedTuple, dataclass
from pytest_crd.wording import escape

_UTF16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_LIST: Final = "List"
# The prefix of a pattern that excludes files.
LEFT_OUT: Final = "!"
_MOST_PARSED: Final = 512

# An action of a template, including its line if it is alone on it.
_ACTION_LINE: Final = lazyre.compile(rb"^[ \t]*\{\{(?:(?!\}\}).)*+(?:\}\}([ \t]*\r?$)?)?", re.MULTILINE | re.DOTALL)
_ACTION: Final = lazyre.compile(rb"\{\{(?:(?!\}\}).)*+(\}\})?", re.DOTALL)


@dataclass(frozen=True, eq=False)
class Manifest:
    """
    One object of a file.

    Attributes:
        value: The object, JSON.
        document: The document that contains it.
        path: Its path in the document: empty, or `("items", n)` in a `kind: List`.
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
        """Its apiVersion; empty if it has none."""
        return self._text_field("apiVersion")

    @property
    def kind(self) -> str:
        """Its kind; empty if it has none."""
        return self._text_field("kind")

    @property
    def title(self) -> str:
        """Its kind and name for messages, if it has them: `Backup/nightly`."""
        value = self.value if isinstance(self.value, dict) else {}
        metadata = value.get("metadata")
        fields = metadata if isinstance(metadata, dict) else {}
        parts = (value.get("kind"), fields.get("name") or fields.get("generateName") or None)
        return escape("/".join(str(part) for part in parts if part is not None))

    def _text_field(self, key: str) -> str:
        value = self.value.get(key) if isinstance(self.value, dict) else None
        return value if isinstance(value, str) else ""

    def line_of(self, *path: str | int) -> int:
        """Return the 1-based line of the value at *path* in the object, or of its nearest existing ancestor."""
        whole = (*self.path, *path)
        # Creating the marks of a document takes as long as reading it, and most files have one object.
        return self.document.line_of(whole) if whole else self.document.line

    def key_line_of(self, *path: str | int) -> int:
        """Return the 1-based line of the key of the value at *path* in the object, or of its nearest existing ancestor."""
        return self.document.line_of((*self.path, *path), key=True)

    def where_is(self, path: tuple[str | int, ...], offset: int | None = None) -> str:
        """
        Return `file:line` of the value at *path* in the object, or of its nearest existing ancestor.

        With the *offset* of a character of a string, return `file:line:column` if the place is known.
        """
        place = None if offset is None else self.document.place_of((*self.path, *path), offset)
        return f"{self.source}:{'{}:{}'.format(*place) if place else self.line_of(*path)}"

    @property
    def duplicates(self) -> Iterator[Duplicate]:
        """The keys that are set twice in the object, or around it in its document."""
        for duplicate in self.document.duplicates:
            shared = min(len(duplicate.path), len(self.path))
            if duplicate.path[:shared] == self.path[:shared]:
                yield duplicate

    @property
    def where(self) -> str:
        """`file:line` of the object."""
        return f"{self.source}:{self.line_of()}"


class ManifestFile(NamedTuple):
    """
    A file that may hold manifests.

    Attributes:
        path: The path of the file.
        name: The name in messages: relative to the base folder if the file is below it.
        named: Whether the user named the file itself, not a folder or a glob.
        patterns: The patterns that match it.
        is_outside: Whether it is outside of the project and no pattern may lead there; then it is not read.
    """

    path: Path
    name: str
    named: bool
    patterns: tuple[str, ...] = ()
    is_outside: bool = False

    def read(self) -> bytes:
        """
        Return the bytes of the file.

        Raises:
            ManifestError: The file cannot be read.
        """
        if self.is_outside:
            raise ManifestError([Mistake(self.name, 0, boundary.OUTSIDE)])
        try:
            return folders.read_file(self.path)
        except OSError as error:
            raise ManifestError([Mistake(self.name, 0, f"cannot be read: {error.strerror or error}")]) from None


def files(patterns: Sequence[str], *, base: Path, named: Iterable[str] | None = None) -> list[ManifestFile]:
    """
    Return the files that *patterns* name, each once, in the order of the patterns and sorted within each.

    Args:
        patterns: Files, folders (read recursively: `.yaml`, `.yml`, `.json`; without hidden folders) and globs; a
            `!pattern` at any position excludes files.
        base: The folder for relative patterns.
        named: The patterns that may name paths outside of the project; by default, all.

    Raises:
        ManifestError: A pattern names nothing that exists, or excludes nothing; all of them at once.
    """
    files_by_path: dict[str, ManifestFile] = {}
    excluded: dict[str, set[str]] = {}
    real, limits = RealPaths(), ProjectBoundary(base, patterns if named is None else named)
    mistakes: list[Mistake] = []
    for pattern in patterns:
        positive_pattern = pattern.removeprefix(LEFT_OUT)
        matches = list(_matches(positive_pattern, base)) if positive_pattern else []
        if not matches:
            mistakes.append(Mistake(pattern, 0, f"{_why_nothing(positive_pattern, base)} (relative to {base})"))
        if pattern != positive_pattern:
            excluded[pattern] = {real.resolve(path) for path, _ in matches}
            continue
        for path, is_named in matches:
            resolved = real.resolve(path)
            is_outside = not limits.holds(resolved)
            link = limits.find_exit(path) if is_outside else path
            key = str(link) if is_outside else resolved
            file = files_by_path.get(key) or ManifestFile(link, name_of(link, base), is_named, (), is_outside)
            files_by_path[key] = file._replace(named=file.named or is_named, patterns=(*file.patterns, pattern))
    for pattern, paths in excluded.items():
        if paths and paths.isdisjoint(files_by_path):
            mistakes.append(Mistake(pattern, 0, "leaves out no file that another path names"))
    if mistakes:
        raise ManifestError(mistakes)
    return [file for path, file in files_by_path.items() if not any(path in paths for paths in excluded.values())]


def is_template(content: bytes) -> bool:
    """
    Return whether *content*, which cannot be read, is readable without the actions of a Helm template, `{{ … }}`.

    A file with another error is not a template, even if some text in it has braces.
    """
    # The last group, the end of an action, is optional, so that the rest of the text is not searched repeatedly.
    other_lines = _ACTION_LINE.sub(lambda match: match[0] if match[1] is None else b"", content)
    plain = _ACTION.sub(lambda match: b"x" if match[1] else match[0], other_lines)
    if plain == content:
        return False
    try:
        yamlreader.read(plain)
    except ManifestError:
        return False
    return True


def may_mention(content: bytes, word: str) -> bool:
    """Return whether *word* may occur in a file, so that other files need not be parsed."""
    return word.encode() in content or content.startswith(_UTF16)


def read(content: bytes, *, source: str) -> list[Manifest]:
    """
    Return the objects of a file; a `kind: List`, or a list of another kind, yields its items.

    Args:
        content: The file.
        source: Its name for messages.

    Raises:
        ManifestError: Kubernetes cannot read it, or would silently skip a part; with file, line and reason.
    """
    return list(_parse(content, source))


@functools.lru_cache(_MOST_PARSED)
def _parse(content: bytes, source: str) -> tuple[Manifest, ...]:
    """Return the objects of a file; cached because CRDs and samples are searched for in the same files."""
    text = yamlreader.decode(content, source=source)
    documents = yamlreader.read(text, source=source)
    manifests = [manifest for document in documents for manifest in _unlisted(Manifest(document.value, document))]
    if line := yamlstream.find_unread_line(text.content):
        raise ManifestError([Mistake(source, line, yamlstream.UNREAD_MESSAGE)])
    return tuple(manifests)


def _matches(pattern: str, base: Path) -> Iterator[tuple[Path, bool]]:
    named = not glob.has_magic(pattern)
    hits = [pattern] if named else glob_paths(pattern, base)
    for hit in hits:
        path = base / hit
        if path.is_dir():
            yield from ((file, False) for file in below(path))
        # On some Pythons `a.yaml/**` matches `a.yaml/`, although it is not a folder.
        elif path.exists() and not hit.endswith("/") and (named or is_manifest(path.name)):
            yield path, named


def _why_nothing(pattern: str, base: Path) -> str:
    if glob.has_magic(pattern) or not pattern:
        return "matches no file"
    return "a folder without YAML and JSON files" if (base / pattern).is_dir() else "no such file or folder"


def below(folder: Path) -> Iterator[Path]:
    """Yield the YAML and JSON files in a folder, sorted, without hidden folders."""
    for parent, inner, names in os.walk(folder):
        inner[:] = sorted(name for name in inner if not name.startswith("."))
        yield from (Path(f"{parent}/{name}") for name in sorted(names) if is_manifest(name))


def name_of(path: Path, base: Path) -> str:
    """Return the name of a file in messages: relative to *base* if it is below it, with escapes."""
    whole, start = str(path), f"{base}{os.sep}"
    if whole.startswith(start):  # ten times as fast as pathlib
        return escape(whole.removeprefix(start))
    return escape(str(path.relative_to(base)) if path.is_relative_to(base) else whole)


def _unlisted(manifest: Manifest) -> Iterator[Manifest]:
    """Yield the items of a list, with apiVersion and kind completed from a typed list; for another object itself."""
    value = manifest.value
    kind = value.get("kind") if isinstance(value, dict) else None
    if isinstance(kind, str) and kind.endswith(_LIST) and isinstance(value.get("items"), list):
        item_type = {"apiVersion": value.get("apiVersion"), "kind": kind.removesuffix(_LIST)} if kind != _LIST else {}
        for index, item in enumerate(value["items"]):
            whole = {**item_type, **item} if isinstance(item, dict) else item
            yield from _unlisted(Manifest(whole, manifest.document, (*manifest.path, "items", index)))
    else:
        yield manifest
