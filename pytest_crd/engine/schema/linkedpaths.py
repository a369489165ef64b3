"""Paths of schemas in a CRD as linked steps, converted to a field path only for an error."""

from __future__ import annotations

from typing import TypeAlias

from pytest_crd.engine.fieldpath import FieldPath, Key

# A root; or the place of the parent, a keyword, and the name or index below it (None for keywords such as `items`).
# A tuple because every schema of a CRD gets a place, and nearly all places are never converted.
LinkedPath: TypeAlias = "FieldPath | tuple[LinkedPath, str, str | int | None]"


def path(place: LinkedPath) -> FieldPath:
    """Return the field path of *place*."""
    segments: list[str | Key | int] = []
    while isinstance(place, tuple):
        place, keyword, below = place
        if below is not None:
            segments.append(Key(below) if isinstance(below, str) else below)
        segments.append(keyword)
    return FieldPath((*place.segments, *reversed(segments)))
