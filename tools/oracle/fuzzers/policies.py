"""
Compare random conversations with admission policies, answer by answer, with a whole kube-apiserver.

The same seed generates the same conversations. A conversation is compared up to its first difference. KNOWN has a
predicate for each known difference, with its reason. The summary counts them, and only others fail.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Final

from conformance import policyconversations, policyreplay
from conformance.policyconversations import Conversation

from oracle import options as shared
from oracle.fuzzers import answerfiles
from oracle.generators import policygen
from oracle.recorders import policies
from pytest_crd.engine.jsonvalue import JSONValue

_LENGTH: Final = 25
_UNDECLARED: Final = "field not declared in schema"


def stops_at_undeclared_field(difference: str) -> bool:
    """Return whether both servers refuse an object for its types, at an undeclared field: a server reads fields in random order."""
    ours, _, theirs = difference.partition("\n")
    return _UNDECLARED in ours and _UNDECLARED in theirs


KNOWN: Final[Mapping[str, Callable[[str], bool]]] = {
    "a server reads the fields of an object in random order, and stops at an undeclared one": stops_at_undeclared_field
}
"""Predicates for known differences by their reasons."""

ORDER: Final = "a server evaluates mutating policies in random order, and our server says that the answer depends on it"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the counts, the seed and the version."""
    parser.add_argument("--requests", type=int, default=2000, help="number of requests (default: 2000)")
    answerfiles.add_arguments(parser)
    shared.add_version(parser, choices=tuple(policyconversations.VERSIONS))


def main(options: argparse.Namespace) -> int:
    """Run the conversations; return 1 if an answer differs."""
    print(f"seed {options.seed}", flush=True)
    conversations = [
        policygen.conversation(Random(f"{options.seed}/{number}"), number, _LENGTH)  # noqa: S311 - a seed repeats it
        for number in range(-(-options.requests // _LENGTH))
    ]
    answers = _answers(options, conversations)
    started, differing, matched, ordered = time.monotonic(), 0, 0, 0
    counts: Counter[str] = Counter()
    for conversation, theirs in zip(conversations, answers, strict=True):
        matched += sum("AdmissionPolicy '" in json.dumps(answer) for answer in theirs["answers"])
        orders: list[int] = []
        number, difference = _compare(conversation, theirs, options.kubernetes_version, orders)
        ordered += len(orders)
        if not difference:
            continue
        reason = next((reason for reason, is_known in KNOWN.items() if is_known(difference)), "")
        if any(place <= number for place in orders):
            reason = ORDER
        counts[reason] += 1
        differing += not reason
        if not reason and differing <= options.limit:
            print(f"\nconversation {conversation.name}, {difference}", flush=True)
            print(f"  request: {json.dumps(conversation.requests[number])}")
            print(f"  policies: {json.dumps([item for item in conversation.objects if 'Policy' in item['kind']])}")
    seconds = time.monotonic() - started
    requests = len(conversations) * _LENGTH
    print(f"{len(conversations)} conversations, {requests} requests, {matched} named by a policy, {differing} differ ({seconds:.0f} s)")  # fmt: skip
    print(f"{ordered} answers depend on the order of mutating policies")
    for reason, count in counts.items():
        if reason:
            print(f"{count} differ as known: {reason}")
    return int(bool(differing))


def _compare(conversation: Conversation, theirs: JSONValue, version: str, orders: list[int]) -> tuple[int, str]:
    """Return the number of the first request with another answer, and the difference; note the requests that depend on an order."""
    try:
        return policyreplay.find_difference(policyreplay.replay(conversation, version, orders), theirs)
    except Exception as error:  # noqa: BLE001 - a crash is a difference
        return 0, f"crashes: {error!r}"


def _answers(options: argparse.Namespace, conversations: Sequence[Conversation]) -> list[JSONValue]:
    """Return the answers of the server."""

    def record() -> list[JSONValue]:
        with policies.recording(options.kubernetes_version) as recorder:
            return recorder.record(conversations)

    requests = [[conversation.objects, conversation.requests] for conversation in conversations]
    return answerfiles.read_or_record(options, requests, record)
