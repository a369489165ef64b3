"""What a session has loaded, and what is said of it: in its header, and by the workers of pytest-xdist."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import pytest

from pytest_crd.plugin import manifests, settings
from pytest_crd.plugin.settings import project

if TYPE_CHECKING:
    from pytest_crd.cases.crdcatalog import Catalog
    from pytest_crd.coverage.summary import Summary
    from pytest_crd.discovery.crdsources import Sources
    from pytest_crd.engine.loading.remarks import Remark

# The property of a test with what is worth to know of it though it holds.
NOTE: Final = "crd_note"
# That with what is to be said once of a place that several tests may have in common.
PLACE: Final = "crd_place"
# That with what its reader should know, however little he wants to hear: what the server warns of, and where.
WARNING: Final = "crd_warning"


class Header(NamedTuple):
    """
    What a session says of itself; it travels between processes.

    Attributes:
        is_loaded: Whether CRDs were loaded.
        text: The words.
        is_in_vain: Whether there was nothing to check.
    """

    is_loaded: bool
    text: str
    is_in_vain: bool = False


class Part(NamedTuple):
    """
    What a feature says in the header.

    Attributes:
        words: What it makes of the CRDs.
        notes: What it passes over.
        in_vain: Why there is nothing for it to do; empty where there is.
    """

    words: str = ""
    notes: Sequence[Remark | str] = ()
    in_vain: str = ""


_IS_TOLD: Final = pytest.StashKey[bool]()
_HEARD: Final = pytest.StashKey[Header]()
_SOURCES: Final = pytest.StashKey["Sources"]()
_CATALOGS: Final = pytest.StashKey["tuple[Catalog, ...]"]()
_COVERED: Final = pytest.StashKey["Summary"]()
_PARTS: Final = pytest.StashKey[list[Callable[[], "Part | None"]]]()


def sources(config: pytest.Config) -> Sources:
    """Return where the CRDs of a session come from; nothing is read before somebody asks for one."""
    from pytest_crd.discovery.crdsources import Sources  # noqa: PLC0415 - a session without CRDs loads nothing
    from pytest_crd.plugin import progressline  # noqa: PLC0415 - the same

    if _SOURCES not in config.stash:
        own = project.of(config)
        progress, make = progressline.of(config), manifests.asker(config)
        places = (own.base, own.crd_paths, own.crd_commands, own.folder)
        config.stash[_SOURCES] = Sources(*places, progress, make)
    return config.stash[_SOURCES]


def catalogs(config: pytest.Config) -> tuple[Catalog, ...]:
    """Return the CRDs of a session, once for each of its Kubernetes versions; nothing is read before somebody asks for one."""
    from pytest_crd.cases.crdcatalog import Catalog  # noqa: PLC0415 - a session without CRDs loads nothing

    if _CATALOGS not in config.stash:
        versions, stored = project.kubernetes_versions(config), project.of(config).stored
        config.stash[_CATALOGS] = tuple(Catalog(sources(config), version, stored) for version in versions)
    return config.stash[_CATALOGS]


def cover(config: pytest.Config, summary: Summary) -> None:
    """Keep what of the schemas was reached, for who tells of it besides."""
    config.stash[_COVERED] = summary


def covered(config: pytest.Config) -> Summary | None:
    """Return what of the schemas was reached; None where nobody measures it, and before the end."""
    return config.stash.get(_COVERED, None)


def attend(config: pytest.Config, tell: Callable[[], Part | None]) -> None:
    """Have the header tell what *tell* returns, where it is not None by then."""
    config.stash.setdefault(_PARTS, []).append(tell)


def _parts(config: pytest.Config) -> list[Part]:
    return [part for tell in config.stash.get(_PARTS, []) if (part := tell()) is not None]


def shown(path: Path) -> str:
    """Return *path* as a terminal in the current folder would name it."""
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)


def header(config: pytest.Config) -> Header:
    """Return what is loaded, and from where; without words where the session has nothing to do with CRDs."""
    loaded, parts = config.stash.get(_SOURCES, None), _parts(config)
    quiet = config.get_verbosity() < 0
    if loaded is None or not loaded.is_read:
        if reasons := [part.in_vain for part in parts if part.in_vain]:
            return Header(is_loaded=False, text=f"crd: nothing to check: {reasons[0]}", is_in_vain=True)
        own = None if quiet or not settings.are_declared(config) else project.of(config)
        named = (*own.crd_paths, *own.crd_commands) if own else ()
        text = f"crd: no CRD was asked for yet, none is loaded ({' '.join(named)})" if named else ""
        return Header(is_loaded=False, text=text)
    versions = project.kubernetes_versions(config)
    line = f"crd: {_counted(loaded, versions)} from {loaded.places}; Kubernetes {', '.join(versions)}"
    lines = [line, *(f"crd: {part.words}" for part in parts if part.words)]
    if not quiet:
        lines += [f"crd: {note}" for note in _notes(config, loaded, parts)]
    text = "" if quiet else "\n".join(lines)
    return Header(is_loaded=True, text=text, is_in_vain=any(part.in_vain for part in parts))


def _notes(config: pytest.Config, loaded: Sources, parts: Iterable[Part]) -> Iterator[str]:
    """Yield what was passed over: of each kind a count, with `-v` the names, with `-vv` every reason."""
    from pytest_crd.report import remarkwords  # noqa: PLC0415 - a session without CRDs loads nothing

    of_versions = [loaded.crds(version) for version in project.kubernetes_versions(config)]
    passed_over = dict.fromkeys(note for crds in of_versions for note in crds.passed_over)
    passed_over |= dict.fromkeys(note for part in parts for note in part.notes if not isinstance(note, str))
    yield from remarkwords.lines(list(passed_over), verbosity=config.get_verbosity())
    told = (note for crds in of_versions for note in crds.alternatives)
    yield from dict.fromkeys(
        itertools.chain(told, (one for part in parts for one in part.notes if isinstance(one, str)))
    )


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


def was_in_vain(config: pytest.Config) -> bool:
    """Return whether there was nothing to check, in this process or in the workers of pytest-xdist."""
    told = config.stash.get(_HEARD, None)
    return bool(told and told.is_in_vain) or any(part.in_vain for part in _parts(config))


def heard(config: pytest.Config) -> str:
    """Return what the workers of pytest-xdist have loaded, in words, or what was loaded after the header was printed."""
    if _HEARD in config.stash:
        return config.stash[_HEARD].text
    loaded = header(config) if _SOURCES in config.stash and not config.stash.get(_IS_TOLD, False) else None
    return loaded.text if loaded and loaded.is_loaded else ""
