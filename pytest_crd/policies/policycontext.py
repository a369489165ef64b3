"""Facts around a request that policies need and leave: namespaces, params, listeners to evaluated expressions, and audit annotations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from pytest_crd.admission.expressions.admissionexpressions import AdmissionExpression, ExpressionOutcome, Variables
from pytest_crd.admission.matching.matchcriteria import NamespaceOf
from pytest_crd.engine.cel.values.celvalues import Value
from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.profile import Profile
from pytest_crd.policies.definitions import Policy, PolicyBinding
from pytest_crd.policies.invocations import ConfigurationProblem, PolicyInvocation
from pytest_crd.policies.params import ParamSource

# Called with the key and the value of an annotation.
Annotate: TypeAlias = Callable[[str, str], None]

_FAILURES: Final = "validation.policy.admission.k8s.io/validation_failure"
_MOST_FAILURES: Final = 50
_MOST_BYTES: Final = 10 * 1024


class AuditAnnotations:
    """
    The audit annotations of one request by all policies.

    Reference:
        apiserver admission/plugin/policy/validating/dispatcher.go, auditAnnotationCollector and publishValidationFailureAnnotations.
    """

    def __init__(self, annotate: Annotate, profile: Profile) -> None:
        """Create with the function that takes the annotations, and the Kubernetes version."""
        self._annotate = annotate
        self._most_failures = _MOST_FAILURES if profile.audits_all_failures else 1
        self._values: dict[str, list[str]] = {}
        self._failures: list[JSONValue] = []

    def add(self, policy: Policy, key: str, value: str) -> None:
        """Add the value of a key; several values of a key are joined, equal ones count once."""
        cut = value.encode("utf-8", "surrogatepass")[:_MOST_BYTES].decode("utf-8", "surrogateescape")
        values = self._values.setdefault(f"{policy.name}/{key}", [])
        if cut not in values:
            values.append(cut)

    def add_failure(self, policy: Policy, binding: PolicyBinding, index: int, message: str) -> None:
        """Add a failed validation of a binding with the action Audit."""
        failure = {
            "message": message,
            "policy": policy.name,
            "binding": binding.name,
            "expressionIndex": index,
            "validationActions": list(binding.validation_actions),
        }
        self._failures.append(failure)

    def publish(self) -> None:
        """Hand the annotations to the function that takes them."""
        for key, values in self._values.items():
            self._annotate(key, ", ".join(values))
        if self._failures:
            self._annotate(_FAILURES, printing.marshal(self._failures[: self._most_failures], sort_keys=False))


class Evaluation(NamedTuple):
    """
    An evaluated expression of a policy.

    Attributes:
        policy: The policy.
        part: The field with the expression: `matchConditions`, `validations`, `messageExpression`, `auditAnnotations`, `mutations`.
        position: Its index in the list.
        expression: The expression.
        outcome: The value or the problem.
        variables: The evaluated variables of the policy by name.
        bound: The variables of the expression.
    """

    policy: Policy
    part: str
    position: int
    expression: AdmissionExpression
    outcome: ExpressionOutcome
    variables: Mapping[str, Value]
    bound: Variables


Observe: TypeAlias = Callable[[Evaluation], None]


def ignore(*_: object) -> None:
    """Do nothing."""


@dataclass(slots=True, eq=False)
class PolicyListeners:
    """
    Listeners to policies, which a test or a report may replace at any time.

    Attributes:
        annotate: Called with each audit annotation.
        observe: Called with each evaluated expression.
        observe_problem: Called with each policy or binding that cannot be evaluated.
        observe_match: Called with each policy that a request matches, with its binding and param.
        observe_order: Called with the words about an answer that depends on the order of policies.
    """

    annotate: Annotate = ignore
    observe: Observe = ignore
    observe_problem: Callable[[ConfigurationProblem], None] = ignore
    observe_match: Callable[[PolicyInvocation], None] = ignore
    observe_order: Callable[[str], None] = ignore


class PolicyContext(NamedTuple):
    """
    Facts around a request, and listeners.

    Attributes:
        namespace_of: Returns the Namespace with a name.
        params: The objects that may be params.
        listeners: The listeners.
    """

    namespace_of: NamespaceOf
    params: ParamSource
    listeners: PolicyListeners

    @property
    def unheard(self) -> PolicyContext:
        """The same facts without listeners."""
        return self._replace(listeners=PolicyListeners())
