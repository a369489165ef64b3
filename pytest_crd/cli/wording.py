"""Words that several commands print."""

from __future__ import annotations


def counted(count: int, noun: str) -> str:
    """Return a count with its noun: `1 CRD`, `2 CRDs`."""
    return f"{count} {noun}{'' if count == 1 else 's'}"
