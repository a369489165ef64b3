"""The engine's answers to sequences of requests, compared with a server's."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from conformance import conversations, sequences

from pytest_crd.engine.jsonvalue import JSONValue

Answer = sequences.Answer
# The server names a random field if an object has several undeclared ones.
_UNDECLARED: Final = "field not declared in schema"


class Difference(NamedTuple):
    """
    The first differing answer in a sequence.

    Attributes:
        crd: The CRD.
        requests: The sequence up to the request.
        server: The answer of the server.
        engine: The answer of the engine.
    """

    crd: JSONValue
    requests: Sequence[sequences.Request]
    server: Answer
    engine: Answer

    def __str__(self) -> str:
        """Return requests and answers, one per line."""
        lines = [f"crd      {_text(self.crd)}", *(f"request  {_text(request)}" for request in self.requests)]
        return "\n".join([*lines, f"server   {_text(self.server)}", f"engine   {_text(self.engine)}"])


def differences(crd: JSONValue, sequences_: Sequence[JSONValue], version: str) -> Iterator[Difference]:
    """
    Yield the first difference of each sequence that has one.

    Args:
        crd: The CRD.
        sequences_: Sequences of requests with the answers of a server: `requests`, `answers`.
        version: The Kubernetes version of the server.
    """
    for sequence in sequences_:
        answers = conversations.answers(crd, sequence["requests"], version)
        for number, (ours, theirs) in enumerate(zip(answers, sequence["answers"], strict=True)):
            if _normalized(ours) != _normalized(theirs):
                yield Difference(crd, sequence["requests"][: number + 1], theirs, ours)
                break


def _normalized(answer: Answer) -> str:
    if _UNDECLARED in answer.get("status", {}).get("message", ""):
        return f"{answer['code']}: {_UNDECLARED}"
    return json.dumps(sequences.in_order(answer), sort_keys=True)


def _text(value: JSONValue) -> str:
    return json.dumps(value, ensure_ascii=False)
