"""
What an observer is told of: each request for custom resources, where its answer leaves.

Who asks for nothing pays for nothing: a request looks once whether somebody observes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Literal, NamedTuple, TypeAlias

from pytest_crd.engine.errors.failedrule import Steps
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.jsonvalue import JSONValue


class RuleOutcome(NamedTuple):
    """
    What a rule was for a value.

    Attributes:
        steps: Where the rule stands, from the schema of the version.
        holds: Whether it was true.
        made_message: Whether its `messageExpression` was evaluated.
    """

    steps: Steps
    holds: bool
    made_message: bool = False


class Exchange(NamedTuple):
    """
    A request, and what became of it.

    Attributes:
        written: What the request writes: an object, the status of one, or nothing, where a pass was asked for alone.
        sent: What was sent.
        decoded: The same pruned and defaulted; None where the request was refused before.
        validated: What was validated of it; None where nothing was.
        errors: What is wrong with it.
        rules: What its rules were, in the order of their evaluation.
    """

    written: Literal["object", "status", ""]
    sent: JSONValue
    decoded: Mapping[str, JSONValue] | None = None
    validated: Mapping[str, JSONValue] | None = None
    errors: Sequence[FieldError] = ()
    rules: Sequence[RuleOutcome] = ()


# Called with the version that was asked, which is a `Version`, and the exchange.
Observer: TypeAlias = Callable[[Any, Exchange], None]

current: Observer | None = None
"""Who observes now; not to be set but by what is below."""


@contextmanager
def observing(observer: Observer | None) -> Iterator[None]:
    """Tell *observer* of all requests until the end of the context, whichever thread makes them, and nobody else."""
    global current  # noqa: PLW0603 - requests are made anywhere, also by objects that are older than the observer
    before, current = current, observer
    try:
        yield
    finally:
        current = before


def unobserved() -> AbstractContextManager[None]:
    """Tell nobody: of requests that only look for an object, nobody knows what they should answer."""
    return observing(None)
