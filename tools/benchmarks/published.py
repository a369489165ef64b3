"""
The time of publishing the OpenAPI documents of CRDs, relative to answering their POST requests in the same run.

Without a folder: $CRD_CORPUS/crds. The response to each CRD is computed from scratch, then both OpenAPI documents of
each version.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks import corpus
from benchmarks.figures import Figure
from pytest_crd import engine


def _timed(crds: engine.CustomResourceDefinitions) -> Iterator[tuple[str, float, float, float]]:
    """Yield the name of each accepted CRD and the seconds of its response, its OpenAPI documents and its JSON Schemas."""
    for loaded in crds:
        manifest: Any = loaded.manifest
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


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the folder."""
    parser.add_argument("folder", nargs="?", type=Path)


def main(options: argparse.Namespace) -> Iterator[Figure]:
    """Print medians and the slowest CRD, yield the ratio of the sums."""
    crds = engine.load(options.folder or corpus.folder() / "crds")
    warm = crds[0].versions[0]
    warm.openapi(2), warm.openapi(3), warm.json_schema(), crds[0].create()  # fill caches that are loaded once
    rows = list(_timed(crds))
    answers, documents, schemas = [row[1] for row in rows], [row[2] for row in rows], [row[3] for row in rows]
    for title, times in (("crd.response", answers), ("openapi 2 and 3", documents), ("json_schema", schemas)):
        print(f"{title:16} median {statistics.median(times) * 1000:8.2f} ms, all {len(times)} {sum(times):7.2f} s")
    print(f"publishing takes {sum(documents) / sum(answers):.3f} of the time of the answers")
    name, answer, document, _ = max(rows, key=lambda row: row[2])
    print(f"slowest: {name}: {document * 1000:.0f} ms, its answer {answer * 1000:.0f} ms")
    yield Figure("publishing all CRDs", sum(documents) / sum(answers), "the answers to them")
