"""Origins: where in a manifest that was read stands what is in one that was made of it, as by a patch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from pytest_crd.engine.jsonvalue import JSONValue

Steps: TypeAlias = tuple[str | int, ...]

_ABSENT = object()


def find(original: JSONValue, changed: JSONValue, steps: Steps) -> Steps | None:
    """
    Return where in *original* stands the value that is at *steps* in *changed*.

    Items of lists may have moved: an equal one is meant, or else one of the same name.

    Returns:
        The steps; None where there is no equal value, that is where it is new or changed.
    """
    origin: list[str | int] = []
    for step in steps:
        there = _index(original, changed, step) if isinstance(step, int) else step
        original, changed = _at(original, there), _at(changed, step)
        origin.append(there)
    return tuple(origin) if original is not _ABSENT and original == changed else None


def _index(original: JSONValue, changed: JSONValue, index: int) -> int:
    """Return which item of *original* became that of *changed* at *index*: that at the same place where none is like it."""
    item = _at(changed, index)
    if not isinstance(original, Sequence) or _at(original, index) == item:
        return index
    likenesses = (
        (place for place, one in enumerate(original) if one == item),
        (place for place, one in enumerate(original) if _name(item) is not None and _name(one) == _name(item)),
    )
    return next((place for places in likenesses for place in places), index)


def _name(value: JSONValue) -> JSONValue:
    return value.get("name") if isinstance(value, Mapping) else None


def _at(value: JSONValue, step: str | int) -> JSONValue:
    if isinstance(step, str):
        return value.get(step, _ABSENT) if isinstance(value, Mapping) else _ABSENT
    return value[step] if isinstance(value, Sequence) and step < len(value) else _ABSENT
