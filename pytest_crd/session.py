"""What a session has loaded, and what is said of it: in its header, and by the workers of pytest-xdist."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import pytest

from pytest_crd import options

if TYPE_CHECKING:
    from pytest_crd.cases.catalog import Catalog
    from pytest_crd.checks.plan import Plan
    from pytest_crd.sources.sources import Sources
    from pytest_crd.upgrades.plan import Plan as UpgradePlan


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


_IS_TOLD: Final = pytest.StashKey[bool]()
_HEARD: Final = pytest.StashKey[Header]()
_SOURCES: Final = pytest.StashKey["Sources"]()
_CATALOGS: Final = pytest.StashKey["tuple[Catalog, ...]"]()
_CHECKS: Final = pytest.StashKey["Plan"]()
_UPGRADES: Final = pytest.StashKey["UpgradePlan"]()


def sources(config: pytest.Config) -> Sources:
    """Return where the CRDs of a session come from; nothing is read before somebody asks for one."""
    from pytest_crd.sources.sources import Sources  # noqa: PLC0415 - a session without CRDs loads nothing

    if _SOURCES not in config.stash:
        settings = options.of(config)
        config.stash[_SOURCES] = Sources(settings.base, settings.crd_paths, settings.crd_commands, settings.folder)
    return config.stash[_SOURCES]


def catalogs(config: pytest.Config) -> tuple[Catalog, ...]:
    """Return the CRDs of a session, once for each of its Kubernetes versions; nothing is read before somebody asks for one."""
    from pytest_crd.cases.catalog import Catalog  # noqa: PLC0415 - a session without CRDs loads nothing

    if _CATALOGS not in config.stash:
        versions, stored = options.kubernetes_versions(config), options.of(config).stored
        config.stash[_CATALOGS] = tuple(Catalog(sources(config), version, stored) for version in versions)
    return config.stash[_CATALOGS]


def checks(config: pytest.Config) -> Plan:
    """Return the checks of a session; nothing is read before somebody asks for them."""
    from pytest_crd.checks import plan  # noqa: PLC0415 - a session without checks loads nothing

    if _CHECKS not in config.stash:
        settings = options.of(config)
        scope = plan.Scope(settings.stored, settings.folder, settings.rule_budget, settings.samples, settings.lints)
        config.stash[_CHECKS] = plan.of(catalogs(config), scope, home=config.inipath or config.rootpath)
    return config.stash[_CHECKS]


def upgrades(config: pytest.Config) -> UpgradePlan:
    """Return the upgrades of a session; nothing is read before somebody asks for them."""
    from pytest_crd.engine import InputError  # noqa: PLC0415 - a session without a baseline loads nothing
    from pytest_crd.upgrades import plan  # noqa: PLC0415

    if _UPGRADES not in config.stash:
        try:
            config.stash[_UPGRADES] = _planned(config)
        except InputError as error:
            config.stash[_UPGRADES] = plan.Plan(problem=error)
    return config.stash[_UPGRADES]


def _planned(config: pytest.Config) -> UpgradePlan:
    from pytest_crd.sources import baseline, samples  # noqa: PLC0415 - a session without a baseline loads nothing
    from pytest_crd.upgrades import allowances, plan  # noqa: PLC0415

    settings = options.of(config)
    samples.files(
        settings.samples, folder=settings.folder
    )  # what names nothing today is a mistake; yesterday it may be new
    project = baseline.Project(settings.folder, settings.crd_paths, settings.base, settings.crd_commands)
    version = options.kubernetes_versions(config)[0]
    read = baseline.read(settings.baseline, base=settings.baseline_base, project=project, kubernetes_version=version)
    scope = plan.Scope(
        settings.base,
        settings.folder,
        config.inipath or config.rootpath,
        samples.patterns(settings.samples),
        settings.case_files,
        tuple(map(allowances.read, settings.baseline_allow)),
    )
    return plan.of(catalogs(config), read, scope)


def shown(path: Path) -> str:
    """Return *path* as a terminal in the current folder would name it."""
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)


def header(config: pytest.Config) -> Header:
    """Return what is loaded, and from where; without words where the session has nothing to do with CRDs."""
    loaded = config.stash.get(_SOURCES, None)
    planned = config.stash.get(_CHECKS, None)
    quiet = config.get_verbosity() < 0
    if loaded is None or not loaded.is_read:
        if planned is not None and planned.is_in_vain:
            return Header(is_loaded=False, text=f"crd: nothing to check: {planned.problem}", is_in_vain=True)
        settings = None if quiet or not options.are_declared(config) else options.of(config)
        named = (*settings.crd_paths, *settings.crd_commands) if settings else ()
        text = f"crd: no CRD was asked for yet, none is loaded ({' '.join(named)})" if named else ""
        return Header(is_loaded=False, text=text)
    versions = options.kubernetes_versions(config)
    line = f"crd: {_counted(loaded, versions)} from {loaded.places}; Kubernetes {', '.join(versions)}"
    notes = dict.fromkeys(note for version in versions for note in loaded.crds(version).notes)
    lines = [line, *([f"crd: {planned.words}"] if planned else [])]
    notes |= dict.fromkeys(planned.notes if planned else ())
    if (upgrade := config.stash.get(_UPGRADES, None)) is not None and upgrade.problem is None:
        lines.append(f"crd: {upgrade.words}")
        notes |= dict.fromkeys(upgrade.notes)
    # What is passed over is said even to who wants to hear little.
    return Header(is_loaded=True, text="\n".join([*([] if quiet else lines), *(f"crd: {note}" for note in notes)]))


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
    planned = config.stash.get(_CHECKS, None)
    return bool((told and told.is_in_vain) or (planned and planned.is_in_vain))


def heard(config: pytest.Config) -> str:
    """Return what the workers of pytest-xdist have loaded, in words, or what was loaded after the header was printed."""
    if _HEARD in config.stash:
        return config.stash[_HEARD].text
    loaded = header(config) if _SOURCES in config.stash and not config.stash.get(_IS_TOLD, False) else None
    return loaded.text if loaded and loaded.is_loaded else ""
