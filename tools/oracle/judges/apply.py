"""What is made of a sequence of requests: by the engine, and where its answers differ from a server's."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from conformance import conversations, sequences

JSONValue = Any
Answer = sequences.Answer
# Where an object has several such fields, a server names any of them, and what it found on the way there.
_UNDECLARED: Final = "field not declared in schema"


class Difference(NamedTuple):
    """
    An answer in which the engine differs from a server.

    Attributes:
        crd: The CRD.
        requests: The sequence up to the request.
        server: The answer of the server.
        engine: That of the engine.
    """

    crd: JSONValue
    requests: Sequence[sequences.Request]
    server: Answer
    engine: Answer

    def __str__(self) -> str:
        """Return what was asked and answered, a line each."""
        lines = [f"crd      {_text(self.crd)}", *(f"request  {_text(request)}" for request in self.requests)]
        return "\n".join([*lines, f"server   {_text(self.server)}", f"engine   {_text(self.engine)}"])


def differences(crd: JSONValue, asked: Sequence[JSONValue], version: str) -> Iterator[Difference]:
    """
    Yield of each sequence the first difference.

    Args:
        crd: The CRD.
        asked: Sequences of requests with the answers of a server: `requests`, `answers`.
        version: The Kubernetes version of the server.
    """
    for one in asked:
        found = conversations.answers(crd, one["requests"], version)
        for number, (ours, theirs) in enumerate(zip(found, one["answers"], strict=True)):
            if _compared(ours) != _compared(theirs):
                yield Difference(crd, one["requests"][: number + 1], theirs, ours)
                break


def _compared(answer: Answer) -> str:
    if _UNDECLARED in answer.get("status", {}).get("message", ""):
        return f"{answer['code']}: {_UNDECLARED}"
    return json.dumps(sequences.in_order(answer), sort_keys=True)


def _text(value: JSONValue) -> str:
    return json.dumps(value, ensure_ascii=False)
