"""
Compare what upgrades say with what random objects show: no effect that a random object has may be missing, and none may be made up.

Schemas are made and changed in one place or two; the objects are made of the old schema, and run under both CRDs. Nothing but the engine is
asked. A seed repeats a run.
"""

from __future__ import annotations

import argparse
import contextlib
import copy
import random
import time
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

from conformance import casefile

from oracle.generators import objectgen, requestgen, schemagen
from pytest_crd.engine import CustomResourceDefinition, UnsupportedExpressionError
from pytest_crd.upgrades import effects, upgrade
from pytest_crd.upgrades.projectobjects import Specimens
from pytest_crd.upgrades.upgradefindings import Finding
from pytest_crd.upgrades.upgradesubject import Subject

_GROUP = "upgrades.example.com"
_SLOW_SECONDS = 5


def changed(chance: Random, schema: dict[str, Any]) -> dict[str, Any]:
    """Return *schema* with a change in one place or two."""
    made = copy.deepcopy(schema)
    nodes = list(schemagen.nodes(made))
    for node in chance.sample(nodes, min(len(nodes), chance.choice((1, 1, 2)))):
        chance.choice((_validated, _validated, _required, _without_field, _with_default, _nullable))(chance, node)
    return made


def _validated(chance: Random, node: dict[str, Any]) -> None:
    if chance.random() < 0.5:
        for keyword in requestgen._KEYWORDS:
            node.pop(keyword, None)
    # A random change may leave no room for what another keyword needs.
    with contextlib.suppress(ValueError):
        requestgen._validate(chance, node)


def _required(chance: Random, node: dict[str, Any]) -> None:
    if names := list(node.get("properties") or ()):
        node["required"] = chance.sample(names, chance.randint(1, len(names)))


def _without_field(chance: Random, node: dict[str, Any]) -> None:
    if names := list(node.get("properties") or ()):
        del node["properties"][chance.choice(names)]


def _with_default(chance: Random, node: dict[str, Any]) -> None:
    if node.pop("default", None) is None or chance.random() < 0.5:
        with contextlib.suppress(ValueError):
            node["default"] = requestgen.proper(chance, node)


def _nullable(_: Random, node: dict[str, Any]) -> None:
    node["nullable"] = not node.get("nullable")


def pairs(chance: Random) -> Iterator[tuple[CustomResourceDefinition, CustomResourceDefinition, dict[str, Any]]]:
    """Yield CRDs that a server takes, the old and the new, with the schema of the old one."""
    while True:
        schema = requestgen.crd_schema(chance)
        made = [casefile.manifest(one, group=_GROUP) for one in (schema, changed(chance, schema))]
        old, new = map(CustomResourceDefinition.from_manifest, made)
        if old.response.accepted and new.response.accepted and old.declared != new.declared:
            yield old, new, schema


def shown(
    chance: Random, old: CustomResourceDefinition, new: CustomResourceDefinition, schema: dict[str, Any], count: int
) -> Iterator[effects.Change]:
    """Yield what becomes of random objects, where that is something that breaks."""
    before, after = (Subject(crd.versions[0]) for crd in (old, new))
    for number in range(count):
        resource = objectgen.resource(
            chance, schema, api_version=f"{_GROUP}/{old.versions[0].name}", kind=old.kind, name=f"a{number}"
        )
        change = effects.find_change(resource, before, after)
        if any(Finding(one.kind, "", "").is_breaking for one in change.effects):
            yield change


def made_up(found: upgrade.Upgrade, old: CustomResourceDefinition, new: CustomResourceDefinition) -> Iterator[Finding]:
    """Yield the findings whose object does not show what they say."""
    before, after = (Subject(crd.versions[0]) for crd in (old, new))
    for finding in found.findings:
        if finding.is_breaking and (witness := finding.witness) is not None and not witness.applied:
            again = effects.find_change(witness.resource, before, after, stored=witness.stored)
            if finding.kind not in {one.kind for one in again.effects}:
                yield finding


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add how many pairs of which seed, and how many objects each."""
    parser.add_argument("--pairs", type=int, default=500)
    parser.add_argument("--objects", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)


def main(options: argparse.Namespace) -> int:
    """Compare all pairs; the exit code says whether something was missed or made up."""
    chance = random.Random(options.seed)  # noqa: S311 - nothing secret
    counts: Counter[str] = Counter()
    for _, (old, new, schema) in zip(range(options.pairs), pairs(chance), strict=False):
        start = time.perf_counter()
        try:
            found = upgrade.judge(old, new, Specimens())
        except UnsupportedExpressionError:
            continue
        counts["pairs"] += 1
        counts["slow"] += time.perf_counter() - start > _SLOW_SECONDS
        kinds = {one.kind for one in found.findings}
        counts["told"] += any(one.is_breaking for one in found.findings)
        for one in made_up(found, old, new):
            counts["made up"] += 1
            print(f"made up: {one.kind} {one.path}: {one.words}\n  {old.declared}\n  {new.declared}")
        breaking = list(shown(chance, old, new, schema, options.objects))
        counts["shown by random objects"] += bool(breaking)
        missed = [one for one in breaking if not {effect.kind for effect in one.effects} & kinds]
        if missed:
            counts["missed"] += 1
            first = min(missed, key=lambda one: len(str(one.witness.resource)))
            told = [f"{effect.kind} {effect.place}: {effect.words}" for effect in first.effects]
            print(f"missed: {told}\n  {dict(first.witness.resource)}\n  unshown {found.unshown}")
    print(f"seed {options.seed}: {dict(counts)}")
    return int(bool(counts["missed"] or counts["made up"]))
