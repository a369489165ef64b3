"""Objects of folders as GitOps tools apply them: kustomizations are built, and the files that they use are not judged alone."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_crd.discovery.filetrees import FolderTree
from pytest_crd.discovery.kustomizebuilds import KustomizationBuilds, KustomizationFile
from pytest_crd.discovery.kustomizemerges import PatchedType
from pytest_crd.discovery.kustomizeroots import NAMES
from pytest_crd.engine import ManifestError, Mistake, profile
from pytest_crd.engine.yaml.manifest import Manifest

if TYPE_CHECKING:
    from pytest_crd.cli.builtinobjects import BuiltInObjects  # large imports


@dataclass(slots=True)
class BuiltFolders:
    """
    The kustomizations of folders.

    Attributes:
        objects: Their objects, by the shown folder of each kustomization that no other includes.
        files: The paths of the files that kustomizations use, with links resolved.
        mistakes: Reasons why kustomizations cannot be built.
    """

    objects: dict[str, list[Manifest]] = field(default_factory=dict)
    files: set[str] = field(default_factory=set)
    mistakes: list[Mistake] = field(default_factory=list)


def build(names: Sequence[str]) -> BuiltFolders:
    """Return the objects of the kustomizations in and below the folders among *names*."""
    tree = FolderTree(Path.cwd(), names)
    builds = KustomizationBuilds(tree, find_type)
    built = BuiltFolders()
    kustomizations: dict[str, KustomizationFile] = {}
    for folder in dict.fromkeys(folder for name in names if Path(name).is_dir() for folder in _folders(name)):
        try:
            kustomization = builds.find(folder)
        except ManifestError as error:
            built.mistakes += error.mistakes
            built.files.add(tree.resolve(error.mistakes[0].source))
            continue
        if kustomization is not None:
            kustomizations[tree.resolve(folder)] = kustomization
            built.files.update(map(tree.resolve, kustomization.files))
    for folder in _outermost(kustomizations, tree):
        try:
            built.objects[kustomizations[folder].folder or "."] = builds.build(kustomizations[folder])
        except ManifestError as error:
            built.mistakes += [mistake for mistake in error.mistakes if mistake not in built.mistakes]
    return built


def _folders(name: str) -> Iterator[str]:
    """Yield the folders with a kustomization in and below a folder, sorted, without hidden ones."""
    for folder, inner, files in os.walk(name):
        inner[:] = sorted(entry for entry in inner if not entry.startswith("."))
        if not {*NAMES}.isdisjoint(files):
            yield os.path.normpath(folder).replace(os.sep, "/")


def _outermost(kustomizations: Mapping[str, KustomizationFile], tree: FolderTree) -> list[str]:
    """Return the folders of the kustomizations that no other includes, and of one in each cycle."""
    included = {folder: [*map(tree.resolve, file.included)] for folder, file in kustomizations.items()}
    inner = {folder for folders in included.values() for folder in folders}
    chosen = [folder for folder, file in kustomizations.items() if folder not in inner and not file.is_component]
    reached: set[str] = set()
    waiting = [*chosen]
    for folder in kustomizations:
        while waiting:
            next_folder = waiting.pop()
            if next_folder not in reached:
                reached.add(next_folder)
                waiting += included.get(next_folder, ())
        if folder not in reached:
            chosen.append(folder)
            waiting.append(folder)
    return chosen


def built_in_objects(kubernetes_version: str) -> BuiltInObjects:
    """Return the built-in kinds of a Kubernetes version."""
    from pytest_crd.cli import builtinobjects  # noqa: PLC0415 - large imports, for built-in kinds only

    return builtinobjects.of_version(kubernetes_version)


@functools.cache
def find_type(api_version: str, kind: str) -> PatchedType | None:
    """Return the type of a built-in kind for patches; None for other kinds."""
    return built_in_objects(profile.DEFAULT).find_type(api_version, kind)
