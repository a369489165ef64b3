"""
The features that a session can switch on, one package each: hooks in `hooks`, test items in `items`.

A package is imported when its settings switch it on. Its class `Hooks`, created with the settings, is registered as `crd-<name>`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any, Final

import pytest

from pytest_crd.plugin import options, session
from pytest_crd.plugin.settings import (
    checks,
    coverage,
    fill,
    generate,
    live,
    outputs,
    policies,
    project,
    upgrades,
    webhooks,
)
from pytest_crd.plugin.settings.parity import PARITY, read
from pytest_crd.plugin.settings.upgrades import describe_unused
from pytest_crd.plugin.settings.webhooks import describe_idle_configurations


def _read_parity(config: pytest.Config) -> Any:
    """Return the settings of parity checks; None if the session imports no Python of the project."""
    return None if _is_without_classes(config) else read(config)


def _is_without_classes(config: pytest.Config) -> bool:
    return options.is_alone(config) and not project.PYTHON.read_value(config)


# By the name of the feature's package, the function that reads its settings and returns None if the feature is off; in the order in which
# features add tests to a session.
FEATURES: Final[Mapping[str, Callable[[pytest.Config], Any]]] = {
    "webhooks": webhooks.read,
    "policies": policies.read,
    "checks": checks.read,
    "upgrades": upgrades.read,
    "parity": _read_parity,
    "generate": generate.read,
    "live": live.read,
    "fill": fill.read,
    "coverage": coverage.read,
    "outputs": outputs.read,  # the last: it reports the results of the others at the end of a session
}


def load(name: str) -> Any:
    """Import a module of the features."""
    return importlib.import_module(f"{__name__}.{name}")


def register(config: pytest.Config) -> None:
    """
    Register the hooks of the features that a session switches on.

    Raises:
        UsageError: A setting has a wrong value, or has no effect.
    """
    for name, read_settings in FEATURES.items():
        settings = read_settings(config)
        if settings is not None:
            package = load(f"{name}.hooks")
            config.pluginmanager.register(package.Hooks(config, settings), f"crd-{name}")
    if _is_without_classes(config) and PARITY.find_entry(config).is_set:
        line = (
            f"no Python is imported: the classes of {PARITY.ini} are not compared; {project.PYTHON.option} imports them"
        )
        session.add_part(config, lambda: session.Part(not_tested=(line,)))
    if unused := tuple(filter(None, (describe_unused(config), describe_idle_configurations(config)))):
        session.add_part(config, lambda: session.Part(notes=unused))
