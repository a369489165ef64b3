"""Facts around a request that policies need: namespaces, params, and listeners to evaluated expressions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from pytest_crd.admission.expressions.admissionexpressions import AdmissionExpression, ExpressionOutcome, Variables
from pytest_crd.admission.matching.matchcriteria import NamespaceOf
from pytest_crd.engine.cel.values.celvalues import Value
from pytest_crd.policies.auditing import Annotate
from pytest_crd.policies.definitions import Policy
from pytest_crd.policies.invocations import ConfigurationProblem, PolicyInvocation
from pytest_crd.policies.params import ParamSource


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
