"""Navigation in objects: where in a JSON value something stands, and the value with something else there."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

Steps: TypeAlias = "tuple[str | int, ...]"

_INDEX: Final = re.compile(r"(?:\[(\d{1,9})\]|\.(\d{1,9}))(?=[.\[]|$)")


def all_steps(value: Any, steps: Steps = ()) -> Iterator[Steps]:
    """Yield where *value* and each value in it stands, outer ones first."""
    yield steps
    if isinstance(value, Mapping):
        for key, child in value.items():
            yield from all_steps(child, (*steps, key))
    elif isinstance(value, list):
        for index, child in enumerate(value):
            yield from all_steps(child, (*steps, index))


def find(resource: Any, field: str) -> tuple[Steps, str]:
    """
    Return where in *resource* the field of an error stands, or the nearest around it that is there; and what leads no further.

    The server spells a key of a map with a dot or in brackets, depending on what found the error.
    """
    steps: list[str | int] = []
    rest = f".{field}" if field and not field.startswith("[") else field
    while rest:
        found = max(_next_steps(resource, rest), key=lambda one: len(one[1]), default=None)
        if found is None:
            break
        step, spelling = found
        resource, rest = resource[step], rest.removeprefix(spelling)
        steps.append(step)
    return tuple(steps), rest.removeprefix(".")


def reached(resource: Any, path: Steps) -> tuple[Steps, Steps]:
    """Return the part of *path* that is there in *resource*, and what of it leads no further."""
    for index, step in enumerate(path):
        is_there = step in resource if isinstance(resource, Mapping) else False
        if isinstance(resource, list):
            is_there = isinstance(step, int) and step < len(resource)
        if not is_there:
            return path[:index], path[index:]
        resource = resource[step]
    return path, ()


def _next_steps(value: Any, rest: str) -> Iterator[tuple[str | int, str]]:
    """Yield the steps into *value* that the path *rest* may begin with, each with its spelling there."""
    if isinstance(value, list):
        found = _INDEX.match(rest)
        if found is not None and (index := int(found[1] or found[2])) < len(value):
            yield index, found[0]
    elif isinstance(value, Mapping):
        for key in value:
            for spelling in (f".{key}", f"[{key}]"):
                if rest.startswith(spelling) and rest[len(spelling) :][:1] in {"", ".", "["}:
                    yield key, spelling


def at(value: Any, steps: Sequence[str | int]) -> Any:
    """Return what stands at *steps*, which are there."""
    for step in steps:
        value = value[step]
    return value


def replaced(value: Any, steps: Sequence[str | int], new: Any) -> Any:
    """Return *value* with *new* at *steps*; what is not changed is shared."""
    if not steps:
        return new
    step, *rest = steps
    if isinstance(step, int):
        return [replaced(item, rest, new) if index == step else item for index, item in enumerate(value)]
    inner = value.get(step, {}) if isinstance(value, Mapping) else {}
    return {**value, step: replaced(inner, rest, new)}


def set_below(value: Any, names: Sequence[str], new: Any) -> Any:
    """Return *value* with *new* at the end of *names* of fields, which need not be there; what is not changed is shared."""
    name, *rest = names
    fields = value if isinstance(value, Mapping) else {}
    return {**fields, name: set_below(fields.get(name), rest, new) if rest else new}


def removed(value: Any, steps: Sequence[str | int]) -> Any:
    """Return *value* without what is at *steps*; at least one."""
    *outer, last = steps
    parent = copy.copy(at(value, outer))
    del parent[last]
    return replaced(value, outer, parent)
