"""
The time of answering the POST of a CRD, relative to the Go packages, for real CRDs without rules.

Without files: those below $CRD_CORPUS/crds. Times are processor times of defaulting, converting and validating. Reading
the files, decoding the manifests and encoding the stored object are excluded on both sides.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks import corpus, peers
from benchmarks.figures import Figure
from pytest_crd import engine
from pytest_crd.engine import profile
from pytest_crd.engine.api.context import CrdContext
from pytest_crd.engine.api.crdanswers import CrdAnswers
from pytest_crd.engine.crds import decoded
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.observer import Observer
from pytest_crd.engine.yaml import yamlreader

_ROUNDS = 3
_PEER = "the Go packages"


@dataclass(frozen=True, slots=True)
class CrdTimes:
    """
    The times of one CRD.

    Attributes:
        name: The name of the CRD.
        ours: The seconds that the engine takes.
        go: The seconds that the Go packages take.
    """

    name: str
    ours: float
    go: float

    def __str__(self) -> str:
        """Return both times and their ratio."""
        return f"{self.ours * 1e3:.2f} ms against {self.go * 1e3:.2f} ms, {self.ours / self.go:.2f} times ({self.name})"


def manifests(paths: list[Path]) -> Iterator[JSONValue]:
    """Yield the v1 CRDs in *paths* that have no CEL rules."""
    for path in paths:
        for document in yamlreader.read(path.read_bytes(), source=str(path)):
            crd = document.value
            is_crd = isinstance(crd, dict) and crd.get("apiVersion") == "apiextensions.k8s.io/v1" and crd.get("spec")
            if is_crd and peers.without_rules(crd) == crd:
                yield crd


def seconds(manifest: JSONValue) -> float:
    """
    Return the best time of the response to a POST in seconds.

    Raises:
        ValueError: The CRD is rejected.
    """
    least = float("inf")
    sent = decoded.decode_crd(manifest, whole_paths=True)
    for _ in range(_ROUNDS):
        start = time.process_time()
        crd = engine.CustomResourceDefinition(
            CrdAnswers(sent, profile.named(profile.DEFAULT), None), CrdContext(Observer())
        )  # a new object each time, as it caches its response
        response = crd.response
        least = min(least, time.process_time() - start)
    if not response.accepted:
        raise ValueError(response.message)
    return least


def measure(paths: list[Path]) -> Iterator[CrdTimes]:
    """Yield the times of the CRDs that both sides accept."""
    with peers.needed_reference(profile.DEFAULT) as reference:
        for manifest in manifests(paths):
            name = manifest["metadata"]["name"]
            try:
                ours = seconds(manifest)
                go = reference.measure(manifest, rounds=_ROUNDS, calls=1)["crd"]
            except ValueError as error:
                print(f"skipped: {name}: {str(error)[:100]}")
                continue
            yield CrdTimes(name, ours, go)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the files."""
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")


def main(options: argparse.Namespace) -> Iterator[Figure]:
    """Measure the files on the command line, or the CRD files of the corpus."""
    crds = list(measure(corpus.crd_files(options.files)))
    by_time = sorted(crds, key=lambda crd: crd.ours)
    whole = sum(crd.ours for crd in crds) / sum(crd.go for crd in crds)
    median = statistics.median(crd.ours / crd.go for crd in crds)
    worst = max(crds, key=lambda crd: crd.ours / crd.go)
    print(f"{len(crds)} CRDs without rules, best of {_ROUNDS} rounds, the engine against the Go packages")
    print(f"all:     {whole:.2f} times")
    print(f"ratios:  median {median:.2f}")
    print(f"median:  {by_time[len(crds) // 2]}")
    print(f"slowest: {by_time[-1]}")
    print(f"worst:   {worst}")
    yield Figure("answers to all CRDs", whole, _PEER)
    yield Figure("the answer to a CRD, at the median", median, _PEER)
    yield Figure(f"the answer to {worst.name}, the worst", worst.ours / worst.go, _PEER)
