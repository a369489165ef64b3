"""Navigation in JSON values: reading, replacing and removing the value at a path of steps."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

Steps: TypeAlias = "tuple[str | int, ...]"

_INDEX: Final = re.compile(r"(?:\[(\d{1,9})\]|\.(\d{1,9}))(?=[.\[]|$)")
_DELIMITER: Final = re.compile(r"[.\[\]]")
_FEW_KEYS: Final = 8


def all_steps(value: Any, steps: Steps = ()) -> Iterator[Steps]:
    """Yield the steps of *value* and of each value inside it, outer ones first."""
    yield steps
    if isinstance(value, Mapping):
        for key, child in value.items():
            yield from all_steps(child, (*steps, key))
    elif isinstance(value, list):
        for index, child in enumerate(value):
            yield from all_steps(child, (*steps, index))


def find_steps(resource: Any, field: str) -> tuple[Steps, str]:
    """
    Return the steps of the nearest existing value to an error's field in *resource*, and the unmatched rest of the field.

    The server spells a key of a map with a dot or in brackets, depending on the validation that reports the error.
    """
    steps: list[str | int] = []
    rest = f".{field}" if field and not field.startswith("[") else field
    while rest:
        longest = max(_next_steps(resource, rest), key=lambda item: len(item[1]), default=None)
        if longest is None:
            break
        step, spelling = longest
        resource, rest = resource[step], rest.removeprefix(spelling)
        steps.append(step)
    return tuple(steps), rest.removeprefix(".")


def split_path(resource: Any, path: Steps) -> tuple[Steps, Steps]:
    """Return the part of *path* that exists in *resource*, and the rest of the path."""
    for index, step in enumerate(path):
        if not _has(resource, step):
            return path[:index], path[index:]
        resource = resource[step]
    return path, ()


def _next_steps(value: Any, rest: str) -> Iterator[tuple[str | int, str]]:
    """Yield the steps into *value* with which the path *rest* can begin, each with its spelling there."""
    if isinstance(value, list):
        match = _INDEX.match(rest)
        if match is not None and (index := int(match[1] or match[2])) < len(value):
            yield index, match[0]
    elif isinstance(value, Mapping):
        for key in _possible_keys(value, rest):
            for spelling in (f".{key}", f"[{key}]"):
                if rest.startswith(spelling) and rest[len(spelling) :][:1] in {"", ".", "["}:
                    yield key, spelling


def _possible_keys(value: Mapping[str, Any], rest: str) -> Iterable[str]:
    """Return the keys with which the path *rest* may begin: all of a small object, or those between its delimiters."""
    if len(value) <= _FEW_KEYS or len(value) <= sum(map(rest.count, ".[]")):
        return value
    ends = [*(match.start() for match in _DELIMITER.finditer(rest, 1)), len(rest)]
    return [key for end in ends if (key := rest[1:end]) in value]


def get_value(value: Any, steps: Sequence[str | int]) -> Any:
    """Return the value at *steps*, which must exist."""
    for step in steps:
        value = value[step]
    return value


def replace_value(value: Any, steps: Sequence[str | int], new: Any) -> Any:
    """Return *value* with *new* at *steps*; unchanged parts are shared."""
    if not steps:
        return new
    step, *rest = steps
    if isinstance(step, int):
        return [replace_value(item, rest, new) if index == step else item for index, item in enumerate(value)]
    inner = value.get(step, {}) if isinstance(value, Mapping) else {}
    return {**value, step: replace_value(inner, rest, new)}


def set_field(value: Any, names: Sequence[str], new: Any) -> Any:
    """Return *value* with *new* at the path of fields *names*, creating missing parents; unchanged parts are shared."""
    name, *rest = names
    fields = value if isinstance(value, Mapping) else {}
    return {**fields, name: set_field(fields.get(name), rest, new) if rest else new}


def remove_value(value: Any, steps: Sequence[str | int]) -> Any:
    """Return *value* without the part at *steps*, which must not be empty."""
    *outer, last = steps
    parent = copy.copy(get_value(value, outer))
    del parent[last]
    return replace_value(value, outer, parent)


def copy_value(source: Any, target: Any, steps: Sequence[str | int]) -> Any:
    """Return *target* with the value of *source* at *steps*, or at the nearest outer step that both have; without it if *source* lacks it."""
    if not steps:
        return target
    step, *inner = steps
    is_in_both = _has(source, step) and _has(target, step)
    if inner and is_in_both and isinstance(target[step], dict | list) and isinstance(source[step], type(target[step])):
        return replace_value(target, (step,), copy_value(source[step], target[step], inner))
    if _has(source, step):
        return replace_value(target, (step,), copy.deepcopy(source[step]))
    return remove_value(target, (step,)) if _has(target, step) else target


def is_blank(value: Any) -> bool:
    """Return True for null, an empty list, and objects of such values only."""
    return value in ([], None) or (isinstance(value, Mapping) and all(map(is_blank, value.values())))


def _has(value: Any, step: str | int) -> bool:
    """Return whether *value* has a key or an index."""
    if isinstance(value, Mapping):
        return step in value
    return isinstance(value, list) and isinstance(step, int) and step < len(value)
