"""
What loading the CRDs of a folder takes beside reading their YAML, measured in turns in one run.

    python tests/benchmarks/bench_loading.py [FOLDER]

Without an argument: $CRD_CORPUS/crds. Times are processor times; the files were read from the disk before.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

from pytest_crd import engine
from pytest_crd.engine.reading import yamlreader

_ROUNDS = 5


def seconds(function: Callable[[], object]) -> float:
    """Return the processor time of a call, and of letting go what it returns."""
    start = time.process_time()
    function()
    return time.process_time() - start


def main() -> int:
    """Measure the folder on the command line, or that of the corpus."""
    corpus = os.environ.get("CRD_CORPUS")
    if len(sys.argv) < 2 and not corpus:
        print("name a folder, or set CRD_CORPUS")
        return 2
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(corpus or "", "crds")
    crds = engine.load([folder])
    files = sorted({Path(crd.source.rpartition(":")[0]) for crd in crds})
    texts = [file.read_bytes() for file in files]

    def read() -> object:
        return [yamlreader.read(text) for text in texts]

    rounds = [(seconds(read), seconds(lambda: engine.load(files))) for _ in range(_ROUNDS)]
    yaml, loading = (min(times) for times in zip(*rounds, strict=True))
    size = sum(map(len, texts)) / 1e6
    print(f"{len(crds)} CRDs in {len(files)} files, {size:.1f} MB, best of {_ROUNDS} rounds")
    print(f"reading their YAML {yaml:.2f} s, loading them {loading:.2f} s: {loading / yaml - 1:.2f} of it on top")
    return 0


if __name__ == "__main__":
    sys.exit(main())
