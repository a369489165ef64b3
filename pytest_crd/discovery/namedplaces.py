"""
Manifests of a project in named places: files, folders, kustomizations, and commands that print manifests.

A folder with a kustomization stands for the files that the kustomization lists. Fields that change objects, such as `namePrefix`, are not
applied: the output of a command has their effect.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from pytest_crd.discovery import commands, kustomizeroots
from pytest_crd.discovery.filetrees import FolderTree
from pytest_crd.engine.inputerror import CrdError, ManifestError, Mistake
from pytest_crd.engine.yaml import manifest, yamlreader

_LISTS: Final = ("resources", "bases")
# Fields of kustomizations that leave roles and policies as they are.
_HARMLESS: Final = frozenset(
    {
        *("apiVersion", "kind", "metadata", "images", "configMapGenerator", "secretGenerator", "generatorOptions"),
        *("commonAnnotations", "configurations", "sortOptions", *_LISTS),
    }
)


class NamedPlace(NamedTuple):
    """
    A file, or the output of a command.

    Attributes:
        name: The name of the file, or the command in backquotes.
        content: The content.
        is_named: Whether the user named it, rather than its folder or a pattern.
    """

    name: str
    content: bytes
    is_named: bool


class PlaceSettings(NamedTuple):
    """
    Words for messages about places.

    Attributes:
        commands: The name of the setting of commands.
        objects: The objects in the places, such as `roles`.
    """

    commands: str
    objects: str


def read(
    patterns: Sequence[str], command_lines: Sequence[str], settings: PlaceSettings, *, base: Path, folder: Path
) -> Iterator[NamedPlace]:
    """
    Yield the files and the outputs.

    Args:
        patterns: Files, folders, folders with a kustomization, and globs; `!pattern` excludes files.
        command_lines: Commands that print manifests.
        settings: Words for messages.
        base: The folder of relative patterns.
        folder: The working folder of commands.

    Raises:
        ManifestError: A pattern matches nothing, or a kustomization changes objects.
        CrdError: A command fails.
    """
    tree = FolderTree(base)
    expanded = [path for pattern in patterns for path in _expand(pattern, tree, settings)]
    for file in manifest.files(expanded, base=base) if expanded else ():
        if file.path.name not in kustomizeroots.NAMES:
            yield NamedPlace(file.name, file.read(), file.named and file.name in patterns)
    for command in command_lines:
        try:
            yield NamedPlace(f"`{command}`", commands.run(command, folder=folder), is_named=True)
        except CrdError as error:
            mistakes = [item.message for item in error.mistakes]
            raise CrdError([Mistake(f"{settings.commands}: `{command}`", 0, text) for text in mistakes]) from None


def _expand(pattern: str, tree: FolderTree, settings: PlaceSettings) -> Iterator[str]:
    """Yield the files of the kustomization in a folder, else the pattern itself."""
    names = [name for name in kustomizeroots.NAMES if (tree.folder / pattern / name).is_file()]
    if not names:
        yield pattern
        return
    name = posixpath.join(pattern, names[0])
    file_name = manifest.name_of(tree.folder / name, tree.folder)
    if link := kustomizeroots.find_link(name, tree, shown=file_name):
        raise ManifestError([link])
    for document in yamlreader.read(tree.read([name])[name], source=file_name):
        if problem := kustomizeroots.find_problem(name, document, tree):
            raise ManifestError([problem])
        value: Any = document.value if isinstance(document.value, dict) else {}
        for key in value:
            if key not in _HARMLESS:
                command = f"kubectl kustomize {pattern}"
                message = (
                    f"`{key}` may change {settings.objects}: write {settings.commands} = {command}, or name the files"
                )
                raise ManifestError([Mistake(file_name, document.line_of([key], key=True), message)])
        for entry in (entry for key in _LISTS for entry in value.get(key) or ()):
            yield from _expand(posixpath.normpath(posixpath.join(pattern, str(entry))), tree, settings)
