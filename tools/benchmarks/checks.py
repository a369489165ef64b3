"""
The time of checking the CRDs and samples of real projects, relative to the same requests on a real server, in one run.

The folder has the layout of `python -m oracle compare repositories --flat`; without a folder it is the corpus. All
checks run in one process. The server gets a dry-run request for each CRD, and for each sample of a CRD that it accepts.
The figures separate the checks with the same requests (`accepted`, `samples`) from all checks, because there are
several checks of applies for each list, without a request to the server.
"""

from __future__ import annotations

import argparse
import itertools
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from oracle import options as shared
from oracle.comparisons import repositories, samples
from oracle.servers import apiserver
from oracle.servers.crds import collection

from benchmarks import corpus
from benchmarks.figures import Figure
from pytest_crd.cases.crdcatalog import Catalog
from pytest_crd.checks import checkplan
from pytest_crd.discovery.crdsources import Sources
from pytest_crd.live import client

_VERSION: Final = "1.37"
_SAME_REQUESTS: Final = ("accepted", "samples")
_STRICT: Final = {"dryRun": "All", "fieldValidation": "Strict"}


def run_checks(root: Path) -> tuple[Counter[str], dict[str, float]]:
    """Return the number of checks of all projects and their seconds, by kind; the kind of reading and planning is ""."""
    counts, seconds = Counter[str](), defaultdict[str, float](float)
    for repository in sorted(root.iterdir()):
        before = time.perf_counter()
        catalog = Catalog(Sources(repository), _VERSION)
        scope = checkplan.CheckScope(frozenset(), repository, rule_budget=1.0, samples=(".",), lints=())
        planned = checkplan.plan_checks((catalog,), scope, home=repository)
        seconds[""] += time.perf_counter() - before
        for check in itertools.chain.from_iterable(planned.checks.values()):
            before = time.perf_counter()
            check.run()
            seconds[check.kind] += time.perf_counter() - before
            counts[check.kind] += 1
    return counts, seconds


class TimedServer(client.Server):
    """A server that times strict dry-run requests, but not their preparation."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.count = 0
        self.seconds = 0.0

    def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> client.ServerAnswer:
        before = time.perf_counter()
        answer = super().ask(method, path, body, query=query, headers=headers)
        if query == _STRICT:
            self.seconds += time.perf_counter() - before
            self.count += 1
        return answer


def send_all(root: Path, server: TimedServer) -> None:
    """Send the CRDs and samples of all projects."""
    for repository in sorted(root.iterdir()):
        for read in Sources(repository).every(_VERSION):
            server.ask("POST", collection(read.crd.manifest), read.manifest.value, query=_STRICT)
        for _ in samples.compare(repository, server, _VERSION):
            pass


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the folder and the server."""
    parser.add_argument("corpus", nargs="?", type=Path, help="has folders `crds` and `samples`")
    shared.add_server(parser)


def main(options: argparse.Namespace) -> Iterator[Figure]:
    """Print both times, and yield their ratio."""
    source = corpus.folder(options.corpus)
    with (
        tempfile.TemporaryDirectory() as folder,
        apiserver.at(options.server, _VERSION) as url,
    ):
        repositories.rebuild(source, Path(folder))
        counts, seconds = run_checks(Path(folder))
        for kind, count in counts.most_common():
            print(f"{count} checks {kind}: {seconds[kind]:.1f} s")
        server = TimedServer(url)
        send_all(Path(folder), server)
    same = seconds[""] + sum(seconds[kind] for kind in _SAME_REQUESTS)
    print(f"reading and planning: {seconds['']:.1f} s; {server.count} requests to the server: {server.seconds:.1f} s")
    yield Figure(
        "reading, and the checks with the same requests", same / server.seconds, "the same requests to a server"
    )
    yield Figure("reading, and all checks", sum(seconds.values()) / server.seconds, "the same requests to a server")
