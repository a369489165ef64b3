"""Coverage of admission policies by tests: the results of their expressions that tests have seen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from pytest_crd.policies.definitions import Policy, PolicyBinding
from pytest_crd.policies.invocations import PolicyInvocation
from pytest_crd.policies.policycontext import Evaluation

_CONDITIONS: Final = "matchConditions"
_VALIDATIONS: Final = "validations"
_MESSAGES: Final = "messageExpression"


class PolicyPoint(NamedTuple):
    """
    A result of an expression that a test can reach.

    Attributes:
        kind: The kind of the policy.
        policy: The name of the policy.
        place: The field of the policy, `validations[0]`; for params the binding.
        result: The result, such as `fails`.
    """

    kind: str
    policy: str
    place: str
    result: str

    @property
    def text(self) -> str:
        """The place and the result: `validations[0] fails`."""
        return f"{self.place} {self.result}"


def points(policy: Policy, bindings: Iterable[PolicyBinding]) -> tuple[PolicyPoint, ...]:
    """Return the points of a policy with its bindings, in the order of its fields."""
    return tuple(PolicyPoint(policy.kind, policy.name, *point) for point in _points(policy, bindings))


def _points(policy: Policy, bindings: Iterable[PolicyBinding]) -> Iterator[tuple[str, str]]:
    if policy.param_kind is not None:
        for binding in bindings:
            if binding.param_ref is not None:
                yield f"the binding {binding.name}", "finds a param"
    for index in range(len(policy.match_conditions)):
        yield f"{_CONDITIONS}[{index}]", "is true"
        yield f"{_CONDITIONS}[{index}]", "is false"
    for index, validation in enumerate(policy.validations):
        yield f"{_VALIDATIONS}[{index}]", "passes"
        yield f"{_VALIDATIONS}[{index}]", "fails"
        if validation.message_expression:
            yield f"{_VALIDATIONS}[{index}].{_MESSAGES}", "makes the message"
    for index in range(len(policy.audit_annotations)):
        yield f"auditAnnotations[{index}]", "has a value"
    for index in range(len(policy.mutations)):
        yield f"mutations[{index}]", "makes a patch"


class PolicyMeter:
    """
    The points that the requests of one test reach.

    Attributes:
        reached: The points.
    """

    def __init__(self) -> None:
        """Create without points."""
        self.reached: set[PolicyPoint] = set()
        self._failing: set[tuple[str, str, int]] = set()

    def observe_match(self, item: PolicyInvocation) -> None:
        """Note a policy that a request matches."""
        if item.param is not None:
            self._add(item.policy, f"the binding {item.binding.name}", "finds a param")

    def observe(self, evaluation: Evaluation) -> None:
        """Note an evaluated expression."""
        policy, part, index, outcome = evaluation.policy, evaluation.part, evaluation.position, evaluation.outcome
        if outcome.problem:
            return
        key, place = (policy.kind, policy.name, index), f"{part}[{index}]"
        if part == _CONDITIONS:
            self._add(policy, place, "is true" if outcome.value is True else "is false")
        elif part == _VALIDATIONS:
            has_failed = outcome.value is not True
            self._add(policy, place, "fails" if has_failed else "passes")
            self._failing = self._failing | {key} if has_failed else self._failing - {key}
        elif part == _MESSAGES:
            if key in self._failing:
                self._add(policy, f"{_VALIDATIONS}[{index}].{_MESSAGES}", "makes the message")
        elif part == "mutations":
            self._add(policy, place, "makes a patch")
        elif outcome.value is not None:
            self._add(policy, place, "has a value")

    def _add(self, policy: Policy, place: str, result: str) -> None:
        self.reached.add(PolicyPoint(policy.kind, policy.name, place, result))
