"""
CRDs and custom resources of real projects, ready to be sent: read from a folder beside the project.

Their rules are left out, and each custom resource is brought together with a CRD of its own project, or else of another.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pytest_crd.engine import inputerror
from pytest_crd.engine.crds import declared
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.yaml import manifest

# A group for each project keeps the CRDs of different projects apart.
_SUFFIX: Final = "corpus.example.com"
_RULES: Final = "x-kubernetes-validations"


@dataclass(frozen=True, slots=True)
class Served:
    """
    A CRD in a group of its own, and the samples of its kind.

    Attributes:
        crd: The manifest.
        samples: The objects, each with one of the CRD's versions in its apiVersion.
    """

    crd: JSONValue
    samples: tuple[JSONValue, ...]


def crds(folder: Path) -> Iterator[JSONValue]:
    """Yield the CRDs below *folder* without their rules, in the order of the files."""
    for _, value in _objects(folder):
        if declared.is_crd(value):
            yield without_rules({key: item for key, item in value.items() if key != "status"})


def served(corpus: Path) -> Iterator[Served]:
    """Yield the CRDs of v1 that have samples."""
    by_kind: dict[tuple[str, str], dict[str, JSONValue]] = {}
    for project, value in _objects(corpus / "crds"):
        if declared.is_crd(value) and value["apiVersion"].endswith("/v1"):
            spec = value["spec"]
            by_kind.setdefault((spec["group"], spec["names"]["kind"]), {}).setdefault(project, value)
    samples_by_crd: dict[int, tuple[JSONValue, list[JSONValue]]] = {}
    for project, sample in _objects(corpus / "samples"):
        group, _, version = str(sample.get("apiVersion")).partition("/")
        candidates = by_kind.get((group, str(sample.get("kind"))), {})
        crd = candidates.get(project) or next(iter(candidates.values()), None)
        if crd and any(declared["name"] == version and declared["served"] for declared in crd["spec"]["versions"]):
            samples_by_crd.setdefault(id(crd), (crd, []))[1].append(sample)
    for number, (crd, samples) in enumerate(samples_by_crd.values()):
        group = f"n{number}.{_SUFFIX}"
        yield Served(moved(crd, group), tuple(_in_group(sample, group) for sample in samples))


def moved(crd: JSONValue, group: str) -> JSONValue:
    """Return *crd* in another *group*, because a server may have its own, without its rules and without a webhook."""
    spec = crd["spec"] | {"group": group, "conversion": {"strategy": "None"}}
    metadata = {"name": f"{spec['names']['plural']}.{group}"}
    return without_rules({"apiVersion": crd["apiVersion"], "kind": crd["kind"], "metadata": metadata, "spec": spec})


def without_rules(value: JSONValue) -> JSONValue:
    """Return a CRD, or a part of one, without the rules of its schemas."""
    if isinstance(value, dict):
        return {key: without_rules(item) for key, item in value.items() if key != _RULES}
    return [without_rules(item) for item in value] if isinstance(value, list) else value


def namespace(sample: JSONValue) -> str:
    """Return the namespace to which a client sends a *sample*."""
    metadata = sample.get("metadata")
    namespace = metadata.get("namespace") if isinstance(metadata, dict) else None
    return namespace if isinstance(namespace, str) and namespace else "default"


def _in_group(sample: JSONValue, group: str) -> JSONValue:
    return sample | {"apiVersion": f"{group}/{sample['apiVersion'].partition('/')[2]}"}


def _objects(folder: Path) -> Iterator[tuple[str, JSONValue]]:
    """Yield the objects in the files below *folder* with the project's name; templates and the like are skipped."""
    for path in sorted(folder.rglob("*")):
        if not path.is_file():
            continue
        project = path.relative_to(folder).parts[0]
        try:
            objects = manifest.read(path.read_bytes(), source=str(path))
        except inputerror.InputError:
            continue
        yield from ((project, item.value) for item in objects if isinstance(item.value, dict))
