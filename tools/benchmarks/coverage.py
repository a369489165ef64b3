"""
The cost of coverage, as ratios measured in one run.

Without coverage: the time of checking for an observer, relative to a create and an update. With coverage: the time of a
create with a collector, relative to one without. The objects are those of `requests`, with rules.
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


def _check_observer() -> None:
    """Check for an observer once, as a create does."""
    if _OBSERVER.request is not None:
        raise AssertionError


def _nothing() -> None:
    pass


def measure(subject: Subject) -> Iterator[Figure]:
    """Print and yield the ratios of one subject."""
    crd = engine.CustomResourceDefinition.from_manifest(subject.crd)
    version = crd.version(subject.resource["apiVersion"].rpartition("/")[2])
    resource, namespace, collector = subject.resource, subject.namespace, Collector()
    observed = version.observed_by(collector.observer)
    stored = version.create(resource, namespace=namespace).stored

    def create() -> None:
        version.create(resource, namespace=namespace)

    def update() -> None:
        version.update(stored, old=stored, namespace=namespace)

    def collected() -> None:
        observed.create(resource, namespace=namespace)

    checking, nothing, created, updated, with_collector = peers.best(
        [_check_observer, _nothing, create, update, collected]
    )
    cost = max(checking - nothing, 0)
    print(f"{crd.kind}, {len(points(version))} points; a create takes {created * 1e6:.0f} µs")
    print(
        f"  without coverage: {100 * cost / created:.3f} % of a create and {100 * cost / updated:.3f} % of an update go into checking for an observer"
    )
    print(f"  with coverage: a create takes {with_collector / created:.2f} times as long")
    yield Figure(f"the check for an observer in a create of a {crd.kind}", cost / created, "the create")
    yield Figure(f"a create of a {crd.kind} with coverage", with_collector / created, "one without")


def add_arguments(_parser: argparse.ArgumentParser) -> None:
    """Add no arguments."""


def main(_options: argparse.Namespace) -> Iterator[Figure]:
    """Measure all subjects."""
    for subject in subjects(with_rules=True):
        yield from measure(subject)
