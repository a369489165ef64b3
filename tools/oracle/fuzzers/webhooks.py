"""
Compare random conversations with webhooks, answer by answer and review by review, with a whole kube-apiserver.

The same seed generates the same conversations. A review of our server for a conversion must be one of the cluster's
in the same request, which converts some objects repeatedly.

Some differences are known: KNOWN has a predicate for each, with its reason. The summary counts them, and only others fail. A conversation is
compared up to its first difference.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from typing import Final

from conformance import webhookreplay
from conformance.webhookconversations import Conversation

from oracle import options as shared
from oracle.fuzzers import answerfiles
from oracle.generators import webhookgen
from oracle.recorders.webhooks import FLAGS, Recorder
from oracle.servers import kubeapiserver
from oracle.servers.dialogue import Cluster
from oracle.servers.webhooks import serving
from pytest_crd.engine.jsonvalue import JSONValue

_FIRST_OWNER: Final = "/metadata/managedFields/0/"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the counts, the seed, the version and the server."""
    parser.add_argument("--conversations", type=int, default=200, help="number of conversations (default: 200)")
    parser.add_argument("--length", type=int, default=25, help="number of requests in each (default: 25)")
    answerfiles.add_arguments(parser)
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
    counts: Counter[str] = Counter()
    version = options.kubernetes_version
    for conversation, theirs in zip(conversations, _answers(options, conversations), strict=True):
        number, difference = webhookreplay.find_difference(webhookreplay.replay(conversation, version), theirs)
        if not difference:
            continue
        reason = next((reason for reason, is_known in KNOWN.items() if is_known(conversation, theirs, number)), "")
        counts[reason] += 1
        differing += not reason
        if not reason and differing <= options.limit:
            print(f"\nconversation {conversation.name}, {difference}", flush=True)
    seconds = time.monotonic() - started
    requests = options.conversations * options.length
    print(f"{len(conversations)} conversations, {requests} requests, {differing} differ ({seconds:.0f} s)")
    for reason, count in counts.items():
        if reason:
            print(f"{count} differ as known: {reason}")
    return int(bool(differing))


def patches_first_owner(conversation: Conversation, recorded: JSONValue, number: int) -> bool:
    """
    Return whether a patch of a request changes the first of several managed fields.

    Args:
        conversation: The conversation.
        recorded: The answers and reviews of the server.
        number: The number of the request.
    """
    patches: list[JSONValue] = [conversation.requests[number].get("body")]
    for hook in {call[0] for call in recorded["calls"][number]}:
        behaviours = conversation.hooks[hook]
        if isinstance(behaviours, Mapping):  # a conversion patches nothing
            continue
        before, now = (
            sum(call[0] == hook for calls in recorded["calls"][:end] for call in calls) for end in (number, number + 1)
        )
        patches += behaviours[before:now]
    recording = [recorded["calls"][number], recorded["answers"][number]]
    return _FIRST_OWNER in json.dumps(patches) and any(len(entries) > 1 for entries in _managed_fields(recording))


KNOWN: Final[Mapping[str, Callable[[Conversation, JSONValue, int], bool]]] = {
    "a patch changes the first of several managed fields, whose order depends on the seconds of the writes": patches_first_owner
}


def _managed_fields(value: JSONValue) -> Iterator[list[JSONValue]]:
    """Yield the managed fields of all objects in a value."""
    if isinstance(value, list):
        for item in value:
            yield from _managed_fields(item)
    elif isinstance(value, dict):
        if isinstance(value.get("managedFields"), list):
            yield value["managedFields"]
        for item in value.values():
            yield from _managed_fields(item)


def _answers(options: argparse.Namespace, conversations: Sequence[Conversation]) -> list[JSONValue]:
    """Return the answers of the server."""

    def record() -> list[JSONValue]:
        with kubeapiserver.at(options.server, options.kubernetes_version, FLAGS) as url, serving() as webhooks:
            return Recorder(Cluster(url, options.token), webhooks).record(conversations)

    return answerfiles.read_or_record(options, [conversation.requests for conversation in conversations], record)
