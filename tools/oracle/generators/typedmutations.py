"""Random changes to objects of built-in kinds: fields of their Go types, and odd values in the place of others."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from random import Random
from typing import Any, Final

from oracle.generators import drawnobjects
from oracle.generators.drawnobjects import Enums
from pytest_crd.engine import profile
from pytest_crd.server.builtin import builtingotypes

_PROFILE: Final = profile.named(profile.DEFAULT)
_TEXTS: Final = (
    *("", "A_b", "a.b", "-a", "a b", "<b>", "x" * 64, "x" * 254, "a/b", "a/b/c", "*", "1", "é", "http", "10.0.0.0/8"),
    *("kubernetes.io/a", "In", "Exists", "Always", "50%", "101%", "a%", "1Gi", "-1", "TCP", "/a", "None", "a:b"),
)
_NUMBERS: Final = (0, -1, 1, 2, 100, 101, 65535, 65536, 2**31 - 1)


def mutate(random: Random, value: Any, enums: Enums) -> None:
    """Change a field of an object, in place."""
    if random.random() < 0.5:
        struct = builtingotypes.of_kind(value["apiVersion"], value["kind"], _PROFILE)
        drawnobjects.change(random, value, struct, enums)
        return
    places = [*_places({key: item for key, item in value.items() if key not in ("apiVersion", "kind", "metadata")})]
    if not places:
        return
    steps = random.choice(places)
    place = value
    for step in steps[:-1]:
        place = place[step]
    place[steps[-1]] = _odd(random, place[steps[-1]])
    if isinstance(place, dict) and random.random() < 0.2:
        del place[steps[-1]]


def _places(value: Any, steps: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the steps to each part of a value."""
    if steps:
        yield steps
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, item in items:
        yield from _places(item, (*steps, step))


def _odd(random: Random, value: Any) -> Any:
    """Return another value of the same JSON type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return random.choice((*_NUMBERS, value + 1))
    if isinstance(value, str):
        return random.choice((*_TEXTS, f"{value}a", value.lower()))
    if isinstance(value, list):
        repeated = [*value, *copy.deepcopy(value[:1])]
        return random.choice(([], repeated, value[1:], value[::-1], value * 3))
    if isinstance(value, dict) and value and all(isinstance(item, str) for item in value.values()):
        return {**value, random.choice(_TEXTS[:8]): copy.deepcopy(random.choice([*value.values()]))}
    return {}
