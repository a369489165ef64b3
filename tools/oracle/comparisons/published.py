"""
Compare the engine's OpenAPI documents with a server's, for CRDs in a folder or for generated CRDs.

It prints the differences and a tally. CRDs that the server rejects are counted and skipped.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import itertools
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, Final

from oracle import options as shared
from oracle.generators import crdgen, publishedgen
from oracle.recorders import published
from oracle.servers import apiserver
from oracle.servers.crds import batches, collection, delete
from pytest_crd import engine
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.yaml import manifest
from pytest_crd.live import client, settling

# A server writes its v2 document again for each CRD; this many CRDs are created before it is read.
_BATCH: Final = 25
_FORMS: Final = (2, 3)


class Comparison:
    """A comparison with a server, and a tally of documents."""

    def __init__(self, server: client.Server, version: str) -> None:
        self._server = server
        self._version = version
        self.tally: collections.Counter[str] = collections.Counter()

    def differences(self, crds: Sequence[JSONValue]) -> Iterator[str]:
        """Create CRDs with different names; yield each difference with group version, OpenAPI version and path."""
        server = self._server
        accepted = [crd for crd in crds if server.ask("POST", collection(crd), crd).code == 201]
        self.tally["CRDs"] += len(accepted)
        self.tally["refused"] += len(crds) - len(accepted)
        try:
            for crd in accepted:
                settling.wait_until_served(server, crd)
            yield from self._compare(accepted)
        finally:
            for crd in accepted:
                delete(server, crd)
            self._wait_for(
                lambda paths: not any(f"/apis/{crd['spec']['group']}/" in path for crd in accepted for path in paths)
            )

    def _compare(self, accepted: Sequence[JSONValue]) -> Iterator[str]:
        crds = engine.CustomResourceDefinitions(
            [engine.CustomResourceDefinition.from_manifest(crd, kubernetes_version=self._version) for crd in accepted]
        )
        expected = {f"{crd.group}/{version.name}" for crd in crds for version in crd.versions}
        ours = {
            (group_version, form): crds.openapi(form, group_version) for group_version in expected for form in _FORMS
        }
        wanted = {path for (_, form), document in ours.items() if form == 2 and document for path in document["paths"]}
        whole = self._wait_for(lambda paths: wanted <= paths)
        for (group_version, form), document in sorted(ours.items()):
            self.tally[f"documents of v{form}"] += document is not None
            theirs = self._theirs(whole, group_version, form, document)
            yield from (f"{group_version} v{form}: {difference}" for difference in _differing(document, theirs, ""))

    def _theirs(self, whole: JSONValue, group_version: str, form: int, ours: JSONValue) -> JSONValue:
        if form == 2:
            return published.parts_of(whole, *group_version.split("/"))
        path = f"/openapi/v3/apis/{group_version}"
        if ours is not None:
            paths = ours["paths"].keys()
            is_complete = lambda answer: isinstance(answer.body, dict) and paths <= answer.body.get("paths", {}).keys()  # noqa: E731
            return self._server.wait(path, is_complete, path).body
        answer = self._server.ask("GET", path)
        return answer.body if answer.code == 200 and answer.body else None

    def _wait_for(self, condition: Any) -> JSONValue:
        return self._server.wait(
            "/openapi/v2", lambda answer: condition(answer.body["paths"].keys()), "the document of v2"
        ).body


def _differing(ours: JSONValue, theirs: JSONValue, path: str) -> Iterator[str]:
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for key in sorted(ours.keys() | theirs.keys()):
            if key in ours and key in theirs:
                yield from _differing(ours[key], theirs[key], f"{path}/{key}")
            else:
                yield f"{path}/{key}: only {'the engine' if key in ours else 'the server'} has it"
    elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        for index, pair in enumerate(zip(ours, theirs, strict=True)):
            yield from _differing(*pair, f"{path}/{index}")
    elif ours != theirs or isinstance(ours, bool) != isinstance(theirs, bool):
        yield f"{path}: {str(ours)[:100]} instead of {str(theirs)[:100]}"


def read_folder(folder: Path) -> Iterator[JSONValue]:
    """Yield the CRDs in a folder without their status."""
    for path in sorted(folder.rglob("*")):
        if path.suffix in {".yaml", ".yml", ".json"}:
            with contextlib.suppress(engine.InputError):
                for read in manifest.read(path.read_bytes(), source=str(path)):
                    value = read.value
                    if isinstance(value, dict) and value.get("kind") == "CustomResourceDefinition":
                        yield {key: item for key, item in value.items() if key != "status"}


def generate(count: int, seed: int, version: str) -> Iterator[JSONValue]:
    """Yield *count* CRDs generated from a seed."""
    for number in range(count):
        random = Random(f"{seed} {number}")  # noqa: S311 - a seed repeats a run
        group = f"g{number}.random.example.com"
        yield crdgen.manifest(random, publishedgen.random_schema(random), group=group, version=version)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the CRDs, the version and the server."""
    parser.add_argument("folder", nargs="?", type=Path, help="files with CRDs")
    parser.add_argument("--random", type=int, default=0, metavar="COUNT", help="number of CRDs to generate")
    parser.add_argument("--seed", type=int, default=1)
    shared.add_version(parser, choices=None)
    shared.add_server(parser)


def main(options: argparse.Namespace) -> int:
    """Compare, and return 1 where something differs."""
    version = options.kubernetes_version
    crds = itertools.chain(
        read_folder(options.folder) if options.folder else (), generate(options.random, options.seed, version)
    )
    differing = 0
    with apiserver.at(options.server, version) as url:
        comparison = Comparison(client.Server(url), version)
        # In 1.21 a CRD with a scale subresource changes the documents of other CRDs.
        for batch in batches(crds, 1 if version == "1.21" else _BATCH):
            for difference in comparison.differences(batch):
                print(difference, flush=True)
                differing += 1
    print(_words(comparison.tally), f"differences: {differing}", sep="; ")
    return int(differing > 0)


def _words(tally: Mapping[str, int]) -> str:
    """Return the tally as a text."""
    return "; ".join(f"{title}: {count}" for title, count in tally.items())
