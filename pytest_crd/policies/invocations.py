"""
Policies, bindings and params that match a request.

Reference:
    apiserver admission/plugin/policy/generic/policy_dispatcher.go and policy_source.go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

from pytest_crd.admission.matching import matchcriteria
from pytest_crd.admission.matching.matchcriteria import Criteria, Invocation, NamespaceOf
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.registry.admission import AdmissionRequest
from pytest_crd.engine.registry.requestbody import RefusedError
from pytest_crd.policies import params
from pytest_crd.policies.definitions import Policy, PolicyBinding
from pytest_crd.policies.params import ParamError, ParamSource

# Policies with their bindings, and reviews. Policies see webhook configurations.
_EXCLUDED: Final = {
    "admissionregistration.k8s.io": frozenset(
        {
            "mutatingadmissionpolicies",
            "mutatingadmissionpolicybindings",
            "validatingadmissionpolicies",
            "validatingadmissionpolicybindings",
        }
    ),
    "authentication.k8s.io": frozenset({"selfsubjectreviews", "tokenreviews"}),
    "authorization.k8s.io": frozenset(
        {"localsubjectaccessreviews", "selfsubjectaccessreviews", "selfsubjectrulesreviews", "subjectaccessreviews"}
    ),
}


class BoundPolicy(NamedTuple):
    """
    A policy with its bindings; without a binding it has no effect.

    Attributes:
        policy: The policy.
        bindings: Its bindings.
    """

    policy: Policy
    bindings: tuple[PolicyBinding, ...]


class PolicySet(NamedTuple):
    """
    The policies of a project or a server, in the order of their names.

    The server evaluates them in a random order.

    Attributes:
        mutating: The MutatingAdmissionPolicies that have a binding.
        validating: The ValidatingAdmissionPolicies that have a binding.
    """

    mutating: tuple[BoundPolicy, ...] = ()
    validating: tuple[BoundPolicy, ...] = ()


# Returns the policies; an unchanged set is the same object.
ReadPolicies: TypeAlias = Callable[[], PolicySet]


class PolicyInvocation(NamedTuple):
    """
    A policy that a request matches, with a binding and a param.

    Attributes:
        policy: The policy.
        binding: The binding.
        invocation: The resource and kind in the version that the policy matches.
        param: The param; None without one.
    """

    policy: Policy
    binding: PolicyBinding
    invocation: Invocation
    param: Resource | None


class ConfigurationProblem(NamedTuple):
    """
    A policy or a binding that cannot be evaluated for a request.

    Attributes:
        policy: The policy.
        binding: The binding; None if the policy itself is at fault.
        message: The server's message.
    """

    policy: Policy
    binding: PolicyBinding | None
    message: str

    @classmethod
    def of_policy(cls, policy: Policy, problem: str) -> ConfigurationProblem:
        """Return a problem of a policy."""
        return cls(policy, None, f"failed to configure policy: {problem}")

    @classmethod
    def of_binding(cls, policy: Policy, binding: PolicyBinding, problem: str) -> ConfigurationProblem:
        """Return a problem of a binding."""
        return cls(policy, binding, f"failed to configure binding: {problem}")


def is_exempt(request: AdmissionRequest) -> bool:
    """Return whether no policy sees a request: for policies, their bindings and reviews."""
    return request.resource in _EXCLUDED.get(request.group, ())


def group(policies: Iterable[Policy], bindings: Iterable[PolicyBinding]) -> tuple[BoundPolicy, ...]:
    """Return the policies that have bindings, in the order of their names."""
    by_policy: dict[str, list[PolicyBinding]] = {}
    for binding in sorted(bindings, key=lambda binding: binding.name):
        by_policy.setdefault(binding.policy_name, []).append(binding)
    ordered = sorted(policies, key=lambda policy: policy.name)
    return tuple(BoundPolicy(policy, tuple(by_policy[policy.name])) for policy in ordered if policy.name in by_policy)


def find(
    policies: Sequence[BoundPolicy], request: AdmissionRequest, namespace_of: NamespaceOf, source: ParamSource
) -> Iterator[PolicyInvocation | ConfigurationProblem]:
    """
    Yield the invocations of a request, and the policies and bindings that cannot be evaluated for it.

    Args:
        policies: The policies with their bindings.
        request: The request.
        namespace_of: Returns the Namespace with a name.
        source: The objects that may be params.
    """
    for policy, bindings in policies:
        try:
            invocation = _match(policy.criteria, request, namespace_of)
        except RefusedError as refused:
            yield ConfigurationProblem.of_policy(policy, refused.refusal.message)
            continue
        if invocation is None:
            continue
        kind = policy.param_kind
        if kind is not None and source.is_namespaced(kind) is None:
            yield ConfigurationProblem.of_policy(policy, params.unknown_kind(kind))
            continue
        for binding in bindings:
            try:
                if binding.criteria is not None and _match(binding.criteria, request, namespace_of) is None:
                    continue
                selected = params.collect(kind, binding.param_ref, request.namespace, source)
            except RefusedError as refused:
                yield ConfigurationProblem.of_binding(policy, binding, refused.refusal.message)
            except ParamError as error:
                yield ConfigurationProblem.of_binding(policy, binding, str(error))
            else:
                yield from (PolicyInvocation(policy, binding, invocation, param) for param in selected)


def _match(criteria: Criteria, request: AdmissionRequest, namespace_of: NamespaceOf) -> Invocation | None:
    return matchcriteria.find_invocation(criteria, request, request.object, namespace_of)
