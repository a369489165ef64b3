"""
Compare the engine with a server on objects that are generated from the schemas of real CRDs.

For each served version these are the smallest and the fullest object, which have to be accepted, and objects inside and
outside of some boundaries.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from oracle import options as shared
from oracle.servers import apiserver
from oracle.servers.crds import batches, collection, delete, path_of
from oracle.servers.versions import NEWEST
from pytest_crd import engine
from pytest_crd.live import client, settling
from pytest_crd.synthesis import Boundaries, Boundary, NoExampleError, example
from pytest_crd.synthesis.boundaries import keywords

_STRICT = {"dryRun": "All", "fieldValidation": "Strict"}
# A CRD takes a second or two to be served: this many are created before the first request.
_BATCH = 25


def questions(version: engine.CrdVersion, random_: random.Random, most: int) -> Iterator[tuple[str, Any]]:
    """Yield a title and an object for each create request to a version, with at most *most* random boundaries."""
    for full in (False, True):
        with contextlib.suppress(NoExampleError):
            yield f"example(full={full})", example(version, full=full)
    finder = Boundaries(version)
    every = [(place, keyword) for place, node in finder.places() for keyword in keywords(node)]
    for place, keyword in random_.sample(every, min(most, len(every))):
        boundary: Boundary = finder.find_boundary(place, keyword)
        if not boundary.subresource and boundary.old is None:
            yield from (
                (f"{boundary.place} {keyword} {side}", resource)
                for side, resource in _sides(boundary)
                if resource is not None
            )


def _sides(boundary: Boundary) -> Iterator[tuple[str, Any]]:
    yield "inside", boundary.inside
    yield "outside", boundary.outside


class Comparison:
    """A comparison with a server, and a tally of its requests."""

    def __init__(self, server: client.Server, *, boundaries: int, seed: int) -> None:
        """Take the server, and the number of boundaries of each version, which *seed* chooses."""
        self._server = server
        self._boundaries = boundaries
        self._random = random.Random(seed)  # noqa: S311 - reproducible choices, no secrets
        self.tally: collections.Counter[str] = collections.Counter()

    def compare_folder(self, folder: Path) -> Iterator[str]:
        """Yield a text for each generated object that the server answers differently."""
        for batch in batches(self._manifests(folder), _BATCH):
            for manifest in batch:
                delete(self._server, manifest)
                self._server.ask("POST", collection(manifest), manifest)
            for manifest in batch:
                settling.wait_until_served(self._server, manifest)
                yield from self._differences(engine.CustomResourceDefinition.from_manifest(manifest))
            for manifest in batch:
                self._server.ask("DELETE", path_of(manifest))

    def _manifests(self, folder: Path) -> Iterator[dict[str, Any]]:
        for path in sorted(file for file in folder.rglob("*") if file.is_file()):
            for crd in engine.load([path]):
                if not crd.response.accepted:
                    continue
                if (crd.manifest["spec"].get("conversion") or {}).get("strategy") == "Webhook":
                    self.tally["CRDs skipped because of a conversion webhook"] += 1
                    continue
                yield dict(crd.manifest)

    def _differences(self, crd: engine.CustomResourceDefinition) -> Iterator[str]:
        for version in crd.versions:
            if version.served:
                for title, resource in questions(version, self._random, self._boundaries):
                    self.tally["objects"] += 1
                    yield from self._difference(version, title, resource)

    def _difference(self, version: engine.CrdVersion, title: str, resource: Any) -> Iterator[str]:
        path = client.resource_path(dict(version.crd.manifest), version.name)
        answer = self._server.ask("POST", path, resource, query=_STRICT)
        ours = version.create(resource, field_validation="Strict")
        message = "" if answer.code < 300 else answer.body["message"]
        if (answer.code, message) != (ours.code, ours.message):
            self.tally["answered differently"] += 1
            answers = f"server {answer.code} {message}\n  ours   {ours.code} {ours.message}"
            yield f"{version.crd.name} {version.name} {title}:\n  {answers}"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the folder, the number of boundaries, and the server."""
    parser.add_argument("folder", type=Path, help="files with CRDs")
    parser.add_argument("--boundaries", type=int, default=20, help="number per version; unset: 20")
    parser.add_argument("--seed", type=int, default=1)
    shared.add_server(parser)


def main(options: argparse.Namespace) -> int:
    """Compare the objects of the folder; return 1 if an answer differs."""
    with apiserver.at(options.server, NEWEST) as url:
        comparison = Comparison(client.Server(url), boundaries=options.boundaries, seed=options.seed)
        for difference in comparison.compare_folder(options.folder):
            print(difference, flush=True)
    print(", ".join(f"{count} {title}" for title, count in comparison.tally.items()))
    return 1 if comparison.tally["answered differently"] else 0
