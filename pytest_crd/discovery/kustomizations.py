"""
Kustomizations of CRDs: the patches, labels and annotations that `kustomize build` adds to the CRDs of a folder.

A kustomization applies to the files that it lists. It is applied only as a whole: one with a field whose effect on CRDs is not known is
left out, with a note that names the field.

Reference:
    sigs.k8s.io/kustomize api/internal/target and api/internal/builtins.
"""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pytest_crd import lazyimport
from pytest_crd.discovery import kustomizeroots
from pytest_crd.discovery.filetrees import FolderTree, GitTree, Tree
from pytest_crd.discovery.kustomizeroots import NAMES
from pytest_crd.engine.inputerror import ManifestError, Mistake
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.loading.crdfiles import Remark
from pytest_crd.engine.yaml import manifest, yamlreader
from pytest_crd.engine.yaml.document import Document
from pytest_crd.engine.yaml.manifest import LEFT_OUT, Manifest
from pytest_crd.records import dataclass, field

if TYPE_CHECKING:
    from pytest_crd.discovery import kustomizepatches
    from pytest_crd.discovery.kustomizepatches import Patch, Show
else:
    kustomizepatches = lazyimport.module("pytest_crd.discovery.kustomizepatches")

# A kustomization lists files of its own folder, such as bases/backups.yaml.
_MOST_FOLDERS: Final = 3
_LABELS, _ANNOTATIONS = ("commonLabels", "labels"), "commonAnnotations"
_PATCHES: Final = ("patches", "patchesStrategicMerge", "patchesJson6902")
# Fields that leave CRDs as they are. kustomize adds prefixes, suffixes and namespaces to other kinds alone, unless `configurations` says more.
_RENAMING: Final = frozenset({"namePrefix", "nameSuffix", "namespace"})
_HARMLESS: Final = frozenset(
    {
        *("apiVersion", "kind", "metadata", "resources", "bases", "configurations", "sortOptions", "validators"),
        *("configMapGenerator", "secretGenerator", "generatorOptions", "images", "replicas"),
    }
)
_KNOWN: Final = frozenset({*_PATCHES, *_LABELS, _ANNOTATIONS}) | _RENAMING | _HARMLESS


@dataclass(frozen=True, eq=False)
class Kustomization:
    """
    The file of a kustomization.

    Attributes:
        name: Its name in the tree.
        shown: Its name in messages.
        listed: The names of the files and folders that it lists; None if it cannot be read.
        patches: Its patches, in the order in which kustomize applies them: before and after labels and annotations.
        labels: The labels that it adds.
        annotations: The annotations that it adds.
        unknown: The line and name of the first field whose effect on CRDs is not known; None if there is none.
        refused: The first path in it that kustomize refuses; None if there is none.
    """

    name: str
    shown: str
    listed: frozenset[str] | None
    patches: tuple[tuple[Patch, ...], tuple[Patch, ...]] = ((), ())
    labels: Mapping[str, JSONValue] = field(default_factory=dict)
    annotations: Mapping[str, JSONValue] = field(default_factory=dict)
    unknown: tuple[int, str] | None = None
    refused: Mistake | None = None

    @property
    def folder(self) -> str:
        """The folder that contains it."""
        return posixpath.dirname(self.name)

    @property
    def files(self) -> frozenset[str]:
        """The names of its patches that are files."""
        return frozenset(patch.file for patches in self.patches for patch in patches if patch.file)

    def apply(self, value: dict[str, JSONValue]) -> tuple[dict[str, JSONValue], int]:
        """
        Return a CRD as kustomize builds it, and the number of patches that apply to it.

        Raises:
            ManifestError: A patch fails.
        """
        before, after = self.patches
        value, count = kustomizepatches.apply(before, value)
        value = _with_metadata(_with_metadata(value, "labels", self.labels), "annotations", self.annotations)
        value, more = kustomizepatches.apply(after, value)
        return value, count + more


@dataclass()
class Kustomizations:
    """
    The kustomizations of a tree of files, read when a file asks for them.

    Attributes:
        tree: The files.
        show: Returns the name of a file in messages.
        left_out: The names of kustomizations that do not count.
    """

    tree: Tree
    show: Show
    left_out: Collection[str] = ()
    _read: dict[str, Kustomization | None] = field(default_factory=dict, init=False)
    _above_folders: dict[str, list[Kustomization]] = field(default_factory=dict, init=False)
    _inside_by_folder: dict[str, bool] = field(default_factory=dict, init=False)
    _applied: dict[str, int] = field(default_factory=dict, init=False)

    def of_file(self, name: str) -> list[Kustomization]:
        """Return the kustomizations that list a file or its folder, innermost first, and those that cannot be read."""
        chain: list[Kustomization] = []
        reached = {name}
        for kustomization in self._above(name):
            if kustomization.listed is None or not reached.isdisjoint(kustomization.listed):
                chain.append(kustomization)
                reached.add(kustomization.folder)
        return chain

    def is_patch(self, name: str) -> bool:
        """Return whether a file is a patch of a kustomization that is applied."""
        return any(kustomization.unknown is None and name in kustomization.files for kustomization in self._above(name))

    def applies_to(self, name: str) -> bool:
        """Return whether a kustomization lists a file."""
        return bool(self.of_file(name))

    def apply(self, name: str, item: Manifest) -> Manifest:
        """
        Return a CRD of a file as `kustomize build` prints it, with the lines of the file.

        Raises:
            ManifestError: A patch fails, or kustomize refuses a path.
        """
        value: Any = item.value
        for kustomization in self.of_file(name):
            if kustomization.refused is not None:
                raise ManifestError([kustomization.refused])
            if kustomization.unknown is not None:
                break
            value, count = kustomization.apply(value)
            self._applied[kustomization.name] = self._applied.get(kustomization.name, 0) + count
        return item if value is item.value else replace(item, value=value)

    def notes(self, names: Iterable[str], crds: Container[str]) -> Iterator[Remark]:
        """Yield the number of patches that each kustomization has applied, and the problems."""
        for kustomization in self._of_files(names):
            if count := self._applied.get(kustomization.name):
                yield Remark(
                    kustomization.shown, 0, f"{count} patch{'es' if count > 1 else ''} applied to CRDs", is_hint=True
                )
        yield from self.problems(names, crds)

    def problems(self, names: Iterable[str], crds: Container[str]) -> Iterator[Remark]:
        """
        Yield a note about each kustomization that is not applied, and about each patch of an unknown CRD.

        Args:
            names: The names of the files with CRDs.
            crds: The names of the CRDs.
        """
        for kustomization in self._of_files(names):
            if kustomization.unknown is not None:
                line, unknown = kustomization.unknown
                folder = posixpath.dirname(kustomization.shown).rpartition(":")[2]  # without the commit
                command = f"kubectl kustomize {folder or '.'}"
                message = f"not applied to its CRDs, because of {unknown}: write crd_commands = {command}"
                yield Remark(kustomization.shown, line, message)
            for patch in (patch for patches in kustomization.patches for patch in patches):
                if patch.target is None and patch.own_name not in crds:
                    source, line = patch.place if patch.file else (kustomization.shown, 0)
                    yield Remark(source, line, f"a patch of {patch.own_name}, a CRD that was not read")

    def _of_files(self, names: Iterable[str]) -> dict[Kustomization, None]:
        return dict.fromkeys(item for name in names for item in self.of_file(name))

    def _above(self, name: str) -> list[Kustomization]:
        """Return the kustomizations of the nearest folders above a file, innermost first."""
        folder = name.rpartition("/")[0] or posixpath.dirname(name)
        if folder not in self._above_folders:
            self._above_folders[folder] = [*self._nearest(folder)]
        return self._above_folders[folder]

    def _nearest(self, folder: str) -> Iterator[Kustomization]:
        is_in_project = self._holds(folder)
        for _ in range(_MOST_FOLDERS):
            if folder not in self._read:
                self._read[folder] = self._find(folder)
            if (kustomization := self._read[folder]) is not None:
                yield kustomization
            if not folder or folder.endswith(".."):
                return
            folder = posixpath.dirname(folder)
            if is_in_project and not self._holds(folder):
                return

    def _holds(self, folder: str) -> bool:
        if folder not in self._inside_by_folder:
            self._inside_by_folder[folder] = self.tree.holds(folder)
        return self._inside_by_folder[folder]

    def _find(self, folder: str) -> Kustomization | None:
        names = [name for name in (posixpath.join(folder, name) for name in NAMES) if name not in self.left_out]
        for name in names:
            if refused := kustomizeroots.find_link(name, self.tree, shown=self.show(name)):
                return Kustomization(name, refused.source, None, refused=refused)
        contents = self.tree.read(names)
        if not contents:
            return None
        name, content = next(iter(contents.items()))
        shown = self.show(name)
        try:
            documents = [*yamlreader.read(content, source=shown)]
        except ManifestError as error:
            mistake = error.mistakes[0]
            return Kustomization(name, shown, None, unknown=(mistake.line, mistake.message))
        document = documents[0] if documents else None
        value = document.value if document is not None else None
        if document is None or not isinstance(value, dict) or value.get("kind", "Kustomization") != "Kustomization":
            return None
        return self._kustomization(name, shown, document, value)

    def _kustomization(self, name: str, shown: str, document: Document, value: Mapping[str, Any]) -> Kustomization:
        folder = posixpath.dirname(name)
        entries = [entry for key in ("resources", "bases") for entry in _list(value.get(key)) if isinstance(entry, str)]
        listed = frozenset(posixpath.normpath(posixpath.join(folder, entry)) for entry in entries)
        refused = kustomizeroots.find_problem(name, document, self.tree)
        bare = Kustomization(name, shown, listed, refused=refused)
        if refused is not None:
            return bare
        if (unknown := _unknown(value)) is not None:
            return replace(bare, unknown=(document.line_of([unknown], key=True), f"`{unknown}`"))
        patches = {}
        reader = kustomizepatches.PatchReader(folder, self.tree, self.show)
        for key in _PATCHES:
            try:
                patches[key] = reader.read(key, _list(value.get(key)))
            except ManifestError as error:
                mistake: Mistake = error.mistakes[0]
                return replace(bare, unknown=(document.line_of([key], key=True), f"`{key}`: {mistake.message}"))
        labels: dict[str, JSONValue] = {}
        for entry in _list(value.get("labels")):
            labels |= _object(_object(entry).get("pairs"))
        labels |= _object(value.get("commonLabels"))
        before = (*patches["patchesStrategicMerge"], *patches["patches"])
        annotations = _object(value.get(_ANNOTATIONS))
        return replace(bare, patches=(before, patches["patchesJson6902"]), labels=labels, annotations=annotations)


def of_folder(tree: FolderTree, patterns: Sequence[str]) -> Kustomizations:
    """Return the kustomizations of a folder; `!pattern` excludes some."""
    names = [(tree.folder / name).as_posix() for name in tree.names(_excluded(patterns))]

    def show(name: str) -> str:
        return manifest.name_of(Path(name), tree.folder)

    return Kustomizations(tree, show, names)


def of_commit(tree: GitTree, patterns: Sequence[str]) -> Kustomizations:
    """Return the kustomizations of a commit; `!pattern` excludes some."""
    return Kustomizations(tree, tree.display_name, tree.names(_excluded(patterns)))


def _excluded(patterns: Sequence[str]) -> list[str]:
    return [pattern.removeprefix(LEFT_OUT) for pattern in patterns if pattern.startswith(LEFT_OUT)]


def _unknown(value: Mapping[str, Any]) -> str | None:
    """Return the first field with an unknown effect on CRDs, or None."""
    for key in value:
        if key not in _KNOWN or (key in _RENAMING and value.get("configurations")):
            return key
        if key == "labels" and any("fields" in _object(entry) for entry in _list(value[key])):
            return key
    return None


def _with_metadata(value: dict[str, JSONValue], key: str, added: Mapping[str, JSONValue]) -> dict[str, JSONValue]:
    if not added:
        return value
    metadata = _object(value.get("metadata"))
    return {**value, "metadata": {**metadata, key: {**_object(metadata.get(key)), **added}}}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _object(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
