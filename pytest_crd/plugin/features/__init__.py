"""
A room for each feature that a session may ask for: what pytest calls of it is in `hooks`, what it collects in `items`.

A room is imported when its settings ask for it, and its class `Hooks`, made of these, is registered as `crd-` and its name.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any, Final

import pytest

from pytest_crd.plugin.settings import checks, coverage, fill, generate, live, outputs, upgrades

# What is set about each feature, which is None where it is not asked for, by the name of its room; in the order in which each adds its
# tests to a session.
FEATURES: Final[Mapping[str, Callable[[pytest.Config], Any]]] = {
    "checks": checks.read,
    "upgrades": upgrades.read,
    "generate": generate.read,
    "live": live.read,
    "fill": fill.read,
    "coverage": coverage.read,
    "outputs": outputs.read,  # the last: what the others do at the end of a session comes before it
}


def register(config: pytest.Config) -> None:
    """
    Register the hooks of the features that a session asks for.

    Raises:
        UsageError: A setting cannot be, or has no effect.
    """
    for name, read in FEATURES.items():
        settings = read(config)
        if settings is not None:
            room = importlib.import_module(f"{__name__}.{name}.hooks")
            config.pluginmanager.register(room.Hooks(config, settings), f"crd-{name}")
