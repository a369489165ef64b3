"""
Folders that Flux applies: the paths of Kustomizations of `kustomize.toolkit.fluxcd.io`, relative to the repository.

Reference:
    fluxcd/kustomize-controller api/v1/kustomization_types.go.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from pytest_crd import boundary
from pytest_crd.engine import Mistake
from pytest_crd.engine.yaml import manifest
from pytest_crd.engine.yaml.manifest import Manifest

_GROUP: Final = "kustomize.toolkit.fluxcd.io/"
_REPOSITORY: Final = "GitRepository"
# Fields that change the objects of the folder, and so may change their verdicts. `targetNamespace` changes none: no rule reads a namespace.
_CHANGES: Final = (
    *("patches", "patchesStrategicMerge", "patchesJson6902", "components"),
    *("namePrefix", "nameSuffix", "commonMetadata", "images"),
)


def find_folders(items: Sequence[Manifest], known: Sequence[str]) -> list[str]:
    """
    Return the folders of this repository that Flux applies, without the known ones.

    Args:
        items: Objects, among them Kustomizations of Flux.
        known: Real paths of known files and folders.
    """
    root, here = boundary.find_project(Path.cwd()), Path.cwd()
    folders: dict[str, None] = {}
    for _, spec in _kustomizations(items):
        source = spec.get("sourceRef")
        if not isinstance(source, dict) or source.get("kind") != _REPOSITORY:
            continue
        real = os.path.realpath(os.path.join(root, str(spec.get("path") or ".").lstrip("/")))  # noqa: PTH118 - a text
        is_new = not any(boundary.contains(folder, real) for folder in (*known, *folders))
        if is_new and boundary.contains(root, real) and next(manifest.below(Path(real)), None) is not None:
            folders[real] = None
    return [os.path.relpath(folder, here) for folder in folders]


def find_changes(items: Sequence[Manifest]) -> Iterator[Mistake]:
    """Yield a mistake for each field of a Kustomization of Flux that changes the objects of its folder."""
    for item, spec in _kustomizations(items):
        for key in _CHANGES:
            if spec.get(key):
                command = f"flux build kustomization {item.title.partition('/')[2]} … | pytest-crd validate -"
                words = f"{item.title}: `spec.{key}` is not applied here: write {command}"
                yield Mistake(item.source, item.key_line_of("spec", key), words)


def _kustomizations(items: Sequence[Manifest]) -> Iterator[tuple[Manifest, dict[str, Any]]]:
    """Yield the Kustomizations of Flux with their specs."""
    for item in items:
        if item.kind == "Kustomization" and item.api_version.startswith(_GROUP):
            spec: Any = item.value.get("spec")
            if isinstance(spec, dict):
                yield item, spec
