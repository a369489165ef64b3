"""What the user can set: ini settings and command line options, read into one frozen Settings."""

from __future__ import annotations

import glob
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

import pytest

if TYPE_CHECKING:
    from pytest_crd.cases.catalog import Catalog
    from pytest_crd.sources import Sources

CASE_FILES: Final = ("test_*.crd.yaml", "test_*.crd.yml")


@dataclass(frozen=True, slots=True)
class Setting:
    """
    One setting.

    Attributes:
        ini: Its name in the ini file.
        flag: Its name on the command line; empty where it has none.
        ini_type: How pytest reads it from the ini file: `args` is a list of words, `linelist` one of lines, `string` one text.
        help: One sentence, for `--help` and for the README.
        replaces: What the option replaces of the ini file, in words; empty where there is no option.
    """

    ini: str
    flag: str
    ini_type: Literal["args", "linelist", "string"]
    help: str
    replaces: str = ""


SETTINGS: Final = (
    Setting(
        "crd_paths",
        "--crd-path",
        "args",
        "Files, folders and globs with CustomResourceDefinitions, and `!pattern` for what is left out; unset: the conventional"
        " places, else wherever in the project they are.",
        replaces="crd_paths and crd_commands",
    ),
    Setting(
        "crd_commands",
        "",
        "linelist",
        "Commands whose output is read as manifests, one a line, run without a shell in the folder of the ini file.",
    ),
    Setting(
        "crd_stored",
        "",
        "args",
        "Names of CRDs that are taken for stored though today's server refuses them.",
    ),
    Setting(
        "crd_case_files",
        "",
        "args",
        f"Name patterns of case files to collect; unset: {' '.join(CASE_FILES)}.",
    ),
    Setting(
        "crd_kubernetes_version",
        "--crd-kubernetes-version",
        "string",
        "The Kubernetes versions whose behaviour and words the answers have: with several, every test runs once for each;"
        " unset: the newest known.",
        replaces="crd_kubernetes_version",
    ),
)


@dataclass(frozen=True, slots=True)
class Settings:
    """
    What is set, wherever it was set.

    Attributes:
        crd_paths: Files, folders and globs, and `!pattern`; empty where nothing is set.
        said_by: What names them: the name of the setting, or of the option.
        base: What relative paths among them, and the conventional places, are relative to.
        stored: Names of CRDs that are taken for stored, whatever today's server says of them.
        crd_commands: Commands that print manifests.
        folder: Where they are run.
        case_files: Name patterns of case files.
        kubernetes_versions: As the user wrote them; empty where nothing is set.
    """

    crd_paths: tuple[str, ...]
    said_by: str
    base: Path
    stored: frozenset[str]
    crd_commands: tuple[str, ...]
    folder: Path
    case_files: tuple[str, ...]
    kubernetes_versions: tuple[str, ...]


class Header(NamedTuple):
    """What a session says of itself: whether CRDs were loaded, and the words; it travels between processes."""

    is_loaded: bool
    text: str


_KEY: Final = pytest.StashKey[Settings]()
_IS_TOLD: Final = pytest.StashKey[bool]()
_HEARD: Final = pytest.StashKey[Header]()
_SOURCES: Final = pytest.StashKey["Sources"]()
_CATALOGS: Final = pytest.StashKey["tuple[Catalog, ...]"]()


def add(parser: pytest.Parser) -> None:
    """Declare the settings."""
    group = parser.getgroup("crd", "Kubernetes CustomResourceDefinitions")
    for setting in SETTINGS:
        parser.addini(setting.ini, setting.help, type=setting.ini_type, default=None)
        if setting.flag:
            replaces = f"{setting.help} May be given several times. Replaces {setting.replaces}."
            group.addoption(setting.flag, action="append", dest=setting.ini, metavar="VALUE", help=replaces)


def are_declared(config: pytest.Config) -> bool:
    """Return whether there are settings; there are none where the plugin is switched off but its module is loaded."""
    return hasattr(config.option, SETTINGS[0].ini)


def of(config: pytest.Config) -> Settings:
    """Return the settings of a session, as `check` has found them."""
    return config.stash[_KEY]


def check(config: pytest.Config) -> None:
    """
    Read the settings.

    Raises:
        UsageError: A path that names nothing, a command that cannot be one, or a Kubernetes version that nobody recorded.
    """
    config.stash[_KEY] = settings = _read(config)
    for path in settings.crd_paths:
        wanted = path.removeprefix("!")
        # Not Path.glob, which takes no absolute pattern.
        found = (settings.base / wanted).exists() or any(glob.iglob(wanted, root_dir=settings.base, recursive=True))  # noqa: PTH207
        if not wanted or not found:
            raise pytest.UsageError(f"{settings.said_by}: {path!r} matches nothing in {settings.base}")
    if settings.crd_commands:
        from pytest_crd import commands  # noqa: PLC0415 - a session that sets nothing loads nothing

        for problem in filter(None, map(commands.problem_of, settings.crd_commands)):
            raise pytest.UsageError(f"crd_commands: {problem}")
    if settings.kubernetes_versions:
        kubernetes_versions(config)


def _read(config: pytest.Config) -> Settings:
    of_project = config.inipath.parent if config.inipath else config.rootpath
    named: Sequence[str] | None = config.getoption("crd_paths")
    versions = config.getoption("crd_kubernetes_version") or [config.getini("crd_kubernetes_version") or ""]
    return Settings(
        crd_paths=tuple(named or config.getini("crd_paths") or ()),
        said_by="--crd-path" if named else "crd_paths",
        base=config.invocation_params.dir if named else of_project,
        stored=frozenset(config.getini("crd_stored") or ()),
        crd_commands=() if named else tuple(config.getini("crd_commands") or ()),
        folder=of_project,
        case_files=tuple(config.getini("crd_case_files") or CASE_FILES),
        kubernetes_versions=tuple(version for words in versions for version in words.split()),
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
        raise pytest.UsageError(f"crd_kubernetes_version: {error}") from None
    return tuple(dict.fromkeys(named))


def sources(config: pytest.Config) -> Sources:
    """Return where the CRDs of a session come from; nothing is read before somebody asks for one."""
    from pytest_crd.sources import Sources  # noqa: PLC0415 - a session without CRDs loads nothing

    if _SOURCES not in config.stash:
        settings = of(config)
        config.stash[_SOURCES] = Sources(settings.base, settings.crd_paths, settings.crd_commands, settings.folder)
    return config.stash[_SOURCES]


def catalogs(config: pytest.Config) -> tuple[Catalog, ...]:
    """Return the CRDs of a session, once for each of its Kubernetes versions; nothing is read before somebody asks for one."""
    from pytest_crd.cases.catalog import Catalog  # noqa: PLC0415 - a session without CRDs loads nothing

    if _CATALOGS not in config.stash:
        versions, stored = kubernetes_versions(config), of(config).stored
        config.stash[_CATALOGS] = tuple(Catalog(sources(config), version, stored) for version in versions)
    return config.stash[_CATALOGS]


def shown(path: Path) -> str:
    """Return *path* as a terminal in the current folder would name it."""
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)


def header(config: pytest.Config) -> Header:
    """Return what is loaded, and from where; without words where the session has nothing to do with CRDs."""
    loaded = config.stash.get(_SOURCES, None)
    quiet = config.get_verbosity() < 0
    if loaded is None or not loaded.is_read:
        settings = None if quiet or not are_declared(config) else of(config)
        named = (*settings.crd_paths, *settings.crd_commands) if settings else ()
        text = f"crd: no CRD was asked for yet, none is loaded ({' '.join(named)})" if named else ""
        return Header(is_loaded=False, text=text)
    versions = kubernetes_versions(config)
    line = f"crd: {_counted(loaded, versions)} from {loaded.places}; Kubernetes {', '.join(versions)}"
    notes = dict.fromkeys(note for version in versions for note in loaded.crds(version).notes)
    # What is passed over is said even to who wants to hear little.
    return Header(is_loaded=True, text="\n".join([*([] if quiet else [line]), *(f"crd: {note}" for note in notes)]))


def _counted(loaded: Sources, kubernetes_versions: Sequence[str]) -> str:
    """Return how many CRDs and versions there are, under any of the Kubernetes versions."""
    found = {crd.source: crd for version in kubernetes_versions for crd in loaded.crds(version)}
    versions = sum(len(crd.versions) for crd in found.values())
    return f"{len(found)} CRD{'' if len(found) == 1 else 's'}, {versions} version{'' if versions == 1 else 's'}"


def tell(config: pytest.Config) -> str:
    """Return the words of the header, which are about what tests that are collected have asked for."""
    said = header(config)
    config.stash[_IS_TOLD] = said.is_loaded
    return said.text


def hear(config: pytest.Config, told: Header) -> None:
    """Keep what a worker of pytest-xdist says is loaded; the one that has loaded something knows best."""
    config.stash[_HEARD] = max(config.stash.get(_HEARD, told), told)


def heard(config: pytest.Config) -> str:
    """Return what the workers of pytest-xdist have loaded, in words, or what was loaded after the header was printed."""
    if _HEARD in config.stash:
        return config.stash[_HEARD].text
    loaded = header(config) if _SOURCES in config.stash and not config.stash.get(_IS_TOLD, False) else None
    return loaded.text if loaded and loaded.is_loaded else ""
