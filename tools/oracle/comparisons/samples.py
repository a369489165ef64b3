"""
Compare the verdict on every sample of real projects with a whole API server: taken as it is, or refused by a strict request.

The folder is as `compare repositories --flat` takes it. All YAML of a project counts, and each CRD is created as it is shipped, less its
conversion webhook.
"""

from __future__ import annotations

import argparse
import collections
import tempfile
import urllib.parse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import realworld

from oracle import options as shared
from oracle.comparisons import repositories
from oracle.servers import apiserver
from oracle.servers.crds import collection, delete
from pytest_crd import engine
from pytest_crd.checks import samplefiles, samples
from pytest_crd.checks.samplefiles import Sample
from pytest_crd.discovery.crdsources import Sources
from pytest_crd.engine.yaml import manifest
from pytest_crd.live import client, settling

JSONValue = Any

_STRICT: Final = {"dryRun": "All", "fieldValidation": "Strict"}
_CREATED: Final = 201


def compared(repository: Path, server: client.Server, version: str) -> Iterator[tuple[str, bool, client.ServerAnswer]]:
    """Yield where each sample of a project stands, whether it is held to be taken, and what the server answers."""
    crds = _by_kind(Sources(repository).crds(version))
    files = manifest.files(["."], base=repository)
    found = samplefiles.read(files, {key: [crd] for key, crd in crds.items()}).samples
    wanted = {(one.group, one.kind) for one in found}
    shipped = [_shipped(crd) for key, crd in crds.items() if key in wanted]
    try:
        for crd in shipped:
            delete(server, crd)
            server.ask("POST", collection(crd), crd)
        for crd in shipped:
            settling.wait_until_served(server, crd)
        for one in found:
            crd = crds[one.group, one.kind]
            verdict = samples.judge(one._replace(directive=one.directive._replace(is_refused=False)), [crd])
            is_taken = not verdict.findings and not verdict.passed_over
            yield one.manifest.where, is_taken, _asked(server, one, crd)
    finally:
        for crd in shipped:
            server.ask("DELETE", client.crd_path(crd["apiVersion"], crd["metadata"]["name"]))


def _by_kind(
    crds: Sequence[engine.CustomResourceDefinition],
) -> Mapping[tuple[str, str], engine.CustomResourceDefinition]:
    """Return the CRDs that the server takes, one of each kind: the first of alternatives."""
    taken: dict[tuple[str, str], engine.CustomResourceDefinition] = {}
    for crd in crds:
        if crd.response.accepted:
            taken.setdefault((crd.group, crd.kind), crd)
    return taken


def _shipped(crd: engine.CustomResourceDefinition) -> JSONValue:
    spec = {key: value for key, value in crd.manifest["spec"].items() if key != "conversion"}
    return {**{key: value for key, value in crd.manifest.items() if key != "status"}, "spec": spec}


def _asked(server: client.Server, one: Sample, crd: engine.CustomResourceDefinition) -> client.ServerAnswer:
    namespace = urllib.parse.quote(realworld.namespace(one.manifest.value), safe="")
    path = client.resource_path(crd.manifest, one.version, namespace=namespace)
    return server.ask("POST", path, one.manifest.value, query=_STRICT)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the folder, and who is asked."""
    parser.add_argument("corpus", type=Path, help="has folders `crds` and `samples`")
    shared.add_version(parser)
    shared.add_server(parser)


def main(options: argparse.Namespace) -> int:
    """Compare what the command line names; return 1 where a verdict differs."""
    tally: collections.Counter[str] = collections.Counter()
    with (
        tempfile.TemporaryDirectory() as folder,
        apiserver.at(options.server, options.kubernetes_version) as url,
    ):
        repositories.rebuild(options.corpus, Path(folder))
        server = client.Server(url)
        for repository in sorted(Path(folder).iterdir()):
            for place, is_taken, answer in compared(repository, server, options.kubernetes_version):
                tally[f"answered with {answer.code}"] += 1
                if is_taken != (answer.code == _CREATED):
                    tally["answered differently"] += 1
                    print(
                        f"{repository.name}/{place}: {'taken' if is_taken else 'refused'} here, there {answer}",
                        flush=True,
                    )
    for what, count in sorted(tally.items()):
        print(f"{count:>9} {what}")
    return 1 if tally["answered differently"] else 0
