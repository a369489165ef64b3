"""Pickling of objects without their cached properties."""

from __future__ import annotations

from functools import cached_property


def get_state(instance: object) -> dict[str, object]:
    """Return the attributes of *instance* without its cached properties, which hold closures and cannot be pickled."""
    kind = type(instance)
    return {
        name: value
        for name, value in vars(instance).items()
        if not isinstance(getattr(kind, name, None), cached_property)
    }
