"""What the user can set: ini settings and command line options, read into one frozen Settings."""

from __future__ import annotations

import glob
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

import pytest

if TYPE_CHECKING:
    from pytest_crd.cases.catalog import Catalog

CASE_FILES: Final = ("test_*.crd.yaml", "test_*.crd.yml")


@dataclass(frozen=True, slots=True)
class Setting:
    """
    One setting.

    Attributes:
        ini: Its name in the ini file.
        flag: Its name on the command line; empty where it has none.
        ini_type: How pytest reads it from the ini file: `args` is a list of words, `string` one text.
        help: One sentence, for `--help` and for the README.
    """

    ini: str
    flag: str
    ini_type: Literal["args", "string"]
    help: str


SETTINGS: Final = (
    Setting(
        "crd_paths",
        "--crd-path",
        "args",
        "Files, folders and globs with CustomResourceDefinitions; unset: the conventional places that exist.",
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
        "The Kubernetes version whose behaviour and words the answers have; unset: the newest known.",
    ),
)


@dataclass(frozen=True, slots=True)
class Settings:
    """
    What is set, wherever it was set.

    Attributes:
        crd_paths: Files, folders and globs; None where nothing is set.
        base: What relative paths among them, and the conventional places, are relative to.
        stored: Names of CRDs that are taken for stored, whatever today's server says of them.
        case_files: Name patterns of case files.
        kubernetes_version: As the user wrote it; None where nothing is set.
    """

    crd_paths: tuple[str, ...] | None
    base: Path
    stored: frozenset[str]
    case_files: tuple[str, ...]
    kubernetes_version: str | None


class Header(NamedTuple):
    """What a session says of itself: whether CRDs were loaded, and the words; it travels between processes."""

    is_loaded: bool
    text: str


_KEY: Final = pytest.StashKey[Settings]()
_HEARD: Final = pytest.StashKey[Header]()
_CATALOG: Final = pytest.StashKey["Catalog"]()


def add(parser: pytest.Parser) -> None:
    """Declare the settings."""
    group = parser.getgroup("crd", "Kubernetes CustomResourceDefinitions")
    for setting in SETTINGS:
        parser.addini(setting.ini, setting.help, type=setting.ini_type, default=None)
        if setting.flag:
            action = "append" if setting.ini_type == "args" else "store"
            replaces = f"{setting.help} Replaces {setting.ini}."
            group.addoption(setting.flag, action=action, dest=setting.ini, metavar="VALUE", help=replaces)


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
        UsageError: A path that names nothing, or a Kubernetes version that nobody recorded.
    """
    config.stash[_KEY] = settings = _read(config)
    for path in settings.crd_paths or ():
        # Not Path.glob, which takes no absolute pattern.
        if not (settings.base / path).exists() and not glob.glob(path, root_dir=settings.base, recursive=True):  # noqa: PTH207
            raise pytest.UsageError(f"crd_paths: {path!r} matches nothing in {settings.base}")
    if settings.kubernetes_version is not None:
        from pytest_crd.engine import profile  # noqa: PLC0415 - a session that sets nothing loads nothing

        try:
            profile.named(settings.kubernetes_version)
        except profile.UnknownVersionError as error:
            raise pytest.UsageError(f"crd_kubernetes_version: {error}") from None


def _read(config: pytest.Config) -> Settings:
    of_project = config.inipath.parent if config.inipath else config.rootpath
    named: Sequence[str] | None = config.getoption("crd_paths")
    return Settings(
        crd_paths=tuple(named or config.getini("crd_paths") or ()) or None,
        base=config.invocation_params.dir if named else of_project,
        stored=frozenset(config.getini("crd_stored") or ()),
        case_files=tuple(config.getini("crd_case_files") or CASE_FILES),
        kubernetes_version=config.getoption("crd_kubernetes_version")
        or config.getini("crd_kubernetes_version")
        or None,
    )


def catalog(config: pytest.Config) -> Catalog:
    """Return the CRDs of a session; nothing is read before somebody asks for one."""
    from pytest_crd.cases.catalog import Catalog  # noqa: PLC0415 - a session without CRDs loads nothing
    from pytest_crd.engine import profile  # noqa: PLC0415
    from pytest_crd.engine.project import CONVENTIONAL_PATHS  # noqa: PLC0415

    if _CATALOG not in config.stash:
        settings = of(config)
        paths = settings.crd_paths or _narrowest(path for path in CONVENTIONAL_PATHS if any(settings.base.glob(path)))
        config.stash[_CATALOG] = Catalog(
            settings.base, paths, settings.kubernetes_version or profile.DEFAULT, settings.stored
        )
    return config.stash[_CATALOG]


def _narrowest(paths: Iterable[str]) -> tuple[str, ...]:
    """Return *paths* without those around one that comes earlier: `config/crd` where there is `config/crd/bases`."""
    kept: list[str] = []
    for path in paths:
        if not any(other.startswith(f"{path}/") for other in kept):
            kept.append(path)
    return tuple(kept)


def header(config: pytest.Config) -> Header:
    """Return what is loaded, and from where; without words where the session has nothing to do with CRDs."""
    loaded = config.stash.get(_CATALOG, None)
    quiet = config.get_verbosity() < 0
    if loaded is None or not loaded.is_loaded:
        paths = () if quiet or not are_declared(config) else of(config).crd_paths or ()
        text = f"crd: no CRD was asked for yet, none is loaded (crd_paths: {' '.join(paths)})" if paths else ""
        return Header(is_loaded=False, text=text)
    crds = loaded.crds
    versions = sum(len(crd.versions) for crd in crds)
    found = f"{len(crds)} CRD{'' if len(crds) == 1 else 's'}, {versions} version{'' if versions == 1 else 's'}"
    line = f"crd: {found} from {' '.join(loaded.paths)}; Kubernetes {loaded.kubernetes_version}"
    # What is passed over is said even to who wants to hear little.
    return Header(
        is_loaded=True, text="\n".join([*([] if quiet else [line]), *(f"crd: {note}" for note in crds.notes)])
    )


def hear(config: pytest.Config, told: Header) -> None:
    """Keep what a worker of pytest-xdist says is loaded; the one that has loaded something knows best."""
    config.stash[_HEARD] = max(config.stash.get(_HEARD, told), told)


def heard(config: pytest.Config) -> str:
    """Return what the workers of pytest-xdist have loaded, in words; nothing without them."""
    told = config.stash.get(_HEARD, None)
    return told.text if told else ""
