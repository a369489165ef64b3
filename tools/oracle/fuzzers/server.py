"""
Compare our server with a whole kube-apiserver in conversations of three clients, with watches, answer by answer.

Prepared conversations come first, then random ones; with `--builtin` only random ones about built-in objects; with `--odd` only random ones, whose requests have oddities. With an
older Kubernetes version, topics are left out in which our server always answers as the newest version does.

`--about WORD …` runs only prepared conversations about one of the words, `--again FILE` only those of a recording. `--record FILE` writes
conversations with the cluster's answers, one per line, for the tests that replay them. The same seed generates the same conversations.

Of several unknown fields, a server names a random one. Such a request is asked repeatedly, and marked if the answers differ.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random, SystemRandom
from typing import Final

from conformance import exchanges, serverside
from conformance.exchanges import Raw

from oracle import options as shared
from oracle.generators import (
    bodytopics,
    builtingen,
    builtintopics,
    crdtopics,
    decodingtopics,
    definitiontopics,
    oddgen,
    plugintopics,
    prototopics,
    servergen,
    servertopics,
    validationtopics,
)
from oracle.servers import kubeapiserver
from oracle.servers.dialogue import Cluster
from pytest_crd.engine import profile
from pytest_crd.engine.jsonvalue import JSONValue

_AT_ONCE: Final = 8
# How often a request with an unknown field is repeated: if two fields are named at random, one run in a million misses it.
_REPETITIONS: Final = 20
# Topics in which our server answers as the newest version in any case: protobuf of CRDs, columns of built-in kinds, and
# their fields, which older servers partly drop because of a disabled feature gate.
_NEWEST_ONLY: Final = frozenset(
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
    """Add the counts, the seed, the version, the server and the file."""
    parser.add_argument("--conversations", type=int, default=300, help="number of conversations (default: 300)")
    parser.add_argument("--length", type=int, default=20, help="number of requests in each (default: 20)")
    parser.add_argument("--seed", type=int, default=SystemRandom().randrange(10**6))
    parser.add_argument("--limit", type=int, default=5, help="number of differences to print")
    parser.add_argument(
        "--about", nargs="+", default=(), metavar="WORD", help="run only topics with one of these words"
    )
    parser.add_argument("--again", type=Path, metavar="FILE", help="run the conversations of a recording")
    parser.add_argument("--builtin", action="store_true", help="run random ones about built-in objects with mistakes")
    parser.add_argument("--odd", action="store_true", help="run random ones, whose requests have oddities")
    parser.add_argument("--record", type=Path, metavar="FILE", help="write conversations and answers into this file")
    shared.add_version(parser)
    kubeapiserver.add_arguments(parser)


def main(options: argparse.Namespace) -> int:
    """Run the conversations; return 1 if an answer differs."""
    with kubeapiserver.at(options.server, options.kubernetes_version) as url:
        return _fuzz(Cluster(url, options.token), options)


def _fuzz(cluster: Cluster, options: argparse.Namespace) -> int:
    crds = servergen.crds()
    cluster.install(crds)
    print(f"seed {options.seed}", flush=True)
    started, lines, differing = time.monotonic(), [], 0
    for number, requests, answers in _run_all(cluster, options):
        lines.append({"requests": requests, "answers": answers})
        ours = exchanges.run(requests, serverside.sender(crds, options.kubernetes_version, [exchanges.NAMESPACE]))
        places = [
            place
            for place, (request, theirs, our_answer) in enumerate(zip(requests, answers, ours, strict=True))
            if theirs != our_answer and not builtingen.is_validated(request, theirs)
        ]
        differing += bool(places)
        if places and differing <= options.limit:
            place = places[0]
            print(f"\n{number}.{place} {json.dumps(requests[place])}", flush=True)
            print(f"  server {json.dumps(answers[place])}\n  engine {json.dumps(ours[place])}", flush=True)
    if options.record:
        text = "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines)
        options.record.write_text(text, encoding="utf-8")
    seconds = time.monotonic() - started
    requests_in_all = sum(len(line["requests"]) for line in lines)
    print(f"{len(lines)} conversations, {requests_in_all} requests, {differing} differ ({seconds:.0f} s)")
    return int(bool(differing))


def _run_all(cluster: Cluster, options: argparse.Namespace) -> Iterator[tuple[int, list[JSONValue], list[JSONValue]]]:
    """Yield the number of each conversation with its requests and the cluster's answers, in order."""
    session = f"{SystemRandom().randrange(16**5):05x}"

    topics = [] if options.builtin or options.odd else _topics(options.about, options.kubernetes_version)
    if options.again:
        lines = options.again.read_text(encoding="utf-8").splitlines()
        topics = [json.loads(line)["requests"] for line in lines]
    generate = builtingen.conversation if options.builtin else servergen.conversation
    numbers = range(len(topics) if options.about or options.again else options.conversations)

    def generate_requests(random: Random) -> list[JSONValue]:
        requests = generate(random, options.length)
        return oddgen.alter(random, requests) if options.odd else requests

    def run(number: int) -> tuple[int, list[JSONValue], list[JSONValue]]:
        random = Random(f"{options.seed}/{number}")  # noqa: S311
        requests = topics[number] if number < len(topics) else generate_requests(random)
        namespace = f"f{session}-{number}"
        cluster.request("POST", "/api/v1/namespaces", {"metadata": {"name": namespace}})
        return number, *_ask(requests, cluster.sender(), namespace)

    with ThreadPoolExecutor(_AT_ONCE) as executor:
        yield from executor.map(run, numbers)


def _ask(
    requests: Sequence[JSONValue], send: exchanges.Send, namespace: str
) -> tuple[list[JSONValue], list[JSONValue]]:
    """Return the requests of a conversation with the answers; those with random answers are marked."""
    marks: list[JSONValue] = []

    def repeat(request: exchanges.Request) -> Raw | Callable[[], Raw]:
        answer = send(request)
        message = _undeclared(answer)
        varies = message and any(_undeclared(send(request)) != message for _ in range(_REPETITIONS))
        marks.append({"varies": True} if varies else {})
        return answer

    answers = exchanges.run(requests, repeat, namespace=namespace)
    for mark, answer in zip(marks, answers, strict=True):
        if mark:
            answer["body"]["message"] = exchanges.without_reason(answer["body"]["message"])
    unmarked = ({key: value for key, value in request.items() if key != "varies"} for request in requests)
    return [request | mark for request, mark in zip(unmarked, marks, strict=True)], answers


def _undeclared(answer: Raw | Callable[[], Raw]) -> str:
    return exchanges.undeclared(answer) if isinstance(answer, Raw) else ""


def _topics(about: Sequence[str], version: str) -> list[list[JSONValue]]:
    """Return the prepared conversations for a version, only those about a word of *about* if there is one."""
    modules = (
        servertopics,
        builtintopics,
        definitiontopics,
        bodytopics,
        crdtopics,
        prototopics,
        decodingtopics,
        validationtopics,
        plugintopics,
    )
    topics = {topic: requests for module in modules for topic, requests in module.conversations().items()}
    excluded = frozenset() if version == profile.DEFAULT else _NEWEST_ONLY
    return [
        requests
        for topic, requests in topics.items()
        if topic not in excluded and (not about or not set(about).isdisjoint(topic.split()))
    ]
