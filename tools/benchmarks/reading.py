"""
The time of reading YAML relative to yaml.CSafeLoader, and the time of looking up a line, measured in turns in one run.

Without files: those below $CRD_CORPUS/crds. Files that CSafeLoader cannot load are skipped.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import yaml

from benchmarks import corpus
from benchmarks.figures import Figure
from pytest_crd.engine.yaml import yamlreader

_ROUNDS = 5


def read_with_pyyaml(text: bytes) -> object:
    """Return all documents as PyYAML loads them."""
    return list(yaml.load_all(text, Loader=yaml.CSafeLoader))


def read_and_find_line(text: bytes) -> object:
    """Read *text* and look up one line in each document, as an error message does."""
    return [document.line_of(("spec", "versions", 0, "schema")) for document in yamlreader.read(text)]


def is_loadable(text: bytes) -> bool:
    """Return True if PyYAML can load *text*."""
    try:
        read_with_pyyaml(text)
    except (yaml.YAMLError, ValueError):
        return False
    return True


def best(functions: list[Callable[[bytes], object]], texts: list[bytes]) -> list[float]:
    """Return the best time of each function for all texts in seconds, measured in turns so that noise hits all alike."""
    times = [float("inf")] * len(functions)
    for _ in range(_ROUNDS):
        for index, function in enumerate(functions):
            start = time.perf_counter()
            for text in texts:
                function(text)
            times[index] = min(times[index], time.perf_counter() - start)
    return times


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the files."""
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")


def main(options: argparse.Namespace) -> Iterator[Figure]:
    """Measure the files on the command line, or the CRD files of the corpus."""
    contents = [path.read_bytes() for path in corpus.crd_files(options.files)]
    texts = [text for text in contents if is_loadable(text)]
    pyyaml, ours, lines = best([read_with_pyyaml, yamlreader.read, read_and_find_line], texts)
    size = sum(map(len, texts)) / 1e6
    print(f"{len(texts)} of {len(contents)} files, {size:.1f} MB, best of {_ROUNDS} rounds")
    print(f"yaml.CSafeLoader  {size / pyyaml:6.1f} MB/s")
    print(f"yamlreader.read   {size / ours:6.1f} MB/s, {ours / pyyaml:.2f} times CSafeLoader's time")
    print(f"with one line     {size / lines:6.1f} MB/s, {lines / pyyaml:.2f} times CSafeLoader's time")
    yield Figure("yamlreader.read", ours / pyyaml, "yaml.CSafeLoader")
    yield Figure("yamlreader.read, and one line", lines / pyyaml, "yaml.CSafeLoader")
