"""
Policies of a project: read from manifests, with defaults, and validated as the API server does.

A manifest that the server refuses is an error with its file and line.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pytest_crd.engine.inputerror import InputError, Mistake
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.yaml.manifest import Manifest
from pytest_crd.policies import definitions, invocations
from pytest_crd.policies.definitions import BINDING_OF, KINDS, MUTATING, VALIDATING, Binding, Policy
from pytest_crd.policies.invocations import BoundPolicy, PolicySet
from pytest_crd.policies.projectadmission import ProjectPolicies


class PolicyError(InputError):
    """Policies or bindings that the server refuses, that exist twice, or that have no effect."""


def read(manifests: Sequence[Manifest], profile: Profile) -> ProjectPolicies:  # noqa: ARG001
    """
    Return the policies of a project.

    Args:
        manifests: Policies, bindings, and other objects, which may be params.
        profile: The Kubernetes version.

    Raises:
        PolicyError: Policies or bindings are refused, exist twice, or have no effect; all of them at once.
    """
    own = [item for item in manifests if _is_own(item)]
    others = tuple(item.value for item in manifests if not _is_own(item))
    mistakes = [*_find_twins(own)]
    by_kind = {kind: [item for item in own if item.kind == kind] for kind in KINDS}
    sets: dict[str, tuple[BoundPolicy, ...]] = {}
    for kind, binding_kind in BINDING_OF.items():
        policies = [definitions.read_policy(item.value, item.source, item.line_of()) for item in by_kind[kind]]
        bindings = [definitions.read_binding(item.value, item.source, item.line_of()) for item in by_kind[binding_kind]]
        mistakes += _find_idle(policies, bindings)
        sets[kind] = invocations.group(policies, bindings)
    if mistakes:
        raise PolicyError(mistakes)
    return ProjectPolicies(PolicySet(sets[MUTATING], sets[VALIDATING]), others, tuple(manifests))


def _is_own(item: Manifest) -> bool:
    return definitions.is_own(item.kind, item.api_version)


def _find_twins(items: Sequence[Manifest]) -> Iterable[Mistake]:
    """Yield a mistake for each object with the kind and name of another one."""
    first: dict[tuple[str, str], Manifest] = {}
    for item in items:
        name = str((item.value.get("metadata") or {}).get("name"))
        before = first.setdefault((item.kind, name), item)
        if before is not item:
            message = f"{item.kind} {name} is also in {before.where}: leave one of the two"
            yield Mistake(item.source, item.line_of(), message)


def _find_idle(policies: Sequence[Policy], bindings: Sequence[Binding]) -> Iterable[Mistake]:
    """Yield a mistake for each policy without a binding, and for each binding without its policy."""
    bound, names = {binding.policy_name for binding in bindings}, {policy.name for policy in policies}
    for policy in policies:
        if policy.name not in bound:
            problem = f"the policy {policy.name} has no binding, so it has no effect: add its binding to crd_policies"
            yield Mistake(policy.source, policy.line, problem)
    for binding in bindings:
        if binding.policy_name not in names:
            problem = f"the binding {binding.name} names the policy {binding.policy_name}, which is not in crd_policies"
            yield Mistake(binding.source, binding.line, problem)
