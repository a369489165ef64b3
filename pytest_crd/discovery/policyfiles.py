"""The admission policies of a project, their bindings and params: files, folders, kustomizations and commands that print manifests."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from pytest_crd.discovery import namedplaces
from pytest_crd.discovery.namedplaces import PlaceSettings
from pytest_crd.engine.inputerror import ManifestError, Mistake
from pytest_crd.engine.yaml import manifest
from pytest_crd.engine.yaml.manifest import Manifest

SETTING: Final = "crd_policies"
COMMANDS_SETTING: Final = "crd_policies_commands"
POLICIES: Final = frozenset({"ValidatingAdmissionPolicy", "MutatingAdmissionPolicy"})
_WORDS: Final = PlaceSettings(COMMANDS_SETTING, "policies")
_GROUP: Final = b"admissionregistration.k8s.io"
_TEMPLATE: Final = (
    f"is a template with an admission policy: write its output into a file, or the command into {COMMANDS_SETTING}"
)


def read(patterns: Sequence[str], command_lines: Sequence[str], *, base: Path, folder: Path) -> list[Manifest]:
    """
    Return the objects of files and commands: policies, bindings, and others, which may be params.

    Args:
        patterns: Files, folders, folders with a kustomization, and globs; `!pattern` excludes files.
        command_lines: Commands that print manifests.
        base: The folder of relative patterns.
        folder: The working folder of commands.

    Raises:
        ManifestError: A pattern matches nothing, a file cannot be read, or no place has a policy.
        CrdError: A command fails.
    """
    objects: list[Manifest] = []
    mistakes: list[Mistake] = []
    for name, content, is_named in namedplaces.read(patterns, command_lines, _WORDS, base=base, folder=folder):
        try:
            new = manifest.read(content, source=name)
        except ManifestError as error:
            is_policy = _GROUP in content
            if manifest.is_template(content):
                mistakes += [Mistake(name, 0, _TEMPLATE)] if is_policy or is_named else []
            else:
                mistakes += error.mistakes
            continue
        objects += (item for item in new if isinstance(item.value, dict) and item.kind)
    if not mistakes and not any(item.kind in POLICIES for item in objects):
        places = ", ".join((*patterns, *command_lines))
        mistakes.append(Mistake(places, 0, f"no {' or '.join(sorted(POLICIES))} is in these places"))
    if mistakes:
        raise ManifestError(mistakes)
    return objects
