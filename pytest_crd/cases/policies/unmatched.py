"""Reasons why an admission policy does not match a request."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from pytest_crd.admission.matching import matchcriteria
from pytest_crd.admission.matching.matchcriteria import Criteria, NamespaceOf
from pytest_crd.cases.deviations import Unstated
from pytest_crd.cases.policies import decidingvalues
from pytest_crd.cases.policies.recording import Recording
from pytest_crd.engine.registry.admission import AdmissionRequest
from pytest_crd.policies import invocations
from pytest_crd.policies.definitions import MUTATING, ParamRef, PolicyBinding
from pytest_crd.policies.invocations import BoundPolicy

PARAMS: Final = "paramRef"
"""The cause of a missing param that `parameterNotFoundAction` allows."""
_EXEMPT: Final = "exempt"
_CONDITION: Final = "matchConditions."
# The parts of criteria, each with the field of a policy.
_PARTS = {
    "resourceRules": ("rules",),
    "excludeResourceRules": ("excluded",),
    "objectSelector": ("object_selector",),
    "namespaceSelector": ("namespace_selector",),
}


def explain(bound: BoundPolicy, recording: Recording, namespace_of: NamespaceOf) -> str:
    """
    Return the reasons.

    Args:
        bound: The policy with its bindings.
        recording: The record of a request that does not match.
        namespace_of: Returns the Namespace with a name.
    """
    conditions = list(dict.fromkeys(map(decidingvalues.describe_condition, recording.false_conditions)))
    if conditions:
        return "; ".join(conditions)
    request = recording.requests[0]
    described = describe_request(request)
    if _is_unseen(bound, request):
        return f"no policy sees {described}"
    fields = _find_unmet(bound.policy.criteria, request, namespace_of)
    if fields:
        return f"{described} is ruled out by {' and '.join(fields)} of the policy"
    return "; ".join(_explain_bindings(bound, request, namespace_of))


def find_causes(bound: BoundPolicy, recording: Recording, namespace_of: NamespaceOf) -> frozenset[str]:
    """Return the causes why a policy does not match a request, as cases state them; see `explain`."""
    request, policy = recording.requests[0], bound.policy
    if _is_unseen(bound, request):
        return frozenset({_EXEMPT})
    causes = set(_find_unmet(policy.criteria, request, namespace_of))
    if not causes:
        reached = {item.binding.name for item in recording.invocations}
        for binding in bound.bindings:
            if binding.name not in reached:
                fields = [] if binding.criteria is None else _find_unmet(binding.criteria, request, namespace_of)
                causes.update(fields or [PARAMS])
        causes.update(_CONDITION + policy.match_conditions[item.position].name for item in recording.false_conditions)
    return frozenset(causes)


def compare_causes(
    stated: Sequence[str], bound: BoundPolicy, recording: Recording, namespace_of: NamespaceOf
) -> Iterator[Unstated]:
    """Yield a mismatch if the causes that a case states are not the actual ones; see `explain`."""
    causes = find_causes(bound, recording, namespace_of)
    conditions = bound.policy.match_conditions
    names = {_CONDITION[:-1]: _CONDITION + conditions[0].name} if len(conditions) == 1 else {}
    if {names.get(cause, cause) for cause in stated} == causes:
        return
    actual, remedy = ", ".join(sorted(causes)), spell_causes(causes)
    reason = explain(bound, recording, namespace_of)
    if stated:
        yield Unstated(
            "matched", f"because of {actual}, not of {', '.join(stated)}: {reason}; if this is intended, write {remedy}"
        )
    else:
        yield Unstated(
            "matched",
            f"`matched: false` holds for any cause; the cause is this: {reason}; if it is intended, write {remedy}",
        )


def spell_causes(causes: Collection[str]) -> str:
    """Return the words of a case that state causes."""
    listed = ", ".join(sorted(causes))
    return f"`matched: {{because: {listed if len(causes) == 1 else f'[{listed}]'}}}`"


def _is_unseen(bound: BoundPolicy, request: AdmissionRequest) -> bool:
    """Return whether no policy of the kind sees a request."""
    return invocations.is_exempt(request) or (bound.policy.kind == MUTATING and request.operation == "DELETE")


def describe_request(request: AdmissionRequest) -> str:
    """Return a request in words: `CREATE of deployments.apps/v1 in default`."""
    resource = f"{request.resource}.{request.group}" if request.group else request.resource
    subresource = f", subresource {request.subresource}" if request.subresource else ""
    where = f" in {request.namespace}" if request.namespace else ""
    return f"{request.operation} of {resource}/{request.version}{subresource}{where}"


def _explain_bindings(bound: BoundPolicy, request: AdmissionRequest, namespace_of: NamespaceOf) -> Iterator[str]:
    for binding in bound.bindings:
        fields = [] if binding.criteria is None else _find_unmet(binding.criteria, request, namespace_of)
        if fields:
            yield f"{describe_request(request)} is ruled out by {' and '.join(fields)} of the binding {binding.name}"
        else:
            yield _explain_params(bound, binding, request)


def _explain_params(bound: BoundPolicy, binding: PolicyBinding, request: AdmissionRequest) -> str:
    kind, reference = bound.policy.param_kind, binding.param_ref or ParamRef("", "", None, "")
    sought = f"called {reference.name}" if reference.name else "that its selector selects"
    name = "object" if kind is None else kind.kind
    where = f" in {reference.namespace or request.namespace}" if reference.namespace or request.namespace else ""
    return (
        f"the binding {binding.name} finds no param, a {name} {sought}{where}, and its parameterNotFoundAction is Allow: "
        "add the object to `params` or to crd_policies"
    )


def _find_unmet(criteria: Criteria, request: AdmissionRequest, namespace_of: NamespaceOf) -> list[str]:
    """Return the fields of criteria that a request does not meet."""
    if matchcriteria.find_invocation(criteria, request, request.object, namespace_of) is not None:
        return []
    unmet = []
    for field, attributes in _PARTS.items():
        selected = {name: getattr(criteria, name) for name in attributes}
        alone = Criteria((), criteria.match_policy, needs_rule=False)._replace(**selected)
        if matchcriteria.find_invocation(alone, request, request.object, namespace_of) is None:
            unmet.append(field)
    return unmet
