"""
Compare the engine with a server on whole requests for generated CRDs and objects.

Disagreements are printed as conformance cases. A corpus adds real CRDs and mutated samples. The same seed repeats a
run, and `--skip` continues a stopped one.
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
from typing import Final

from oracle import options as shared
from oracle.fuzzers import requestfuzzer
from oracle.judges import disagreements
from oracle.servers import apiserver, live
from pytest_crd.engine.jsonvalue import JSONValue

# The number of flawed copies of each CRD to create, and to put in its place.
_CRDS: Final = 4


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the counts, the seed, the version and the server."""
    parser.add_argument("--schemas", type=int, default=2000, help="number of CRDs")
    parser.add_argument("--objects", type=int, default=50, help="number of requests per CRD")
    parser.add_argument("--seed", type=int, default=SystemRandom().randrange(10**6))
    parser.add_argument("--limit", type=int, default=5, help="number of disagreements after which to stop")
    parser.add_argument("--skip", type=int, default=0, help="number of CRDs to skip")
    shared.add_version(parser)
    shared.add_server(parser)
    parser.add_argument("--corpus", type=Path, metavar="FOLDER", help="mutate the CRDs and samples of this folder")


def main(options: argparse.Namespace) -> int:
    """Compare the requests; return 1 if there is a disagreement."""
    print(f"seed {options.seed}", flush=True)
    with apiserver.at(options.server, options.kubernetes_version) as url:
        fuzzer = requestfuzzer.Requests(live.PanickingServer(url), options.kubernetes_version, seed=options.seed)
        disagreements_ = run(fuzzer, options)
    for title, count in sorted(fuzzer.tally.items()):
        total = re.split(r" accepted| refused", title)[0]
        print(f"{count:>9} {title} ({count / max(1, fuzzer.tally[total]):.0%})")
    print(f"{disagreements_} disagreements")
    return 1 if disagreements_ else 0


def run(fuzzer: requestfuzzer.Requests, options: argparse.Namespace) -> int:
    """Compare until all CRDs are done or enough disagreements were found; return the number of disagreements."""
    contents = _contents(fuzzer, options)
    forms: collections.Counter[str] = collections.Counter()
    number = options.skip
    # Ctrl-C ends a run of hours early, and its figures are printed all the same.
    with contextlib.suppress(KeyboardInterrupt):
        while len(forms) < options.limit and (batch := list(itertools.islice(contents, requestfuzzer.BATCH))):
            for disagreement in list(fuzzer.compare(batch, crds=_CRDS)):
                _report(fuzzer, disagreement, forms)
            fuzzer.tally["schemas"] += len(batch)
            number += len(batch)
            print(f"done up to --skip {number}: {_summed(fuzzer.tally)} requests", flush=True)
    return sum(forms.values())


def _contents(fuzzer: requestfuzzer.Requests, options: argparse.Namespace) -> Iterator[JSONValue]:
    if options.corpus:
        real = fuzzer.mutate_corpus(options.corpus, requests=options.objects, skip=options.skip)
        return itertools.islice(real, options.schemas)
    return fuzzer.generate(range(options.skip, options.skip + options.schemas), requests=options.objects)


def _report(
    fuzzer: requestfuzzer.Requests, disagreement: disagreements.Disagreement, forms: collections.Counter[str]
) -> None:
    """Print a shrunk disagreement, unless it is known or a similar one was printed."""
    if gap := disagreements.find_gap(disagreement):
        fuzzer.tally[f"known gap: {gap.name} ({gap.reason})"] += 1
        return
    forms[disagreement.form] += 1
    if forms[disagreement.form] == 1:
        print(f"\n--- disagreement {len(forms)}\n{disagreements.format_case(fuzzer.shrink(disagreement))}", flush=True)


def _summed(tally: Mapping[str, int]) -> int:
    return sum(tally[title] for title in ("CRDs", "CRD updates", "creates", "updates", "status updates"))
