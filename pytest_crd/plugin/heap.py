"""
Garbage collection in a session with cases or checks: paused during collection, and never among the collected items.

Nearly all of these objects live until the end, and pytest collects garbage twice at its end. Python tests get an unchanged collector.
"""

from __future__ import annotations

import gc
from typing import Final

import pytest

from pytest_crd.plugin.items.failures import TextItem

_PAUSED: Final[pytest.StashKey[bool]] = pytest.StashKey()
_FROZEN: Final[pytest.StashKey[bool]] = pytest.StashKey()


def begin(config: pytest.Config) -> None:
    """Pause the garbage collector until all tests are collected; a collector that is already off stays off."""
    if gc.isenabled():
        gc.disable()
        config.stash[_PAUSED] = True


def end(session: pytest.Session) -> None:
    """Resume the garbage collector, and freeze all current objects if the session has only cases and checks."""
    stash = session.config.stash
    if stash.get(_PAUSED, False):
        stash[_PAUSED] = False
        gc.enable()
        is_free = not gc.get_freeze_count()  # objects that others have frozen are left alone
        if is_free and all(isinstance(item, TextItem) for item in session.items):
            gc.freeze()
            stash[_FROZEN] = True


def thaw(config: pytest.Config) -> None:
    """Unfreeze the objects, so that the caller of pytest finds the collector unchanged."""
    if config.stash.get(_FROZEN, False):
        gc.unfreeze()
