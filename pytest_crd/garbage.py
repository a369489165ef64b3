"""
When Python looks for garbage: not while much is read or imported that is kept.

It goes through all objects again and again as their number grows, which is a tenth to a fifth of the time of a run, and finds none.
"""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def paused() -> Iterator[None]:
    """Look for none meanwhile; whoever has turned that off keeps it off."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
