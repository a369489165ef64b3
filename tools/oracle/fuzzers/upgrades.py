"""
Compare the findings about upgrades with the effects on random objects: none may be missing, and none may be invented.

Schemas are generated and changed in some places; objects are generated from the old schema and sent to both CRDs. With several changes, each
kind of effect must be found: one must not hide another. An effect is undecided if the judgement names something that was not shown.

With `--companions`, objects have fields with defaults beside others, unchanged rules and junctors that read both, and the same in a status
that another request writes. The refusal by each rule must be found, also if the same object is sent again.
Only the engine runs. A seed repeats a run.
"""

from __future__ import annotations

import argparse
import contextlib
import copy
import random
import signal
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import Any, Final

from conformance import casefile

from oracle.generators import objectgen, requestgen, schemagen
from pytest_crd.engine import CustomResourceDefinition, UnsupportedExpressionError
from pytest_crd.upgrades import effects, upgrade
from pytest_crd.upgrades.projectobjects import Specimens
from pytest_crd.upgrades.subject import Subject
from pytest_crd.upgrades.upgradefindings import Finding, Kind, path_of

_GROUP = "upgrades.example.com"
_SLOW_SECONDS = 5
# The share of objects of companions with a few valid fields.
_MOST_DRAWN = 0.9


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


# Scalar fields of one object.
_COMPANIONS: Final[dict[str, dict[str, Any]]] = {
    **{name: {"type": "integer", "minimum": 0, "maximum": 20} for name in ("low", "high", "extra")},
    **{name: {"type": "string", "maxLength": 4} for name in ("name", "prefix")},
    **{name: {"type": "boolean"} for name in ("on", "off")},
    "mode": {"type": "string", "enum": ["Auto", "Manual", "Off"]},
}
_COMPANION_RULES: Final = (
    "!has(self.low) || !has(self.high) || self.low <= self.high",
    "!(has(self.low) && has(self.high))",
    "has(self.low) || has(self.high) || has(self.name)",
    "(has(self.low) ? self.low : 0) + (has(self.high) ? self.high : 0) + (has(self.extra) ? self.extra : 0) <= 30",
    "!has(self.extra) || !has(self.low) || self.extra % (self.low + 1) != 3",
    "!has(self.name) || !has(self.prefix) || self.name.startsWith(self.prefix)",
    "!has(self.mode) || self.mode != 'Manual' || has(self.name)",
    "!has(self.on) || !has(self.off) || !(self.on && self.off)",
    "!has(self.mode) || !has(oldSelf.mode) || self.mode == oldSelf.mode",
    "!has(self.high) || !has(oldSelf.high) || self.high >= oldSelf.high",
    "self == oldSelf",
)
_COMPANION_JUNCTORS: Final[tuple[dict[str, Any], ...]] = (
    {"not": {"required": ["low", "high"]}},
    {"anyOf": [{"required": ["name"]}, {"properties": {"mode": {"enum": ["Auto"]}}}]},
    {"oneOf": [{"required": ["on"]}, {"required": ["off"]}, {"required": ["mode"]}]},
    {"not": {"properties": {"high": {"minimum": 7}}, "required": ["high", "extra"]}},
)


def companion_pairs(
    chance: Random, counts: Sequence[int]
) -> Iterator[tuple[CustomResourceDefinition, CustomResourceDefinition, dict[str, Any]]]:
    """Yield CRDs as `pairs` does, in which the defaults of companions change and most rules about them stay."""
    while True:
        places = {name: _companions(chance) for name in ("spec", "status")}
        schema = {"type": "object", "properties": {name: _inside(chance, node) for name, node in places.items()}}
        changed = copy.deepcopy(schema)
        nodes = [node for node in schemagen.nodes(changed) if "low" in (node.get("properties") or ())]
        for _ in range(chance.choice(counts)):
            _change_companion(chance, chance.choice(nodes))
        manifests = [casefile.manifest(version_schema, group=_GROUP) for version_schema in (schema, changed)]
        if chance.random() < 0.5:
            for manifest in manifests:
                manifest["spec"]["versions"][0]["subresources"] = {"status": {}}
        old, new = map(CustomResourceDefinition.from_manifest, manifests)
        if old.response.accepted and new.response.accepted and old.declared != new.declared:
            yield old, new, schema


def _companions(chance: Random) -> dict[str, Any]:
    fields = copy.deepcopy(_COMPANIONS)
    for name in chance.sample(list(fields), 3):
        fields[name]["default"] = requestgen.proper(chance, fields[name])
    rules = [{"rule": rule} for rule in chance.sample(_COMPANION_RULES, 2)]
    junctors = chance.choice(_COMPANION_JUNCTORS) if chance.random() < 0.3 else {}
    return {"type": "object", "properties": fields, "x-kubernetes-validations": rules, **copy.deepcopy(junctors)}


def _inside(chance: Random, node: dict[str, Any]) -> dict[str, Any]:
    """Return an object with *node* as itself, in a list, or in a field."""
    kind = chance.choice(("itself", "items", "field"))
    if kind == "items":
        return {"type": "object", "properties": {"list": {"type": "array", "maxItems": 3, "items": node}}}
    return node if kind == "itself" else {"type": "object", "properties": {"inner": node}}


def _change_companion(chance: Random, node: dict[str, Any]) -> None:
    """Change the default, the nullability or the bound of a field, or add a rule."""
    field = node["properties"][chance.choice(list(_COMPANIONS))]
    kind = chance.random()
    if kind < 0.6:
        _change_default(chance, field)
    elif kind < 0.75:
        _toggle_nullable(chance, field)
    elif kind < 0.85 and "maximum" in field:
        field["maximum"] = chance.choice((5, 10, 15))
    else:
        rules = [rule for rule in _COMPANION_RULES if {"rule": rule} not in node["x-kubernetes-validations"]]
        node["x-kubernetes-validations"].append({"rule": chance.choice(rules)})


def breaking_changes(
    chance: Random, old: CustomResourceDefinition, new: CustomResourceDefinition, schema: dict[str, Any], count: int
) -> Iterator[effects.Change]:
    """Yield the changes of random objects that have a breaking effect."""
    before, after = (Subject(crd.versions[0]) for crd in (old, new))
    head = {"api_version": f"{_GROUP}/{old.versions[0].name}", "kind": old.kind}
    for number in range(count):
        resource = objectgen.resource(chance, schema, **head, name=f"a{number}")
        if "spec" in resource and chance.random() < _MOST_DRAWN:
            resource |= {name: _draw(chance, node) for name, node in schema.get("properties", {}).items()}
        for stored in (None, resource):
            change = effects.find_change(resource, before, after, stored=stored)
            if any(Finding(effect.kind, "", "").is_breaking for effect in change.effects):
                yield change


def _draw(chance: Random, schema: dict[str, Any]) -> Any:
    """Return a value with some of the fields of *schema*, each valid by itself."""
    if "items" in schema:
        return [_draw(chance, schema["items"]) for _ in range(chance.randint(0, 3))]
    if "properties" not in schema:
        return requestgen.proper(chance, schema)
    fields = chance.sample(list(schema["properties"]), chance.randint(0, len(schema["properties"])))
    return {name: _draw(chance, schema["properties"][name]) for name in fields}


def unnamed_rules(judged: upgrade.Upgrade, changes: Iterable[effects.Change]) -> Iterator[str]:
    """Yield the refusals by a rule that no finding names."""
    named = {(finding.path, finding.decision) for finding in judged.findings if finding.kind is Kind.REFUSED}
    refusals = (
        (effect, change.witness.resource)
        for change in changes
        for effect in change.effects
        if effect.kind is Kind.REFUSED and effect.origin is not None
    )
    for effect, resource in refusals:
        if (path_of(effect.place), effect.cause) not in named:
            yield f"{path_of(effect.place)}: {effect.words}: {dict(resource)}"


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
    parser.add_argument("--companions", action="store_true", help="change fields beside others that rules read, too")
    parser.add_argument(
        "--changes", type=int, nargs="+", default=(1, 1, 2), help="numbers of changes to choose from (default: 1 1 2)"
    )


def compare(
    pair: tuple[CustomResourceDefinition, CustomResourceDefinition, dict[str, Any]],
    chance: Random,
    options: argparse.Namespace,
    counts: Counter[str],
) -> None:
    """Compare one pair, print each difference, and add it to *counts*."""
    old, new, schema = pair
    start = time.perf_counter()
    try:
        judged = upgrade.judge(old, new, Specimens())
    except UnsupportedExpressionError:
        return
    counts["pairs"] += 1
    counts["slow"] += time.perf_counter() - start > _SLOW_SECONDS
    kinds = {finding.kind for finding in judged.findings}
    counts["breaking"] += any(finding.is_breaking for finding in judged.findings)
    for finding in invented_findings(judged, old, new):
        counts["invented"] += 1
        print(f"invented: {finding.kind} {finding.path}: {finding.words}\n  {old.declared}\n  {new.declared}")
    breaking = list(breaking_changes(chance, old, new, schema, options.objects))
    counts["breaking for random objects"] += bool(breaking)
    # Updates get warnings about unchanged values, which no upgrade reports.
    named = {*kinds, Kind.WARNED} if options.companions else kinds
    missed = [change for change in breaking if not {effect.kind for effect in change.effects} <= named]
    if options.companions and (unnamed := list(unnamed_rules(judged, breaking))):
        counts["undecided rule" if judged.undecided else "unnamed rule"] += 1
        if not judged.undecided:
            print(f"unnamed: {min(unnamed, key=len)}\n  {old.declared}\n  {new.declared}")
    if missed and judged.unshown:
        counts["undecided"] += 1
    elif missed:
        counts["missed"] += 1
        first = min(missed, key=lambda change: len(str(change.witness.resource)))
        effects_ = [f"{effect.kind} {effect.place}: {effect.words}" for effect in first.effects]
        print(f"missed: {effects_}\n  {dict(first.witness.resource)}\n  {old.declared}\n  {new.declared}")


def main(options: argparse.Namespace) -> int:
    """Compare all pairs, or as many as are done at an interrupt or end; return 1 if an effect was missed or invented."""
    for number in (signal.SIGINT, signal.SIGTERM):  # A shell lets its background jobs ignore interrupts.
        signal.signal(number, signal.default_int_handler)
    chance = random.Random(options.seed)  # noqa: S311 - nothing secret
    counts: Counter[str] = Counter()
    make = companion_pairs if options.companions else pairs
    try:
        for _, pair in zip(range(options.pairs), make(chance, options.changes), strict=False):
            compare(pair, chance, options, counts)
    except KeyboardInterrupt:
        print(f"interrupted before {options.pairs} pairs")
    print(f"seed {options.seed}: {dict(counts)}")
    return int(bool(counts["missed"] or counts["invented"] or counts["unnamed rule"]))
