"""
The time of judging upgrades of real CRDs with random changes, including the search for example objects.

Without files: the first hundred accepted CRDs below $CRD_CORPUS/crds. Times are processor times, without reading the
files.
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

from benchmarks import corpus
from benchmarks.figures import Figure
from pytest_crd import engine
from pytest_crd.engine.inputerror import InputError
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.upgrades import upgrade
from pytest_crd.upgrades.projectobjects import Specimens

_CRDS = 100
_CHANGES = 3
_SLOWEST = 5


def change_schemas(
    random_: random.Random, crd: engine.CustomResourceDefinition
) -> engine.CustomResourceDefinition | None:
    """Return *crd* with a few random changes of its schemas, or None if a server would reject it."""
    manifest = copy.deepcopy(dict(crd.manifest))
    for version in manifest["spec"]["versions"]:
        fields = list(_fields(version["schema"]["openAPIV3Schema"].get("properties", {}).get("spec") or {}))
        for owner, name in random_.sample(fields, min(_CHANGES, len(fields))):
            _change(random_, owner, name)
    altered = crd.altered(manifest)
    return altered if altered.response.accepted else None


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
            crds = engine.load(path)
        except InputError:
            continue
        yield from (crd for crd in crds if crd.api_version.endswith("/v1") and crd.response.accepted)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the files."""
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")


def main(options: argparse.Namespace) -> Iterator[Figure]:
    """Print the time of judging the upgrades of a hundred CRDs, and the slowest."""
    random_ = random.Random(1)  # noqa: S311 - the same changes each time
    paths = corpus.crd_files(options.files)
    random_.shuffle(paths)
    spent: list[tuple[float, str]] = []
    answers = 0.0
    counts: collections.Counter[str] = collections.Counter()
    for crd in _crds(paths):
        new = change_schemas(random_, crd)
        if new is None:
            continue
        old, fresh, peer = map(engine.CustomResourceDefinition.from_manifest, (crd.manifest, *[new.manifest] * 2))
        start = time.process_time()
        report = upgrade.judge(old, fresh, Specimens())
        spent.append((time.process_time() - start, crd.name))
        answers += _seconds_of_answer(peer)
        counts.update(finding.kind.value for finding in report.findings)
        counts.update({"not shown": len(report.unshown), "without objects": len(report.warnings)})
        if len(spent) == _CRDS:
            break
    seconds = [time_ for time_, _ in spent]
    print(f"{len(spent)} CRDs: {sum(seconds):.1f} s, {statistics.median(seconds) * 1e3:.0f} ms each at the median")
    print(", ".join(f"{count} {title}" for title, count in counts.items()))
    for time_, name in sorted(spent, reverse=True)[:_SLOWEST]:
        print(f"  {time_ * 1e3:.0f} ms  {name}")
    yield Figure("judging upgrades", sum(seconds) / answers, "the answers to the new CRDs")


def _seconds_of_answer(crd: engine.CustomResourceDefinition) -> float:
    start = time.process_time()
    if not crd.response.accepted:
        raise ValueError(crd.response.message)
    return time.process_time() - start
