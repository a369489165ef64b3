"""Words that several commands print in the same way."""

from __future__ import annotations


def counted(count: int, noun: str) -> str:
    """Return a number of things: `1 CRD`, `2 CRDs`."""
    return f"{count} {noun}{'' if count == 1 else 's'}"
