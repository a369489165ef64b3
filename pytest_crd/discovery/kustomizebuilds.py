"""
Builds of kustomizations: the objects that `kubectl kustomize` prints, without a command and without the network.

A kustomization with a field that is not known here is refused with the command to write instead.

Reference:
    sigs.k8s.io/kustomize api/internal/target/kusttarget.go.
"""

from __future__ import annotations

import functools
import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from pytest_crd.discovery import kustomizechanges, kustomizegenerators, kustomizepatches, kustomizeroots
from pytest_crd.discovery.filetrees import Tree
from pytest_crd.discovery.kustomizeconfigs import Configuration, ConfigurationError
from pytest_crd.discovery.kustomizegenerators import Generator
from pytest_crd.discovery.kustomizemerges import FindType
from pytest_crd.discovery.kustomizeobjects import BuiltObject, ObjectId
from pytest_crd.discovery.kustomizepatches import PatchReader
from pytest_crd.discovery.kustomizeroots import NAMES
from pytest_crd.engine.inputerror import ManifestError, Mistake
from pytest_crd.engine.yaml import manifest, yamlreader
from pytest_crd.engine.yaml.document import Document
from pytest_crd.engine.yaml.manifest import Manifest

_GROUP: Final = "kustomize.config.k8s.io/"
_COMPONENT: Final = "Component"
_INCLUDING: Final = ("resources", "bases", "components")
# Fields without an effect on single objects: the order of the output, and documents of others.
_HARMLESS: Final = frozenset({"apiVersion", "kind", "metadata", "sortOptions"})
_CHANGES: Final = frozenset(
    {
        *("patches", "patchesStrategicMerge", "patchesJson6902", "namespace", "namePrefix", "nameSuffix", "labels"),
        *("commonLabels", "commonAnnotations", "replicas", "images", "generatorOptions", "configurations"),
    }
)
_KNOWN: Final = frozenset({*_INCLUDING, *kustomizegenerators.GENERATORS}) | _CHANGES | _HARMLESS
_LABEL_FIELDS: Final = frozenset({"pairs", "includeSelectors", "includeTemplates"})
_ADVICE: Final = "write {} | pytest-crd validate -"
_REMOTE: Final = ("://", "?ref=", "git@", "github.com/", "git::")


class KustomizationFile(NamedTuple):
    """
    The file of a kustomization.

    Attributes:
        name: Its name in the tree.
        document: Its content.
        value: The value of its content.
    """

    name: str
    document: Document
    value: Mapping[str, Any]

    @property
    def folder(self) -> str:
        """Its folder."""
        return posixpath.dirname(self.name)

    @property
    def is_component(self) -> bool:
        """Whether it is built only as part of other kustomizations."""
        return self.value.get("kind") == _COMPONENT

    def entries(self, key: str) -> list[Any]:
        """Return the items of a list; empty if it has none."""
        value = self.value.get(key)
        return value if isinstance(value, list) else []

    def texts(self, key: str) -> dict[str, Any]:
        """Return an object of texts; empty if it has none."""
        value = self.value.get(key)
        return value if isinstance(value, dict) else {}

    @property
    def included(self) -> Iterator[str]:
        """The names of its resources, bases and components in the tree."""
        for key in _INCLUDING:
            for entry in self.entries(key):
                yield posixpath.normpath(posixpath.join(self.folder, str(entry)))

    @property
    def files(self) -> Iterator[str]:
        """The names of all files that it uses, and its own."""
        yield self.name
        for path in kustomizeroots.paths(self.value):
            yield posixpath.normpath(posixpath.join(self.folder, path))


@dataclass
class KustomizationBuilds:
    """
    Builds of the kustomizations in a tree of files.

    Attributes:
        tree: The files.
        find_type: Returns the type of a built-in kind, for patches.
    """

    tree: Tree
    find_type: FindType
    _files: dict[str, KustomizationFile | None] = field(default_factory=dict, init=False)

    def find(self, folder: str) -> KustomizationFile | None:
        """
        Return the kustomization in a folder; None if it has none.

        Raises:
            ManifestError: It cannot be read.
        """
        if folder not in self._files:
            self._files[folder] = self._read(folder)
        return self._files[folder]

    def _read(self, folder: str) -> KustomizationFile | None:
        names = [posixpath.normpath(posixpath.join(folder, name)) for name in NAMES]
        for name in names:
            if link := kustomizeroots.find_link(name, self.tree, shown=self.tree.display_name(name)):
                raise ManifestError([link])
        for name, content in self.tree.read(names).items():
            documents = yamlreader.read(content, source=self.tree.display_name(name))
            value = documents[0].value if documents else None
            if isinstance(value, dict) and str(value.get("apiVersion", _GROUP)).startswith(_GROUP):
                return KustomizationFile(name, documents[0], value)
        return None

    def build(self, file: KustomizationFile, *, command: str = "", is_restricted: bool = True) -> list[Manifest]:
        """
        Return the objects of a kustomization.

        Args:
            file: The kustomization.
            command: The command that errors name; `kubectl kustomize` by default.
            is_restricted: Whether files outside of their kustomization's folder are refused.

        Raises:
            ManifestError: kustomize refuses it, or it has a field or a remote base that is not known here.
        """
        advice = _ADVICE if is_restricted else ""
        problem = kustomizeroots.find_problem(file.name, file.document, self.tree, value=file.value, advice=advice)
        if problem is not None:
            raise ManifestError([problem])
        configuration = Configuration()
        objects = _Build(self, command or f"kubectl kustomize {file.folder or '.'}").run(file, [], configuration)
        for item in objects:
            if item.is_hashed:
                item.rename(kustomizegenerators.hashed_name(item))
        kustomizechanges.update_references(objects, configuration)
        return [item.manifest for item in objects]


class _Build(NamedTuple):
    """
    The build of a kustomization, including its bases and components.

    Attributes:
        builds: All builds.
        command: The command that builds the outermost kustomization.
    """

    builds: KustomizationBuilds
    command: str

    def run(self, file: KustomizationFile, objects: list[BuiltObject], outer: Configuration) -> list[BuiltObject]:
        """
        Return the objects of a kustomization, and add its configurations to *outer*.

        Args:
            file: The kustomization.
            objects: The objects that a component changes; empty for other kustomizations.
            outer: The configurations of the outer kustomization.
        """
        for key, value in file.value.items():
            if value and key not in _KNOWN:
                raise self._unknown(file, (key,), f"`{key}` is not known here")
        objects, configuration = [*objects], self._configure(file)
        for key in ("resources", "bases"):
            for index, entry in enumerate(file.entries(key)):
                objects += self._included(file, (key, index), str(entry), configuration)
        _demand_distinct(objects)
        for index, entry in enumerate(file.entries("components")):
            objects = self._component(file, index, str(entry), objects, configuration)
        for key in kustomizegenerators.GENERATORS:
            for index, entry in enumerate(file.entries(key)):
                self._generate(file, key, index, entry, objects)
        outer.merge(configuration)
        return self._change(file, objects, configuration)

    def _configure(self, file: KustomizationFile) -> Configuration:
        configuration = Configuration()
        for index, entry in enumerate(file.entries("configurations")):
            place = ("configurations", index)
            name = posixpath.normpath(posixpath.join(file.folder, str(entry)))
            contents = self.builds.tree.read([name])
            if name not in contents:
                raise _mistake(file, place, f"{entry}: no such file")
            try:
                for document in yamlreader.read(contents[name], source=self.builds.tree.display_name(name)):
                    configuration.take(document.value)
            except ConfigurationError as error:
                raise self._unknown(file, place, f"{entry}: {error}") from None
        return configuration

    def _included(
        self, file: KustomizationFile, place: tuple[str, int], entry: str, configuration: Configuration
    ) -> list[BuiltObject]:
        tree = self.builds.tree
        name = posixpath.normpath(posixpath.join(file.folder, entry))
        if tree.is_folder(name):
            inner = self.builds.find(name)
            if inner is None:
                raise _mistake(file, place, f"{entry}: a folder without a kustomization")
            return self.run(inner, [], configuration)
        contents = tree.read([name])
        if name in contents:
            title = tree.display_name(name)
            return [_built(item) for item in manifest.read(contents[name], source=title) if item.value is not None]
        if any(sign in entry for sign in _REMOTE):
            raise self._unknown(file, place, f"{entry} is on another host, and is not fetched")
        raise _mistake(file, place, f"{entry}: no such file or folder")

    def _component(
        self,
        file: KustomizationFile,
        index: int,
        entry: str,
        objects: list[BuiltObject],
        configuration: Configuration,
    ) -> list[BuiltObject]:
        name = posixpath.normpath(posixpath.join(file.folder, entry))
        inner = self.builds.find(name)
        if inner is None or not inner.is_component:
            if any(sign in entry for sign in _REMOTE):
                raise self._unknown(file, ("components", index), f"{entry} is on another host, and is not fetched")
            raise _mistake(file, ("components", index), f"{entry}: no folder with a Component")
        return self.run(inner, objects, configuration)

    def _generate(self, file: KustomizationFile, key: str, index: int, entry: Any, objects: list[BuiltObject]) -> None:
        options = file.texts("generatorOptions")
        new = Generator(key, index, entry, file.document, file.folder, self.builds.tree).generate(options)
        behaviour = entry.get("behavior")
        same = [old for old in objects if new.id in [id_._replace(namespace=new.id.namespace) for id_ in old.ids]]
        if behaviour not in {"merge", "replace"}:
            objects.append(new)
            _demand_distinct(objects)
        elif len(same) == 1:
            kustomizegenerators.combine(same[0], new, behaviour)
        else:
            words = f"behavior {behaviour}: {len(same)} objects with this name are in the kustomization"
            raise _mistake(file, (key, index), words)

    def _change(
        self, file: KustomizationFile, objects: list[BuiltObject], configuration: Configuration
    ) -> list[BuiltObject]:
        """Return the objects after all changes of a kustomization, in the order of kustomize."""
        complain = functools.partial(_complain, file)
        for key in ("patchesStrategicMerge", "patches"):
            objects = self._patch(file, key, objects)
        if namespace := file.value.get("namespace"):
            kustomizechanges.set_namespace(objects, str(namespace), configuration)
        prefix, suffix = (str(file.value.get(key) or "") for key in ("namePrefix", "nameSuffix"))
        if prefix or suffix:
            kustomizechanges.add_affixes(objects, prefix, suffix, configuration)
        for entry in file.entries("labels"):
            if not entry.keys() <= _LABEL_FIELDS:
                raise self._unknown(file, ("labels",), "`labels` with `fields` is not known here")
            selectors, templates = bool(entry.get("includeSelectors")), bool(entry.get("includeTemplates"))
            kustomizechanges.add_labels(objects, entry.get("pairs") or {}, selectors=selectors, templates=templates)
        kustomizechanges.add_labels(objects, file.texts("commonLabels"), selectors=True, templates=True)
        kustomizechanges.add_annotations(objects, file.texts("commonAnnotations"))
        objects = self._patch(file, "patchesJson6902", objects)
        for entry in file.entries("replicas"):
            kustomizechanges.set_replicas(objects, entry, complain)
        for entry in file.entries("images"):
            kustomizechanges.set_image(objects, entry, complain)
        return objects

    def _patch(self, file: KustomizationFile, key: str, objects: list[BuiltObject]) -> list[BuiltObject]:
        tree = self.builds.tree
        try:
            patches = PatchReader(file.folder, tree, tree.display_name, of_all=True).read(key, file.entries(key))
            return kustomizechanges.patch(objects, patches, self.builds.find_type)
        except ManifestError as error:
            first = error.mistakes[0]
            if first.source not in {"", kustomizepatches.INLINE}:
                raise
            raise self._unknown(file, (key,), f"`{key}`: {first.message}") from None

    def _unknown(self, file: KustomizationFile, place: Sequence[str | int], words: str) -> ManifestError:
        return _mistake(file, place, f"{words}: {_ADVICE.format(self.command)}")


def _built(item: Manifest) -> BuiltObject:
    value = item.value
    metadata = value.get("metadata") if isinstance(value, dict) else None
    if not item.kind or not isinstance(metadata, dict) or not metadata.get("name"):
        raise ManifestError(
            [Mistake(item.source, item.line_of(), "kustomize needs the kind and the name of each object")]
        )
    return BuiltObject(kustomizepatches.read_value(value, item.document, item.path), item)


def _demand_distinct(objects: Sequence[BuiltObject]) -> None:
    """
    Refuse two objects with the same API version, kind, namespace and name.

    Raises:
        ManifestError: The second object.
    """
    first_by_id: dict[tuple[str, ObjectId], BuiltObject] = {}
    for item in objects:
        first = first_by_id.setdefault((item.origin.api_version, item.id), item)
        if first is not item:
            words = f"{item.id.kind}/{item.id.name} is twice in the kustomization: see {first.origin.where}"
            raise ManifestError([Mistake(item.origin.source, item.origin.line_of(), words)])


def _complain(file: KustomizationFile, key: str, words: str) -> ManifestError:
    return _mistake(file, (key,), words)


def _mistake(file: KustomizationFile, place: Sequence[str | int], words: str) -> ManifestError:
    return ManifestError([Mistake(file.document.source, file.document.line_of(place), words)])
