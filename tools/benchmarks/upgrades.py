"""
What it costs to judge upgrades: real CRDs, each changed at random in some places; looking for the objects that show it is counted.

Without files: those below $CRD_CORPUS/crds, the first hundred CRDs that are accepted. Reading the files is left out; times are processor
times.
"""

from __future__ import annotations

import argparse
import collections
import copy
import random
import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks import corpus
from benchmarks.figures import Figure
from pytest_crd import engine
from pytest_crd.engine.inputerror import InputError
from pytest_crd.upgrades import upgrade
from pytest_crd.upgrades.projectobjects import Specimens

JSONValue = Any

_CRDS = 100
_CHANGES = 3
_SLOWEST = 5


def changed(random_: random.Random, crd: engine.CustomResourceDefinition) -> engine.CustomResourceDefinition | None:
    """Return *crd* with a few places of its schemas changed; None where a server would not take that."""
    manifest = copy.deepcopy(dict(crd.manifest))
    for version in manifest["spec"]["versions"]:
        fields = list(_fields(version["schema"]["openAPIV3Schema"].get("properties", {}).get("spec") or {}))
        for owner, name in random_.sample(fields, min(_CHANGES, len(fields))):
            _change(random_, owner, name)
    made = crd.altered(manifest)
    return made if made.response.accepted else None


def _fields(schema: JSONValue) -> Iterator[tuple[JSONValue, str]]:
    for name, child in (schema.get("properties") or {}).items():
        yield schema, name
        yield from _fields(child)
        if isinstance(child.get("items"), dict):
            yield from _fields(child["items"])


def _change(random_: random.Random, owner: JSONValue, name: str) -> None:
    schema = owner["properties"].get(name)
    if schema is None:
        return
    kind = schema.get("type")
    if kind == "string":
        schema.update(random_.choice([{"maxLength": 5}, {"pattern": "^[a-z]+$"}, {"enum": ["a", "b"]}]))
    elif kind in {"integer", "number"}:
        schema.update(random_.choice([{"maximum": 5}, {"minimum": 3}]))
    elif random_.random() < 0.5 and name not in (owner.get("required") or ()):
        del owner["properties"][name]
    else:
        owner["required"] = [*dict.fromkeys((*(owner.get("required") or ()), name))]


def _crds(paths: list[Path]) -> Iterator[engine.CustomResourceDefinition]:
    for path in paths:
        try:
            found = engine.load(path)
        except InputError:
            continue
        yield from (crd for crd in found if crd.api_version.endswith("/v1") and crd.response.accepted)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the files."""
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")


def main(options: argparse.Namespace) -> Iterator[Figure]:
    """Print what an upgrade of a hundred CRDs costs, and the slowest of them."""
    random_ = random.Random(1)  # noqa: S311 - the same changes each time
    paths = corpus.crd_files(options.files)
    random_.shuffle(paths)
    spent: list[tuple[float, str]] = []
    answers = 0.0
    counts: collections.Counter[str] = collections.Counter()
    for crd in _crds(paths):
        new = changed(random_, crd)
        if new is None:
            continue
        old, fresh, peer = map(engine.CustomResourceDefinition.from_manifest, (crd.manifest, *[new.manifest] * 2))
        start = time.process_time()
        found = upgrade.judge(old, fresh, Specimens())
        spent.append((time.process_time() - start, crd.name))
        answers += _seconds_of_answer(peer)
        counts.update(finding.kind.value for finding in found.findings)
        counts.update({"not shown": len(found.unshown), "without objects": len(found.warnings)})
        if len(spent) == _CRDS:
            break
    seconds = [one for one, _ in spent]
    print(f"{len(spent)} CRDs: {sum(seconds):.1f} s, {statistics.median(seconds) * 1e3:.0f} ms each at the median")
    print(", ".join(f"{count} {what}" for what, count in counts.items()))
    for one, name in sorted(spent, reverse=True)[:_SLOWEST]:
        print(f"  {one * 1e3:.0f} ms  {name}")
    yield Figure("judging upgrades", sum(seconds) / answers, "the answers to the new CRDs")


def _seconds_of_answer(crd: engine.CustomResourceDefinition) -> float:
    start = time.process_time()
    if not crd.response.accepted:
        raise ValueError(crd.response.message)
    return time.process_time() - start
