"""Origins of the values of a derived manifest, such as a patched one, in the manifest that was read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from pytest_crd.engine.jsonvalue import JSONValue

Steps: TypeAlias = tuple[str | int, ...]

_ABSENT = object()


def find_origin(original: JSONValue, changed: JSONValue, steps: Steps) -> Steps | None:
    """
    Return the steps in *original* of the value at *steps* in *changed*.

    List items may have moved: an equal item matches, else an item with the same name.

    Returns:
        The steps; None if there is no equal value, so the value is new or changed.
    """
    origin: list[str | int] = []
    for step in steps:
        original_step = _index(original, changed, step) if isinstance(step, int) else step
        original, changed = _at(original, original_step), _at(changed, step)
        origin.append(original_step)
    return tuple(origin) if original is not _ABSENT and original == changed else None


def _index(original: JSONValue, changed: JSONValue, index: int) -> int:
    """Return the index in *original* of the item at *index* in *changed*: an equal one, else one with its name."""
    item = _at(changed, index)
    if not isinstance(original, Sequence) or _at(original, index) == item:
        return index
    matches = (
        (position for position, candidate in enumerate(original) if candidate == item),
        (
            position
            for position, candidate in enumerate(original)
            if _name(item) is not None and _name(candidate) == _name(item)
        ),
    )
    return next((position for indices in matches for position in indices), index)


def _name(value: JSONValue) -> JSONValue:
    return value.get("name") if isinstance(value, Mapping) else None


def _at(value: JSONValue, step: str | int) -> JSONValue:
    if isinstance(step, str):
        return value.get(step, _ABSENT) if isinstance(value, Mapping) else _ABSENT
    return value[step] if isinstance(value, Sequence) and step < len(value) else _ABSENT
