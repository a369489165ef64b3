"""
Compare the findings about upgrades with the effects on random objects: none may be missing, and none may be invented.

Schemas are generated and changed in some places; objects are generated from the old schema and sent to both CRDs. With several changes, each
kind of effect must be found: one must not hide another. An effect is undecided if the judgement names something that was not shown.
Only the engine runs. A seed repeats a run.
"""

from __future__ import annotations

import argparse
import contextlib
import copy
import random
import time
from collections import Counter
from collections.abc import Iterator, Sequence
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


def change_schema(chance: Random, schema: dict[str, Any], counts: Sequence[int]) -> dict[str, Any]:
    """Return *schema* with changes in several places; their number is one of *counts*."""
    copied = copy.deepcopy(schema)
    nodes = list(schemagen.nodes(copied))
    for node in chance.sample(nodes, min(len(nodes), chance.choice(counts))):
        chance.choice(
            (_change_validation, _change_validation, _change_required, _remove_field, _change_default, _toggle_nullable)
        )(chance, node)
    return copied


def _change_validation(chance: Random, node: dict[str, Any]) -> None:
    if chance.random() < 0.5:
        for keyword in requestgen._KEYWORDS:
            node.pop(keyword, None)
    # A random change may contradict another keyword.
    with contextlib.suppress(ValueError):
        requestgen._validate(chance, node)


def _change_required(chance: Random, node: dict[str, Any]) -> None:
    if names := list(node.get("properties") or ()):
        node["required"] = chance.sample(names, chance.randint(1, len(names)))


def _remove_field(chance: Random, node: dict[str, Any]) -> None:
    if names := list(node.get("properties") or ()):
        del node["properties"][chance.choice(names)]


def _change_default(chance: Random, node: dict[str, Any]) -> None:
    if node.pop("default", None) is None or chance.random() < 0.5:
        with contextlib.suppress(ValueError):
            node["default"] = requestgen.proper(chance, node)


def _toggle_nullable(_: Random, node: dict[str, Any]) -> None:
    node["nullable"] = not node.get("nullable")


def pairs(
    chance: Random, counts: Sequence[int]
) -> Iterator[tuple[CustomResourceDefinition, CustomResourceDefinition, dict[str, Any]]]:
    """Yield an accepted old CRD, an accepted new one, and the schema of the old one."""
    while True:
        schema = requestgen.crd_schema(chance)
        manifests = [
            casefile.manifest(version_schema, group=_GROUP)
            for version_schema in (schema, change_schema(chance, schema, counts))
        ]
        old, new = map(CustomResourceDefinition.from_manifest, manifests)
        if old.response.accepted and new.response.accepted and old.declared != new.declared:
            yield old, new, schema


def breaking_changes(
    chance: Random, old: CustomResourceDefinition, new: CustomResourceDefinition, schema: dict[str, Any], count: int
) -> Iterator[effects.Change]:
    """Yield the changes of random objects that have a breaking effect."""
    before, after = (Subject(crd.versions[0]) for crd in (old, new))
    for number in range(count):
        resource = objectgen.resource(
            chance, schema, api_version=f"{_GROUP}/{old.versions[0].name}", kind=old.kind, name=f"a{number}"
        )
        change = effects.find_change(resource, before, after)
        if any(Finding(effect.kind, "", "").is_breaking for effect in change.effects):
            yield change


def invented_findings(
    judged: upgrade.Upgrade, old: CustomResourceDefinition, new: CustomResourceDefinition
) -> Iterator[Finding]:
    """Yield the breaking findings whose witness does not have the effect."""
    before, after = (Subject(crd.versions[0]) for crd in (old, new))
    for finding in judged.findings:
        if finding.is_breaking and (witness := finding.witness) is not None and not witness.applied:
            again = effects.find_change(witness.resource, before, after, stored=witness.stored)
            if finding.kind not in {effect.kind for effect in again.effects}:
                yield finding


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the number of pairs and of objects, and the seed."""
    parser.add_argument("--pairs", type=int, default=500)
    parser.add_argument("--objects", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--changes", type=int, nargs="+", default=(1, 1, 2), help="numbers of changes to choose from (default: 1 1 2)"
    )


def main(options: argparse.Namespace) -> int:
    """Compare all pairs; return 1 if an effect was missed or invented."""
    chance = random.Random(options.seed)  # noqa: S311 - nothing secret
    counts: Counter[str] = Counter()
    for _, (old, new, schema) in zip(range(options.pairs), pairs(chance, options.changes), strict=False):
        start = time.perf_counter()
        try:
            judged = upgrade.judge(old, new, Specimens())
        except UnsupportedExpressionError:
            continue
        counts["pairs"] += 1
        counts["slow"] += time.perf_counter() - start > _SLOW_SECONDS
        kinds = {finding.kind for finding in judged.findings}
        counts["breaking"] += any(finding.is_breaking for finding in judged.findings)
        for finding in invented_findings(judged, old, new):
            counts["invented"] += 1
            print(f"invented: {finding.kind} {finding.path}: {finding.words}\n  {old.declared}\n  {new.declared}")
        breaking = list(breaking_changes(chance, old, new, schema, options.objects))
        counts["breaking for random objects"] += bool(breaking)
        missed = [change for change in breaking if not {effect.kind for effect in change.effects} <= kinds]
        if missed and judged.unshown:
            counts["undecided"] += 1
        elif missed:
            counts["missed"] += 1
            first = min(missed, key=lambda change: len(str(change.witness.resource)))
            effects_ = [f"{effect.kind} {effect.place}: {effect.words}" for effect in first.effects]
            print(f"missed: {effects_}\n  {dict(first.witness.resource)}\n  {old.declared}\n  {new.declared}")
    print(f"seed {options.seed}: {dict(counts)}")
    return int(bool(counts["missed"] or counts["invented"]))
