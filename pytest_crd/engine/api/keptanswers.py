"""Answers that an object keeps once they were asked for, and what travels to another process without them."""

from __future__ import annotations

from functools import cached_property


def without(answers: object) -> dict[str, object]:
    """Return the attributes of an object that are not kept answers: those are closures, which no other process can have."""
    kind = type(answers)
    return {
        name: value
        for name, value in vars(answers).items()
        if not isinstance(getattr(kind, name, None), cached_property)
    }
