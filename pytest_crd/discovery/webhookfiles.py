"""
The webhook configurations of a project: the files of a setting, else `config/webhook`, else the whole project without test data.

Kustomizations are not applied to them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from pytest_crd.boundary import ProjectBoundary
from pytest_crd.discovery import projectfiles
from pytest_crd.engine.inputerror import ManifestError, Mistake
from pytest_crd.engine.yaml import manifest
from pytest_crd.engine.yaml.manifest import Manifest, ManifestFile
from pytest_crd.folders import RealPaths

SETTING: Final = "crd_webhook_configurations"
KINDS: Final = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
# The convention of kubebuilder and Operator SDK.
CONVENTIONAL_PATH: Final = "config/webhook"
_GROUP: Final = "admissionregistration.k8s.io/"
_WORD: Final = "WebhookConfiguration"
_TEMPLATE: Final = (
    "is a template with a webhook configuration: write its output into a file, and the file into " + SETTING
)
_NOTHING: Final = f"no {' or '.join(KINDS)} in it"


def read_named(patterns: Sequence[str], *, base: Path) -> list[Manifest]:
    """
    Return the configurations in files.

    Args:
        patterns: Files, folders and globs; `!pattern` excludes files.
        base: The folder of relative patterns.

    Raises:
        ManifestError: A pattern matches nothing, or a file cannot be read or has no configuration though it is named.
    """
    configurations: list[Manifest] = []
    mistakes: list[Mistake] = []
    for file in manifest.files(patterns, base=base):
        try:
            objects = [*_configurations(file)]
        except ManifestError as error:
            mistakes += error.mistakes
            continue
        configurations += objects
        if file.named and not objects:
            mistakes.append(Mistake(file.name, 0, _NOTHING))
    if mistakes:
        raise ManifestError(mistakes)
    return configurations


def find(base: Path, list_files: Callable[[Path], Iterable[Path]] = projectfiles.files) -> list[Manifest]:
    """
    Return the configurations of a project without settings; empty if it has no configuration.

    Objects without `webhooks`, such as patches of kustomizations, are passed over. Equal objects count once.

    Args:
        base: The folder of the project.
        list_files: Returns the files of the project below a folder.

    Raises:
        ManifestError: A file with configurations cannot be read.
    """
    folder = base / CONVENTIONAL_PATH
    usual = _read_files(manifest.below(folder), base) if folder.is_dir() else []
    return usual or _read_files((path for path in list_files(base) if not projectfiles.is_for_tests(path, base)), base)


def _read_files(paths: Iterable[Path], base: Path) -> list[Manifest]:
    configurations: list[Manifest] = []
    mistakes: list[Mistake] = []
    real, limits = RealPaths(), ProjectBoundary(base)
    for path in paths:
        is_outside = not limits.holds(real.resolve(path))
        file = ManifestFile(path, manifest.name_of(path, base), named=False, is_outside=is_outside)
        try:
            for item in _configurations(file):
                is_new = all(item.value != before.value for before in configurations)
                if is_new and isinstance(item.value, dict) and item.value.get("webhooks"):
                    configurations.append(item)
        except ManifestError as error:
            mistakes += error.mistakes
    if mistakes:
        raise ManifestError(mistakes)
    return configurations


def _configurations(file: ManifestFile) -> Iterator[Manifest]:
    """
    Yield the configurations in a file.

    Raises:
        ManifestError: The file mentions a configuration and cannot be read.
    """
    content = file.read()
    if not manifest.may_mention(content, _WORD):
        return
    try:
        objects = manifest.read(content, source=file.name)
    except ManifestError:
        if manifest.is_template(content):
            raise ManifestError([Mistake(file.name, 0, _TEMPLATE)]) from None
        raise
    yield from (item for item in objects if item.kind in KINDS and item.api_version.startswith(_GROUP))
