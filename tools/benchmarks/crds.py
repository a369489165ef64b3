"""
What the answer to the POST of a CRD costs against the server's own defaulting and validation in one Go process, over real CRDs without rules.

Without files: those below $CRD_CORPUS/crds. Times are processor times, of defaulting, converting and validating; reading the
files, decoding the manifests and writing what is stored is left out on both sides.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import corpus, peers
from benchmarks.figures import Figure
from pytest_crd import engine
from pytest_crd.engine import profile
from pytest_crd.engine.api.context import CrdContext
from pytest_crd.engine.api.crdanswers import CrdAnswers
from pytest_crd.engine.crds import decoded
from pytest_crd.engine.yaml import yamlreader

JSONValue = Any

_ROUNDS = 3
_PEER = "the Go packages"


@dataclass(frozen=True, slots=True)
class Measured:
    """
    One CRD.

    Attributes:
        name: Its name.
        ours: The seconds that the engine takes.
        go: The seconds that the Go packages take.
    """

    name: str
    ours: float
    go: float

    def __str__(self) -> str:
        """Return the figures."""
        return f"{self.ours * 1e3:.2f} ms against {self.go * 1e3:.2f} ms, {self.ours / self.go:.2f} times ({self.name})"


def manifests(paths: list[Path]) -> Iterator[JSONValue]:
    """Yield the v1 CRDs without rules in the files."""
    for path in paths:
        for document in yamlreader.read(path.read_bytes(), source=str(path)):
            crd = document.value
            is_crd = isinstance(crd, dict) and crd.get("apiVersion") == "apiextensions.k8s.io/v1" and crd.get("spec")
            if is_crd and peers.without_rules(crd) == crd:
                yield crd


def seconds(manifest: JSONValue) -> float:
    """Return the best time of the answer to a POST; raise ValueError where it is a refusal."""
    least = float("inf")
    sent = decoded.decode_crd(manifest, whole_paths=True)
    for _ in range(_ROUNDS):
        start = time.process_time()
        crd = engine.CustomResourceDefinition(
            CrdAnswers(sent, profile.named(profile.DEFAULT), None), CrdContext()
        )  # an answer is kept
        response = crd.response
        least = min(least, time.process_time() - start)
    if not response.accepted:
        raise ValueError(response.message)
    return least


def measured(paths: list[Path]) -> Iterator[Measured]:
    """Yield the figures of the CRDs that both accept."""
    with peers.needed_reference(profile.DEFAULT) as reference:
        for manifest in manifests(paths):
            name = manifest["metadata"]["name"]
            try:
                ours = seconds(manifest)
                go = reference.measure(manifest, rounds=_ROUNDS, calls=1)["crd"]
            except ValueError as error:
                print(f"left out: {name}: {str(error)[:100]}")
                continue
            yield Measured(name, ours, go)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the files."""
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")


def main(options: argparse.Namespace) -> Iterator[Figure]:
    """Measure the files on the command line, or those of the corpus."""
    found = list(measured(corpus.crd_files(options.files)))
    by_time = sorted(found, key=lambda one: one.ours)
    whole = sum(one.ours for one in found) / sum(one.go for one in found)
    median = statistics.median(one.ours / one.go for one in found)
    worst = max(found, key=lambda one: one.ours / one.go)
    print(f"{len(found)} CRDs without rules, best of {_ROUNDS} rounds, the engine against the Go packages")
    print(f"all:     {whole:.2f} times")
    print(f"ratios:  median {median:.2f}")
    print(f"median:  {by_time[len(found) // 2]}")
    print(f"slowest: {by_time[-1]}")
    print(f"worst:   {worst}")
    yield Figure("answers to all CRDs", whole, _PEER)
    yield Figure("the answer to a CRD, at the median", median, _PEER)
    yield Figure(f"the answer to {worst.name}, the worst", worst.ours / worst.go, _PEER)
