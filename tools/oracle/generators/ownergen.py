"""Random histories of objects with owners: creates, deletions with each policy, and removed finalizers."""

from __future__ import annotations

from random import Random
from typing import Any, Final

_NAMES: Final = "abcdefgh"
_KINDS: Final = ("configmaps", "configmaps", "secrets", "deployments")
_POLICIES: Final = ("", "Background", "Background", "Foreground", "Foreground", "Orphan")
_FINALIZERS: Final = ("example.com/hold", "orphan", "foregroundDeletion")


def history(random: Random, length: int) -> list[dict[str, Any]]:
    """
    Return random steps on the objects of one namespace.

    A step has one of the keys `create` (a name, with `kind`, `owners` and `finalizers`), `delete` (a name, with `policy`), `release` (a name
    whose finalizer `example.com/hold` is removed) and `own` (a name, with `owners`). An owner has a `name`, `blocks`, and perhaps `wrong`:
    the field of its reference that is not the owner's. Only new objects have wrong references.
    """
    steps: list[dict[str, Any]] = []
    names: list[str] = []
    while len(steps) < length:
        chance = random.random()
        if len(names) < 3 or (chance < 0.5 and len(names) < len(_NAMES)):
            name = _NAMES[len(names)]
            steps.append(_create(random, name, names))
            names.append(name)
        elif chance < 0.8:
            steps.append({"delete": random.choice(names), "policy": random.choice(_POLICIES)})
        elif chance < 0.9:
            steps.append({"release": random.choice(names)})
        else:
            steps.append({"own": random.choice(names), "owners": _owners(random, names)})
    return steps


def _create(random: Random, name: str, names: list[str]) -> dict[str, Any]:
    finalizers = [random.choice(_FINALIZERS)] if random.random() < 0.2 else []
    owners = _owners(random, names, may_err=True) if names and random.random() < 0.8 else []
    return {"create": name, "kind": random.choice(_KINDS), "owners": owners, "finalizers": finalizers}


def _owners(random: Random, names: list[str], *, may_err: bool = False) -> list[dict[str, Any]]:
    owners: list[dict[str, Any]] = []
    for name in random.sample(names, min(len(names), random.choice((1, 1, 1, 2, 3)))):
        owner: dict[str, Any] = {"name": name, "blocks": random.choice((True, True, False, None))}
        if may_err and random.random() < 0.08:
            owner["wrong"] = random.choice(("uid", "kind", "name", "apiVersion"))
        owners.append(owner)
    return owners
