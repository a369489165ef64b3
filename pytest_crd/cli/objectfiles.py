"""Objects in files, streams and builds, as a server gets them."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from pytest_crd import folders
from pytest_crd.cli import fluxbuilds, fluxsources, helmcharts, kustomized
from pytest_crd.cli.fluxbuilds import FluxBuilds
from pytest_crd.cli.helmcharts import RenderedCharts
from pytest_crd.cli.kustomized import BuiltFolders
from pytest_crd.engine import CustomResourceDefinition, ManifestError, Mistake
from pytest_crd.engine.jsonvalue import JSONObject, JSONValue
from pytest_crd.engine.loading import crdfiles
from pytest_crd.engine.loading.crdfiles import CrdFiles, FileOrigin
from pytest_crd.engine.yaml import manifest, yamlreader
from pytest_crd.engine.yaml.manifest import Manifest, ManifestFile

if TYPE_CHECKING:
    pass  # large imports

STREAM: Final = "-"
STREAM_NAME: Final = "stdin"
_SOPS: Final = "sops"
_SIGNATURE: Final = "mac"
# The usual number of bytes of an object.
_SIZE_OF_OBJECT: Final = 1024
_VAULT_PATH: Final = "avp.kubernetes.io/path"
_VAULT_KEY: Final = re.compile(r"<(?!path:)([^<>\n]+)>")
_OF_TEMPLATE: Final = (
    " (a Helm template: add --helm-charts, or validate what it renders to, helm template … | pytest-crd validate -)"
)


class ObjectText(NamedTuple):
    """
    Objects of a text: a file, a stream, or the output of a build.

    Attributes:
        items: The objects; None if they are read again from the file when they are needed, so that memory does not grow with the files.
        file: The file; None for other texts.
        build: The folder of the kustomization that builds the objects; empty for other texts.
        applier: The Kustomization of Flux that applies the objects: `Kustomization/apps`; empty if there is none.
        size: The number of bytes, or an estimate.
        part: The number of a part of a large text, and the number of its parts.
    """

    items: tuple[Manifest, ...] | None
    file: ManifestFile | None = None
    build: str = ""
    applier: str = ""
    size: int = 0
    part: tuple[int, int] = (0, 1)

    @classmethod
    def of_build(cls, items: Iterable[Manifest], folder: str, applier: str = "") -> ObjectText:
        """Return the objects of a build, as a server gets them."""
        sent = tuple(map(_prepare, items))
        return cls(sent, build=folder, applier=applier, size=len(sent) * _SIZE_OF_OBJECT)

    @property
    def path(self) -> str:
        """The file, or the folder of the build, with links resolved; the current folder for a stream."""
        return os.path.realpath(self.build or (self.file.path if self.file else ""))

    def split(self, count: int) -> list[ObjectText]:
        """Return parts with about the same number of objects."""
        return [self._replace(part=(number, count)) for number in range(count)]

    def read(self) -> Sequence[Manifest]:
        """
        Return the objects of the part.

        Raises:
            ManifestError: The file cannot be read; other parts of it are empty.
        """
        number, count = self.part
        items = self.items or ()
        try:
            if self.items is None and self.file is not None:
                items = _read_text(self.file.read(), self.file.name)
        except ManifestError:
            if number:
                return ()
            raise
        return items[len(items) * number // count : len(items) * (number + 1) // count]


@dataclass(slots=True)
class ReadObjects:
    """
    The objects of files and streams.

    Attributes:
        texts: The texts with objects, in order.
        contents: The texts that may have CRDs, by the name of the file or stream.
        mistakes: Reasons why texts cannot be read.
        unbuilt: The Kustomizations of Flux whose folder is not known, with the reason.
        crds: The CRDs among the objects, once `find_crds` has read them.
    """

    texts: list[ObjectText] = field(default_factory=list)
    contents: dict[str, bytes] = field(default_factory=dict)
    mistakes: list[Mistake] = field(default_factory=list)
    unbuilt: list[tuple[Manifest, str]] = field(default_factory=list)
    crds: dict[Manifest, CustomResourceDefinition] = field(default_factory=dict)

    @property
    def in_memory(self) -> list[Manifest]:
        """The objects of builds and streams, and of files with CRDs or with objects of Flux."""
        return [item for text in self.texts for item in text.items or ()]

    def read_all(self, mistakes: list[Mistake]) -> Iterator[tuple[Manifest, ObjectText]]:
        """Yield all objects, each with its text, and add the reasons why files cannot be read to *mistakes*."""
        for text in self.texts:
            try:
                yield from ((item, text) for item in text.read())
            except ManifestError as error:
                mistakes += error.mistakes


def read(names: Sequence[str], *, helm_version: str = "", local_sources: Sequence[str] = ()) -> ReadObjects:
    """
    Return the objects of files, folders and globs, and of standard input for the name `-`.

    Kustomizations in folders are built. The files that they use count only as parts of them. The folders that Flux applies are built as
    Flux does, instead.

    Args:
        names: The files, folders and globs.
        helm_version: The Kubernetes version for `helm template`, which then renders the charts in folders; empty to run no helm.
        local_sources: The folders of sources of Flux, `KIND/NAMESPACE/NAME=FOLDER`.

    Raises:
        ManifestError: A name matches no file, a local source has another form, or helm is not installed.
    """
    objects = _read(names, helm_version)
    flux = _build_flux(objects, names, local_sources)
    named_files = {os.path.realpath(name) for name in names if not os.path.isdir(name)}  # noqa: PTH112 - a text
    replaced = flux.used - named_files
    objects.texts = [text for text in objects.texts if text.path not in replaced]
    mistakes = [mistake for mistake in objects.mistakes if os.path.realpath(mistake.source) not in replaced]
    objects.mistakes = [*mistakes, *(mistake for mistake in flux.mistakes if mistake not in mistakes)]
    for build in flux.builds:
        objects.texts.append(ObjectText.of_build(build.objects, build.folder, build.applier))
    objects.unbuilt = flux.unbuilt
    return objects


def _build_flux(objects: ReadObjects, names: Sequence[str], local_sources: Sequence[str]) -> FluxBuilds:
    """
    Return the builds of the Kustomizations of Flux among objects.

    Raises:
        ManifestError: A local source has another form.
    """
    has_flux = any(fluxsources.kustomizations(objects.in_memory))
    places = {item: text.path for item, text in (objects.read_all([]) if has_flux else ()) if fluxsources.counts(item)}
    return fluxbuilds.build([*places], places, names, local_sources)


def _read(names: Sequence[str], helm_version: str) -> ReadObjects:
    built = kustomized.build([name for name in names if name != STREAM])
    charts = helmcharts.render(names, helm_version) if helm_version else RenderedCharts()
    objects = ReadObjects(mistakes=[*built.mistakes, *charts.mistakes])
    for folder, items in (*built.objects.items(), *charts.objects.items()):
        objects.texts.append(ObjectText.of_build(items, folder))
    for name, content, file, is_used in _contents(names, built, charts, objects):
        has_crd = crdfiles.may_hold_crd(content)
        if has_crd:
            objects.contents[name] = content
        is_kept = (
            has_crd or file is None or not file.path.is_file() or manifest.may_mention(content, fluxsources.DOMAIN)
        )
        try:
            if not is_used:
                read_items = _read_text(content, name) if is_kept else None
                objects.texts.append(ObjectText(read_items, file, size=len(content)))
        except ManifestError as error:
            objects.mistakes += error.mistakes
    return objects


def _read_text(content: bytes, name: str) -> tuple[Manifest, ...]:
    """
    Return the objects of a text.

    Raises:
        ManifestError: It cannot be read; the message has a hint for a Helm template.
    """
    try:
        return tuple(map(_prepare, manifest.read(content, source=name)))
    except ManifestError as error:
        hint = _OF_TEMPLATE if manifest.is_template(content) else ""
        mistakes = [replace(mistake, message=f"{mistake.message}{hint}") for mistake in error.mistakes]
        raise ManifestError(mistakes) from None


def read_one(file: str) -> JSONObject:
    """
    Return the only object in a file, unchanged.

    Raises:
        ManifestError: The file cannot be read, or is no mapping.
    """
    try:
        content = folders.read_file(Path(file))
    except OSError as error:
        raise ManifestError([Mistake(file, 0, f"cannot be read: {error.strerror or error}")]) from None
    value = yamlreader.read_one(content, source=file).value
    if not isinstance(value, dict):
        raise ManifestError([Mistake(file, 1, "is no mapping, as every object is")])
    return value


def find_crds(objects: ReadObjects, kubernetes_version: str) -> list[CustomResourceDefinition]:
    """
    Return the CRDs among built objects and in texts, and set `crds` of *objects*.

    Raises:
        CrdError: One of them is not a valid CRD.
    """
    built, files = CrdFiles(kubernetes_version), CrdFiles(kubernetes_version)
    built.take_objects(item for text in objects.texts if text.build for item in text.items or ())
    for name, content in objects.contents.items():
        files.take(content, source=name, origin=FileOrigin.GIVEN)
    files.mistakes += built.mistakes
    files.raise_mistakes()
    crds = {item.manifest: item.crd for item in built.read_crds}
    places = {item.crd.source: item.crd for item in files.read_crds}
    crds |= {item: places[item.where] for item in objects.in_memory if item not in crds and item.where in places}
    objects.crds = crds
    return [*built.crds, *(crd for crd in files.crds if crd.name not in built.crd_names)]


def _prepare(item: Manifest) -> Manifest:
    """Return an object without the metadata of SOPS, which are not sent to a server, and with full names of secrets in Vault."""
    value = item.value
    if not isinstance(value, dict):
        return item
    sops, metadata = value.get(_SOPS), value.get("metadata")
    if isinstance(sops, dict) and _SIGNATURE in sops:
        item = replace(item, value={key: inner for key, inner in value.items() if key != _SOPS})
    annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
    path = annotations.get(_VAULT_PATH) if isinstance(annotations, dict) else None
    return replace(item, value=_name_secrets(item.value, path)) if isinstance(path, str) else item


def _name_secrets(value: JSONValue, path: str) -> JSONValue:
    """Return a value with `<path:PATH#KEY>` instead of `<KEY>`, which argocd-vault-plugin takes for the same."""
    if isinstance(value, dict):
        return {key: _name_secrets(inner, path) for key, inner in value.items()}
    if isinstance(value, list):
        return [_name_secrets(inner, path) for inner in value]
    return _VAULT_KEY.sub(lambda match: f"<path:{path}#{match[1]}>", value) if isinstance(value, str) else value


def _contents(
    names: Sequence[str], built: BuiltFolders, charts: RenderedCharts, objects: ReadObjects
) -> Iterator[tuple[str, bytes, ManifestFile | None, bool]]:
    """Yield the name, content and file of each text, and whether it counts only as part of kustomizations; no file of a chart."""
    if STREAM in names:
        yield STREAM_NAME, sys.stdin.buffer.read(), None, False
    files = [name for name in names if name != STREAM]
    real = folders.RealPaths()
    for file in manifest.files(files, base=Path.cwd()) if files else ():
        path = real.resolve(file.path)
        if charts.holds(path) and not file.named:
            continue
        try:
            yield file.name, file.read(), file, not file.named and path in built.files
        except ManifestError as error:
            objects.mistakes += error.mistakes
