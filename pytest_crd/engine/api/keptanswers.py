"""Pickling of objects without their cached answers."""

from __future__ import annotations

from functools import cached_property


def without(answers: object) -> dict[str, object]:
    """Return the attributes of *answers* except its cached properties, which hold closures and cannot be pickled."""
    kind = type(answers)
    return {
        name: value
        for name, value in vars(answers).items()
        if not isinstance(getattr(kind, name, None), cached_property)
    }
