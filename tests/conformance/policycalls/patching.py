"""
Calls that mutate an object.

- `patch`: the `expression` of a mutation with its declaration and its `patchType`, the `variables` of the policy, the
  `request`, `param` and `namespace`; the `result`, or `error`.
- `dispatch`: the `policies` of a `request`, each with its `bindings` and the `params` of its kind; the `result`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from conformance.policycalls import evaluating, requests
from pytest_crd.admission.chain import Reinvocation
from pytest_crd.engine.registry.admission import AdmissionRequest, ObjectInterfaces
from pytest_crd.engine.registry.requestbody import RefusedError
from pytest_crd.policies import definitions, mutating
from pytest_crd.policies.definitions import (
    MUTATING,
    MUTATING_BINDING,
    ParamKind,
    ParamRef,
    Policy,
    PolicyBinding,
    PolicyMutation,
    PolicyVariable,
)
from pytest_crd.policies.invocations import BoundPolicy
from pytest_crd.policies.policycontext import PolicyContext, PolicyListeners

_NAMESPACE: Final = {"metadata": {"name": "default"}}
_DENIED: Final = "policy 'policy' with binding 'binding' denied request: "


class _Params(NamedTuple):
    """The params of a call."""

    objects: Sequence[Any]

    def is_namespaced(self, _kind: ParamKind) -> bool:
        return True

    def read(self, _kind: ParamKind, namespace: str) -> Sequence[Any]:
        return [each for each in self.objects if each["metadata"].get("namespace", "") == namespace]


def left_out(fact: Mapping[str, Any]) -> str:
    """Return why a call is left out; empty if it is replayed."""
    return "the mutations are test doubles" if fact["file"].endswith("mutating/plugin_test.go") else ""


def find_difference(fact: Mapping[str, Any]) -> str:
    """Return the difference of our result."""
    kind = tuple(fact["request"]["kind"])
    expected: Any = fact["error"] if "error" in fact else requests.typed(fact["result"], kind)
    actual = _dispatch(fact) if fact["call"] == "dispatch" else _patch(fact)
    return "" if actual == expected else f"{actual} instead of {expected}"


def _patch(fact: Mapping[str, Any]) -> Any:
    declared, param, reference = fact["expression"], fact.get("param"), None
    if param is not None:
        metadata = {"name": "param", "namespace": "default", **param["metadata"]}
        param = {**param, "metadata": metadata}
        reference = ParamRef(metadata["name"], metadata["namespace"], None, "Deny")
    policy = Policy(
        MUTATING,
        "policy",
        evaluating.ANY,
        param_kind=ParamKind("v1", "ConfigMap") if declared["params"] else None,
        variables=tuple(PolicyVariable(each["name"], each["expression"]) for each in fact.get("variables", ())),
        mutations=(PolicyMutation(fact["patchType"], declared["expression"]),),
    )
    bound = BoundPolicy(policy, (PolicyBinding("binding", "policy", reference),))
    request = _request(fact, requests.interfaces_of(fact))
    namespace = fact.get("namespace")
    if namespace is not None:
        request = request._replace(namespace=namespace["metadata"]["name"])
    policy_context = PolicyContext(lambda _: namespace or _NAMESPACE, _Params([param]), PolicyListeners())
    return _mutate([bound], request, policy_context)


def _dispatch(fact: Mapping[str, Any]) -> Any:
    params = [param for each in fact["policies"] for param in each["params"] or ()]
    bound = []
    for each in fact["policies"]:
        bindings = (definitions.read_binding({"kind": MUTATING_BINDING, **binding}) for binding in each["bindings"])
        policy = definitions.read_policy({"kind": MUTATING, **each["policy"]})
        bound.append(BoundPolicy(policy, tuple(bindings)))
    interfaces = requests.interfaces_of(fact)
    assert interfaces.go is not None
    interfaces = interfaces._replace(go=interfaces.go._replace(default=_default))
    policy_context = PolicyContext(lambda _: _NAMESPACE, _Params(params), PolicyListeners())
    return _mutate(bound, _request(fact, interfaces), policy_context)


def _default(deployment: dict[str, Any]) -> dict[str, Any]:
    """Return a Deployment with the only default of upstream's test."""
    spec = deployment["spec"]
    return {**deployment, "spec": {**spec, "strategy": {"type": "RollingUpdate", **(spec.get("strategy") or {})}}}


def _request(fact: Mapping[str, Any], interfaces: ObjectInterfaces) -> AdmissionRequest:
    kind = tuple(fact["request"]["kind"])
    request = requests.request_of(fact, interfaces)
    return request._replace(
        object=requests.typed(request.object, kind), old_object=requests.typed(request.old_object, kind)
    )


def _mutate(bound: list[BoundPolicy], request: AdmissionRequest, policy_context: PolicyContext) -> Any:
    try:
        return mutating.mutate(bound, request, policy_context, requests.PROFILE, Reinvocation())
    except RefusedError as refused:
        return refused.refusal.message.removeprefix(_DENIED)
