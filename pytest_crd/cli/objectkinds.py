"""Objects, classified by the CRDs, JSON Schemas and built-in kinds for them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from pytest_crd.checks import samplefiles, samples
from pytest_crd.checks.samplefiles import Claims
from pytest_crd.cli import kustomized
from pytest_crd.cli.objectfiles import ObjectText
from pytest_crd.cli.schemacatalogs import SchemaCatalog
from pytest_crd.engine import CustomResourceDefinition, profile
from pytest_crd.engine.crds import declared
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.yaml.manifest import Manifest, ManifestFile
from pytest_crd.wording import escape

if TYPE_CHECKING:
    from pytest_crd.server.builtin.builtinclient import BuiltInClient  # large imports

_GROUP_END: Final = ".k8s.io"
_NO_KIND: Final = "no kind"

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


def describe_unbuilt(applier: Manifest, words: str) -> str:
    """Return a line about a Kustomization of Flux and the reason why its folder is not judged."""
    return f"{applier.where}: {applier.title}: its folder is not judged: {escape(words)}"


def has_kind(item: Manifest, kinds: Collection[str]) -> bool:
    """Return whether *kinds* has the kind of an object, in lower case, alone or with its group: `helmrelease.helm.toolkit.fluxcd.io`."""
    kind, group = item.kind.casefold(), item.api_version.rpartition("/")[0].casefold()
    return kind in kinds or f"{kind}.{group}" in kinds


def count_placeholders(value: JSONValue) -> int:
    """Return the number of values in an object that are not in its file: encrypted ones, variables and placeholders."""
    if isinstance(value, str):
        return int(bool(samples.find_placeholder(value)))
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return sum(map(count_placeholders, items))


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
