"""Settings of the project: its CRDs, samples and case files, and its Kubernetes versions."""

from __future__ import annotations

import os
from pathlib import Path
from types import ModuleType
from typing import Final

import pytest

from pytest_crd import folders
from pytest_crd.plugin.settings import setting
from pytest_crd.plugin.settings.setting import SettingEntry, define
from pytest_crd.records import NamedTuple


def _names(entry: SettingEntry) -> frozenset[str]:
    return frozenset(entry.value)


def _versions(entry: SettingEntry) -> tuple[str, ...]:
    written = (
        entry.value if isinstance(entry.value, list) else [entry.value]
    )  # a list of options, or a text of the ini file
    return tuple(version for words in written for version in words.split())


PATHS: Final = define("--crd-path", setting.paths)
COMMANDS: Final = define("--crd-command", setting.words)
STORED: Final = define("--crd-stored", _names, default=())
CASE_FILE_PATTERNS: Final = define("--crd-case-file", setting.words, default=folders.CASE_FILES)
KUBERNETES_VERSION: Final = define("--crd-kubernetes-version", _versions, default="")
SAMPLES: Final = define("--crd-sample", setting.paths)
PYTHON: Final = define("--crd-python", setting.switch)
SETTINGS: Final = (PATHS, COMMANDS, STORED, CASE_FILE_PATTERNS, KUBERNETES_VERSION, SAMPLES, PYTHON)


class ProjectSettings(NamedTuple):
    """
    Values of the settings of the project, from the command line or the ini file.

    Attributes:
        crd_paths: Files, folders and globs, and `!pattern`; empty if unset.
        source: The name of the setting or option with these paths.
        base: The folder to which `crd_paths` and the conventional places of CRDs are relative.
        stored: Names of CRDs that count as stored even if the server would refuse them today.
        crd_commands: Commands that print manifests.
        folder: The working folder of the commands.
        case_files: Name patterns of case files.
        kubernetes_versions: As the user wrote them; empty if unset.
        samples: Files, folders and globs, and `!pattern`; empty if unset.
    """

    crd_paths: tuple[str, ...]
    source: str
    base: Path
    stored: frozenset[str]
    crd_commands: tuple[str, ...]
    folder: Path
    case_files: tuple[str, ...]
    kubernetes_versions: tuple[str, ...]
    samples: tuple[str, ...]


_KEY: Final[pytest.StashKey[ProjectSettings]] = pytest.StashKey()


def get_settings(config: pytest.Config) -> ProjectSettings:
    """Return the settings that `read` has stored."""
    return config.stash[_KEY]


def read(config: pytest.Config) -> ProjectSettings:
    """
    Return the settings of the project, and store them for `get_settings`.

    Raises:
        UsageError: A path matches nothing, a command is malformed, or a Kubernetes version is unknown.
    """
    paths, commands_entry = PATHS.find_entry(config), COMMANDS.find_entry(config)
    replaced = paths.source == PATHS.option and commands_entry.source != COMMANDS.option
    config.stash[_KEY] = settings = ProjectSettings(
        crd_paths=PATHS.read(paths),
        source=paths.source,
        base=paths.base,
        stored=STORED.read_value(config),
        crd_commands=() if replaced else COMMANDS.read(commands_entry),
        folder=setting.folder(config),
        case_files=CASE_FILE_PATTERNS.read_value(config),
        kubernetes_versions=KUBERNETES_VERSION.read_value(config),
        samples=_samples(config),
    )
    for path in settings.crd_paths:
        pattern = path.removeprefix("!")
        has_match = (settings.base / pattern).exists() or folders.glob_paths(pattern, settings.base)
        if not pattern or not has_match:
            raise paths.error(f"{path!r} matches nothing in {settings.base}")
    if settings.crd_commands:
        from pytest_crd.discovery import commands  # noqa: PLC0415 - a session that sets nothing loads nothing

        for problem in filter(None, map(commands.problem_of, settings.crd_commands)):
            raise commands_entry.error(problem)
    if settings.kubernetes_versions:
        kubernetes_versions(config)
    return settings


def _samples(config: pytest.Config) -> tuple[str, ...]:
    """Return the paths of samples, relative to the folder of the project."""
    entry, folder = SAMPLES.find_entry(config), setting.folder(config)
    if entry.base == folder:
        return SAMPLES.read(entry)
    from pytest_crd.discovery.samplepaths import AUTO  # noqa: PLC0415 - a session that sets nothing loads nothing

    signs = ((path, "!" if path.startswith("!") else "") for path in SAMPLES.read(entry))
    return tuple(
        path if path == AUTO else sign + Path(os.path.relpath(entry.base / path.removeprefix("!"), folder)).as_posix()
        for path, sign in signs
    )


def describe_versions(config: pytest.Config) -> str:
    """Return the Kubernetes versions of the session, for people."""
    return ", ".join(map(_profiles().describe, kubernetes_versions(config)))


def _profiles() -> ModuleType:
    from pytest_crd.engine import profile  # noqa: PLC0415 - a session that sets nothing loads nothing

    return profile


def kubernetes_versions(config: pytest.Config) -> tuple[str, ...]:
    """
    Return the Kubernetes versions of a session without duplicates; the newest one but previews if none is set.

    Raises:
        UsageError: A version is unknown.
    """
    profile = _profiles()
    try:
        versions = [
            profile.named(name).version for name in get_settings(config).kubernetes_versions or (profile.DEFAULT,)
        ]
    except profile.UnknownVersionError as error:
        raise pytest.UsageError(f"{KUBERNETES_VERSION.ini}: {error}") from None
    return tuple(dict.fromkeys(versions))
