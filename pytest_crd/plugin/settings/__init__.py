"""
Settings of the user: one module for the project, and one for each feature.

Each module has its settings, their table `SETTINGS`, a class for their values, and a function `read`. That function returns an object of
the class; None if the feature is off.
"""

from __future__ import annotations

import itertools
from typing import Final

import pytest

from pytest_crd.plugin.settings import (
    checks,
    coverage,
    fill,
    generate,
    live,
    outputs,
    parity,
    policies,
    project,
    server,
    upgrades,
    webhooks,
)
from pytest_crd.plugin.settings.setting import declare

# In the order of `--help`.
SETTINGS: Final = tuple(
    itertools.chain.from_iterable(
        table.SETTINGS
        for table in (
            project,
            webhooks,
            policies,
            checks,
            upgrades,
            parity,
            fill,
            generate,
            live,
            server,
            coverage,
            outputs,
        )
    )
)


def add(parser: pytest.Parser) -> None:
    """Declare the settings."""
    declare(parser, SETTINGS)


def are_declared(config: pytest.Config) -> bool:
    """Return whether the settings are declared; they are not if `-p no:crd` is given and the module is loaded all the same."""
    return hasattr(config.option, project.PATHS.dest)
