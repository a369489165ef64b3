"""The admission plugin of policies: mutating ones, then validating ones."""

from __future__ import annotations

from typing import Final, NamedTuple

from pytest_crd.admission.chain import Reinvocation
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry.admission import AdmissionRequest
from pytest_crd.policies import invocations, mutating, validating
from pytest_crd.policies.invocations import ReadPolicies
from pytest_crd.policies.policycontext import PolicyContext

_DELETE: Final = "DELETE"


class PolicyPlugin(NamedTuple):
    """
    The admission plugin of policies.

    Attributes:
        read: Returns the policies.
        policy_context: Namespaces, params and listeners.
        profile: The Kubernetes version.
    """

    read: ReadPolicies
    policy_context: PolicyContext
    profile: Profile

    def mutate(self, request: AdmissionRequest, reinvocation: Reinvocation, warnings: list[str]) -> Resource | None:  # noqa: ARG002
        """
        Return the object after the MutatingAdmissionPolicies; they do not see deletions.

        Raises:
            RefusedError: A policy fails with the failure policy Fail.
        """
        policies = self.read().mutating
        if not policies or request.operation == _DELETE or invocations.is_exempt(request):
            return request.object
        return mutating.mutate(policies, request, self.policy_context, self.profile, reinvocation)

    def validate(self, request: AdmissionRequest, warnings: list[str]) -> None:
        """
        Evaluate the ValidatingAdmissionPolicies.

        Raises:
            RefusedError: A policy denies the request, or fails with the failure policy Fail.
        """
        policies = self.read().validating
        if policies and not invocations.is_exempt(request):
            policy_context = self.policy_context.unheard if request.is_rehearsal else self.policy_context
            validating.validate(policies, request, policy_context, self.profile, warnings)
