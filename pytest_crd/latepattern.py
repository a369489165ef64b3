"""
Regular expressions that are compiled when they are first used.

Of the hundreds in the modules of a run a case needs a few, and compiling one takes as long as importing a module.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any


class _LatePattern:
    """A pattern of `re`, of str or bytes: what it is asked for, it has itself from then on."""

    def __init__(self, pattern: Any, flags: int) -> None:
        self._late = (pattern, flags)

    def __getattr__(self, name: str) -> Any:
        value = getattr(re.compile(*self._late), name)
        setattr(self, name, value)
        return value


def _compile_late(pattern: Any, flags: int = 0) -> _LatePattern:
    """Return what stands for a pattern; a mistake in it is told when it is first used."""
    return _LatePattern(pattern, flags)


if TYPE_CHECKING:
    compile_late = re.compile  # for type checkers it is that
else:
    compile_late = _compile_late
