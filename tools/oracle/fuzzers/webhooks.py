"""
Compare random conversations with webhooks, answer by answer and review by review, with a whole kube-apiserver.

The same seed generates the same conversations. A review of our server for a conversion must be one of the cluster's
in the same request, which converts some objects repeatedly.
"""

from __future__ import annotations

import argparse
import time
from random import Random, SystemRandom

from conformance import webhookreplay

from oracle import options as shared
from oracle.generators import webhookgen
from oracle.recorders.webhooks import FLAGS, Recorder
from oracle.servers import kubeapiserver
from oracle.servers.dialogue import Cluster
from oracle.servers.webhooks import serving


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the counts, the seed, the version and the server."""
    parser.add_argument("--conversations", type=int, default=200, help="number of conversations (default: 200)")
    parser.add_argument("--length", type=int, default=25, help="number of requests in each (default: 25)")
    parser.add_argument("--seed", type=int, default=SystemRandom().randrange(10**6))
    parser.add_argument("--limit", type=int, default=5, help="number of differences to print")
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
    with kubeapiserver.at(options.server, version, FLAGS) as url, serving() as webhooks:
        recorded = Recorder(Cluster(url, options.token), webhooks).record(conversations)
    for conversation, theirs in zip(conversations, recorded, strict=True):
        difference = webhookreplay.find_difference(webhookreplay.replay(conversation, version), theirs)
        differing += bool(difference)
        if difference and differing <= options.limit:
            print(f"\nconversation {conversation.name}, {difference}", flush=True)
    seconds = time.monotonic() - started
    requests = options.conversations * options.length
    print(f"{len(conversations)} conversations, {requests} requests, {differing} differ ({seconds:.0f} s)")
    return int(bool(differing))
