"""
How long a CRD takes to be published, next to how long it takes to be answered: `python tests/benchmarks/bench_published.py FOLDER`.

Of each CRD below the folder the answer to its POST is made from nothing, then both documents of each served version. The ratio is of the same run.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pytest_crd import engine


def _timed(crds: engine.CustomResourceDefinitions) -> Iterator[tuple[str, float, float, float]]:
    """Yield the name of each CRD that is accepted, and the seconds that its answer, its documents and its JSON Schemas take."""
    for known in crds:
        manifest: Any = known.manifest
        crd = engine.CustomResourceDefinition.from_manifest(manifest)
        start = time.perf_counter()
        is_accepted = crd.response.accepted
        answered = time.perf_counter()
        for version in crd.versions:
            version.openapi(2)
            version.openapi(3)
        published = time.perf_counter()
        for version in crd.versions:
            version.json_schema()
        if is_accepted:
            yield crd.name, answered - start, published - answered, time.perf_counter() - published


def main(arguments: Sequence[str]) -> int:
    """Print the medians, the ratio of the sums, and the slowest."""
    if len(arguments) != 1:
        print("usage: bench_published.py FOLDER", file=sys.stderr)
        return 2
    crds = engine.load(Path(arguments[0]))
    warm = crds[0].versions[0]
    warm.openapi(2), warm.openapi(3), warm.json_schema(), crds[0].create()  # what is read once
    rows = list(_timed(crds))
    answers, documents, schemas = [row[1] for row in rows], [row[2] for row in rows], [row[3] for row in rows]
    for what, times in (("crd.response", answers), ("openapi 2 and 3", documents), ("json_schema", schemas)):
        print(f"{what:16} median {statistics.median(times) * 1000:8.2f} ms, all {len(times)} {sum(times):7.2f} s")
    print(f"publishing takes {sum(documents) / sum(answers):.3f} of the time of the answers")
    name, answer, document, _ = max(rows, key=lambda row: row[2])
    print(f"slowest: {name}: {document * 1000:.0f} ms, its answer {answer * 1000:.0f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
