"""
Compare the engine with a server on sequences of requests, in which several managers create, update, patch and apply an object.

`--save` keeps the answers of the server for comparisons without it: a line with version and seed, and a line for each
CRD with its sequences, compressed if the name ends with `.gz`. The same seed generates the same requests.
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
from typing import IO, Final

from oracle import options as shared
from oracle.generators import applygen
from oracle.judges import apply
from oracle.servers import apiserver, sequencing
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.live import client

# The number of CRDs on the server at a time.
_BATCH: Final = 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the counts, the version, the server and the files."""
    parser.add_argument("--sequences", type=int, default=1000, help="number of sequences (default: 1000)")
    parser.add_argument("--each", type=int, default=100, help="number of sequences per CRD (default: 100)")
    parser.add_argument("--seed", type=int, default=SystemRandom().randrange(10**6))
    parser.add_argument("--limit", type=int, default=5, help="number of differences to print")
    parser.add_argument("--save", type=Path, metavar="FILE", help="write the answers of the server into this file")
    parser.add_argument(
        "--from", type=Path, metavar="FILE", dest="source", help="use saved answers instead of a server"
    )
    shared.add_version(parser)
    shared.add_server(parser)


def main(options: argparse.Namespace) -> int:
    """Compare the sequences; return 1 if an answer differs."""
    version, lines = _saved(options.source) if options.source else (options.kubernetes_version, _send_all(options))
    tally: collections.Counter[str] = collections.Counter()
    started = time.monotonic()
    for line in lines:
        tally["CRDs"] += 1
        tally["sequences"] += len(line["sequences"])
        tally["requests"] += sum(len(sequence["requests"]) for sequence in line["sequences"])
        for difference in apply.differences(line["crd"], line["sequences"], version):
            tally["differences"] += 1
            if tally["differences"] <= options.limit:
                print(f"\n{difference}", flush=True)
    seconds = time.monotonic() - started
    for title, count in tally.items():
        print(f"{count:>9} {title} ({count / seconds:.1f} in a second)")
    return int(bool(tally["differences"]))


def _send_all(options: argparse.Namespace) -> Iterator[JSONValue]:
    """Yield the answers of a server, a line for each CRD, and write them to the file of `--save`."""
    print(f"seed {options.seed}", flush=True)
    with contextlib.ExitStack() as stack:
        url = stack.enter_context(apiserver.at(options.server, options.kubernetes_version))
        saved = stack.enter_context(_opened(options.save, "wt")) if options.save else None
        if saved:
            saved.write(json.dumps({"version": options.kubernetes_version, "seed": options.seed}) + "\n")
        server = client.Server(url)
        remaining = options.sequences
        for first in itertools.count(0, _BATCH):
            for line in _batch(server, options, first):
                if remaining <= 0:
                    return
                remaining -= len(line["sequences"])
                if saved:
                    saved.write(json.dumps(line, ensure_ascii=False) + "\n")
                yield line


def _batch(server: client.Server, options: argparse.Namespace, first: int) -> Iterator[JSONValue]:
    """Yield a line for each accepted CRD of a batch; rejections are printed."""
    drawn = [Random(f"{options.seed}/{number}") for number in range(first, first + _BATCH)]  # noqa: S311
    crds = [applygen.crd(random, number) for number, random in enumerate(drawn, first)]
    refused = sequencing.install(server, crds)
    for crd, message in refused:
        print(f"{crd['metadata']['name']}: {message}")
    accepted = [
        (crd, [applygen.sequence(random, crd) for _ in range(options.each)])
        for crd, random in zip(crds, drawn, strict=True)
        if crd not in [rejected_crd for rejected_crd, _ in refused]
    ]
    answers = iter(sequencing.send_all(server, [(crd, requests) for crd, each in accepted for requests in each]))
    for crd, each in accepted:
        yield {"crd": crd, "sequences": [{"requests": requests, "answers": next(answers)} for requests in each]}
    sequencing.remove(server, crds)


def _saved(path: Path) -> tuple[str, Iterator[JSONValue]]:
    with _opened(path, "rt") as lines:
        first, *rest = map(json.loads, lines)
    return first["version"], iter(rest)


def _opened(path: Path, mode: str) -> IO[str]:
    if path.name.endswith(".gz"):
        return gzip.open(path, mode, encoding="utf-8")  # type: ignore[return-value]
    return path.open(mode.rstrip("t"), encoding="utf-8")
