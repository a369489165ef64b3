"""
The features that a session can switch on, one package each: hooks in `hooks`, test items in `items`.

A package is imported when its settings switch it on. Its class `Hooks`, created with the settings, is registered as `crd-<name>`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any, Final

import pytest

from pytest_crd.plugin import session
from pytest_crd.plugin.settings import checks, coverage, fill, generate, live, outputs, upgrades, webhooks
from pytest_crd.plugin.settings.upgrades import describe_unused

# By the name of the feature's package, the function that reads its settings and returns None if the feature is off; in the order in which
# features add tests to a session.
FEATURES: Final[Mapping[str, Callable[[pytest.Config], Any]]] = {
    "webhooks": webhooks.read,
    "checks": checks.read,
    "upgrades": upgrades.read,
    "generate": generate.read,
    "live": live.read,
    "fill": fill.read,
    "coverage": coverage.read,
    "outputs": outputs.read,  # the last: it reports the results of the others at the end of a session
}


def register(config: pytest.Config) -> None:
    """
    Register the hooks of the features that a session switches on.

    Raises:
        UsageError: A setting has a wrong value, or has no effect.
    """
    for name, read in FEATURES.items():
        settings = read(config)
        if settings is not None:
            package = importlib.import_module(f"{__name__}.{name}.hooks")
            config.pluginmanager.register(package.Hooks(config, settings), f"crd-{name}")
    if unused := describe_unused(config):
        session.add_part(config, lambda: session.Part(notes=(unused,)))
