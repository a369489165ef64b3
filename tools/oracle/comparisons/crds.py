"""
Compare the engine with a server on CRDs and samples of real projects, as they are: every answer, word for word.

Rules are left out. The figures printed at the end are the server's; `tests/test_corpus.py` holds them.
"""

from __future__ import annotations

import argparse
import collections
import itertools
import urllib.parse
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import realworld
from conformance import recordings, replies

from oracle import options as shared
from oracle.judges import disagreements
from oracle.servers import apiserver, live
from oracle.servers.crds import collection, delete
from pytest_crd import engine
from pytest_crd.live import answerfacts, client, settling

JSONValue = Any

_DRY: Final = {"dryRun": "All"}
_BATCH: Final = 30
_FOLDERS: Final = ("crds", "crds-nonstructural", "testsuites")


class Comparison:
    """A server, and the tally of what it answered."""

    def __init__(self, server: client.Server, version: str) -> None:
        """Take the server and its Kubernetes version."""
        self._server = server
        self._version = version
        self.tally: collections.Counter[str] = collections.Counter()

    def of_crds(self, folder: Path) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield the name of each CRD that is answered differently, and what differs."""
        for crd in realworld.crds(folder):

            def ask(crd: JSONValue = crd) -> disagreements.Answer:
                answer = self._server.ask("POST", collection(crd), crd, query=_DRY)
                return disagreements.crd_answer_facts(answer, crd)

            answer = ask()
            self._count(f"CRDs of {folder.name}", answer)
            yield crd["metadata"]["name"], disagreements.compare(self._of_crd(crd), answer, ask)

    def of_samples(self, corpus: Path) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield each sample that is answered differently, by kind and name, and what differs."""
        every = realworld.served(corpus)
        while batch := list(itertools.islice(every, _BATCH)):
            for one in batch:
                delete(self._server, one.crd)
                self._server.ask("POST", collection(one.crd), one.crd)
            for one in batch:
                settling.wait_until_served(self._server, one.crd)
                crd = replies.definition(one.crd, self._version)
                for sample in one.samples:
                    yield f"{crd.kind} {sample.get('metadata')}"[:120], self._of_sample(one.crd, crd, sample)
            for one in batch:
                self._server.ask("DELETE", client.crd_path(one.crd["apiVersion"], one.crd["metadata"]["name"]))

    def _of_crd(self, crd: JSONValue) -> disagreements.Answer:
        return disagreements.engine_answer(lambda: replies.of_crd(replies.definition(crd, self._version), crd))

    def _of_sample(
        self, manifest: JSONValue, crd: engine.CustomResourceDefinition, sample: JSONValue
    ) -> tuple[str, ...]:
        version = sample["apiVersion"].partition("/")[2]
        namespace = realworld.namespace(sample)
        path = client.resource_path(manifest, version, namespace=urllib.parse.quote(namespace, safe=""))

        def ask() -> disagreements.Answer:
            return answerfacts.of_server(self._server.ask("POST", path, sample, query=_DRY), sample)

        def ours() -> disagreements.Answer:
            response = crd.version(version).create(sample, namespace=namespace)
            return recordings.of_custom_resource(response, namespaced="namespace" in sample.get("metadata", ()))

        answer = ask()
        self._count("samples", answer)
        return disagreements.compare(disagreements.engine_answer(ours), answer, ask)

    def _count(self, what: str, answer: Mapping[str, JSONValue]) -> None:
        self.tally[f"{what} answered with {answer['code']}"] += 1
        self.tally[f"{what}: causes"] += len(answer.get("causes", ()))
        self.tally[f"{what}: warnings"] += len(answer.get("warnings", ()))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the folder, and who is asked."""
    parser.add_argument("corpus", type=Path, help="has folders `crds…`, `samples` and `testsuites`")
    shared.add_version(parser)
    shared.add_server(parser)
    parser.add_argument("--only", choices=(*_FOLDERS, "samples"), help="compare only this")


def main(options: argparse.Namespace) -> int:
    """Compare what the command line names; return 1 where an answer differs."""
    different = 0
    with apiserver.at(options.server, options.kubernetes_version) as url:
        comparison = Comparison(live.PanickingServer(url), options.kubernetes_version)
        parts = [comparison.of_crds(options.corpus / name) for name in _FOLDERS if options.only in (None, name)]
        parts += [comparison.of_samples(options.corpus)] if options.only in (None, "samples") else []
        for name, differences in itertools.chain.from_iterable(parts):
            if differences:
                different += 1
                print("\n  ".join([f"\n{name}", *differences]), flush=True)
    for what, count in sorted(comparison.tally.items()):
        print(f"{count:>9} {what}")
    print(f"{different} answered differently")
    return 1 if different else 0
