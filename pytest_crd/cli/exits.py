"""Exit codes of all commands."""

from __future__ import annotations

import enum


class Exit(enum.IntEnum):
    """An exit code."""

    HOLDS = 0
    DOES_NOT_HOLD = 1
    WRONG_USE = 2
    INTERNAL_ERROR = 3
    NOTHING_THERE = 5
    INTERRUPTED = 130


HELP = (
    "Exit codes: 0 passed; 1 failed; 2 wrong arguments or unreadable input; 3 internal error; 5 nothing to test; "
    "130 interrupted."
)
