"""Implementations of the hook `pytest_crd_manifests`: those that count, come too late, or are not loaded."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from pytest_crd.plugin import alone
from pytest_crd.plugin.settings import project

HOOK: Final = "pytest_crd_manifests"
_CONFTEST: Final = "conftest.py"
ARE_CALLED: Final = pytest.StashKey[bool]()
_UNLOADED: Final = pytest.StashKey[dict[Path, None]]()


def has_manifests(config: pytest.Config) -> bool:
    """Return whether a plugin implements the hook and its CRDs count; they do not if `--crd-path` names the CRDs."""
    return project.get_settings(config).source != project.PATHS.option and bool(implementations(config.pluginmanager))


def refuse_late(plugin: object, manager: pytest.PytestPluginManager) -> None:
    """
    Refuse an implementation that is registered after all have been called.

    Raises:
        CollectError: *plugin* implements the hook.
    """
    config = manager.get_plugin("pytestconfig")
    if config is None or not config.stash.get(ARE_CALLED, False):
        return
    for implementation in implementations(manager):
        if implementation.plugin is plugin:
            raise pytest.Collector.CollectError(
                f"{maker_of(implementation, project.get_settings(config).base)}: {HOOK} is registered too late, after the CRDs were read: "
                f"move it to the {_CONFTEST} of the project's folder ({config.rootpath})"
            )


def note_unloaded(path: Path, config: pytest.Config) -> None:
    """Remember a `conftest.py` that implements the hook and is not loaded (`--noconftest`)."""
    if path.name == _CONFTEST and config.option.noconftest and path.is_file() and HOOK.encode() in path.read_bytes():
        config.stash.setdefault(_UNLOADED, {})[path] = None


def unloaded(config: pytest.Config) -> list[str]:
    """Return a line about the implementations that are not loaded; empty if there are none."""
    note_unloaded(config.rootpath / _CONFTEST, config)
    paths = config.stash.get(_UNLOADED, {})
    if not paths:
        return []
    names = " ".join(sorted(path.relative_to(config.rootpath).as_posix() for path in paths))
    line = f"crd: no {_CONFTEST} is loaded: CRDs that {HOOK} makes in {names} are not tested and not compared"
    return [f"{line}; {project.PYTHON.option} loads it" if alone.is_alone(config) else line]


def implementations(manager: pytest.PytestPluginManager) -> Sequence[Any]:
    """Return the implementations of the hook."""
    return tuple(manager.hook.pytest_crd_manifests.get_hookimpls())


def maker_of(implementation: Any, base: Path) -> str:
    """Return the name of an implementation's plugin for messages; a file is relative to *base*, the folder of the project, if it is below."""
    path = Path(implementation.plugin_name)
    return path.relative_to(base).as_posix() if path.is_relative_to(base) else str(path)
