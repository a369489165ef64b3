"""The record of an admission policy's work on one request."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from pytest_crd.engine.errors.refusal import Denial
from pytest_crd.engine.fieldpath import SpelledPath
from pytest_crd.engine.registry import admitting
from pytest_crd.engine.registry.admission import Admission, AdmissionRequest, Admitted
from pytest_crd.engine.registry.requestbody import RefusedError
from pytest_crd.policies.definitions import MUTATING
from pytest_crd.policies.givenuses import FactUses
from pytest_crd.policies.invocations import ConfigurationProblem, PolicyInvocation
from pytest_crd.policies.policycontext import Evaluation, PolicyListeners

_CONDITIONS = "matchConditions"


@dataclass(slots=True)
class Recording:
    """
    The record of a policy's work on one request.

    Attributes:
        kind: The kind of the policy.
        others: The listeners of the project, which are called, too.
        requests: The requests about which the policy is asked: for an eviction, also the deletion of the Pod.
        invocations: The bindings and params whose criteria the request meets.
        evaluations: The evaluated expressions.
        problems: The policy or the bindings that cannot be evaluated.
        annotations: The audit annotations.
        uses: The uses of the facts of the case.
        mutated: The paths of the fields that the policy changes.
        denials: The denials.
        order_dependence: Two orders of bindings or params with different answers, in words; empty if the answer depends on none.
        is_refused: Whether admission refuses the request.
    """

    kind: str
    others: PolicyListeners
    requests: list[AdmissionRequest] = field(default_factory=list)
    invocations: list[PolicyInvocation] = field(default_factory=list)
    evaluations: list[Evaluation] = field(default_factory=list)
    problems: list[ConfigurationProblem] = field(default_factory=list)
    annotations: dict[str, str] = field(default_factory=dict)
    uses: FactUses = field(default_factory=FactUses)
    mutated: tuple[SpelledPath, ...] = ()
    denials: tuple[Denial, ...] = ()
    order_dependence: str = ""
    is_refused: bool = False

    def listen(self, listeners: PolicyListeners) -> None:
        """Listen to the policies of a server."""
        listeners.annotate = self._annotate
        listeners.observe = self._observe
        listeners.observe_match = self._observe_match
        listeners.observe_problem = self._observe_problem
        listeners.observe_order = self._observe_order

    def _annotate(self, key: str, value: str) -> None:
        self.annotations[key] = value
        self.others.annotate(key, value)

    def _observe(self, evaluation: Evaluation) -> None:
        self.evaluations.append(evaluation)
        self.others.observe(evaluation)

    def _observe_match(self, item: PolicyInvocation) -> None:
        self.invocations.append(item)
        self.uses.note_match(item)
        self.others.observe_match(item)

    def _observe_problem(self, problem: ConfigurationProblem) -> None:
        self.problems.append(problem)
        self.uses.note_problem(problem)
        self.others.observe_problem(problem)

    def _observe_order(self, words: str) -> None:
        self.order_dependence = words

    @property
    def is_matched(self) -> bool:
        """Whether the policy decides about the request, or would if it could be evaluated; a false match condition counts as no match."""
        if self.problems:
            return True
        if not self.invocations:
            return False
        return not self.false_conditions or len(self.false_conditions) < self._count_rounds()

    @property
    def false_conditions(self) -> list[Evaluation]:
        """The first false match condition of each evaluation of the conditions."""
        conditions: list[Evaluation] = []
        is_open = False
        for evaluation in self._conditions():
            is_open = is_open or evaluation.position == 0
            if is_open and evaluation.outcome.value is False:
                conditions.append(evaluation)
                is_open = False
        return conditions

    def _count_rounds(self) -> int:
        """Return how often the match conditions are evaluated: for each binding and param."""
        return sum(evaluation.position == 0 for evaluation in self._conditions())

    def _conditions(self) -> list[Evaluation]:
        return [evaluation for evaluation in self.evaluations if evaluation.part == _CONDITIONS]


class RecordedAdmission(NamedTuple):
    """
    The admission of a server, with a record.

    Attributes:
        inner: The admission.
        recording: The record.
        complete: Returns a request with the authorizer of the case.
    """

    inner: Admission
    recording: Recording
    complete: Callable[[AdmissionRequest], AdmissionRequest]

    def mutate(self, request: AdmissionRequest) -> Admitted:
        """Return the object after the mutating plugins; raise RefusedError if one refuses it."""
        admitted = self._record(self.inner.mutate, request, is_asked=self.recording.kind == MUTATING)
        if request.object is not None and admitted.object is not None:
            self.recording.mutated += admitting.find_changes(request.object, admitted.object)
        return admitted

    def validate(self, request: AdmissionRequest) -> Admitted:
        """Return the unchanged object and warnings; raise RefusedError if a validating plugin refuses it."""
        return self._record(self.inner.validate, request, is_asked=self.recording.kind != MUTATING)

    def _record(
        self, admit: Callable[[AdmissionRequest], Admitted], request: AdmissionRequest, *, is_asked: bool
    ) -> Admitted:
        if request.is_rehearsal:
            return admit(self.complete(request))
        if is_asked:
            self.recording.requests.append(request)
        try:
            return admit(self.complete(request))
        except RefusedError as refused:
            self.recording.denials, self.recording.is_refused = refused.refusal.denials, True
            raise
