"""
The sources and catalogs of a session's CRDs. Only a session with CRDs imports this module, and with it the engine.

Each implementation of the hook `pytest_crd_manifests` is called by itself, so that an error names its plugin or `conftest.py`, and a missing
return value is noticed.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_crd import lazyimport
from pytest_crd.cases.crdcatalog import Catalog
from pytest_crd.discovery.crdsources import Sources
from pytest_crd.engine.inputerror import CrdError, InputError, Mistake
from pytest_crd.engine.observer import SESSION
from pytest_crd.plugin import manifests, progressline
from pytest_crd.plugin.settings import project
from pytest_crd.plugin.settings.webhooks import ADD_POLICIES, FIND_WEBHOOKS, FindWebhooks

if TYPE_CHECKING:
    from pytest_crd.discovery import madecrds
    from pytest_crd.discovery.madecrds import MadeManifests
else:
    madecrds = lazyimport.module("pytest_crd.discovery.madecrds")


def open_sources(config: pytest.Config) -> Sources:
    """Return the sources of the CRDs; they are read when the first CRD is needed."""
    own = project.get_settings(config)
    progress, make = progressline.get_progress(config), make_loader(config)
    return Sources(own.base, own.crd_paths, own.crd_commands, own.folder, progress, make, SESSION)


def open_catalogs(config: pytest.Config, sources: Sources) -> tuple[Catalog, ...]:
    """Return a catalog for each Kubernetes version of the session."""
    stored = project.get_settings(config).stored
    find_admission = _find_admission(config)
    return tuple(Catalog(sources, version, stored, find_admission) for version in project.kubernetes_versions(config))


def can_list(sources: Sources, kubernetes_versions: Iterable[str]) -> bool:
    """Return whether there are CRDs that can be read under each of some Kubernetes versions."""
    try:
        return all(sources.list_known(version) for version in kubernetes_versions)
    except InputError:
        return False


def _find_admission(config: pytest.Config) -> FindWebhooks | None:
    """Return the function for the policies and webhooks of the session; None without policies and webhooks."""
    find_webhooks, add_policies = config.stash.get(FIND_WEBHOOKS, None), config.stash.get(ADD_POLICIES, None)
    if add_policies is None:
        return find_webhooks
    if find_webhooks is None:
        return lambda _: add_policies(None)
    return lambda crds: add_policies(find_webhooks(crds))


def make_loader(config: pytest.Config) -> Callable[[], Sequence[MadeManifests]]:
    """Return a function that calls all implementations and returns their manifests; it raises CrdError with all their mistakes."""

    def load() -> Sequence[MadeManifests]:
        config.stash[manifests.ARE_CALLED] = project.get_settings(config).source != project.PATHS.option
        if not manifests.has_manifests(config):
            return ()
        return call_hooks(manifests.implementations(config.pluginmanager), config, project.get_settings(config).base)

    return load


def call_hooks(implementations: Iterable[Any], config: pytest.Config, base: Path) -> Sequence[MadeManifests]:
    """
    Call implementations and return their manifests.

    Args:
        implementations: The implementations.
        config: The argument of the hook.
        base: The folder of the project, for the names of the implementations.

    Raises:
        CrdError: The mistakes of all implementations.
    """
    all_manifests: list[MadeManifests] = []
    mistakes: list[Mistake] = []
    for implementation in implementations:
        try:
            all_manifests += _call(implementation, config, manifests.maker_of(implementation, base))
        except CrdError as error:
            mistakes += error.mistakes
    if mistakes:
        raise CrdError(mistakes)
    return all_manifests


def _call(implementation: Any, config: pytest.Config, maker: str) -> Sequence[MadeManifests]:
    """
    Call one implementation and return its manifests.

    Raises:
        CrdError: It raises (the message has its traceback), is a wrapper, or returns something else than manifests.
    """
    if implementation.wrapper or implementation.hookwrapper:
        raise CrdError([Mistake(maker, 0, f"{manifests.HOOK} cannot be a wrapper: each returns its own manifests")])
    arguments = (config,) if implementation.argnames else ()
    try:
        returned = madecrds.materialize(implementation.function(*arguments))
    # A hook that skips or exits must not go unnoticed.
    except (Exception, SystemExit, pytest.skip.Exception, pytest.fail.Exception) as error:  # noqa: BLE001 - shown as a mistake
        text = "".join(traceback.format_exception(error)).rstrip()
        raise CrdError([Mistake(maker, 0, f"{manifests.HOOK} fails:\n{text}")]) from None
    return madecrds.read(returned, maker=maker)
