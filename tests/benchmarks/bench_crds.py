"""
What the answer to the POST of a CRD costs against the server's own defaulting and validation in one Go process, over real CRDs without rules.

    python tests/benchmarks/bench_crds.py [FILE]...

Without arguments: the files below $CRD_CORPUS/crds. Times are processor times, of defaulting, converting and validating; reading the
files, decoding the manifests and writing what is stored is left out on both sides.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_crd import engine
from pytest_crd.engine import profile
from pytest_crd.engine.crds import decoded
from pytest_crd.engine.reading import yamlreader

sys.path.append(str(Path(__file__).parents[1]))

from benchmarks import peers

JSONValue = Any

_ROUNDS = 3


@dataclass(frozen=True, slots=True)
class Measured:
    """
    One CRD.

    Attributes:
        name: Its name.
        ours: The seconds that the engine takes.
        go: The seconds that the Go packages take; the engine's where there is no Go.
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
        crd = engine.CustomResourceDefinition(sent, kubernetes_version=profile.DEFAULT)  # an answer is kept
        response = crd.response
        least = min(least, time.process_time() - start)
    if not response.accepted:
        raise ValueError(response.message)
    return least


def measured(paths: list[Path]) -> Iterator[Measured]:
    """Yield the figures of the CRDs that both accept."""
    with peers.reference(profile.DEFAULT) as reference:
        for manifest in manifests(paths):
            name = manifest["metadata"]["name"]
            try:
                ours = seconds(manifest)
                go = reference.measure(manifest, rounds=_ROUNDS, calls=1)["crd"] if reference else ours
            except ValueError as error:
                print(f"left out: {name}: {str(error)[:100]}")
                continue
            yield Measured(name, ours, go)


def main() -> int:
    """Measure the files on the command line, or those of the corpus."""
    paths = [Path(argument) for argument in sys.argv[1:]]
    if not paths and (corpus := os.environ.get("CRD_CORPUS")):
        paths = sorted((Path(corpus) / "crds").rglob("*.yaml"))
    if not paths:
        print("name files, or set CRD_CORPUS")
        return 2
    found = list(measured(paths))
    by_time = sorted(found, key=lambda one: one.ours)
    print(f"{len(found)} CRDs without rules, best of {_ROUNDS} rounds, the engine against the Go packages")
    print(f"all:     {sum(one.ours for one in found) / sum(one.go for one in found):.2f} times")
    print(f"ratios:  median {statistics.median(one.ours / one.go for one in found):.2f}")
    print(f"median:  {by_time[len(found) // 2]}")
    print(f"slowest: {by_time[-1]}")
    print(f"worst:   {max(found, key=lambda one: one.ours / one.go)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
