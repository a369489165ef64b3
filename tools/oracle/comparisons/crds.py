"""
Compare every answer of the engine, word for word, with a server's on unmodified CRDs and samples of real projects.

CEL rules are left out. The figures at the end are the server's; `tests/test_corpus.py` has them too.
"""

from __future__ import annotations

import argparse
import collections
import itertools
import urllib.parse
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import realworld
from conformance import recordings, replies

from oracle import options as shared
from oracle.judges import disagreements
from oracle.servers import apiserver, live
from oracle.servers.crds import collection, delete
from pytest_crd import engine
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.live import answerfacts, client, settling

_DRY: Final = {"dryRun": "All"}
_BATCH: Final = 30
_FOLDERS: Final = ("crds", "crds-nonstructural", "testsuites")


class Comparison:
    """A comparison with a server, and a tally of its answers."""

    def __init__(self, server: client.Server, version: str) -> None:
        """Take the server and its Kubernetes version."""
        self._server = server
        self._version = version
        self.tally: collections.Counter[str] = collections.Counter()

    def compare_crds(self, folder: Path) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield the name of each CRD and its differences, empty if there are none."""
        for crd in realworld.crds(folder):

            def send(crd: JSONValue = crd) -> disagreements.Answer:
                answer = self._server.ask("POST", collection(crd), crd, query=_DRY)
                return disagreements.crd_answer_facts(answer, crd)

            answer = send()
            self._count(f"CRDs of {folder.name}", answer)
            yield crd["metadata"]["name"], disagreements.compare(self._engine_crd_answer(crd), answer, send)

    def compare_samples(self, corpus: Path) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield a label of each sample and its differences, empty if there are none."""
        every = realworld.served(corpus)
        while batch := list(itertools.islice(every, _BATCH)):
            for served_crd in batch:
                delete(self._server, served_crd.crd)
                self._server.ask("POST", collection(served_crd.crd), served_crd.crd)
            for served_crd in batch:
                settling.wait_until_served(self._server, served_crd.crd)
                crd = replies.definition(served_crd.crd, self._version)
                for sample in served_crd.samples:
                    yield (
                        f"{crd.kind} {sample.get('metadata')}"[:120],
                        self._compare_sample(served_crd.crd, crd, sample),
                    )
            for served_crd in batch:
                self._server.ask(
                    "DELETE", client.crd_path(served_crd.crd["apiVersion"], served_crd.crd["metadata"]["name"])
                )

    def _engine_crd_answer(self, crd: JSONValue) -> disagreements.Answer:
        return disagreements.engine_answer(lambda: replies.of_crd(replies.definition(crd, self._version), crd))

    def _compare_sample(
        self, manifest: JSONValue, crd: engine.CustomResourceDefinition, sample: JSONValue
    ) -> tuple[str, ...]:
        version = sample["apiVersion"].partition("/")[2]
        namespace = realworld.namespace(sample)
        path = client.resource_path(manifest, version, namespace=urllib.parse.quote(namespace, safe=""))

        def send() -> disagreements.Answer:
            return answerfacts.of_server(self._server.ask("POST", path, sample, query=_DRY), sample)

        def ours() -> disagreements.Answer:
            response = crd.version(version).create(sample, namespace=namespace)
            return recordings.of_custom_resource(response, namespaced="namespace" in sample.get("metadata", ()))

        answer = send()
        self._count("samples", answer)
        return disagreements.compare(disagreements.engine_answer(ours), answer, send)

    def _count(self, title: str, answer: Mapping[str, JSONValue]) -> None:
        self.tally[f"{title} answered with {answer['code']}"] += 1
        self.tally[f"{title}: causes"] += len(answer.get("causes", ()))
        self.tally[f"{title}: warnings"] += len(answer.get("warnings", ()))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the folder, the version and the server."""
    parser.add_argument("corpus", type=Path, help="has folders `crds…`, `samples` and `testsuites`")
    shared.add_version(parser)
    shared.add_server(parser)
    parser.add_argument("--only", choices=(*_FOLDERS, "samples"), help="compare only this")


def main(options: argparse.Namespace) -> int:
    """Compare the folder; return 1 if an answer differs."""
    different = 0
    with apiserver.at(options.server, options.kubernetes_version) as url:
        comparison = Comparison(live.PanickingServer(url), options.kubernetes_version)
        parts = [comparison.compare_crds(options.corpus / name) for name in _FOLDERS if options.only in (None, name)]
        parts += [comparison.compare_samples(options.corpus)] if options.only in (None, "samples") else []
        for name, differences in itertools.chain.from_iterable(parts):
            if differences:
                different += 1
                print("\n  ".join([f"\n{name}", *differences]), flush=True)
    for title, count in sorted(comparison.tally.items()):
        print(f"{count:>9} {title}")
    print(f"{different} answered differently")
    return 1 if different else 0
