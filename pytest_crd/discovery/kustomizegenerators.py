"""
ConfigMaps and Secrets that a kustomization generates, and the hash at the end of their names.

Reference:
    sigs.k8s.io/kustomize api/internal/generators and api/hasher.
"""

from __future__ import annotations

import base64
import hashlib
import json
import posixpath
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from pytest_crd.discovery.filetrees import Tree
from pytest_crd.discovery.kustomizeobjects import BuiltObject
from pytest_crd.engine.inputerror import ManifestError, Mistake
from pytest_crd.engine.yaml.document import Document
from pytest_crd.engine.yaml.manifest import Manifest

GENERATORS: Final = {"configMapGenerator": "ConfigMap", "secretGenerator": "Secret"}
_FIELDS: Final = frozenset({"name", "namespace", "behavior", "literals", "files", "envs", "env", "options", "type"})
_OPTIONS: Final = frozenset({"labels", "annotations", "disableNameSuffixHash", "immutable"})
_DATA: Final = ("data", "binaryData")
_HASH_LENGTH: Final = 10
_LINE_LENGTH: Final = 70
_LETTERS: Final = str.maketrans({"0": "g", "1": "h", "3": "k", "a": "m", "e": "t"})


class Generator(NamedTuple):
    """
    An item of a generator of a kustomization.

    Attributes:
        field: The field of the kustomization: `configMapGenerator` or `secretGenerator`.
        at: The index of the item.
        entry: The item.
        document: The kustomization.
        folder: Its folder.
        tree: The files.
    """

    field: str
    at: int
    entry: Any
    document: Document
    folder: str
    tree: Tree

    def generate(self, options: Mapping[str, Any]) -> BuiltObject:
        """
        Return the ConfigMap or Secret.

        Args:
            options: The options of all generators of the kustomization.

        Raises:
            ManifestError: A file is missing, or a field is not known.
        """
        entry = self.entry
        if not isinstance(entry, dict) or not isinstance(entry.get("name"), str) or not entry.keys() <= _FIELDS:
            raise self._mistake("the fields of this generator are not known")
        own = entry.get("options") or {}
        merged = {**options, **own}
        if not merged.keys() <= _OPTIONS:
            raise self._mistake("the options of this generator are not known")
        metadata = {"name": entry["name"]} | ({"namespace": entry["namespace"]} if entry.get("namespace") else {})
        for key in ("labels", "annotations"):
            if texts := {**(options.get(key) or {}), **(own.get(key) or {})}:
                metadata[key] = texts
        value: dict[str, Any] = {"apiVersion": "v1", "kind": GENERATORS[self.field], "metadata": metadata}
        value |= {"type": entry.get("type") or "Opaque", "data": {}} if self._is_secret else {}
        for key, content in self._contents():
            place, text = _encode(content, is_secret=self._is_secret)
            value.setdefault(place, {})[key] = text
        value |= {"immutable": True} if merged.get("immutable") else {}
        origin = Manifest(value, self.document, (self.field, self.at))
        return BuiltObject(value, origin, is_hashed=not merged.get("disableNameSuffixHash"))

    @property
    def _is_secret(self) -> bool:
        return GENERATORS[self.field] == "Secret"

    def _contents(self) -> Iterator[tuple[str, bytes]]:
        """Yield the keys and contents."""
        entry = self.entry
        for path in (*(entry.get("envs") or ()), *([entry["env"]] if entry.get("env") else ())):
            for line in self._read(path).decode(errors="replace").splitlines():
                key, equals, text = line.partition("=")
                if not line.strip() or line.lstrip().startswith("#"):
                    continue
                if not equals:
                    raise self._mistake(f"{path}: {key} has its value from the environment")
                yield key.strip(), text.encode()
        for file in entry.get("files") or ():
            key, equals, path = file.rpartition("=")
            yield key if equals else posixpath.basename(path), self._read(path)
        for literal in entry.get("literals") or ():
            key, equals, text = literal.partition("=")
            if not equals:
                raise self._mistake(f"{literal}: write KEY=VALUE")
            is_quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "'\""
            yield key, (text[1:-1] if is_quoted else text).encode()

    def _read(self, path: str) -> bytes:
        name = posixpath.normpath(posixpath.join(self.folder, path))
        contents = self.tree.read([name])
        if name not in contents:
            raise self._mistake(f"{path}: no such file")
        return contents[name]

    def _mistake(self, words: str) -> ManifestError:
        line = self.document.line_of((self.field, self.at))
        return ManifestError([Mistake(self.document.source, line, words)])


def combine(old: BuiltObject, new: BuiltObject, behaviour: str) -> None:
    """Merge a generated object into an existing one, or replace its content."""
    for key in _DATA:
        before = old.value.pop(key, None) or {}
        after = {**(before if behaviour == "merge" else {}), **(new.value.get(key) or {})}
        old.value |= {key: after} if after else {}
    for key in ("labels", "annotations"):
        if added := new.metadata.get(key):
            old.metadata[key] = {**(old.metadata.get(key) or {}), **added}
    old.value |= {"type": new.value["type"]} if behaviour != "merge" and "type" in new.value else {}
    old.is_hashed = old.is_hashed or new.is_hashed


def hashed_name(item: BuiltObject) -> str:
    """Return the name of an object with a hash of its content."""
    content: dict[str, Any] = {"kind": item.id.kind, "name": "", "data": item.value.get("data", "")}
    if item.id.kind == "Secret":
        content["type"] = item.value.get("type") or ""
    if item.value.get("binaryData"):
        content["binaryData"] = item.value["binaryData"]
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    for character in "<>&\u2028\u2029":  # as Go writes them
        text = text.replace(character, f"\\u{ord(character):04x}")
    return f"{item.id.name}-{hashlib.sha256(text.encode()).hexdigest()[:_HASH_LENGTH].translate(_LETTERS)}"


def _encode(content: bytes, *, is_secret: bool) -> tuple[str, str]:
    """Return the field for a content, and its text."""
    if is_secret:
        return "data", _base64(content)
    try:
        return "data", content.decode()
    except UnicodeDecodeError:
        return "binaryData", _base64(content)


def _base64(content: bytes) -> str:
    """Return base64 in lines, as kustomize writes it."""
    text = base64.b64encode(content).decode()
    if len(text) <= _LINE_LENGTH:
        return text
    return "".join(f"{text[at : at + _LINE_LENGTH]}\n" for at in range(0, len(text), _LINE_LENGTH))
