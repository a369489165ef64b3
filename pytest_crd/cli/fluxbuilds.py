"""
Objects of Kustomizations of Flux, as kustomize-controller builds them.

The controller writes patches, components, images, names and the namespace of a Kustomization into the `kustomization.yaml` of its folder, or
into a new one that lists all files. After the build it replaces variables, and sets the common metadata.

Reference:
    fluxcd/pkg kustomize/kustomize_generator.go.
"""

from __future__ import annotations

import json
import os
import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, NamedTuple

from pytest_crd import boundary
from pytest_crd.cli import fluxsources, fluxvariables, kustomized
from pytest_crd.cli.fluxsources import FluxLocation, FluxSources
from pytest_crd.cli.fluxvariables import FluxVariables, SubstitutionError
from pytest_crd.discovery.filetrees import FolderTree
from pytest_crd.discovery.kustomizebuilds import KustomizationBuilds, KustomizationFile
from pytest_crd.discovery.kustomizeroots import NAMES
from pytest_crd.engine import ManifestError, Mistake
from pytest_crd.engine.yaml.manifest import Manifest

_ENDINGS: Final = (".yaml", ".yml")
# Files and folders that no source has.
_LEFT_OUT: Final = frozenset(
    {
        *(".git", ".github", ".circleci", ".travis.yml", ".gitlab-ci.yml", "appveyor.yml", ".drone.yml"),
        *("cloudbuild.yaml", "codeship-services.yml", "codeship-steps.yml", ".goreleaser.yml", ".sops.yaml"),
        ".flux.yaml",
    }
)
_TEXTS: Final = {"targetNamespace": "namespace", "namePrefix": "namePrefix", "nameSuffix": "nameSuffix"}
_METADATA: Final = ("labels", "annotations")


class FluxBuild(NamedTuple):
    """
    The build of a Kustomization of Flux.

    Attributes:
        folder: Its folder, as shown.
        applier: The Kustomization: `Kustomization/apps`.
        objects: Its objects.
    """

    folder: str
    applier: str
    objects: list[Manifest]


@dataclass(slots=True)
class FluxBuilds:
    """
    The builds of Kustomizations of Flux.

    Attributes:
        builds: The builds.
        used: The paths of the files and folders that they use, with links resolved.
        unbuilt: The Kustomizations whose folder is not known, with the reason.
        mistakes: Reasons why others cannot be built.
    """

    builds: list[FluxBuild] = field(default_factory=list)
    used: set[str] = field(default_factory=set)
    unbuilt: list[tuple[Manifest, str]] = field(default_factory=list)
    mistakes: list[Mistake] = field(default_factory=list)


def build(
    items: Sequence[Manifest], places: Mapping[Manifest, str], names: Sequence[str], local_sources: Sequence[str]
) -> FluxBuilds:
    """
    Return the builds of the Kustomizations of Flux among objects, and of the Kustomizations that they build.

    Args:
        items: The objects, as they are in files and kustomizations.
        places: The file of each object, or the folder of the kustomization that builds it, with links resolved.
        names: The files and folders that the command line names, which may be outside of the project.
        local_sources: The folders of sources, `KIND/NAMESPACE/NAME=FOLDER`.

    Raises:
        ManifestError: A local source has another form.
    """
    local = fluxsources.read_local(local_sources)
    if not any(fluxsources.kustomizations(items)):
        return FluxBuilds()
    sources = FluxSources(local)
    builder = _Builder(items, places, sources, FolderTree(Path.cwd(), [*names, *local.values()]))
    builder.run()
    if builder.may_find_more():
        builder.run()  # with the ConfigMaps and Secrets of other Kustomizations
    builder.result.mistakes += [mistake for mistake in sources.mistakes if mistake not in builder.result.mistakes]
    return builder.result


class _Builder:
    """Builder of the Kustomizations of Flux among objects."""

    def __init__(
        self, items: Sequence[Manifest], places: Mapping[Manifest, str], sources: FluxSources, tree: FolderTree
    ) -> None:
        self.result = FluxBuilds()
        self._items, self._places, self._sources, self._tree = items, places, sources, tree
        self._builds = KustomizationBuilds(tree, kustomized.find_type)
        self._known: Sequence[Manifest] = items
        self._missing: set[tuple[str, str]] = set()
        sources.add(items)

    def run(self) -> None:
        """Build all Kustomizations, the outermost first."""
        self.result = FluxBuilds()
        candidates = [*fluxsources.kustomizations(self._items)]
        applied = [(item, self._find_used(item)) for item in candidates]
        inner = {
            item
            for item in candidates
            for applier, used in applied
            if applier is not item and self._places[item] in used
        }
        for item in sorted(candidates, key=inner.__contains__):
            if item not in inner or self._places[item] not in self.result.used:
                self._expand(item, (), ())
        self._known = [*self._items, *(item for build_ in self.result.builds for item in build_.objects)]

    def may_find_more(self) -> bool:
        """Return whether a ConfigMap or Secret that was missing is among the built objects."""
        return any((item.kind, _name(item)) in self._missing for item in self._known)

    def _find_used(self, item: Manifest) -> set[str]:
        """Return the files and folders that the build of a Kustomization uses; empty if they are not known."""
        try:
            folder = self._sources.locate(item).folder
            return self._use(self._read(item, folder)) if folder else set()
        except ManifestError:
            return set()

    def _use(self, file: KustomizationFile) -> set[str]:
        """Return the files and folders that a kustomization uses, with links resolved."""
        used, waiting = set[str](), [file]
        while waiting:
            next_file = waiting.pop()
            used |= {self._tree.resolve(next_file.folder or "."), *map(self._tree.resolve, next_file.files)}
            inner = (self._builds.find(name) for name in next_file.included if self._tree.is_folder(name))
            waiting += [base for base in inner if base is not None and self._tree.resolve(base.name) not in used]
        return used

    def _expand(self, item: Manifest, chain: Sequence[str], outer: Sequence[Manifest]) -> None:
        """
        Build a Kustomization, and the Kustomizations that it builds.

        Args:
            item: The Kustomization.
            chain: The places of the Kustomizations on the way to it.
            outer: The objects of these.
        """
        try:
            location = self._sources.locate(item)
            if not location.folder:
                self.result.unbuilt.append((item, location.problem))
                return
            file, objects = self._build(item, location, outer)
            own = next((built for built in fluxsources.kustomizations(objects) if built.where == item.where), item)
            if own.value != item.value:  # it applies and changes itself
                file, objects = self._build(own, location, outer)
        except ManifestError as error:
            self.result.mistakes += [mistake for mistake in error.mistakes if mistake not in self.result.mistakes]
            return
        self._sources.add(objects)
        self.result.builds.append(FluxBuild(file.folder or ".", item.title, objects))
        for inner in fluxsources.kustomizations(objects):
            if inner.where not in (*chain, item.where):
                self._expand(inner, (*chain, item.where), (*outer, *objects))

    def _build(
        self, item: Manifest, location: FluxLocation, outer: Sequence[Manifest]
    ) -> tuple[KustomizationFile, list[Manifest]]:
        """
        Return the kustomization in the folder of a Kustomization, and its objects.

        Raises:
            ManifestError: It cannot be built.
        """
        file = self._read(item, location.folder)
        used = self._use(file)
        for path in sorted(used) if location.limits else ():
            if not any(boundary.contains(limit, path) for limit in location.limits):
                words = f"{item.title}: {os.path.relpath(path)} is not in the artifact that it applies"
                raise ManifestError([Mistake(item.source, item.line_of("spec", "sourceRef"), words)])
        self.result.used |= used
        place = file.folder or "."
        command = f"flux build kustomization {_name(item)} --path {place} --kustomization-file {item.source} --dry-run"
        built = self._builds.build(file, command=command, is_restricted=False)
        spec = _spec(item)
        nearest = (*outer, *built)
        try:
            with fluxsources.reading(item, "spec", "postBuild"):
                variables = fluxvariables.read(
                    spec.get("postBuild") or {}, lambda kind, name: self._find_object(item, kind, name, nearest)
                )
        except SubstitutionError as error:
            raise ManifestError(
                [Mistake(item.source, item.line_of("spec", "postBuild"), f"{item.title}: {error}")]
            ) from None
        changed = [_substitute(object_, variables, item) for object_ in built]
        with fluxsources.reading(item, "spec", "commonMetadata"):
            for object_ in changed:
                _set_metadata(object_.value, spec.get("commonMetadata") or {})
        return file, changed

    def _find_object(self, item: Manifest, kind: str, name: str, nearest: Sequence[Manifest]) -> Manifest | None:
        """Return the ConfigMap or Secret with a name; None without one, or if several have different contents."""
        namespaces = {"", _namespace(item)}
        for items in (nearest, self._known):
            sources = [
                candidate
                for candidate in items
                if (candidate.kind, candidate.api_version, _name(candidate)) == (kind, "v1", name)
                and (namespaces == {""} or _namespace(candidate) in namespaces)
            ]
            if sources:
                return sources[0] if all(source.value == sources[0].value for source in sources) else None
        self._missing.add((kind, name))
        return None

    def _read(self, item: Manifest, folder: str) -> KustomizationFile:
        """
        Return the kustomization of a folder with the changes of a Kustomization of Flux.

        Raises:
            ManifestError: It cannot be read, or a change has another form.
        """
        name = posixpath.normpath(os.path.relpath(folder).replace(os.sep, "/"))
        name = "" if name == "." else name
        file = self._builds.find(name)
        if file is None:
            path = posixpath.join(name, NAMES[0])
            file = KustomizationFile(path, item.document, {"resources": [*_scan(folder)]})
        try:
            return file._replace(value=_merge(file, _spec(item), self._tree))
        except (AttributeError, KeyError, TypeError):
            words = f"{item.title}: its patches, images or components have another form than Flux reads"
            raise ManifestError([Mistake(item.source, item.line_of("spec"), words)]) from None


def _scan(folder: str) -> Iterator[str]:
    """Yield the resources of a folder without a kustomization: folders with one, and other files."""
    for parent, inner, files in os.walk(folder):
        place = os.path.relpath(parent, folder).replace(os.sep, "/")
        if place != "." and not {*NAMES}.isdisjoint(files):
            inner.clear()
            yield place
            continue
        inner[:] = sorted({*inner} - _LEFT_OUT)
        for name in sorted({*files} - _LEFT_OUT):
            if name.endswith(_ENDINGS):
                yield posixpath.normpath(posixpath.join(place, name))


def _merge(file: KustomizationFile, spec: Mapping[str, Any], tree: FolderTree) -> dict[str, Any]:
    """Return the value of a kustomization with the changes of a Kustomization of Flux."""
    value = dict(file.value)
    value |= {name: spec[key] for key, name in _TEXTS.items() if spec.get(key)}
    patches = [
        {key: patch[key] for key in ("patch", "target") if patch.get(key)} for patch in spec.get("patches") or ()
    ]
    value["patches"] = [*file.entries("patches"), *patches]
    partial = [json.dumps(patch, indent=0) for patch in spec.get("patchesStrategicMerge") or ()]
    value["patchesStrategicMerge"] = [*file.entries("patchesStrategicMerge"), *partial]
    operations = [{**entry, "patch": json.dumps(entry["patch"])} for entry in spec.get("patchesJson6902") or ()]
    value["patchesJson6902"] = [*file.entries("patchesJson6902"), *operations]
    components = spec.get("components") or []
    if spec.get("ignoreMissingComponents"):
        components = [name for name in components if tree.is_folder(posixpath.join(file.folder, name))]
    value["components"] = [*file.entries("components"), *components]
    value["images"] = _merge_images(file.entries("images"), spec.get("images") or ())
    return value | {key: spec[key] for key in ("buildMetadata",) if spec.get(key)}


def _merge_images(images: Sequence[Any], changes: Sequence[Any]) -> list[Any]:
    """Return the images of a kustomization with the images of a Kustomization of Flux; a tag or digest replaces both."""
    merged = [dict(image) for image in images]
    for change in changes:
        name = change["name"]
        own = next((image for image in merged if image.get("name") == name), None)
        if own is None:
            merged.append(dict(change))
            continue
        if change.get("newTag") or change.get("digest"):
            own.pop("newTag", None)
            own.pop("digest", None)
        own |= {key: text for key, text in change.items() if text}
    return merged


def _substitute(object_: Manifest, variables: FluxVariables, item: Manifest) -> Manifest:
    """
    Return an object with the variables of a Kustomization replaced.

    Raises:
        ManifestError: Flux cannot replace them.
    """
    try:
        return replace(object_, value=fluxvariables.substitute(object_.value, variables))
    except SubstitutionError as error:
        words = f"{object_.title}: {item.title} cannot replace its variables: {error}"
        raise ManifestError([Mistake(object_.source, object_.line_of(), words)]) from None


def _set_metadata(value: Any, common: Mapping[str, Any]) -> None:
    for key in _METADATA:
        if common.get(key):
            metadata = value["metadata"]
            metadata[key] = {**(metadata.get(key) or {}), **common[key]}


def _spec(item: Manifest) -> dict[str, Any]:
    value: Any = item.value
    spec: dict[str, Any] = value["spec"]
    return spec


def _name(item: Manifest) -> str:
    return item.title.partition("/")[2]


def _namespace(item: Manifest) -> str:
    value: Any = item.value
    return str((value.get("metadata") or {}).get("namespace") or "")
