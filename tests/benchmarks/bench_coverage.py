"""
What coverage costs, in ratios that are measured in the same run.

    python tests/benchmarks/bench_coverage.py

Requests of who does not ask: what it takes to look whether somebody observes, as a part of a create and an update. Of who asks: a request
with a collector, in times of one without. The objects are those of bench_requests, with rules.
"""

from __future__ import annotations

import sys
from pathlib import Path

from pytest_crd import engine
from pytest_crd.coverage import Collector, points
from pytest_crd.engine import observation

sys.path.append(str(Path(__file__).parents[1]))

from benchmarks import bench_requests, peers


def _look() -> None:
    """Look as often as a create does: behind validation, and before rules."""
    if observation.current is not None:
        raise AssertionError
    if observation.current is not None:
        raise AssertionError


def _nothing() -> None:
    pass


def measure(subject: bench_requests.Subject) -> None:
    """Print the ratios of one subject."""
    crd = engine.CustomResourceDefinition.from_manifest(subject.crd)
    version = crd.version(subject.resource["apiVersion"].rpartition("/")[2])
    resource, namespace, collector = subject.resource, subject.namespace, Collector()
    stored = version.create(resource, namespace=namespace).stored

    def create() -> None:
        version.create(resource, namespace=namespace)

    def update() -> None:
        version.update(stored, old=stored, namespace=namespace)

    def collected() -> None:
        with collector.collecting():
            create()

    look, nothing, created, updated, with_collector = peers.best([_look, _nothing, create, update, collected])
    cost = max(look - nothing, 0)
    print(f"{crd.kind}, {len(points(version))} points; a create takes {created * 1e6:.0f} µs")
    print(f"  who does not ask: {100 * cost / created:.3f} % of a create, {100 * cost / updated:.3f} % of an update")
    print(f"  who asks: a create takes {with_collector / created:.2f} times as long")


if __name__ == "__main__":
    for one in bench_requests.subjects(with_rules=True):
        measure(one)
