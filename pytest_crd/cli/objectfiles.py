"""Objects in files and streams, split into custom resources of known CRDs and all others."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from pytest_crd import folders
from pytest_crd.checks import samplefiles, samples
from pytest_crd.checks.samplefiles import Claims
from pytest_crd.cli import fluxbuilds, helmcharts, kustomized
from pytest_crd.cli.helmcharts import RenderedCharts
from pytest_crd.cli.kustomized import BuiltFolders
from pytest_crd.cli.schemacatalogs import SchemaCatalog
from pytest_crd.engine import CustomResourceDefinition, ManifestError, Mistake, profile
from pytest_crd.engine.crds import declared
from pytest_crd.engine.jsonvalue import JSONObject, JSONValue
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


@dataclass(slots=True)
class ReadObjects:
    """
    The contents of files and streams.

    Attributes:
        manifests: The objects, in order.
        contents: The texts, by the name of the file or stream.
        mistakes: Reasons why texts cannot be read.
        builds: The folders of the kustomizations that build objects.
        appliers: The Kustomizations of Flux that apply objects: `Kustomization/apps`.
        unbuilt: The Kustomizations of Flux whose folder is not known, with the reason.
        crds: The CRDs among the objects, once `find_crds` has read them.
    """

    manifests: list[Manifest] = field(default_factory=list)
    contents: dict[str, bytes] = field(default_factory=dict)
    mistakes: list[Mistake] = field(default_factory=list)
    builds: dict[Manifest, str] = field(default_factory=dict)
    appliers: dict[Manifest, str] = field(default_factory=dict)
    unbuilt: list[tuple[Manifest, str]] = field(default_factory=list)
    crds: dict[Manifest, CustomResourceDefinition] = field(default_factory=dict)


@dataclass(slots=True)
class ClassifiedObjects:
    """
    Objects, classified by the CRDs for their kinds.

    Attributes:
        resources: The custom resources, the objects of built-in kinds, and the CRDs.
        misspelt: Objects of similar kinds, with a suggestion.
        unserved: Objects of kinds that the Kubernetes version does not serve, with the reason.
        others: All other objects, with kind and API version in words.
        skipped: The kinds of objects that the command line leaves out.
        unbuilt: The Kustomizations of Flux whose folder is not known, with the reason.
    """

    resources: list[Resource] = field(default_factory=list)
    misspelt: list[tuple[Manifest, str]] = field(default_factory=list)
    unserved: list[tuple[Manifest, str]] = field(default_factory=list)
    others: list[tuple[Manifest, str]] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    unbuilt: list[tuple[Manifest, str]] = field(default_factory=list)


def skip_kinds(objects: ReadObjects, kinds: Sequence[str]) -> list[str]:
    """
    Remove the objects of kinds, and return the kinds of the removed objects.

    Args:
        objects: The objects.
        kinds: The kinds, each optionally with its group: `Secret`, `HelmRelease.helm.toolkit.fluxcd.io`.
    """
    wanted = {kind.casefold() for kind in kinds}
    skipped = [item for item in objects.manifests if wanted & _spell_kind(item)]
    removed = {id(item) for item in skipped}
    objects.manifests = [item for item in objects.manifests if id(item) not in removed]
    return [item.kind for item in skipped]


def _spell_kind(item: Manifest) -> set[str]:
    """Return the kind of an object in lower case, without and with its group."""
    kind, group = item.kind.casefold(), item.api_version.rpartition("/")[0].casefold()
    return {kind, f"{kind}.{group}"}


def read(names: Sequence[str], *, helm_version: str = "", local_sources: Sequence[str] = ()) -> ReadObjects:
    """
    Return the contents of files, folders and globs, and of standard input for the name `-`.

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
    places = {item: os.path.realpath(objects.builds.get(item, item.source)) for item in objects.manifests}
    flux = fluxbuilds.build(objects.manifests, places, names, local_sources)
    replaced = flux.used - {os.path.realpath(name) for name in names if not os.path.isdir(name)}  # noqa: PTH112 - a text
    objects.manifests = [item for item in objects.manifests if places[item] not in replaced]
    objects.builds = {item: folder for item, folder in objects.builds.items() if places[item] not in replaced}
    kept = [mistake for mistake in objects.mistakes if os.path.realpath(mistake.source) not in replaced]
    objects.mistakes = [*kept, *(mistake for mistake in flux.mistakes if mistake not in kept)]
    for build in flux.builds:
        items = [*map(_decrypted, build.objects)]
        objects.manifests += items
        objects.builds |= dict.fromkeys(items, build.folder)
        objects.appliers |= dict.fromkeys(items, build.applier)
    objects.unbuilt = flux.unbuilt
    return objects


def _read(names: Sequence[str], helm_version: str) -> ReadObjects:
    built = kustomized.build([name for name in names if name != STREAM])
    charts = helmcharts.render(names, helm_version) if helm_version else RenderedCharts()
    objects = ReadObjects(mistakes=[*built.mistakes, *charts.mistakes])
    for folder, built_items in (*built.objects.items(), *charts.objects.items()):
        items = [*map(_decrypted, built_items)]
        objects.manifests += items
        objects.builds |= dict.fromkeys(items, folder)
    for name, content, is_used in _contents(names, built, charts, objects):
        objects.contents[name] = content
        if is_used:
            continue
        try:
            objects.manifests += map(_decrypted, manifest.read(content, source=name))
        except ManifestError as error:
            hint = _OF_TEMPLATE if manifest.is_template(content) else ""
            objects.mistakes += [replace(mistake, message=f"{mistake.message}{hint}") for mistake in error.mistakes]
    return objects


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
    built.take_objects(objects.builds)
    for name, content in objects.contents.items():
        files.take(content, source=name, origin=FileOrigin.GIVEN)
    files.mistakes += built.mistakes
    files.raise_mistakes()
    crds = {item.manifest: item.crd for item in built.read_crds}
    places = {item.crd.source: item.crd for item in files.read_crds}
    crds |= {item: places[item.where] for item in objects.manifests if item not in crds and item.where in places}
    objects.crds = crds
    return [*built.crds, *(crd for crd in files.crds if crd.name not in built.crd_names)]


def classify(
    objects: ReadObjects, claims: Claims, kubernetes_version: str, catalog: SchemaCatalog | None = None
) -> ClassifiedObjects:
    """Return objects classified by the CRDs or JSON Schemas for their kinds, and by the built-in kinds of a Kubernetes version."""
    catalog = catalog or SchemaCatalog()
    kinds = {**dict.fromkeys(catalog.files, ()), **claims}
    classified = ClassifiedObjects(unbuilt=objects.unbuilt)
    for item in objects.manifests:
        api_version, kind = item.api_version, item.kind
        group, _, version = api_version.rpartition("/")
        resource = Resource(item, group, version, kind, objects.builds.get(item, ""), objects.appliers.get(item, ""))
        if (group, kind) in claims:
            classified.resources.append(resource)
        elif client := find_client(item, kubernetes_version):
            classified.resources.append(resource._replace(client=client))
        elif missing := _explain_old_crd(item, kubernetes_version):
            classified.unserved.append((item, missing))
        elif crd := objects.crds.get(item):
            classified.resources.append(resource._replace(crd=crd))
        elif schema := catalog.find(group, kind, version):
            classified.resources.append(resource._replace(schema=schema))
        elif versions := catalog.list_versions(group, kind):
            classified.others.append((item, f"{kind} of {api_version}, with a JSON Schema for {', '.join(versions)}"))
        elif question := samplefiles.suggest_kind(group, kind, kinds):
            classified.misspelt.append((item, f"no CRD is for kind {kind!r} of {group}; {question}"))
        elif missing := _explain_missing(item, kubernetes_version):
            classified.unserved.append((item, missing))
        else:
            classified.others.append((item, f"{kind} of {api_version}" if kind and api_version else "no kind"))
    return classified


def find_client(item: Manifest, kubernetes_version: str) -> BuiltInClient | None:
    """Return the client for an object of a built-in kind; None for other objects."""
    if not _may_be_built_in(item):
        return None
    return kustomized.built_in_objects(kubernetes_version).find_client(item.api_version, item.kind)


def _explain_missing(item: Manifest, kubernetes_version: str) -> str:
    if not _may_be_built_in(item):
        return ""
    return kustomized.built_in_objects(kubernetes_version).explain_missing(item.api_version, item.kind)


def _explain_old_crd(item: Manifest, kubernetes_version: str) -> str:
    """Return the reason why a server takes no CRD of a former version; empty for other objects."""
    is_old = item.api_version == declared.V1BETA1 and item.kind == declared.KIND
    if not is_old or profile.named(kubernetes_version).serves_v1beta1:
        return ""
    hint = f"Kubernetes {kubernetes_version} serves {item.kind} of {declared.V1}"
    return f'no matches for kind "{item.kind}" in version "{item.api_version}"; {hint}'


def _may_be_built_in(item: Manifest) -> bool:
    group = item.api_version.rpartition("/")[0]
    is_of_kubernetes = "." not in group or group.endswith(_GROUP_END)
    return bool(item.kind and item.api_version) and is_of_kubernetes and group != declared.GROUP


def _decrypted(item: Manifest) -> Manifest:
    """Return an object without the metadata of SOPS, which are not sent to a server."""
    metadata = item.value.get(_SOPS) if isinstance(item.value, dict) else None
    if not isinstance(metadata, dict) or _SIGNATURE not in metadata:
        return item
    return replace(item, value={key: value for key, value in item.value.items() if key != _SOPS})


def count_placeholders(value: JSONValue) -> int:
    """Return the number of values in an object that are not in its file: encrypted ones, variables and placeholders."""
    if isinstance(value, str):
        return int(bool(samples.find_placeholder(value)))
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return sum(map(count_placeholders, items))


def _contents(
    names: Sequence[str], built: BuiltFolders, charts: RenderedCharts, objects: ReadObjects
) -> Iterator[tuple[str, bytes, bool]]:
    """Yield the name and content of each file, and whether it counts only as part of kustomizations; no file of a chart."""
    if STREAM in names:
        yield STREAM_NAME, sys.stdin.buffer.read(), False
    files = [name for name in names if name != STREAM]
    real = folders.RealPaths()
    for file in manifest.files(files, base=Path.cwd()) if files else ():
        path = real.resolve(file.path)
        if charts.holds(path) and not file.named:
            continue
        try:
            yield file.name, file.read(), not file.named and path in built.files
        except ManifestError as error:
            objects.mistakes += error.mistakes
