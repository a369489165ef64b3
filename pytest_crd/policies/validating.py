"""
The admission plugin of ValidatingAdmissionPolicies.

Reference:
    apiserver admission/plugin/policy/validating/dispatcher.go, Dispatch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pytest_crd.admission.matching.matchcriteria import Invocation
from pytest_crd.admission.versionedobjects import NotConvertedError, VersionedObjects
from pytest_crd.engine.errors.refusal import Denial, Refusal
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry.admission import AdmissionRequest
from pytest_crd.engine.registry.requestbody import RefusedError
from pytest_crd.policies import activation, compiledpolicies, decisions, invocations, policyrefusals
from pytest_crd.policies.decisions import PolicyDecision
from pytest_crd.policies.definitions import INVALID, Policy, PolicyBinding
from pytest_crd.policies.invocations import BoundPolicy, ConfigurationProblem, PolicyInvocation
from pytest_crd.policies.policycontext import AuditAnnotations, PolicyContext

_DENY: Final = "Deny"
_AUDIT: Final = "Audit"
_FAIL: Final = "Fail"


def validate(
    policies: Sequence[BoundPolicy],
    request: AdmissionRequest,
    policy_context: PolicyContext,
    profile: Profile,
    warnings: list[str],
) -> None:
    """
    Evaluate the policies that a request matches.

    Args:
        policies: The policies with their bindings.
        request: The request.
        policy_context: Namespaces, params and listeners.
        profile: The Kubernetes version.
        warnings: Takes the warnings of bindings with the action Warn.

    Raises:
        RefusedError: A policy denies the request, or fails with the failure policy Fail.
    """
    _Validation(request, policy_context, profile, warnings).run(policies)


class _Validation:
    """The validation of one request by all policies."""

    def __init__(
        self, request: AdmissionRequest, policy_context: PolicyContext, profile: Profile, warnings: list[str]
    ) -> None:
        self._request = request
        self._context = policy_context
        self._profile = profile
        self._warnings = warnings
        self._annotations = AuditAnnotations(policy_context.listeners.annotate, profile)
        self._by_version: dict[Invocation, VersionedObjects] = {}
        self._denials: list[tuple[Policy, PolicyBinding | None, PolicyDecision]] = []

    def run(self, policies: Sequence[BoundPolicy]) -> None:
        """Evaluate the policies in their order; raise RefusedError with the first denial."""
        policy_context = self._context
        for item in invocations.find(policies, self._request, policy_context.namespace_of, policy_context.params):
            if isinstance(item, ConfigurationProblem):
                self._note(item)
            else:
                policy_context.listeners.observe_match(item)
                self._evaluate(item)
        self._annotations.publish()
        if self._denials:
            raise RefusedError(self._refusal())

    def _note(self, problem: ConfigurationProblem) -> None:
        """Deny the request for a policy or a binding that cannot be evaluated, unless its failure policy is Ignore."""
        self._context.listeners.observe_problem(problem)
        if problem.policy.failure_policy == _FAIL:
            self._denials.append((problem.policy, problem.binding, PolicyDecision(problem.message, is_failure=True)))

    def _evaluate(self, item: PolicyInvocation) -> None:
        policy, binding, invocation, _ = item
        objects = self._by_version.get(invocation)
        if objects is None:
            objects = VersionedObjects(self._request, self._profile)
            try:
                objects.convert(invocation)
            except NotConvertedError as error:
                problem = f"failed to convert object version: {error}"
                self._note(ConfigurationProblem.of_binding(policy, binding, problem))
                return
            self._by_version[invocation] = objects
        compiled = compiledpolicies.compile(policy, self._profile)
        namespace = activation.find_namespace(self._request, self._context.namespace_of)
        variables = activation.activate(item, self._request, objects, namespace)
        result = decisions.decide(compiled, variables, self._context.listeners.observe)
        for index, decision in enumerate(result.decisions):
            if decision is not None:
                self._act(policy, binding, index, decision)
        for annotation in result.annotations:
            if annotation.problem:
                self._denials.append((policy, binding, PolicyDecision(annotation.problem, is_failure=True)))
            else:
                self._annotations.add(policy, annotation.key, annotation.value)

    def _act(self, policy: Policy, binding: PolicyBinding, index: int, decision: PolicyDecision) -> None:
        """Follow the validation actions of a binding after a failed validation."""
        for action in binding.validation_actions:
            if action == _DENY:
                self._denials.append((policy, binding, decision))
            elif action == _AUDIT:
                self._annotations.add_failure(policy, binding, index, decision.message)
            else:  # Warn
                lead = f"Validation failed for ValidatingAdmissionPolicy '{policy.name}' with binding '{binding.name}'"
                self._warnings.append(f"{lead}: {decision.message}")

    def _refusal(self) -> Refusal:
        policy, binding, decision = self._denials[0]
        by = f"'{policy.name}'" if binding is None else f"'{policy.name}' with binding '{binding.name}'"
        problem = f"ValidatingAdmissionPolicy {by} denied request: {decision.message}"
        reason = decision.reason or INVALID
        denials = [
            Denial(
                policy.name, decision.message, decision.reason or INVALID, policy.texts if decision.is_failure else None
            )
            for policy, _, decision in self._denials
        ]
        message = policyrefusals.forbidden(self._request, problem)
        return policyrefusals.refuse(self._request, reason, message, [problem], denials)
