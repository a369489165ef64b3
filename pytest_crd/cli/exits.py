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
    "Exit codes: 0 all holds; 1 something does not; 2 wrong use, or what is named cannot be read; 3 an internal error; "
    "5 there is nothing to judge; 130 interrupted."
)
