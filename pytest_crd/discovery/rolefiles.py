"""
The roles and bindings of a project: files, folders, kustomizations and commands that print manifests.

A folder with a kustomization stands for the files that the kustomization lists. Fields that change roles, such as `namePrefix`, are not
applied: the output of a command has their effect.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from pytest_crd.discovery import commands, kustomizations
from pytest_crd.engine.inputerror import CrdError, ManifestError, Mistake
from pytest_crd.engine.yaml import manifest, yamlreader
from pytest_crd.engine.yaml.manifest import Manifest

SETTING: Final = "crd_server_rbac"
COMMANDS_SETTING: Final = "crd_server_rbac_commands"
KINDS: Final = frozenset({"Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"})
API_VERSION: Final = "rbac.authorization.k8s.io/v1"
_GROUP: Final = "rbac.authorization.k8s.io"
_LISTS: Final = ("resources", "bases")
# Fields of kustomizations that leave roles as they are.
_HARMLESS: Final = frozenset(
    {
        *("apiVersion", "kind", "metadata", "images", "configMapGenerator", "secretGenerator", "generatorOptions"),
        *("commonAnnotations", "configurations", "sortOptions", *_LISTS),
    }
)
_TEMPLATE: Final = "is a template with a role: write its output into a file, or the command into " + COMMANDS_SETTING


def read(patterns: Sequence[str], command_lines: Sequence[str], *, base: Path, folder: Path) -> list[Manifest]:
    """
    Return the roles and bindings of files and commands, and the Namespaces beside them.

    Args:
        patterns: Files, folders, folders with a kustomization, and globs; `!pattern` excludes files.
        command_lines: Commands that print manifests.
        base: The folder of relative patterns.
        folder: The working folder of commands.

    Raises:
        ManifestError: A pattern matches nothing, a file cannot be read, or a named file or command has no role or binding.
        CrdError: A command fails.
    """
    objects: list[Manifest] = []
    mistakes: list[Mistake] = []
    for name, content, is_named in (*_files(patterns, base), *_outputs(command_lines, folder)):
        try:
            new = _roles(content, name)
        except ManifestError as error:
            mistakes += error.mistakes
            continue
        objects += new
        if is_named and not any(item.kind in KINDS for item in new):
            mistakes.append(Mistake(name, 0, "has no Role, ClusterRole, RoleBinding or ClusterRoleBinding"))
    if not mistakes and not any(item.kind in KINDS for item in objects):
        places = ", ".join((*patterns, *command_lines))
        mistakes.append(
            Mistake(places, 0, "no Role, ClusterRole, RoleBinding or ClusterRoleBinding is in these places")
        )
    if mistakes:
        raise ManifestError(mistakes)
    return objects


def _files(patterns: Sequence[str], base: Path) -> Iterator[tuple[str, bytes, bool]]:
    """Yield the name and content of each file, and whether the user named it."""
    expanded = [path for pattern in patterns for path in _expand(pattern, base)]
    for file in manifest.files(expanded, base=base) if expanded else ():
        if file.path.name not in kustomizations.NAMES:
            yield file.name, file.read(), file.named and file.name in patterns


def _outputs(command_lines: Sequence[str], folder: Path) -> Iterator[tuple[str, bytes, bool]]:
    for command in command_lines:
        try:
            yield f"`{command}`", commands.run(command, folder=folder), True
        except CrdError as error:
            mistakes = [item.message for item in error.mistakes]
            raise CrdError([Mistake(f"{COMMANDS_SETTING}: `{command}`", 0, text) for text in mistakes]) from None


def _expand(pattern: str, base: Path) -> Iterator[str]:
    """Yield the files of the kustomization in a folder, else the pattern itself."""
    folder = base / pattern
    names = [name for name in kustomizations.NAMES if (folder / name).is_file()]
    if not names:
        yield pattern
        return
    path = folder / names[0]
    file_name = manifest.name_of(path, base)
    for document in yamlreader.read(path.read_bytes(), source=file_name):
        value: Any = document.value if isinstance(document.value, dict) else {}
        for key in value:
            if key not in _HARMLESS:
                command = f"kubectl kustomize {pattern}"
                message = f"`{key}` may change roles: write {COMMANDS_SETTING} = {command}, or name the files"
                raise ManifestError([Mistake(file_name, document.line_of([key], key=True), message)])
        for entry in (entry for key in _LISTS for entry in value.get(key) or ()):
            yield from _expand(os.path.normpath(os.path.join(pattern, str(entry))), base)  # noqa: PTH118 - `..` without links


def _roles(content: bytes, name: str) -> list[Manifest]:
    """
    Return the roles, bindings and Namespaces in a file.

    Raises:
        ManifestError: The file cannot be read, is a template with a role, or has a role of another API version.
    """
    if not manifest.may_mention(content, _GROUP):
        return []
    try:
        objects = manifest.read(content, source=name)
    except ManifestError:
        if manifest.is_template(content):
            raise ManifestError([Mistake(name, 0, _TEMPLATE)]) from None
        raise
    old = [item for item in objects if item.kind in KINDS and item.api_version.startswith(_GROUP)]
    mistakes = [
        Mistake(name, item.line_of("apiVersion"), f"{item.api_version} is not served: write {API_VERSION}")
        for item in old
        if item.api_version != API_VERSION
    ]
    if mistakes:
        raise ManifestError(mistakes)
    return [*old, *(item for item in objects if (item.kind, item.api_version) == ("Namespace", "v1"))]
