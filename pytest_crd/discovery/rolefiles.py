"""The roles and bindings of a project: files, folders, kustomizations and commands that print manifests."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from pytest_crd.discovery import namedplaces
from pytest_crd.discovery.namedplaces import PlaceSettings
from pytest_crd.engine.inputerror import ManifestError, Mistake
from pytest_crd.engine.yaml import manifest
from pytest_crd.engine.yaml.manifest import Manifest

SETTING: Final = "crd_server_rbac"
COMMANDS_SETTING: Final = "crd_server_rbac_commands"
KINDS: Final = frozenset({"Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"})
API_VERSION: Final = "rbac.authorization.k8s.io/v1"
_GROUP: Final = "rbac.authorization.k8s.io"
_WORDS: Final = PlaceSettings(COMMANDS_SETTING, "roles")
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
    for name, content, is_named in namedplaces.read(patterns, command_lines, _WORDS, base=base, folder=folder):
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
