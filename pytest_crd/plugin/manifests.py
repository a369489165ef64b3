"""Implementations of the hooks `pytest_crd_manifests` and `pytest_crd_webhooks` that count, come too late, or are not loaded."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from pytest_crd.plugin import alone, hookspecs, options
from pytest_crd.plugin.settings import project, webhooks

HOOK: Final = "pytest_crd_manifests"
_CONFTEST: Final = "conftest.py"
ARE_CALLED: Final[pytest.StashKey[bool]] = pytest.StashKey()
# Files by the names of their hooks.
_UNLOADED: Final[pytest.StashKey[dict[str, dict[Path, None]]]] = pytest.StashKey()


def has_manifests(config: pytest.Config) -> bool:
    """Return whether a plugin implements the hook and its CRDs count; they do not if `--crd-path` names the CRDs."""
    return project.get_settings(config).source != project.PATHS.option and bool(implementations(config.pluginmanager))


def refuse_late(plugin: object, manager: pytest.PytestPluginManager) -> None:
    """
    Refuse an implementation that is registered after all have been called or counted.

    Raises:
        CollectError: *plugin* implements a hook.
    """
    config: Any = manager.get_plugin("pytestconfig")
    late: list[tuple[Any, str]] = []
    if config.stash.get(ARE_CALLED, False):
        late += [
            (item, f"{HOOK} is registered too late, after the CRDs were read") for item in implementations(manager)
        ]
    if config.stash.get(webhooks.ARE_COUNTED, True):
        words = f"{webhooks.HOOK} is registered too late, after the start of the session"
        late += [(item, words) for item in webhooks.implementations(manager)]
    words = f"{hookspecs.CLASS_HOOK} is registered too late, after the start of the session"
    late += [(item, words) for item in hookspecs.class_implementations(manager)]
    for implementation, words in late:
        if implementation.plugin is plugin:
            maker = maker_of(implementation, project.PATHS.find_entry(config).base)
            advice = f"move it to the {_CONFTEST} of the project's folder ({config.rootpath})"
            raise pytest.Collector.CollectError(f"{maker}: {words}: {advice}")


def note_unloaded(path: Path, config: pytest.Config) -> None:
    """Remember a `conftest.py` that implements a hook and is not loaded (`--noconftest`)."""
    if path.name != _CONFTEST or not config.option.noconftest or not path.is_file():
        return
    content = path.read_bytes()
    for hook in (HOOK, webhooks.HOOK, hookspecs.CLASS_HOOK):
        if hook.encode() in content:
            config.stash.setdefault(_UNLOADED, {}).setdefault(hook, {})[path] = None


def unloaded(config: pytest.Config) -> list[str]:
    """Return lines about the implementations that are not loaded; empty without them."""
    note_unloaded(config.rootpath / _CONFTEST, config)
    lines: list[str] = []
    for hook, paths in config.stash.get(_UNLOADED, {}).items():
        names = " ".join(sorted(path.relative_to(config.rootpath).as_posix() for path in paths))
        if hook == HOOK:
            words, remedy = f"CRDs that {HOOK} makes in {names} are not tested and not compared", "loads it"
            remedies = project.PYTHON.option
        elif hook == hookspecs.CLASS_HOOK:
            words, remedy = f"classes that {hookspecs.CLASS_HOOK} returns in {names} are not compared", "loads it"
            remedies = project.PYTHON.option
        else:
            words, remedy = f"webhooks of {hook} in {names} are not called", "call them"
            remedies = f"{project.PYTHON.option} and {alone.WEBHOOKS_SHORT}"
        line = f"crd: no {_CONFTEST} is loaded: {words}"
        lines.append(f"{line}; {remedies} {remedy}" if options.is_alone(config) else line)
    return lines


def implementations(manager: pytest.PytestPluginManager) -> Sequence[Any]:
    """Return the implementations of the hook."""
    return tuple(manager.hook.pytest_crd_manifests.get_hookimpls())


def maker_of(implementation: Any, base: Path) -> str:
    """Return the name of an implementation's plugin for messages; a file is relative to *base*, the folder of the project, if it is below."""
    path = Path(implementation.plugin_name)
    return path.relative_to(base).as_posix() if path.is_relative_to(base) else str(path)
