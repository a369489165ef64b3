"""
Calls of the hook `pytest_crd_manifests`.

Each implementation is called by itself, so that an error names its plugin or `conftest.py`, and a missing return value is noticed.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from pytest_crd.plugin.settings import project

if TYPE_CHECKING:
    from pytest_crd.discovery.madecrds import MadeManifests
    from pytest_crd.engine.inputerror import Mistake

_HOOK: Final = "pytest_crd_manifests"
_CONFTEST: Final = "conftest.py"
_ARE_CALLED: Final = pytest.StashKey[bool]()
_UNLOADED: Final = pytest.StashKey[dict[Path, None]]()


def has_manifests(config: pytest.Config) -> bool:
    """Return whether a plugin implements the hook and its CRDs count; they do not if `--crd-path` names the CRDs."""
    return project.get_settings(config).source != project.PATHS.option and bool(_implementations(config.pluginmanager))


def make_loader(config: pytest.Config) -> Callable[[], Sequence[MadeManifests]]:
    """Return a function that calls all implementations and returns their manifests; it raises CrdError with all their mistakes."""

    def load() -> Sequence[MadeManifests]:
        config.stash[_ARE_CALLED] = project.get_settings(config).source != project.PATHS.option
        if not has_manifests(config):
            return ()
        from pytest_crd.engine.inputerror import CrdError  # noqa: PLC0415 - a session without CRDs loads nothing

        manifests: list[MadeManifests] = []
        mistakes: list[Mistake] = []
        for implementation in _implementations(config.pluginmanager):
            try:
                manifests += _call(implementation, config)
            except CrdError as error:
                mistakes += error.mistakes
        if mistakes:
            raise CrdError(mistakes)
        return manifests

    return load


def refuse_late(plugin: object, manager: pytest.PytestPluginManager) -> None:
    """
    Refuse an implementation that is registered after all have been called.

    Raises:
        CollectError: *plugin* implements the hook.
    """
    config = manager.get_plugin("pytestconfig")
    if config is None or not config.stash.get(_ARE_CALLED, False):
        return
    for implementation in _implementations(manager):
        if implementation.plugin is plugin:
            raise pytest.Collector.CollectError(
                f"{_maker(implementation, config)}: {_HOOK} is registered too late, after the CRDs were read: "
                f"move it to the {_CONFTEST} of the project's folder ({config.rootpath})"
            )


def note_unloaded(path: Path, config: pytest.Config) -> None:
    """Remember a `conftest.py` that implements the hook and is not loaded (`--noconftest`)."""
    if path.name == _CONFTEST and config.option.noconftest and path.is_file() and _HOOK.encode() in path.read_bytes():
        config.stash.setdefault(_UNLOADED, {})[path] = None


def unloaded(config: pytest.Config) -> list[str]:
    """Return a line about the implementations that are not loaded; empty if there are none."""
    note_unloaded(config.rootpath / _CONFTEST, config)
    paths = config.stash.get(_UNLOADED, {})
    if not paths:
        return []
    names = " ".join(sorted(path.relative_to(config.rootpath).as_posix() for path in paths))
    return [f"crd: no {_CONFTEST} is loaded: CRDs that {_HOOK} makes in {names} do not count here, but with `pytest`"]


def _implementations(manager: pytest.PytestPluginManager) -> Sequence[Any]:
    return tuple(manager.hook.pytest_crd_manifests.get_hookimpls())


def _maker(implementation: Any, config: pytest.Config) -> str:
    """Return the name of an implementation's plugin for messages; a file is relative to the folder of the project if it is below."""
    path, base = Path(implementation.plugin_name), project.get_settings(config).base
    return path.relative_to(base).as_posix() if path.is_relative_to(base) else str(path)


def _call(implementation: Any, config: pytest.Config) -> Sequence[MadeManifests]:
    """
    Call one implementation and return its manifests.

    Raises:
        CrdError: It raises (the message has its traceback), is a wrapper, or returns something else than manifests.
    """
    from pytest_crd.discovery import madecrds  # noqa: PLC0415 - a session without CRDs loads nothing
    from pytest_crd.engine.inputerror import CrdError, Mistake  # noqa: PLC0415 - the same

    maker = _maker(implementation, config)
    if implementation.wrapper or implementation.hookwrapper:
        raise CrdError([Mistake(maker, 0, f"{_HOOK} cannot be a wrapper: each returns its own manifests")])
    arguments = (config,) if implementation.argnames else ()
    try:
        returned = madecrds.materialize(implementation.function(*arguments))
    # A hook that skips or exits must not go unnoticed.
    except (Exception, SystemExit, pytest.skip.Exception, pytest.fail.Exception) as error:  # noqa: BLE001 - shown as a mistake
        text = "".join(traceback.format_exception(error)).rstrip()
        raise CrdError([Mistake(maker, 0, f"{_HOOK} fails:\n{text}")]) from None
    return madecrds.read(returned, maker=maker)
