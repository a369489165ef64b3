"""
What is told of the requests for custom resources, and of what cases ask and find.

A CRD holds an observer, and tells it; what counts or compares attaches to it for a while. Who asks for nothing pays for nothing: a
request looks once whether somebody listens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, Literal, NamedTuple, TypeAlias

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


class ObservedRequest(NamedTuple):
    """
    A request, and what became of it.

    Attributes:
        written: What the request writes: an object, the status of one, or nothing, where a pass was asked for alone.
        sent: What was sent.
        decoded: The same pruned and defaulted; None where the request was refused before.
        validated: What was validated of it; None where nothing was.
        errors: What is wrong with it.
        rules: What its rules were, in the order of their evaluation.
        pruned: What would be left of it, where it was refused for unknown fields alone; else None.
    """

    written: Literal["object", "status", ""]
    sent: JSONValue
    decoded: Mapping[str, JSONValue] | None = None
    validated: Mapping[str, JSONValue] | None = None
    errors: Sequence[FieldError] = ()
    rules: Sequence[RuleOutcome] = ()
    pruned: Mapping[str, JSONValue] | None = None


# Called with the version that was asked, which is a `CrdVersion`, and the request.
HearRequest: TypeAlias = Callable[[Any, ObservedRequest], None]
# Called with a question, or a case that was judged: those who ask and judge say what these are.
Hear: TypeAlias = Callable[[Any], None]


class Observer:
    """
    What is told of requests, questions and verdicts: one listener for each, or none.

    Attributes:
        request: Called with each request for custom resources, where its answer leaves.
        question: Called with each question that cases and checks have put to the engine.
        verdict: Called with each case once it is judged.
    """

    __slots__ = ("question", "request", "verdict")

    def __init__(self, request: HearRequest | None = None) -> None:
        self.request = request
        self.question: Hear | None = None
        self.verdict: Hear | None = None

    @contextmanager
    def heard_by(
        self, *, request: HearRequest | None = None, question: Hear | None = None, verdict: Hear | None = None
    ) -> Iterator[None]:
        """Tell those that are given until the end of the context, whichever thread asks, and no others of the same."""
        before = (self.request, self.question, self.verdict)
        self.request, self.question, self.verdict = request or before[0], question or before[1], verdict or before[2]
        try:
            yield
        finally:
            self.request, self.question, self.verdict = before

    def __reduce__(self) -> str | tuple[type[Observer], tuple[()]]:
        """Return what stands for it in another process: nobody listens there who listens here."""
        return "OF_PROCESS" if self is OF_PROCESS else (Observer, ())


OF_PROCESS: Final = Observer()
"""What CRDs tell unless another observer is handed in: also those count that a test loads itself."""
