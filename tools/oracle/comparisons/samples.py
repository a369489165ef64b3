"""
Compare the engine's verdict on every sample of real projects with a server's answer to a strict request.

The folder has the layout of `compare repositories --flat`. All YAML files of a project are read, and each CRD is
created as shipped, but without its conversion webhook.
"""

from __future__ import annotations

import argparse
import collections
import tempfile
import urllib.parse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import realworld

from oracle import options as shared
from oracle.comparisons import repositories
from oracle.servers import apiserver
from oracle.servers.crds import collection, delete
from pytest_crd import engine
from pytest_crd.checks import samplefiles, samples
from pytest_crd.checks.samplefiles import Sample
from pytest_crd.discovery.crdsources import Sources
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.yaml import manifest
from pytest_crd.live import client, settling

_STRICT: Final = {"dryRun": "All", "fieldValidation": "Strict"}
_CREATED: Final = 201


def compare(repository: Path, server: client.Server, version: str) -> Iterator[tuple[str, bool, client.ServerAnswer]]:
    """Yield the location of each sample of a project, whether the engine accepts it, and the server's answer."""
    crds = _by_kind(Sources(repository).crds(version))
    files = manifest.files(["."], base=repository)
    samples_ = samplefiles.read(files, {key: [crd] for key, crd in crds.items()}).samples
    kinds = {(sample.group, sample.kind) for sample in samples_}
    shipped = [_shipped(crd) for key, crd in crds.items() if key in kinds]
    try:
        for crd in shipped:
            delete(server, crd)
            server.ask("POST", collection(crd), crd)
        for crd in shipped:
            settling.wait_until_served(server, crd)
        for sample in samples_:
            crd = crds[sample.group, sample.kind]
            verdict = samples.judge(sample._replace(directive=sample.directive._replace(is_refused=False)), [crd])
            is_accepted = not verdict.findings and not verdict.passed_over
            yield sample.manifest.where, is_accepted, _send(server, sample, crd)
    finally:
        for crd in shipped:
            server.ask("DELETE", client.crd_path(crd["apiVersion"], crd["metadata"]["name"]))


def _by_kind(
    crds: Sequence[engine.CustomResourceDefinition],
) -> Mapping[tuple[str, str], engine.CustomResourceDefinition]:
    """Return the accepted CRDs by group and kind; the first of alternatives wins."""
    accepted: dict[tuple[str, str], engine.CustomResourceDefinition] = {}
    for crd in crds:
        if crd.response.accepted:
            accepted.setdefault((crd.group, crd.kind), crd)
    return accepted


def _shipped(crd: engine.CustomResourceDefinition) -> JSONValue:
    spec = {key: value for key, value in crd.manifest["spec"].items() if key != "conversion"}
    return {**{key: value for key, value in crd.manifest.items() if key != "status"}, "spec": spec}


def _send(server: client.Server, sample: Sample, crd: engine.CustomResourceDefinition) -> client.ServerAnswer:
    namespace = urllib.parse.quote(realworld.namespace(sample.manifest.value), safe="")
    path = client.resource_path(crd.manifest, sample.version, namespace=namespace)
    return server.ask("POST", path, sample.manifest.value, query=_STRICT)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the folder, the version and the server."""
    parser.add_argument("corpus", type=Path, help="has folders `crds` and `samples`")
    shared.add_version(parser)
    shared.add_server(parser)


def main(options: argparse.Namespace) -> int:
    """Compare the folder; return 1 if a verdict differs."""
    tally: collections.Counter[str] = collections.Counter()
    with (
        tempfile.TemporaryDirectory() as folder,
        apiserver.at(options.server, options.kubernetes_version) as url,
    ):
        repositories.rebuild(options.corpus, Path(folder))
        server = client.Server(url)
        for repository in sorted(Path(folder).iterdir()):
            for place, is_accepted, answer in compare(repository, server, options.kubernetes_version):
                tally[f"answered with {answer.code}"] += 1
                if is_accepted != (answer.code == _CREATED):
                    tally["answered differently"] += 1
                    print(
                        f"{repository.name}/{place}: {'accepted' if is_accepted else 'rejected'} by the engine, the server answers {answer}",
                        flush=True,
                    )
    for title, count in sorted(tally.items()):
        print(f"{count:>9} {title}")
    return 1 if tally["answered differently"] else 0
