"""Field paths made from their text."""

from __future__ import annotations

from pytest_crd.engine.fieldpath import SpelledPath


def spelled(*texts: str) -> tuple[SpelledPath, ...]:
    """Return paths with these texts and without segments."""
    return tuple(SpelledPath(text, ()) for text in texts)
