"""All settings, in the order of `--help`."""

from __future__ import annotations

import itertools
from typing import Final

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
