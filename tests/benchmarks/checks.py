"""
How long the checks of CRDs and samples of real projects take, against the same requests on a real server, in one run.

The folder, which is the corpus where none is named, is as `python -m oracle compare repositories --flat` takes it. All of it is checked in
one process; the server is sent each CRD, and each sample of a CRD that it takes, as a dry run.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from oracle import options as shared
from oracle.comparisons import repositories, samples
from oracle.servers import apiserver
from oracle.servers.crds import collection

from benchmarks import corpus
from benchmarks.figures import Figure
from pytest_crd.cases.catalog import Catalog
from pytest_crd.checks import plan
from pytest_crd.discovery.crdsources import Sources
from pytest_crd.live import client

_VERSION: Final = "1.37"
_STRICT: Final = {"dryRun": "All", "fieldValidation": "Strict"}


def checked(root: Path) -> tuple[int, float]:
    """Return how many checks of all projects were run, and in how many seconds, reading included."""
    count, before = 0, time.perf_counter()
    for repository in sorted(root.iterdir()):
        catalog = Catalog(Sources(repository), _VERSION)
        scope = plan.CheckScope(frozenset(), repository, rule_budget=1.0, samples=(".",), lints=())
        for checks in plan.of((catalog,), scope, home=repository).checks.values():
            for check in checks:
                check.run()
                count += 1
    return count, time.perf_counter() - before


class TimedServer(client.Server):
    """A server of which the strict requests are timed: preparations do not count."""

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


def ask_for_all(root: Path, server: TimedServer) -> None:
    """Send the CRDs and samples of all projects."""
    for repository in sorted(root.iterdir()):
        for read in Sources(repository).every(_VERSION):
            server.ask("POST", collection(read.crd.manifest), read.manifest.value, query=_STRICT)
        for _ in samples.compared(repository, server, _VERSION):
            pass


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the folder, and who is asked."""
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
        checks, ours = checked(Path(folder))
        print(f"{checks} checks: {ours:.1f} s")
        server = TimedServer(url)
        ask_for_all(Path(folder), server)
    print(f"{server.count} requests: {server.seconds:.1f} s; ours take {ours / server.seconds:.2f} of that")
    yield Figure("all checks of all projects", ours / server.seconds, "the same requests to a server")
