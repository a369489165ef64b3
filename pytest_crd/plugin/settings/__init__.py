"""
What the user can set: a table of settings for the project, and one for each feature.

Each module has its settings, the table of them as `SETTINGS`, a class for their values, and `read`, which returns that; None where the
feature is not asked for.
"""

from __future__ import annotations

import itertools
from typing import Final

import pytest

from pytest_crd.plugin.settings import checks, coverage, fill, generate, live, outputs, project, server, upgrades
from pytest_crd.plugin.settings.setting import declare

# In the order in which `--help` has them.
SETTINGS: Final = tuple(
    itertools.chain.from_iterable(
        table.SETTINGS for table in (project, checks, upgrades, fill, generate, live, server, coverage, outputs)
    )
)


def add(parser: pytest.Parser) -> None:
    """Declare the settings."""
    declare(parser, SETTINGS)


def are_declared(config: pytest.Config) -> bool:
    """Return whether there are settings; there are none where the plugin is switched off but its module is loaded."""
    return hasattr(config.option, project.PATHS.dest)
