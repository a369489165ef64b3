"""Words that several reports share."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

# Takes a text and the name of a style: `expected`, `actual`, `path`, `reason`, `title`.
Paint: TypeAlias = Callable[[str, str], str]


def plain(text: str, _style: str) -> str:
    """Return *text* unchanged, without colour."""
    return text


def counted(count: int, noun: str) -> str:
    """Return a count with its noun: `1 CRD`, `2 CRDs`."""
    return f"{count} {noun}{'' if count == 1 else 's'}"
