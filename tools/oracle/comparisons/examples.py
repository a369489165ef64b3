"""
Ask a server about the objects that are made from the schemas of real CRDs: it must answer what made them right.

Of each served version the smallest and the fullest object, which must be accepted, and of some boundaries what lies inside and outside.
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
# A CRD takes a second or two to be served: so many are created before the first is asked about.
_BATCH = 25


def questions(version: engine.CrdVersion, random_: random.Random, most: int) -> Iterator[tuple[str, Any]]:
    """Yield objects of a version that are created, each with what it is."""
    for full in (False, True):
        with contextlib.suppress(NoExampleError):
            yield f"example(full={full})", example(version, full=full)
    finder = Boundaries(version)
    every = [(place, keyword) for place, node in finder.places() for keyword in keywords(node)]
    for place, keyword in random_.sample(every, min(most, len(every))):
        found: Boundary = finder.find_boundary(place, keyword)
        if not found.subresource and found.old is None:
            yield from ((f"{found.place} {keyword} {side}", one) for side, one in _sides(found) if one is not None)


def _sides(boundary: Boundary) -> Iterator[tuple[str, Any]]:
    yield "inside", boundary.inside
    yield "outside", boundary.outside


class Comparison:
    """A server, and the tally of what it was asked."""

    def __init__(self, server: client.Server, *, boundaries: int, seed: int) -> None:
        """Take the server, and how many boundaries of each version are asked, chosen by the *seed*."""
        self._server = server
        self._boundaries = boundaries
        self._random = random.Random(seed)  # noqa: S311 - reproducible choices, no secrets
        self.tally: collections.Counter[str] = collections.Counter()

    def of_folder(self, folder: Path) -> Iterator[str]:
        """Yield each object made from the CRDs of a folder that the server answers otherwise."""
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
        for path in sorted(one for one in folder.rglob("*") if one.is_file()):
            for crd in engine.load([path]):
                if not crd.response.accepted:
                    continue
                if (crd.manifest["spec"].get("conversion") or {}).get("strategy") == "Webhook":
                    self.tally["CRDs left out, as a webhook converts their objects"] += 1
                    continue
                yield dict(crd.manifest)

    def _differences(self, crd: engine.CustomResourceDefinition) -> Iterator[str]:
        for version in crd.versions:
            if version.served:
                for what, resource in questions(version, self._random, self._boundaries):
                    self.tally["objects"] += 1
                    yield from self._difference(version, what, resource)

    def _difference(self, version: engine.CrdVersion, what: str, resource: Any) -> Iterator[str]:
        path = client.resource_path(dict(version.crd.manifest), version.name)
        answer = self._server.ask("POST", path, resource, query=_STRICT)
        ours = version.create(resource, field_validation="Strict")
        message = "" if answer.code < 300 else answer.body["message"]
        if (answer.code, message) != (ours.code, ours.message):
            self.tally["answered otherwise"] += 1
            said = f"server {answer.code} {message}\n  ours   {ours.code} {ours.message}"
            yield f"{version.crd.name} {version.name} {what}:\n  {said}"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the folder, how many boundaries, and who is asked."""
    parser.add_argument("folder", type=Path, help="files with CRDs")
    parser.add_argument("--boundaries", type=int, default=20, help="how many of each version; unset: 20")
    parser.add_argument("--seed", type=int, default=1)
    shared.add_server(parser)


def main(options: argparse.Namespace) -> int:
    """Ask about what the command line names; return 1 where an answer differs."""
    with apiserver.at(options.server, NEWEST) as url:
        comparison = Comparison(client.Server(url), boundaries=options.boundaries, seed=options.seed)
        for difference in comparison.of_folder(options.folder):
            print(difference, flush=True)
    print(", ".join(f"{count} {what}" for what, count in comparison.tally.items()))
    return 1 if comparison.tally["answered otherwise"] else 0
