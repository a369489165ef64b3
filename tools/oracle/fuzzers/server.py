"""
Have conversations of three clients with a whole kube-apiserver and with our server, watches open beside, and compare answer by answer.

First come those that were thought of, then those that are made at random; with `--builtin` there are random ones about built-in objects alone.
An older Kubernetes version is not asked what our server answers as the newest one does whatever version it is asked for.

`--about WORD …` has only those that were thought of and are about one of them. `--record FILE` keeps conversations with what the server answered, a line each, for the tests that replay them. The same seed makes the same.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random, SystemRandom
from typing import Any, Final

from conformance import exchanges, serverside

from oracle import options as shared
from oracle.generators import (
    bodytopics,
    builtingen,
    builtintopics,
    crdtopics,
    decodingtopics,
    definitiontopics,
    prototopics,
    servergen,
    servertopics,
)
from oracle.servers import kubeapiserver
from oracle.servers.dialogue import Cluster
from pytest_crd.engine import profile

JSONValue = Any
_AT_ONCE: Final = 8
# Topics about what our server answers as the newest version does, whatever it is asked for: protobuf of CRDs, columns of built-in kinds,
# and their fields, of which older servers drop those that a feature gate still closes.
_OF_NEWEST: Final = frozenset(
    {
        "columns of each kind",
        "protobuf of CRDs",
        "protobuf of CRDs in each form",
        "protobuf of CRDs that are watched",
        "protobuf of CRDs that are refused",
        "protobuf of schemas",
        "protobuf of whole CRDs",
        "decoding of whole objects",
    }
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add how much is asked, whom, and the file."""
    parser.add_argument("--conversations", type=int, default=300, help="how many there are (default: 300)")
    parser.add_argument("--length", type=int, default=20, help="of how many requests each (default: 20)")
    parser.add_argument("--seed", type=int, default=SystemRandom().randrange(10**6))
    parser.add_argument("--limit", type=int, default=5, help="how many differences are printed")
    parser.add_argument(
        "--about", nargs="+", default=(), metavar="WORD", help="only have those of the topics with one of these words"
    )
    parser.add_argument("--builtin", action="store_true", help="have random ones about built-in objects with mistakes")
    parser.add_argument("--record", type=Path, metavar="FILE", help="write conversations and answers into this file")
    shared.add_version(parser)
    kubeapiserver.add_arguments(parser)


def main(options: argparse.Namespace) -> int:
    """Run what the command line asks for; return 1 where the two servers answer otherwise."""
    with kubeapiserver.at(options.server, options.kubernetes_version) as url:
        return _fuzz(Cluster(url, options.token), options)


def _fuzz(cluster: Cluster, options: argparse.Namespace) -> int:
    crds = servergen.crds()
    cluster.install(crds)
    print(f"seed {options.seed}", flush=True)
    started, lines, differing = time.monotonic(), [], 0
    for number, requests, answers in _held(cluster, options):
        lines.append({"requests": requests, "answers": answers})
        ours = exchanges.run(requests, serverside.sender(crds, options.kubernetes_version, [exchanges.NAMESPACE]))
        found = [
            place
            for place, (asked, theirs, own) in enumerate(zip(requests, answers, ours, strict=True))
            if theirs != own and not builtingen.is_validated(asked, theirs)
        ]
        differing += bool(found)
        if found and differing <= options.limit:
            place = found[0]
            print(f"\n{number}.{place} {json.dumps(requests[place])}", flush=True)
            print(f"  server {json.dumps(answers[place])}\n  engine {json.dumps(ours[place])}", flush=True)
    if options.record:
        text = "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines)
        options.record.write_text(text, encoding="utf-8")
    seconds = time.monotonic() - started
    requests_in_all = sum(len(line["requests"]) for line in lines)
    print(f"{len(lines)} conversations, {requests_in_all} requests, {differing} differ ({seconds:.0f} s)")
    return int(bool(differing))


def _held(cluster: Cluster, options: argparse.Namespace) -> Iterator[tuple[int, list[JSONValue], list[JSONValue]]]:
    """Yield conversations, in order, with what the cluster answered."""
    session = f"{SystemRandom().randrange(16**5):05x}"

    topics = [] if options.builtin else _topics(options.about, options.kubernetes_version)
    makes = builtingen.conversation if options.builtin else servergen.conversation
    numbers = range(len(topics) if options.about else options.conversations)

    def hold(number: int) -> tuple[int, list[JSONValue], list[JSONValue]]:
        drawn = Random(f"{options.seed}/{number}")  # noqa: S311
        requests = topics[number] if number < len(topics) else makes(drawn, options.length)
        namespace = f"f{session}-{number}"
        cluster.request("POST", "/api/v1/namespaces", {"metadata": {"name": namespace}})
        return number, requests, exchanges.run(requests, cluster.sender(), namespace=namespace)

    with ThreadPoolExecutor(_AT_ONCE) as executor:
        yield from executor.map(hold, numbers)


def _topics(about: Sequence[str], version: str) -> list[list[JSONValue]]:
    """Return the conversations that were thought of for a version, or those of them that are about something of *about*."""
    modules = (
        servertopics,
        builtintopics,
        definitiontopics,
        bodytopics,
        crdtopics,
        prototopics,
        decodingtopics,
    )
    found = {topic: requests for module in modules for topic, requests in module.conversations().items()}
    left_out = frozenset() if version == profile.DEFAULT else _OF_NEWEST
    return [
        requests
        for topic, requests in found.items()
        if topic not in left_out and (not about or not set(about).isdisjoint(topic.split()))
    ]
