"""
When Python looks for garbage in a session with cases or checks: not while these are collected, and not among what was made for them.

Nearly all of that stays to the end, and pytest looks twice for what is left. Where tests in Python run, too, they find all as it was.
"""

from __future__ import annotations

import gc
from typing import Final

import pytest

from pytest_crd.plugin.items.failures import TextItem

_PAUSED: Final = pytest.StashKey[bool]()
_FROZEN: Final = pytest.StashKey[bool]()


def begin(config: pytest.Config) -> None:
    """Look for none until all is collected; whoever has turned that off keeps it off."""
    if gc.isenabled():
        gc.disable()
        config.stash[_PAUSED] = True


def end(session: pytest.Session) -> None:
    """Look for some again, but not among what is there now, where only cases and checks are run."""
    stash = session.config.stash
    if stash.get(_PAUSED, False):
        stash[_PAUSED] = False
        gc.enable()
        is_free = not gc.get_freeze_count()  # what others have frozen stays so
        if is_free and all(isinstance(item, TextItem) for item in session.items):
            gc.freeze()
            stash[_FROZEN] = True


def thaw(config: pytest.Config) -> None:
    """Leave all as it was to whoever has called pytest."""
    if config.stash.get(_FROZEN, False):
        gc.unfreeze()
