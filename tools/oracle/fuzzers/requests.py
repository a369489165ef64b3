"""
Compare whole requests on generated CRDs and objects, and print what a server and the engine disagree on as a conformance case.

A corpus brings real CRDs and samples, mutated. The same seed asks the same again; a run that was stopped goes on with `--skip`.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import itertools
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import SystemRandom
from typing import Any, Final

from oracle import options as shared
from oracle.fuzzers import requestfuzzer
from oracle.judges import disagreements
from oracle.servers import apiserver, live

JSONValue = Any

# How many flawed copies of each CRD are created, and how many are put in its place.
_CRDS: Final = 4


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add how much of what is asked, and who."""
    parser.add_argument("--schemas", type=int, default=2000, help="how many CRDs are asked with requests")
    parser.add_argument("--objects", type=int, default=50, help="how many requests each of them gets")
    parser.add_argument("--seed", type=int, default=SystemRandom().randrange(10**6))
    parser.add_argument("--limit", type=int, default=5, help="after how many disagreements to stop")
    parser.add_argument("--skip", type=int, default=0, help="how many CRDs were asked before")
    shared.add_version(parser)
    shared.add_server(parser)
    parser.add_argument("--corpus", type=Path, metavar="FOLDER", help="mutate the CRDs and samples of this folder")


def main(options: argparse.Namespace) -> int:
    """Run what the command line asks for; return 1 where the engine and the server disagree."""
    print(f"seed {options.seed}", flush=True)
    with apiserver.at(options.server, options.kubernetes_version) as url:
        fuzzer = requestfuzzer.Requests(live.PanickingServer(url), options.kubernetes_version, seed=options.seed)
        found = run(fuzzer, options)
    for what, count in sorted(fuzzer.tally.items()):
        whole = re.split(r" accepted| refused", what)[0]
        print(f"{count:>9} {what} ({count / max(1, fuzzer.tally[whole]):.0%})")
    print(f"{found} disagreements")
    return 1 if found else 0


def run(fuzzer: requestfuzzer.Requests, options: argparse.Namespace) -> int:
    """Ask until all is asked or enough disagreements were found; return how many were."""
    contents = _contents(fuzzer, options)
    forms: collections.Counter[str] = collections.Counter()
    asked = options.skip
    # A run of hours may be stopped at any time, and is worth its figures all the same.
    with contextlib.suppress(KeyboardInterrupt):
        while len(forms) < options.limit and (batch := list(itertools.islice(contents, requestfuzzer.BATCH))):
            for disagreement in list(fuzzer.ask(batch, crds=_CRDS)):
                _tell(fuzzer, disagreement, forms)
            fuzzer.tally["schemas"] += len(batch)
            asked += len(batch)
            print(f"asked up to --skip {asked}: {_summed(fuzzer.tally)} requests", flush=True)
    return sum(forms.values())


def _contents(fuzzer: requestfuzzer.Requests, options: argparse.Namespace) -> Iterator[JSONValue]:
    if options.corpus:
        real = fuzzer.of_corpus(options.corpus, requests=options.objects, skip=options.skip)
        return itertools.islice(real, options.schemas)
    return fuzzer.generated(range(options.skip, options.skip + options.schemas), requests=options.objects)


def _tell(fuzzer: requestfuzzer.Requests, found: disagreements.Disagreement, forms: collections.Counter[str]) -> None:
    """Print a disagreement as small as it gets, unless it is known, or many alike were seen."""
    if gap := disagreements.find_gap(found):
        fuzzer.tally[f"known gap: {gap.name} ({gap.reason})"] += 1
        return
    forms[found.form] += 1
    if forms[found.form] == 1:
        print(f"\n--- disagreement {len(forms)}\n{disagreements.format_case(fuzzer.smaller(found))}", flush=True)


def _summed(tally: Mapping[str, int]) -> int:
    return sum(tally[what] for what in ("CRDs", "CRD updates", "creates", "updates", "status updates"))
