"""
The time of loading the CRDs of a folder beyond parsing their YAML, both measured in turns in one run.

Without a folder: $CRD_CORPUS/crds. Times are processor times; the files are in the disk cache.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks import corpus
from benchmarks.figures import Figure
from pytest_crd import engine
from pytest_crd.engine.yaml import yamlreader

_ROUNDS = 5


def seconds(function: Callable[[], object]) -> float:
    """Return the processor time of a call, including the deallocation of its result."""
    start = time.process_time()
    function()
    return time.process_time() - start


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the folder."""
    parser.add_argument("folder", nargs="?", type=Path)


def main(options: argparse.Namespace) -> Iterator[Figure]:
    """Measure the folder on the command line, or that of the corpus."""
    crds = engine.load([options.folder or corpus.folder() / "crds"])
    files = sorted({Path(crd.source.rpartition(":")[0]) for crd in crds})
    texts = [file.read_bytes() for file in files]

    def read() -> object:
        return [yamlreader.read(text) for text in texts]

    rounds = [(seconds(read), seconds(lambda: engine.load(files))) for _ in range(_ROUNDS)]
    yaml, loading = (min(times) for times in zip(*rounds, strict=True))
    size = sum(map(len, texts)) / 1e6
    print(f"{len(crds)} CRDs in {len(files)} files, {size:.1f} MB, best of {_ROUNDS} rounds")
    print(f"reading their YAML {yaml:.2f} s, loading them {loading:.2f} s: {loading / yaml - 1:.2f} of it on top")
    yield Figure("loading CRDs, on top of reading them", loading / yaml - 1, "reading their YAML")
