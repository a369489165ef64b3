"""
Patches of a kustomization: strategic merge patches, and JSON patches (RFC 6902) with a target.

kustomize reads the words `yes`, `on` and `n` of YAML 1.1 as texts, while a server reads booleans.

Reference:
    sigs.k8s.io/kustomize kyaml/yaml, which is YAML 1.2; JSON patches are read by sigs.k8s.io/yaml, which is YAML 1.1.
"""

from __future__ import annotations

import copy
import json
import posixpath
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, TypeAlias

from pytest_crd.discovery.filetrees import Tree
from pytest_crd.engine.crds import declared
from pytest_crd.engine.crds.decoded import custom_resource_definition
from pytest_crd.engine.golang.regexp import patterns
from pytest_crd.engine.golang.regexp.patterns import PatternTooLargeError
from pytest_crd.engine.golang.regexp.patterntree import PatternError
from pytest_crd.engine.golang.release import JsonPatchRelease
from pytest_crd.engine.inputerror import ManifestError, Mistake
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.registry.patching import jsonpatch, strategicmerge
from pytest_crd.engine.registry.patching.jsonpatch import OperationError
from pytest_crd.engine.registry.patching.strategicerrors import StrategicError
from pytest_crd.engine.yaml import yamlreader
from pytest_crd.engine.yaml.document import Document

# Returns the name of a file in messages.
Show: TypeAlias = Callable[[str], str]

_TEXTS: Final = ("labels", "annotations")
_TARGET: Final = frozenset({"group", "version", "kind", "name"})
# The source of a patch that is part of the kustomization.
INLINE: Final = "the patch"
# The fields of a target that are regular expressions.
PATTERNS: Final = _TARGET | {"namespace"}
_SELECTOR: Final = PATTERNS | {"labelSelector", "annotationSelector"}
_ENTRY: Final = frozenset({"path", "patch", "target", "options"})
_OPTIONS: Final = frozenset({"allowNameChange", "allowKindChange"})
_RELEASE: Final = JsonPatchRelease()


@dataclass(frozen=True, slots=True, eq=False)
class Patch:
    """
    A patch of CRDs.

    Attributes:
        place: Its place in messages.
        file: Its name in the tree; empty if the kustomization contains it.
        target: Regular expressions by `group`, `version`, `kind` and `name`; None if the patch names its own object.
        content: A partial object, or a list of operations.
        options: The changes of the name and kind that it may make, which are otherwise ignored.
    """

    place: tuple[str, int]
    file: str
    target: Mapping[str, str] | None
    content: Any
    options: Mapping[str, bool] = field(default_factory=dict)

    @property
    def own_name(self) -> str:
        """The name of the object that the patch itself names."""
        return _name(self.content)

    def changes(self, value: Mapping[str, Any]) -> bool:
        """Return whether the patch applies to a CRD."""
        group, _, version = str(value["apiVersion"]).rpartition("/")
        name = value.get("metadata", {}).get("name")
        if self.target is None:
            own = self.content
            return (own.get("apiVersion"), own.get("kind"), _name(own)) == (value["apiVersion"], value["kind"], name)
        found = {"group": group, "version": version, "kind": value["kind"], "name": str(name)}
        return all(matches(pattern, found[key]) for key, pattern in self.target.items())

    def apply(self, value: dict[str, Any]) -> dict[str, JSONValue]:
        """
        Return a CRD after the patch.

        Raises:
            ManifestError: An operation fails, or a directive is malformed.
        """
        try:
            if isinstance(self.content, list):
                patched: dict[str, JSONValue] = jsonpatch.apply(value, self.content, _RELEASE)
                return patched
            kind = custom_resource_definition(str(value["apiVersion"]).rpartition("/")[2])
            partial = {**self.content, "apiVersion": value["apiVersion"], "kind": value["kind"]}
            metadata = {**(self.content.get("metadata") or {}), "name": _name(value)}
            return {**strategicmerge.merge(value, {**partial, "metadata": metadata}, kind)}
        except OperationError as error:
            message = f"operation {error.index + 1} fails for {_name(value)}: {error}"
            raise ManifestError([Mistake(*self.place, message)]) from None
        except StrategicError as error:
            message = f"the patch of {_name(value)} fails: {error.refusal.message}"
            raise ManifestError([Mistake(*self.place, message)]) from None


def apply(patches: Iterable[Patch], value: dict[str, JSONValue]) -> tuple[dict[str, JSONValue], int]:
    """
    Return a CRD after the patches that apply to it, and their number.

    Raises:
        ManifestError: A patch fails.
    """
    count = 0
    for patch in patches:
        if patch.changes(value):
            value, count = patch.apply(value), count + 1
    return value, count


class PatchReader(NamedTuple):
    """
    Reader of the patches of a folder.

    Attributes:
        folder: The folder of the kustomization.
        tree: The files.
        show: Returns the name of a file in messages.
        of_all: Whether patches of all kinds count, not only of CRDs.
    """

    folder: str
    tree: Tree
    show: Show
    of_all: bool = False

    def read(self, key: str, entries: Sequence[Any]) -> tuple[Patch, ...]:
        """
        Return the patches in a list of a kustomization.

        Args:
            key: The name of the list: `patches`, `patchesStrategicMerge` or `patchesJson6902`.
            entries: The items of the list.

        Raises:
            ManifestError: An item is unreadable, or its effect is not known.
        """
        return tuple(patch for entry in entries for patch in self._read(key, entry))

    def _read(self, key: str, entry: Any) -> list[Patch]:
        entry = self._checked(key, entry)
        target = entry.get("target")
        for name, pattern in (target or {}).items():
            if name in PATTERNS:
                _demand_pattern(pattern)
        file, text = _text(entry, self.folder, self.tree)
        if self.of_all and bytes(text.encode() if isinstance(text, str) else text).lstrip().startswith(b"["):
            _demand_json(text)
        source = self.show(file) if file else INLINE
        documents = yamlreader.read(text, source=source)
        contents = [(document.line, _content_of(document) if self.of_all else document.value) for document in documents]
        options = entry.get("options") or {}
        made = [
            Patch((source, line), file, target, content, options) for line, content in contents if content is not None
        ]
        for patch in made:
            _demand(patch, allows_deletion=self.of_all)
        return [patch for patch in made if self.of_all or _may_change_crds(patch)]

    def _checked(self, key: str, entry: Any) -> dict[str, Any]:
        """
        Return an item with known fields.

        Raises:
            ManifestError: A field is not known.
        """
        if key == "patchesStrategicMerge":
            is_text = isinstance(entry, str) and "\n" in entry
            entry = {"patch" if is_text else "path": entry}
        options = entry.get("options") if isinstance(entry, dict) else None
        known_options = _OPTIONS if self.of_all else frozenset[str]()
        if not isinstance(entry, dict) or not entry.keys() <= _ENTRY or not {*(options or ())} <= known_options:
            raise _unknown(f"an item with {_described(entry)}")
        target = entry.get("target")
        known = _SELECTOR if self.of_all else _TARGET
        if target is not None and (not isinstance(target, dict) or not target.keys() <= known):
            raise _unknown(f"a target with {_described(target)}")
        return entry


def _content_of(document: Document) -> Any:
    """Return a patch; kustomize reads partial objects as YAML 1.2, and operations as YAML 1.1."""
    return document.value if isinstance(document.value, list) else read_value(document.value, document)


def _text(entry: Mapping[str, Any], folder: str, tree: Tree) -> tuple[str, str | bytes]:
    """Return the name of a patch's file, empty without one, and its text."""
    if isinstance(entry.get("patch"), str):
        return "", entry["patch"]
    name = posixpath.normpath(posixpath.join(folder, str(entry.get("path"))))
    contents = tree.read([name])
    if name not in contents:
        raise _unknown(f"{entry.get('path')} is no file")
    return name, contents[name]


def _demand_json(text: str | bytes) -> None:
    """Refuse a list that begins with a bracket and is no JSON, as kustomize does."""
    try:
        json.loads(text)
    except ValueError:
        raise _unknown("a JSON patch in brackets that is not JSON, which kustomize refuses") from None


def _demand_pattern(pattern: Any) -> None:
    try:
        matches(pattern, "")
    except (PatternError, PatternTooLargeError, TypeError):
        raise _unknown(f"a target with the pattern {pattern!r}") from None


def matches(pattern: str, text: str) -> bool:
    """
    Return whether a pattern of a target matches a whole text; an empty one matches any.

    Reference:
        kustomize api/types/selector.go, anchorRegex.
    """
    return not pattern or patterns.compile("^(?:" + pattern + ")$")(text)


def _demand(patch: Patch, *, allows_deletion: bool) -> None:
    content = patch.content
    if isinstance(content, list) and all(isinstance(operation, dict) for operation in content):
        if patch.target is None:
            raise _unknown("a JSON patch without a target")
        return
    if not isinstance(content, dict) or ("$patch" in content and not allows_deletion):
        raise _unknown("a patch that is neither a partial object nor a list of operations")
    metadata = content.get("metadata") or {}
    texts: list[Any] = [metadata.get(key) or {} for key in _TEXTS] if isinstance(metadata, dict) else [None]
    if not all(isinstance(text, dict) for text in texts):
        raise _unknown("a patch whose metadata, labels or annotations are no object")
    if None in (value for text in texts for value in text.values()):
        raise _unknown("a patch with a null label or annotation, which kustomize writes as a text")


def _may_change_crds(patch: Patch) -> bool:
    if patch.target is None:
        return bool(patch.content.get("kind") == declared.KIND)
    return matches(patch.target.get("kind", ""), declared.KIND)


def _name(value: Mapping[str, Any]) -> str:
    return str((value.get("metadata") or {}).get("name"))


def _described(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, dict) else repr(value)


def _unknown(words: str) -> ManifestError:
    return ManifestError([Mistake("", 0, words)])


def read_value(value: JSONValue, document: Document, path: tuple[str | int, ...] = ()) -> Any:
    """
    Return a copy of a value as kustomize reads it.

    Args:
        value: The value, as a server reads it.
        document: The document that contains it.
        path: Its path in the document.
    """
    result: Any = copy.deepcopy(value)
    words = [word for word in document.bare_booleans if word.path[: len(path)] == path]
    # The paths have the keys as a server reads them, so that inner words and values come first.
    for word in sorted(words, key=lambda word: (-len(word.path), word.is_key)):
        *outer, last = word.path[len(path) :]
        holder = result
        for step in outer:
            holder = holder[step]
        if not word.is_key:
            holder[last] = word.written
        elif last in holder:  # the same key for a server may be set twice
            holder[word.written] = holder.pop(last)
    return result
