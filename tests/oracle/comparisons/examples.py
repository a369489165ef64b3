"""
Ask a server about the objects that are made from the schemas of real CRDs: it must answer what made them right.

Of each served version the smallest and the fullest object, which must be accepted, and of some borders what lies inside and outside.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from oracle import options as shared
from oracle.servers import apiserver
from oracle.servers.crds import collection, delete
from oracle.servers.versions import NEWEST
from pytest_crd import engine
from pytest_crd.examples import Border, Borders, NoExampleError, example
from pytest_crd.examples.borders import keywords
from pytest_crd.live import client, settling

_STRICT = {"dryRun": "All", "fieldValidation": "Strict"}


def questions(version: engine.Version, random_: random.Random, most: int) -> Iterator[tuple[str, Any]]:
    """Yield objects of a version that are created, each with what it is."""
    for full in (False, True):
        with contextlib.suppress(NoExampleError):
            yield f"example(full={full})", example(version, full=full)
    finder = Borders(version)
    every = [(place, keyword) for place, node in finder.places() for keyword in keywords(node)]
    for place, keyword in random_.sample(every, min(most, len(every))):
        found: Border = finder.find(place, keyword)
        if not found.subresource and found.old is None:
            yield from ((f"{found.place} {keyword} {side}", one) for side, one in _sides(found) if one is not None)


def _sides(border: Border) -> Iterator[tuple[str, Any]]:
    yield "inside", border.inside
    yield "outside", border.outside


def differences(
    server: client.Server, crd: engine.CustomResourceDefinition, asked: Sequence[tuple[engine.Version, str, Any]]
) -> Iterator[str]:
    """Yield each object that the server answers otherwise."""
    manifest = dict(crd.manifest)
    delete(server, manifest)
    server.ask("POST", collection(manifest), manifest)
    settling.wait_until_served(server, manifest)
    for version, what, resource in asked:
        answer = server.ask("POST", client.resource_path(manifest, version.name), resource, query=_STRICT)
        ours = version.create(resource, field_validation="Strict")
        message = "" if answer.code < 300 else answer.body["message"]
        if (answer.code, message) != (ours.code, ours.message):
            yield f"{crd.name} {version.name} {what}:\n  server {answer.code} {message}\n  ours   {ours.code} {ours.message}"
    server.ask("DELETE", client.crd_path(manifest["apiVersion"], crd.name))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the folder, how many borders, and who is asked."""
    parser.add_argument("folder", type=Path, help="files with CRDs")
    parser.add_argument("--borders", type=int, default=20, help="how many of each version; unset: 20")
    parser.add_argument("--seed", type=int, default=1)
    shared.add_server(parser)


def main(options: argparse.Namespace) -> int:
    """Ask about what the command line names; return 1 where an answer differs."""
    random_ = random.Random(options.seed)  # noqa: S311 - reproducible choices, no secrets
    tally: collections.Counter[str] = collections.Counter()
    with apiserver.at(options.server, NEWEST) as url:
        server = client.Server(url)
        for path in sorted(one for one in options.folder.rglob("*") if one.is_file()):
            for crd in engine.load([path]):
                if not crd.response.accepted:
                    continue
                if (crd.manifest["spec"].get("conversion") or {}).get("strategy") == "Webhook":
                    tally["CRDs left out, as a webhook converts their objects"] += 1
                    continue
                asked = [
                    (version, what, one)
                    for version in crd.versions
                    if version.served
                    for what, one in questions(version, random_, options.borders)
                ]
                tally["objects"] += len(asked)
                for difference in differences(server, crd, asked):
                    tally["answered otherwise"] += 1
                    print(difference, flush=True)
    print(", ".join(f"{count} {what}" for what, count in tally.items()))
    return 1 if tally["answered otherwise"] else 0
