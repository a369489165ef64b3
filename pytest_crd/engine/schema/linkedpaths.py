"""Paths of schemas in a CRD as linked steps, which are spelled out only when an error needs the path."""

from __future__ import annotations

from typing import TypeAlias

from pytest_crd.engine.fieldpath import FieldPath, Key

# A root; or the place of the parent, the keyword below it, and the name or index there: None below `items` and the like.
# A tuple because one is made for every schema of a CRD, and nearly all of them are never spelled.
LinkedPath: TypeAlias = "FieldPath | tuple[LinkedPath, str, str | int | None]"


def path(place: LinkedPath) -> FieldPath:
    """Return the path of *place*."""
    segments: list[str | Key | int] = []
    while isinstance(place, tuple):
        place, keyword, below = place
        if below is not None:
            segments.append(Key(below) if isinstance(below, str) else below)
        segments.append(keyword)
    return FieldPath((*place.segments, *reversed(segments)))
