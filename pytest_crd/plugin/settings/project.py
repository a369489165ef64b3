"""What is set about the project: where its CRDs, samples and case files are, and the Kubernetes versions that it is for."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from pytest_crd import folders
from pytest_crd.plugin.settings import setting
from pytest_crd.plugin.settings.setting import Given, Setting, SettingKind


def _names(given: Given) -> frozenset[str]:
    return frozenset(given.value)


def _versions(given: Given) -> tuple[str, ...]:
    written = given.value if isinstance(given.value, list) else [given.value]  # of several options, or of the ini file
    return tuple(version for words in written for version in words.split())


PATHS: Final = Setting(
    SettingKind.WORDS,
    "Files, folders and globs with CustomResourceDefinitions, and `!pattern` for what is left out; unset: the conventional"
    " places, else wherever in the project they are.",
    setting.paths,
    ini="crd_paths",
    option="--crd-path",
    replaces="crd_paths, crd_commands and pytest_crd_manifests",
)
COMMANDS: Final = Setting(
    SettingKind.LINES,
    "Commands whose output is read as manifests, one a line, run without a shell in the folder of the ini file.",
    setting.words,
    ini="crd_commands",
    option="--crd-command",
    replaces="crd_commands",
    placeholder="COMMAND",
)
STORED: Final = Setting(
    SettingKind.WORDS,
    "Names of CRDs that are taken for stored though today's server refuses them.",
    _names,
    ini="crd_stored",
    option="--crd-stored",
    default=(),
    replaces="crd_stored",
    placeholder="NAME",
)
CASE_FILE_PATTERNS: Final = Setting(
    SettingKind.WORDS,
    f"Name patterns of case files to collect; unset: {' '.join(folders.CASE_FILES)}.",
    setting.words,
    ini="crd_case_files",
    option="--crd-case-file",
    default=folders.CASE_FILES,
    replaces="crd_case_files",
    placeholder="PATTERN",
)
KUBERNETES_VERSION: Final = Setting(
    SettingKind.TEXT,
    "The Kubernetes versions whose behaviour and words the answers have: with several, every test runs once for each;"
    " unset: the newest known.",
    _versions,
    ini="crd_kubernetes_version",
    option="--crd-kubernetes-version",
    default="",
    replaces="crd_kubernetes_version",
)
SAMPLES: Final = Setting(
    SettingKind.WORDS,
    "Files, folders and globs with custom resources that the server must take as they are, and that upgrades are judged by,"
    " `!pattern` for what is left out, and `auto` for all of the project but test data; unset: `config/samples`, `examples`"
    " and `samples`.",
    setting.paths,
    ini="crd_samples",
    option="--crd-sample",
    replaces="crd_samples",
    placeholder="PATH",
)
PYTHON: Final = Setting(
    SettingKind.SWITCH,
    "Collect Python files, too, where checks or upgrades are asked for, no path is named and the project has no pytest settings.",
    setting.switch,
    option="--crd-python",
)
SETTINGS: Final = (PATHS, COMMANDS, STORED, CASE_FILE_PATTERNS, KUBERNETES_VERSION, SAMPLES, PYTHON)


class ProjectSettings(NamedTuple):
    """
    What is set about the project, wherever it was set.

    Attributes:
        crd_paths: Files, folders and globs, and `!pattern`; empty where nothing is set.
        said_by: What names them: the name of the setting, or of the option.
        base: What relative paths among them, and the conventional places, are relative to.
        stored: Names of CRDs that are taken for stored, whatever today's server says of them.
        crd_commands: Commands that print manifests.
        folder: Where they are run.
        case_files: Name patterns of case files.
        kubernetes_versions: As the user wrote them; empty where nothing is set.
        samples: Files, folders and globs, and `!pattern`; empty where nothing is set.
    """

    crd_paths: tuple[str, ...]
    said_by: str
    base: Path
    stored: frozenset[str]
    crd_commands: tuple[str, ...]
    folder: Path
    case_files: tuple[str, ...]
    kubernetes_versions: tuple[str, ...]
    samples: tuple[str, ...]


_KEY: Final = pytest.StashKey[ProjectSettings]()


def of(config: pytest.Config) -> ProjectSettings:
    """Return the settings of a session, as `read` has found them."""
    return config.stash[_KEY]


def read(config: pytest.Config) -> ProjectSettings:
    """
    Return what is set, and keep it.

    Raises:
        UsageError: A path that names nothing, a command that cannot be one, or a Kubernetes version that nobody recorded.
    """
    paths, commands_given = PATHS.given(config), COMMANDS.given(config)
    replaced = paths.said_by == PATHS.option and commands_given.said_by != COMMANDS.option
    config.stash[_KEY] = settings = ProjectSettings(
        crd_paths=PATHS.read(paths),
        said_by=paths.said_by,
        base=paths.base,
        stored=STORED.of(config),
        crd_commands=() if replaced else COMMANDS.read(commands_given),
        folder=setting.folder(config),
        case_files=CASE_FILE_PATTERNS.of(config),
        kubernetes_versions=KUBERNETES_VERSION.of(config),
        samples=_samples(config),
    )
    for path in settings.crd_paths:
        wanted = path.removeprefix("!")
        found = (settings.base / wanted).exists() or folders.matching(wanted, settings.base)
        if not wanted or not found:
            raise paths.wrong(f"{path!r} matches nothing in {settings.base}")
    if settings.crd_commands:
        from pytest_crd.discovery import commands  # noqa: PLC0415 - a session that sets nothing loads nothing

        for problem in filter(None, map(commands.problem_of, settings.crd_commands)):
            raise commands_given.wrong(problem)
    if settings.kubernetes_versions:
        kubernetes_versions(config)
    return settings


def _samples(config: pytest.Config) -> tuple[str, ...]:
    """Return where samples are, relative to the folder of the project."""
    given, folder = SAMPLES.given(config), setting.folder(config)
    if given.base == folder:
        return SAMPLES.read(given)
    from pytest_crd.discovery.samplepaths import AUTO  # noqa: PLC0415 - a session that sets nothing loads nothing

    signs = ((path, "!" if path.startswith("!") else "") for path in SAMPLES.read(given))
    return tuple(
        path if path == AUTO else sign + Path(os.path.relpath(given.base / path.removeprefix("!"), folder)).as_posix()
        for path, sign in signs
    )


def kubernetes_versions(config: pytest.Config) -> tuple[str, ...]:
    """
    Return the Kubernetes versions of a session, each once: the newest known where none is set.

    Raises:
        UsageError: One that nobody recorded.
    """
    from pytest_crd.engine import profile  # noqa: PLC0415 - a session that sets nothing loads nothing

    try:
        named = [profile.named(version).version for version in of(config).kubernetes_versions or (profile.DEFAULT,)]
    except profile.UnknownVersionError as error:
        raise pytest.UsageError(f"{KUBERNETES_VERSION.ini}: {error}") from None
    return tuple(dict.fromkeys(named))
