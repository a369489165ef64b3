"""
What coverage costs, in ratios that are measured in the same run.

Requests of who does not ask: what it takes to look whether somebody observes, as a part of a create and an update. Of who asks: a request
with a collector, in times of one without. The objects are those of `requests`, with rules.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from benchmarks import peers
from benchmarks.figures import Figure
from benchmarks.subjects import Subject, subjects
from pytest_crd import engine
from pytest_crd.coverage import Collector, points
from pytest_crd.engine.observer import Observer

_OBSERVER = Observer()


def _look() -> None:
    """Look as often as a create does: once."""
    if _OBSERVER.request is not None:
        raise AssertionError


def _nothing() -> None:
    pass


def measure(subject: Subject) -> Iterator[Figure]:
    """Print and yield the ratios of one subject."""
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
    yield Figure(f"a create of a {crd.kind}: what coverage costs who does not ask", cost / created, "the create")
    yield Figure(f"a create of a {crd.kind} with coverage", with_collector / created, "one without")


def add_arguments(_parser: argparse.ArgumentParser) -> None:
    """Add nothing."""


def main(_options: argparse.Namespace) -> Iterator[Figure]:
    """Measure all subjects."""
    for one in subjects(with_rules=True):
        yield from measure(one)
