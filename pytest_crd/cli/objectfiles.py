"""Objects in files and streams, split into custom resources of known CRDs and all others."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from pytest_crd import folders
from pytest_crd.checks import samplefiles, samples
from pytest_crd.checks.samplefiles import Claims
from pytest_crd.cli import fluxbuilds, fluxsources, helmcharts, kustomized
from pytest_crd.cli.fluxbuilds import FluxBuilds
from pytest_crd.cli.helmcharts import RenderedCharts
from pytest_crd.cli.kustomized import BuiltFolders
from pytest_crd.cli.schemacatalogs import SchemaCatalog
from pytest_crd.engine import CustomResourceDefinition, ManifestError, Mistake, profile
from pytest_crd.engine.crds import declared
from pytest_crd.engine.jsonvalue import JSONObject, JSONValue
from pytest_crd.engine.loading import crdfiles
from pytest_crd.engine.loading.crdfiles import CrdFiles, FileOrigin
from pytest_crd.engine.yaml import manifest, yamlreader
from pytest_crd.engine.yaml.manifest import Manifest, ManifestFile

if TYPE_CHECKING:
    from pytest_crd.server.builtin.builtinclient import BuiltInClient  # large imports

STREAM: Final = "-"
STREAM_NAME: Final = "stdin"
_GROUP_END: Final = ".k8s.io"
_SOPS: Final = "sops"
_SIGNATURE: Final = "mac"
# The usual number of bytes of an object.
_SIZE_OF_OBJECT: Final = 1024
_VAULT_PATH: Final = "avp.kubernetes.io/path"
_VAULT_KEY: Final = re.compile(r"<(?!path:)([^<>\n]+)>")
_NO_KIND: Final = "no kind"
_OF_TEMPLATE: Final = (
    " (a Helm template: add --helm-charts, or validate what it renders to, helm template … | pytest-crd validate -)"
)

# Group, kind, namespace and name of an object.
Identity: TypeAlias = "tuple[str, str, str, str]"


class Resource(NamedTuple):
    """
    An object of a known kind: a custom resource, an object of a built-in kind, or a CRD.

    Attributes:
        manifest: The object.
        group: Its API group.
        version: Its API version, `v1`.
        kind: Its kind.
        build: The folder of the kustomization that builds it; empty if it is as in its file.
        applier: The Kustomization of Flux that applies it: `Kustomization/apps`; empty if there is none.
        client: The client for objects of a built-in kind; None for other objects.
        crd: The CRD if the object is one; None for other objects.
        schema: The file with the JSON Schema that judges a custom resource without a CRD; None for other objects.
    """

    manifest: Manifest
    group: str
    version: str
    kind: str
    build: str = ""
    applier: str = ""
    client: BuiltInClient | None = None
    crd: CustomResourceDefinition | None = None
    schema: ManifestFile | None = None

    @property
    def is_custom(self) -> bool:
        """Whether it is a custom resource."""
        return self.client is None and self.crd is None

    @property
    def title(self) -> str:
        """The name of the object in reports: `Backup/nightly`, or `Backup/nightly of apps/prod` if a kustomization builds it."""
        applier = f" by {self.applier}" if self.applier else ""
        return f"{self.manifest.title} of {self.build}{applier}" if self.build else self.manifest.title

    @property
    def identity(self) -> Identity:
        """The group, kind, namespace (`default` if missing) and name: updates match objects by them."""
        metadata = self.manifest.value.get("metadata")
        fields = metadata if isinstance(metadata, dict) else {}
        return self.group, self.kind, str(fields.get("namespace") or "default"), str(fields.get("name") or "")


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
    def kept(self) -> list[Manifest]:
        """The objects in memory: those of builds and streams, and of files with CRDs or with objects of Flux."""
        return [item for text in self.texts for item in text.items or ()]

    def read_all(self, mistakes: list[Mistake]) -> Iterator[tuple[Manifest, ObjectText]]:
        """Yield all objects, each with its text, and add the reasons why files cannot be read to *mistakes*."""
        for text in self.texts:
            try:
                yield from ((item, text) for item in text.read())
            except ManifestError as error:
                mistakes += error.mistakes


class UnknownObject(NamedTuple):
    """
    An object of an unknown kind.

    Attributes:
        where: Its place, `file:line`.
        title: Its kind and name.
        api_version: Its apiVersion; empty if it has none.
        kind: Its kind; empty if it has none.
    """

    where: str
    title: str
    api_version: str
    kind: str


@dataclass(slots=True)
class ClassifiedObjects:
    """
    Objects, classified by the CRDs for their kinds.

    Attributes:
        resources: The custom resources, the objects of built-in kinds, and the CRDs.
        unknown: All other objects.
    """

    resources: list[Resource] = field(default_factory=list)
    unknown: list[UnknownObject] = field(default_factory=list)


class KindExplanations(NamedTuple):
    """
    The reasons why objects of unknown kinds have no verdict.

    Attributes:
        misspelt: Objects of similar kinds, with a suggestion.
        unserved: Objects of kinds that the Kubernetes version does not serve, with the reason.
        others: All other objects, with kind and API version in words.
    """

    misspelt: list[tuple[UnknownObject, str]]
    unserved: list[tuple[UnknownObject, str]]
    others: list[tuple[UnknownObject, str]]


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
    given = {os.path.realpath(name) for name in names if not os.path.isdir(name)}  # noqa: PTH112 - a text
    replaced = flux.used - given
    objects.texts = [text for text in objects.texts if text.path not in replaced]
    kept = [mistake for mistake in objects.mistakes if os.path.realpath(mistake.source) not in replaced]
    objects.mistakes = [*kept, *(mistake for mistake in flux.mistakes if mistake not in kept)]
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
    has_flux = any(fluxsources.kustomizations(objects.kept))
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
            has_crd or file is None or not file.path.is_file() or manifest.may_mention(content, fluxsources.GROUPS)
        )
        try:
            if not is_used:
                kept = _read_text(content, name) if is_kept else None
                objects.texts.append(ObjectText(kept, file, size=len(content)))
        except ManifestError as error:
            objects.mistakes += error.mistakes
    return objects


def has_kind(item: Manifest, kinds: Collection[str]) -> bool:
    """Return whether an object has one of some kinds, each in lower case and optionally with its group: `secret`, `helmrelease.helm.toolkit.fluxcd.io`."""
    kind, group = item.kind.casefold(), item.api_version.rpartition("/")[0].casefold()
    return kind in kinds or f"{kind}.{group}" in kinds


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
    crds |= {item: places[item.where] for item in objects.kept if item not in crds and item.where in places}
    objects.crds = crds
    return [*built.crds, *(crd for crd in files.crds if crd.name not in built.crd_names)]


def classify(
    items: Iterable[tuple[Manifest, ObjectText]],
    claims: Claims,
    kubernetes_version: str,
    crds: Mapping[Manifest, CustomResourceDefinition],
    catalog: SchemaCatalog | None = None,
) -> ClassifiedObjects:
    """
    Return objects classified by the CRDs or JSON Schemas for their kinds, and by the built-in kinds of a Kubernetes version.

    Args:
        items: The objects, each with its text.
        claims: The CRDs for custom resources.
        kubernetes_version: The Kubernetes version.
        crds: The CRDs among the objects.
        catalog: The JSON Schemas.
    """
    classified = ClassifiedObjects()
    for item, text in items:
        api_version, kind = item.api_version, item.kind
        group, _, version = api_version.rpartition("/")
        resource = Resource(item, group, version, kind, text.build, text.applier)
        if (group, kind) in claims:
            classified.resources.append(resource)
        elif client := find_client(item, kubernetes_version):
            classified.resources.append(resource._replace(client=client))
        elif (crd := crds.get(item)) and not _explain_old_crd(api_version, kind, kubernetes_version):
            classified.resources.append(resource._replace(crd=crd))
        elif schema := catalog and catalog.find(group, kind, version):
            classified.resources.append(resource._replace(schema=schema))
        else:
            classified.unknown.append(UnknownObject(item.where, item.title, api_version, kind))
    return classified


def explain_unknown(
    objects: Iterable[UnknownObject], claims: Claims, kubernetes_version: str, catalog: SchemaCatalog
) -> KindExplanations:
    """Return the reasons why objects of unknown kinds have no verdict."""
    kinds = {**dict.fromkeys(catalog.files, ()), **claims}
    reasons = KindExplanations([], [], [])
    for item in objects:
        api_version, kind = item.api_version, item.kind
        group = api_version.rpartition("/")[0]
        if missing := _explain_old_crd(api_version, kind, kubernetes_version):
            reasons.unserved.append((item, missing))
        elif versions := catalog.list_versions(group, kind):
            reasons.others.append((item, f"{kind} of {api_version}, with a JSON Schema for {', '.join(versions)}"))
        elif question := samplefiles.suggest_kind(group, kind, kinds):
            reasons.misspelt.append((item, f"no CRD is for kind {kind!r} of {group}; {question}"))
        elif missing := _explain_missing(api_version, kind, kubernetes_version):
            reasons.unserved.append((item, missing))
        else:
            reasons.others.append((item, f"{kind} of {api_version}" if kind and api_version else _NO_KIND))
    return reasons


def describe_other(kind: str) -> str:
    """Return why an object of an unknown kind is not judged; *kind* is its kind and API version in words."""
    return "it has no apiVersion and kind" if kind == _NO_KIND else f"no CRD is known of {kind}"


def find_client(item: Manifest, kubernetes_version: str) -> BuiltInClient | None:
    """Return the client for an object of a built-in kind; None for other objects."""
    if not _may_be_built_in(item.api_version, item.kind):
        return None
    return kustomized.built_in_objects(kubernetes_version).find_client(item.api_version, item.kind)


def _explain_missing(api_version: str, kind: str, kubernetes_version: str) -> str:
    if not _may_be_built_in(api_version, kind):
        return ""
    return kustomized.built_in_objects(kubernetes_version).explain_missing(api_version, kind)


def _explain_old_crd(api_version: str, kind: str, kubernetes_version: str) -> str:
    """Return the reason why a server takes no CRD of a former version; empty for other objects."""
    is_old = api_version == declared.V1BETA1 and kind == declared.KIND
    if not is_old or profile.named(kubernetes_version).serves_v1beta1:
        return ""
    hint = f"Kubernetes {kubernetes_version} serves {kind} of {declared.V1}"
    return f'no matches for kind "{kind}" in version "{api_version}"; {hint}'


def _may_be_built_in(api_version: str, kind: str) -> bool:
    group = api_version.rpartition("/")[0]
    is_of_kubernetes = "." not in group or group.endswith(_GROUP_END)
    return bool(kind and api_version) and is_of_kubernetes and group != declared.GROUP


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


def count_placeholders(value: JSONValue) -> int:
    """Return the number of values in an object that are not in its file: encrypted ones, variables and placeholders."""
    if isinstance(value, str):
        return int(bool(samples.find_placeholder(value)))
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return sum(map(count_placeholders, items))


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
