"""
Compare random conversations with webhooks, answer by answer and review by review, with a whole kube-apiserver.

The same seed generates the same conversations. A review of our server for a conversion must be one of the cluster's
in the same request, which converts some objects repeatedly.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random, SystemRandom

from conformance import webhookreplay
from conformance.webhookconversations import Conversation

from oracle import options as shared
from oracle.generators import webhookgen
from oracle.recorders.webhooks import FLAGS, Recorder
from oracle.servers import kubeapiserver
from oracle.servers.dialogue import Cluster
from oracle.servers.webhooks import serving
from pytest_crd.engine.jsonvalue import JSONValue


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the counts, the seed, the version and the server."""
    parser.add_argument("--conversations", type=int, default=200, help="number of conversations (default: 200)")
    parser.add_argument("--length", type=int, default=25, help="number of requests in each (default: 25)")
    parser.add_argument("--seed", type=int, default=SystemRandom().randrange(10**6))
    parser.add_argument("--limit", type=int, default=5, help="number of differences to print")
    parser.add_argument(
        "--answers",
        type=Path,
        metavar="FILE",
        help="compare with the server's answers in FILE; if it does not exist, ask the server and write them",
    )
    shared.add_version(parser)
    kubeapiserver.add_arguments(parser)


def main(options: argparse.Namespace) -> int:
    """Run the conversations; return 1 if an answer or a review differs."""
    print(f"seed {options.seed}", flush=True)
    conversations = [
        webhookgen.conversation(Random(f"{options.seed}/{number}"), number, options.length)  # noqa: S311 - a seed repeats it
        for number in range(options.conversations)
    ]
    started, differing = time.monotonic(), 0
    version = options.kubernetes_version
    for conversation, theirs in zip(conversations, _answers(options, conversations), strict=True):
        difference = webhookreplay.find_difference(webhookreplay.replay(conversation, version), theirs)
        differing += bool(difference)
        if difference and differing <= options.limit:
            print(f"\nconversation {conversation.name}, {difference}", flush=True)
    seconds = time.monotonic() - started
    requests = options.conversations * options.length
    print(f"{len(conversations)} conversations, {requests} requests, {differing} differ ({seconds:.0f} s)")
    return int(bool(differing))


def _answers(options: argparse.Namespace, conversations: Sequence[Conversation]) -> list[JSONValue]:
    """
    Return the answers of the server, from the file of answers if it exists.

    Raises:
        UsageError: The file has the answers to other conversations.
    """
    asked = {
        "version": options.kubernetes_version,
        "seed": options.seed,
        "requests": [conversation.requests for conversation in conversations],
    }
    if options.answers is not None and options.answers.exists():
        kept = json.loads(options.answers.read_text(encoding="utf-8"))
        if kept["asked"] != json.loads(json.dumps(asked)):
            raise shared.UsageError(f"{options.answers}: answers to other conversations")
        answers: list[JSONValue] = kept["answers"]
        return answers
    with kubeapiserver.at(options.server, options.kubernetes_version, FLAGS) as url, serving() as webhooks:
        answers = Recorder(Cluster(url, options.token), webhooks).record(conversations)
    if options.answers is not None:
        options.answers.write_text(json.dumps({"asked": asked, "answers": answers}), encoding="utf-8")
    return answers
