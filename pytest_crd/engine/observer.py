"""
Observers of requests for custom resources, of questions and of judged cases.

A CRD holds an observer and reports to it; coverage and comparison attach listeners for a while. Without listeners a
request only checks once whether one is attached.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any, Final, Literal, TypeAlias

from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.errors.origin import Steps
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.records import NamedTuple


class RuleOutcome(NamedTuple):
    """
    Result of a rule for one value.

    Attributes:
        steps: The path of the rule in the schema of the version.
        holds: Whether the rule was true.
        made_message: Whether its `messageExpression` was evaluated.
        variables: The values of its variables, by name.
    """

    steps: Steps
    holds: bool
    made_message: bool = False
    variables: Mapping[str, Any] = MappingProxyType({})


class ObservedRequest(NamedTuple):
    """
    A request and its results.

    Attributes:
        written: The written part: an object, its status, or nothing if only a pass was called.
        sent: The request body.
        decoded: The body pruned and defaulted; None if the request was refused earlier.
        validated: The validated object; None if nothing was validated.
        errors: The errors of the request.
        rules: The results of its rules, in the order of evaluation.
        pruned: The pruned object if the request was refused for unknown fields alone; else None.
        converted_to: The version in which a stored object is read; empty for all other requests.
    """

    written: Literal["object", "status", ""]
    sent: JSONValue
    decoded: Mapping[str, JSONValue] | None = None
    validated: Mapping[str, JSONValue] | None = None
    errors: Sequence[FieldError] = ()
    rules: Sequence[RuleOutcome] = ()
    pruned: Mapping[str, JSONValue] | None = None
    converted_to: str = ""


# Called with the `CrdVersion` that handled the request, and the request.
HearRequest: TypeAlias = Callable[[Any, ObservedRequest], None]
# Called with a question or a judged case; their types belong to the callers.
Hear: TypeAlias = Callable[[Any], None]


class Observer:
    """
    Listeners for requests, questions and verdicts: at most one for each.

    Attributes:
        request: Called with each request for custom resources when its answer is returned.
        question: Called with each question of a case or check.
        verdict: Called with each judged case.
    """

    __slots__ = ("question", "request", "verdict")

    def __init__(self, request: HearRequest | None = None, *, verdict: Hear | None = None) -> None:
        self.request = request
        self.question: Hear | None = None
        self.verdict = verdict

    @contextmanager
    def heard_by(
        self, *, request: HearRequest | None = None, question: Hear | None = None, verdict: Hear | None = None
    ) -> Iterator[None]:
        """Attach listeners until the end of the context, in all threads; each replaces an attached listener of its kind."""
        before = (self.request, self.question, self.verdict)
        self.request, self.question, self.verdict = request or before[0], question or before[1], verdict or before[2]
        try:
            yield
        finally:
            self.request, self.question, self.verdict = before

    def __reduce__(self) -> str | tuple[type[Observer], tuple[()]]:
        """Return a picklable reference without listeners."""
        return "SESSION" if self is SESSION else (Observer, ())


SESSION: Final = Observer()
"""
Observer of the CRDs of a pytest session.

The plugin hands it to the CRDs that it loads, and attaches its listeners to it. `load` hands it to the CRDs that a test
or a conftest.py loads itself: coverage counts their requests, too, and a call of `load` names no session.
"""
