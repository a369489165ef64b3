"""Paths of which a test knows the text alone."""

from __future__ import annotations

from pytest_crd.engine.fieldpath import SpelledPath


def spelled(*texts: str) -> tuple[SpelledPath, ...]:
    """Return paths that are spelled like that, wherever they lead."""
    return tuple(SpelledPath(text, ()) for text in texts)
