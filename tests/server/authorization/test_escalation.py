"""Roles and bindings may grant only permissions that their writer holds."""

from __future__ import annotations

from typing import Any, Final

import pytest
from support import policies

from pytest_crd.engine.registry import admission
from pytest_crd.engine.registry.admission import AdmissionRequest, Admitted
from pytest_crd.engine.registry.requestbody import RefusedError
from pytest_crd.server.authorization import escalation, policy
from pytest_crd.server.authorization.escalation import GrantAdmission

GROUP: Final = "rbac.authorization.k8s.io"
GRANTING: Final = (
    'user "jane" (groups=["devs" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:'
)


def _request(new: Any, old: Any = None, operation: Any = "CREATE", user: Any = policies.JANE) -> AdmissionRequest:
    metadata = new["metadata"]
    return AdmissionRequest(
        operation,
        GROUP,
        "v1",
        new["kind"],
        policy.PLURALS[new["kind"]],
        "",
        metadata["name"],
        metadata.get("namespace", ""),
        new,
        old,
        {},
        dry_run=False,
        user=user,
        interfaces=admission.single_version(policy.API_VERSION),
    )


def _problem(objects: list[Any], request: AdmissionRequest) -> str:
    """Return the message of the refusal; empty without one."""
    try:
        escalation.demand_grant(request, policies.api(objects).catalog.authorizer)
    except RefusedError as refused:
        return refused.refusal.message
    return ""


def _holder(*rules: Any) -> list[Any]:
    return [policies.role("held", *rules), policies.binding("held", "held", policies.user("jane"))]


GET_PODS: Final = policies.rule("get", "pods")


def test_a_role_lists_the_missing_permissions_of_its_writer() -> None:
    role = policies.role(
        "r",
        policies.rule("get list", "pods deployments", "apps"),
        policies.rule("get list watch", "pods", resourceNames=["a", "b"]),
        policies.rule("get post", nonResourceURLs=["/x"]),
        policies.rule("update", "deployments/scale"),
        namespace="default",
    )
    holder = _holder(GET_PODS, policies.rule("*", "*/scale"), policies.rule("get", nonResourceURLs=["/*"]))
    expected = [
        f'roles.rbac.authorization.k8s.io "r" is forbidden: {GRANTING}',
        '{APIGroups:[""], Resources:["pods"], ResourceNames:["a"], Verbs:["list" "watch"]}',
        '{APIGroups:[""], Resources:["pods"], ResourceNames:["b"], Verbs:["list" "watch"]}',
        '{APIGroups:["apps"], Resources:["deployments"], Verbs:["get" "list"]}',
        '{APIGroups:["apps"], Resources:["pods"], Verbs:["get" "list"]}',
        '{NonResourceURLs:["/x"], Verbs:["post"]}',
    ]
    assert _problem(holder, _request(role)).splitlines() == expected
    missing = [*holder, policies.binding("m", "gone", policies.user("jane"))]
    words = '; resolution errors: [roles.rbac.authorization.k8s.io "gone" not found]'
    assert _problem(missing, _request(role)).endswith(words)


def test_holders_administrators_and_escalators_may_grant() -> None:
    role = policies.role("r", GET_PODS)
    assert _problem(_holder(GET_PODS), _request(role)) == ""
    assert _problem([], _request(role, user=policies.ADMIN)) == ""
    escalate = policies.rule("escalate", "clusterroles", GROUP)
    assert _problem(_holder(escalate), _request(role)) == ""
    named = _holder(policies.rule("escalate", "clusterroles", GROUP, resourceNames=["r"]))
    assert GRANTING in _problem(named, _request(role))
    assert _problem(named, _request(role, policies.role("r"), "UPDATE")) == ""
    narrow = _holder(policies.rule("get", "pods", resourceNames=["a"]))
    assert GRANTING in _problem(narrow, _request(role))


def test_an_update_of_owners_and_finalizers_alone_grants_nothing() -> None:
    old = policies.role("r", GET_PODS, metadata={"finalizers": ["x"]})
    new = policies.role("r", GET_PODS, metadata={"ownerReferences": [{"name": "a"}]})
    assert _problem([], _request(new, old, "UPDATE")) == ""
    labelled = policies.role("r", GET_PODS, metadata={"labels": {"a": "b"}})
    assert GRANTING in _problem([], _request(labelled, old, "UPDATE"))


def test_aggregation_needs_all_permissions() -> None:
    rule = {"clusterRoleSelectors": [{"matchLabels": {"a": "b"}}]}
    aggregated, plain = policies.role("r", aggregationRule=rule), policies.role("r")
    problem = 'clusterroles.rbac.authorization.k8s.io "r" is forbidden: must have cluster-admin privileges to use the aggregationRule'
    assert _problem([], _request(aggregated)) == problem
    assert _problem([], _request(plain, aggregated, "UPDATE")) == problem
    everything = _holder(policies.rule("*", "*", "*"), policies.rule("*", nonResourceURLs=["*"]))
    assert _problem(everything, _request(aggregated)) == ""


def test_a_binding_grants_the_rules_of_its_role() -> None:
    bound = policies.binding("b", "r", policies.user("bob"))
    role = policies.role("r", GET_PODS)
    assert _problem([role], _request(bound)).startswith(f'clusterrolebindings.{GROUP} "b" is forbidden: {GRANTING}')
    assert _problem([role, *_holder(GET_PODS)], _request(bound)) == ""
    assert (
        _problem([role, *_holder(policies.rule("bind", "clusterroles", GROUP, resourceNames=["r"]))], _request(bound))
        == ""
    )
    assert _problem([], _request(bound)) == f'clusterrolebindings.{GROUP} "r" not found'
    local = policies.binding("b", "r", policies.user("bob"), namespace="default", role_kind="Role")
    assert _problem([policies.role("r", GET_PODS, namespace="default")], _request(local)).startswith(
        f'rolebindings.{GROUP} "b"'
    )
    robot = policies.binding("b", "r", None, role_kind="Robot")
    assert (
        _problem(_holder(policies.rule("*", "*", "*")), _request(robot)) == f'clusterrolebindings.{GROUP} "r" not found'
    )


class _Plugins:
    """Admission plugins that add a rule."""

    def mutate(self, request: AdmissionRequest) -> Admitted:
        new = request.object
        return Admitted(None if new is None else {**new, "rules": [GET_PODS]}, ("mutated",))

    def validate(self, request: AdmissionRequest) -> Admitted:
        return Admitted(request.object, ("validated",))


def test_the_object_after_the_mutating_plugins_counts() -> None:
    authorizer = policies.api([]).catalog.authorizer
    empty = _request(policies.role("r"))
    bare = GrantAdmission(None, authorizer)
    assert bare.mutate(empty).object == bare.validate(empty).object == empty.object
    chained = GrantAdmission(_Plugins(), authorizer)
    with pytest.raises(RefusedError, match="attempting to grant"):
        chained.mutate(empty)
    assert chained.mutate(empty._replace(user=policies.ADMIN)).warnings == ("mutated",)
    assert chained.validate(empty).warnings == ("validated",)
    deleted = empty._replace(operation="DELETE", object=None, old_object=empty.object)
    assert chained.mutate(deleted).object is None
    escalation.demand_grant(deleted, authorizer)
