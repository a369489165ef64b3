"""What is made of a sequence of requests: by the engine, and where its answers differ from a server's."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from conformance import sequences

JSONValue = Any
Answer = sequences.Answer
# Of a CRD, requests, and a Kubernetes version the answers in the form in which a server's are recorded.
Judge = Callable[[JSONValue, Sequence[sequences.Request], str], list[Answer]]

# The engine's answers; None for as long as it answers no sequences.
JUDGE: Final[Judge | None] = None


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


def differences(judge: Judge, crd: JSONValue, asked: Sequence[JSONValue], version: str) -> Iterator[Difference]:
    """
    Yield of each sequence the first difference.

    Args:
        judge: Who answers.
        crd: The CRD.
        asked: Sequences of requests with the answers of a server: `requests`, `answers`.
        version: The Kubernetes version of the server.
    """
    for one in asked:
        found = judge(crd, one["requests"], version)
        for number, (ours, theirs) in enumerate(zip(found, one["answers"], strict=True)):
            if _text(sequences.in_order(ours)) != _text(sequences.in_order(theirs)):
                yield Difference(crd, one["requests"][: number + 1], theirs, ours)
                break


def _text(value: JSONValue) -> str:
    return json.dumps(value, ensure_ascii=False)
