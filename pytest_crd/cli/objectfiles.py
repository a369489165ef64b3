"""Objects in files and streams, told into those that CRDs claim and all others."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from pytest_crd.checks import samplefiles
from pytest_crd.checks.samplefiles import Claims
from pytest_crd.engine import CustomResourceDefinition, CustomResourceDefinitions, ManifestError, Mistake
from pytest_crd.engine.loading.crdfiles import CrdFiles, FileOrigin
from pytest_crd.engine.yaml import manifest
from pytest_crd.engine.yaml.manifest import Manifest

STREAM: Final = "-"
STREAM_NAME: Final = "stdin"
_OF_TEMPLATE: Final = " (a Helm template: validate what it renders to, helm template … | pytest-crd validate -)"

# Group, kind, namespace and name of an object.
Identity: TypeAlias = "tuple[str, str, str, str]"


class Resource(NamedTuple):
    """
    A custom resource.

    Attributes:
        manifest: The object.
        group: Its API group.
        version: Its API version, `v1`.
        kind: Its kind.
    """

    manifest: Manifest
    group: str
    version: str
    kind: str

    @property
    def title(self) -> str:
        """How it is called: `Backup/nightly`."""
        return self.manifest.title

    @property
    def identity(self) -> Identity:
        """What is the same of the object before and after an update."""
        metadata = self.manifest.value.get("metadata")
        stated = metadata if isinstance(metadata, dict) else {}
        return self.group, self.kind, str(stated.get("namespace") or "default"), str(stated.get("name") or "")


@dataclass(slots=True)
class ReadObjects:
    """
    What files and streams hold.

    Attributes:
        manifests: The objects, in order.
        contents: The texts, by what they are called.
        mistakes: What cannot be read.
    """

    manifests: list[Manifest] = field(default_factory=list)
    contents: dict[str, bytes] = field(default_factory=dict)
    mistakes: list[Mistake] = field(default_factory=list)


@dataclass(slots=True)
class ToldApart:
    """
    Objects, told apart by the CRDs that claim them.

    Attributes:
        resources: The custom resources.
        misspelt: Those that nearly are some, with what is meant.
        others: All others, with kind and API version in words.
    """

    resources: list[Resource] = field(default_factory=list)
    misspelt: list[tuple[Manifest, str]] = field(default_factory=list)
    others: list[tuple[Manifest, str]] = field(default_factory=list)


def read(names: Sequence[str]) -> ReadObjects:
    """
    Return what files, folders and globs hold, and what comes in by standard input where one of them is `-`.

    Raises:
        ManifestError: A name is of nothing.
    """
    found = ReadObjects()
    for name, content in _contents(names, found):
        found.contents[name] = content
        try:
            found.manifests += manifest.read(content, source=name)
        except ManifestError as error:
            hint = _OF_TEMPLATE if manifest.is_template(content) else ""
            found.mistakes += [replace(one, message=f"{one.message}{hint}") for one in error.mistakes]
    return found


def crds_of(contents: Mapping[str, bytes], kubernetes_version: str) -> list[CustomResourceDefinition]:
    """
    Return the CRDs among objects.

    Raises:
        CrdError: One of them is none.
    """
    found = CrdFiles(kubernetes_version)
    for name, content in contents.items():
        found.take(content, source=name, origin=FileOrigin.GIVEN)
    found.raise_mistakes()
    return found.crds


def claims_of(crds: CustomResourceDefinitions) -> Claims:
    """Return CRDs by group and kind of their objects."""
    claims: dict[tuple[str, str], list[CustomResourceDefinition]] = {}
    for crd in crds:
        claims.setdefault((crd.group, crd.kind), []).append(crd)
    return claims


def told_apart(manifests: Sequence[Manifest], claims: Claims) -> ToldApart:
    """Return which of some objects CRDs claim."""
    found = ToldApart()
    for one in manifests:
        api_version, kind = one.api_version, one.kind
        group, _, version = api_version.rpartition("/")
        if (group, kind) in claims:
            found.resources.append(Resource(one, group, version, kind))
        elif meant := samplefiles.suggest_kind(group, kind, claims):
            found.misspelt.append((one, f"no CRD is for kind {kind!r} of {group}; {meant}"))
        else:
            found.others.append((one, f"{kind} of {api_version}" if kind and api_version else "no kind"))
    return found


def _contents(names: Sequence[str], found: ReadObjects) -> Iterator[tuple[str, bytes]]:
    if STREAM in names:
        yield STREAM_NAME, sys.stdin.buffer.read()
    files = [name for name in names if name != STREAM]
    for file in manifest.files(files, base=Path.cwd()) if files else ():
        try:
            yield file.name, file.read()
        except ManifestError as error:
            found.mistakes += error.mistakes
