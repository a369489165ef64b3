"""
Ask a server sequences of requests for an object, by some managers who create, update, patch and apply it, and compare the engine's answers.

What a server answered can be kept in a file, for comparisons without it: a line with version and seed, and one for each CRD with its sequences,
compressed where the name ends with `.gz`. The same seed asks the same.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import gzip
import itertools
import json
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random, SystemRandom
from typing import IO, Any, Final

from oracle import options as shared
from oracle.generators import applygen
from oracle.judges import apply
from oracle.servers import apiserver, sequencing
from pytest_crd.live import client

JSONValue = Any

# How many CRDs there are at a time.
_BATCH: Final = 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add how much of what is asked, who, and the files."""
    parser.add_argument("--sequences", type=int, default=1000, help="how many sequences are asked (default: 1000)")
    parser.add_argument("--each", type=int, default=100, help="how many of them for one CRD (default: 100)")
    parser.add_argument("--seed", type=int, default=SystemRandom().randrange(10**6))
    parser.add_argument("--limit", type=int, default=5, help="how many differences are printed")
    parser.add_argument("--save", type=Path, metavar="FILE", help="write the answers of the server into this file")
    parser.add_argument("--from", type=Path, metavar="FILE", dest="source", help="ask no server: take what was saved")
    shared.add_version(parser)
    shared.add_server(parser)


def main(options: argparse.Namespace) -> int:
    """Run what the command line asks for; return 1 where the engine and the server disagree."""
    version, asked = _saved(options.source) if options.source else (options.kubernetes_version, _asked(options))
    tally: collections.Counter[str] = collections.Counter()
    started = time.monotonic()
    for line in asked:
        tally["CRDs"] += 1
        tally["sequences"] += len(line["sequences"])
        tally["requests"] += sum(len(one["requests"]) for one in line["sequences"])
        for found in apply.differences(line["crd"], line["sequences"], version):
            tally["differences"] += 1
            if tally["differences"] <= options.limit:
                print(f"\n{found}", flush=True)
    seconds = time.monotonic() - started
    for what, count in tally.items():
        print(f"{count:>9} {what} ({count / seconds:.1f} in a second)")
    return int(bool(tally["differences"]))


def _asked(options: argparse.Namespace) -> Iterator[JSONValue]:
    """Yield what a server answers, a CRD at a time, and keep it where a file is named."""
    print(f"seed {options.seed}", flush=True)
    with contextlib.ExitStack() as stack:
        url = stack.enter_context(apiserver.at(options.server, options.kubernetes_version))
        kept = stack.enter_context(_opened(options.save, "wt")) if options.save else None
        if kept:
            kept.write(json.dumps({"version": options.kubernetes_version, "seed": options.seed}) + "\n")
        server = client.Server(url)
        left = options.sequences
        for first in itertools.count(0, _BATCH):
            for line in _batch(server, options, first):
                if left <= 0:
                    return
                left -= len(line["sequences"])
                if kept:
                    kept.write(json.dumps(line, ensure_ascii=False) + "\n")
                yield line


def _batch(server: client.Server, options: argparse.Namespace, first: int) -> Iterator[JSONValue]:
    """Yield a line for each of some CRDs that the server takes; how others are refused is printed."""
    drawn = [Random(f"{options.seed}/{number}") for number in range(first, first + _BATCH)]  # noqa: S311
    crds = [applygen.crd(random, number) for number, random in enumerate(drawn, first)]
    refused = sequencing.install(server, crds)
    for crd, message in refused:
        print(f"{crd['metadata']['name']}: {message}")
    taken = [
        (crd, [applygen.sequence(random, crd) for _ in range(options.each)])
        for crd, random in zip(crds, drawn, strict=True)
        if crd not in [one for one, _ in refused]
    ]
    answers = iter(sequencing.send_all(server, [(crd, requests) for crd, each in taken for requests in each]))
    for crd, each in taken:
        yield {"crd": crd, "sequences": [{"requests": one, "answers": next(answers)} for one in each]}
    sequencing.remove(server, crds)


def _saved(path: Path) -> tuple[str, Iterator[JSONValue]]:
    with _opened(path, "rt") as lines:
        first, *rest = map(json.loads, lines)
    return first["version"], iter(rest)


def _opened(path: Path, mode: str) -> IO[str]:
    if path.name.endswith(".gz"):
        return gzip.open(path, mode, encoding="utf-8")  # type: ignore[return-value]
    return path.open(mode.rstrip("t"), encoding="utf-8")
