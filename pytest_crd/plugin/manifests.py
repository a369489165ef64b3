"""
The hook `pytest_crd_manifests`: who has one, what they return, and who is not asked.

Each is called by itself, so that what is wrong in what it returns names its plugin or `conftest.py`, and that it returns nothing is seen.
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
_ARE_ASKED: Final = pytest.StashKey[bool]()
_UNLOADED: Final = pytest.StashKey[dict[Path, None]]()


def are_there(config: pytest.Config) -> bool:
    """Return whether somebody makes CRDs, and they count: `--crd-path` names those that do."""
    return project.of(config).said_by != project.PATHS.option and bool(_implementations(config.pluginmanager))


def asker(config: pytest.Config) -> Callable[[], Sequence[MadeManifests]]:
    """Return what asks all of them, when CRDs are needed."""

    def ask() -> Sequence[MadeManifests]:
        config.stash[_ARE_ASKED] = project.of(config).said_by != project.PATHS.option
        if not are_there(config):
            return ()
        from pytest_crd.engine.inputerror import CrdError  # noqa: PLC0415 - a session without CRDs loads nothing

        found: list[MadeManifests] = []
        mistakes: list[Mistake] = []
        for implementation in _implementations(config.pluginmanager):
            try:
                found += _returned(implementation, config)
            except CrdError as error:
                mistakes += error.mistakes
        if mistakes:
            raise CrdError(mistakes)
        return found

    return ask


def refuse_late(plugin: object, manager: pytest.PytestPluginManager) -> None:
    """
    Refuse a hook that comes after all have been asked.

    Raises:
        CollectError: *plugin* has one.
    """
    config = manager.get_plugin("pytestconfig")
    if config is None or not config.stash.get(_ARE_ASKED, False):
        return
    for one in _implementations(manager):
        if one.plugin is plugin:
            raise pytest.Collector.CollectError(
                f"{_maker(one, config)}: {_HOOK} comes too late, CRDs were read before this was loaded: "
                f"move it to the {_CONFTEST} of the project's folder ({config.rootpath})"
            )


def note_unloaded(path: Path, config: pytest.Config) -> None:
    """Keep in mind a `conftest.py` that makes CRDs and is not loaded."""
    if path.name == _CONFTEST and config.option.noconftest and path.is_file() and _HOOK.encode() in path.read_bytes():
        config.stash.setdefault(_UNLOADED, {})[path] = None


def unloaded(config: pytest.Config) -> list[str]:
    """Return a line about CRDs that do not count, as what makes them is not loaded; none where there are none."""
    note_unloaded(config.rootpath / _CONFTEST, config)
    paths = config.stash.get(_UNLOADED, {})
    if not paths:
        return []
    named = " ".join(sorted(path.relative_to(config.rootpath).as_posix() for path in paths))
    return [f"crd: no {_CONFTEST} is loaded: CRDs that {_HOOK} makes in {named} do not count here, but with `pytest`"]


def _implementations(manager: pytest.PytestPluginManager) -> Sequence[Any]:
    return tuple(manager.hook.pytest_crd_manifests.get_hookimpls())


def _maker(implementation: Any, config: pytest.Config) -> str:
    """Return how a plugin is called in messages: a file, which is below the folder of the project, or its name."""
    path, base = Path(implementation.plugin_name), project.of(config).base
    return path.relative_to(base).as_posix() if path.is_relative_to(base) else str(path)


def _returned(implementation: Any, config: pytest.Config) -> Sequence[MadeManifests]:
    """
    Return the manifests that one of them makes.

    Raises:
        CrdError: It fails, with its traceback; or it returns something else.
    """
    from pytest_crd.discovery import madecrds  # noqa: PLC0415 - a session without CRDs loads nothing
    from pytest_crd.engine.inputerror import CrdError, Mistake  # noqa: PLC0415 - the same

    maker = _maker(implementation, config)
    if implementation.wrapper or implementation.hookwrapper:
        raise CrdError([Mistake(maker, 0, f"{_HOOK} cannot be a wrapper: each returns its own manifests")])
    arguments = (config,) if implementation.argnames else ()
    try:
        returned = madecrds.listed(implementation.function(*arguments))
    # That a hook skips or exits would be silence.
    except (Exception, SystemExit, pytest.skip.Exception, pytest.fail.Exception) as error:  # noqa: BLE001 - it is told whole
        told = "".join(traceback.format_exception(error)).rstrip()
        raise CrdError([Mistake(maker, 0, f"{_HOOK} fails:\n{told}")]) from None
    return madecrds.read(returned, maker=maker)
