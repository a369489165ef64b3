"""Decisions about requests by the roles of their users."""

from __future__ import annotations

from typing import Any

import pytest
from support import policies, servers

from pytest_crd.engine import profile
from pytest_crd.server.authorization import rules, storedroles
from pytest_crd.server.authorization.authorizer import RoleAuthorizer, aggregate
from pytest_crd.server.authorization.policy import PolicyRule
from pytest_crd.server.authorization.rules import Permission
from pytest_crd.server.store.store import Store

PODS = "/api/v1/namespaces/default/pods"


def _message(answer: Any) -> str:
    return str(answer.value["message"])


@pytest.mark.parametrize(
    ("rule", "allowed", "refused"),
    [
        (policies.rule("list", "pods"), [("GET", PODS)], [("GET", f"{PODS}/x"), ("DELETE", PODS)]),
        (policies.rule("*", "pods/log"), [], [("GET", PODS)]),
        (policies.rule("get", "*"), [("GET", f"{PODS}/x")], [("GET", PODS)]),
        (policies.rule("get", "pods", resourceNames=["x"]), [("GET", f"{PODS}/x")], [("GET", f"{PODS}/y")]),
        (policies.rule("get", "*/scale", "*"), [("GET", "/apis/apps/v1/namespaces/a/deployments/x/scale")], []),
        (policies.rule("get", "deployments", "apps"), [], [("GET", "/apis/apps/v1/namespaces/a/deployments/x/scale")]),
        (policies.rule("get", "pods", "apps"), [], [("GET", f"{PODS}/x")]),
        (policies.rule("get", nonResourceURLs=["/metrics"]), [("GET", "/metrics")], [("GET", "/metrics/x")]),
        (policies.rule("get", nonResourceURLs=["/x/*"]), [("GET", "/x/y")], [("GET", "/x"), ("POST", "/x/y")]),
        (policies.rule("get", nonResourceURLs=["*"]), [("GET", "/y")], [("GET", PODS)]),
        (policies.rule("watch", "pods"), [("GET", f"{PODS}?watch=1&resourceVersionMatch=x")], [("GET", PODS)]),
        (policies.rule("list", "pods", resourceNames=["x"]), [("GET", f"{PODS}?fieldSelector=metadata.name%3Dx")], []),
    ],
)
def test_a_rule_allows_its_requests_alone(
    rule: Any, allowed: list[tuple[str, str]], refused: list[tuple[str, str]]
) -> None:
    server = policies.api([policies.role("r", rule), policies.binding("b", "r", policies.user("jane"))])
    for method, path in allowed:
        assert policies.ask(server, policies.JANE, method, path).code != 403
    for method, path in refused:
        answer = policies.ask(server, policies.JANE, method, path)
        assert (answer.code, answer.value["reason"]) == (403, "Forbidden")
        assert ("X-Content-Type-Options", "nosniff") in answer.headers


def test_refusals_have_the_words_of_the_server() -> None:
    server = policies.api([])
    refused = policies.ask(server, policies.JANE, "GET", "/apis/apps/v1/namespaces/a/deployments/x/scale")
    assert _message(refused) == (
        'deployments.apps "x" is forbidden: User "jane" cannot get resource "deployments/scale" in API group "apps" in the namespace "a"'
    )
    assert refused.value["details"] == {"name": "x", "group": "apps", "kind": "deployments"}
    assert refused.forbidden == "jane cannot get deployments.apps/scale in a"
    everywhere = policies.ask(server, policies.JANE, "GET", "/api/v1/pods")
    assert _message(everywhere).endswith('cannot list resource "pods" in API group "" at the cluster scope')
    assert everywhere.forbidden == "jane cannot list pods at the cluster scope"
    path = policies.ask(server, policies.JANE, "POST", "/x<y>")
    assert _message(path) == 'forbidden: User "jane" cannot post path "/x&lt;y&gt;"'
    assert (path.value["details"], path.forbidden) == ({}, "jane cannot post /x<y>")
    assert policies.ask(server, policies.ADMIN, "GET", "/api/v1/pods").code == 200
    assert policies.ask(server, policies.JANE, "GET", "/apis").code == 200


def test_the_request_is_refused_before_it_is_routed_and_decoded() -> None:
    server = policies.api([])
    for path in ("/apis/nope.io/v1/things", "//x", "/api/v1/proxy/pods/x/y", "/api/v1/watch/pods/x", "/healthz/ping"):
        assert policies.ask(server, policies.JANE, "GET", path).code == 403
    assert policies.ask(server, policies.JANE, "POST", PODS, []).code == 403
    proxied = policies.ask(server, policies.JANE, "GET", "/api/v1/proxy/pods/x/y")
    assert 'cannot proxy resource "pods" in' in _message(proxied)
    namespace = policies.ask(server, policies.JANE, "GET", "/api/v1/namespaces/a")
    assert _message(namespace).endswith('in the namespace "a"')
    assert policies.ask(server, policies.JANE, "GET", f"{PODS}?timeout=x").code == 400


@pytest.mark.parametrize(
    "query",
    ["limit=x", "timeoutSeconds=x", "labelSelector=a%20in", "fieldSelector=x", "fieldSelector=metadata.name!%3Dx"],
)
def test_a_name_in_a_selector_counts_only_if_all_options_are_readable(query: str) -> None:
    server = policies.api([])
    named = "" if query.startswith("fieldSelector") else "fieldSelector=metadata.name%3Dx&"
    assert _message(policies.ask(server, policies.JANE, "GET", f"{PODS}?{named}{query}")).startswith(
        "pods is forbidden"
    )
    for name in ("..", "a%2Fb"):
        selector = f"fieldSelector=metadata.name%3D{name}"
        assert _message(policies.ask(server, policies.JANE, "GET", f"{PODS}?{selector}")).startswith(
            "pods is forbidden"
        )


def test_bindings_apply_to_users_groups_and_service_accounts() -> None:
    get_pods = policies.rule("list", "pods")
    roles = [policies.role("r", get_pods), policies.role("r", get_pods, namespace="default")]
    for subject, user, is_allowed in (
        (policies.user("jane"), policies.JANE, True),
        (policies.group("devs"), policies.JANE, True),
        (policies.account("operator", "ops"), policies.OPERATOR, True),
        (policies.account("operator"), policies.OPERATOR, False),
        (policies.user("bob"), policies.JANE, False),
        ({"kind": "Robot", "name": "jane"}, policies.JANE, False),
    ):
        server = policies.api([*roles, policies.binding("b", "r", subject)])
        assert (policies.ask(server, user, "GET", PODS).code == 200) == is_allowed
    in_namespace = policies.binding(
        "b", "r", policies.account("operator", "ops"), namespace="default", role_kind="Role"
    )
    server = policies.api([*roles, in_namespace])
    assert policies.ask(server, policies.OPERATOR, "GET", PODS).code == 200
    assert policies.ask(server, policies.OPERATOR, "GET", "/api/v1/pods").code == 403
    assert policies.ask(server, policies.OPERATOR, "GET", "/api/v1/namespaces/ops/pods").code == 403


def test_the_account_of_a_role_binding_may_omit_its_namespace() -> None:
    role = policies.role("r", policies.rule("list", "pods"), namespace="ops")
    bound = policies.binding("b", "r", policies.account("operator"), namespace="ops", role_kind="Role")
    server = policies.api([role, bound])
    server.catalog.namespaces.create("ops")
    assert policies.ask(server, policies.OPERATOR, "GET", "/api/v1/namespaces/ops/pods").code == 200
    decided = _review(server, policies.OPERATOR, {"verb": "list", "resource": "pods", "namespace": "ops"})
    reason = 'RBAC: allowed by RoleBinding "b/ops" of Role "r" to ServiceAccount "operator/ops"'
    assert decided == {"allowed": True, "reason": reason}


def _review(server: Any, user: Any, attributes: Any) -> Any:
    path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
    return policies.ask(server, user, "POST", path, {"spec": {"resourceAttributes": attributes}}).value["status"]


def test_bindings_without_a_role_are_told() -> None:
    missing = [
        policies.binding("a", "gone", policies.user("jane")),
        policies.binding("b", "gone", policies.group("devs")),
        policies.binding("c", "gone", policies.user("jane"), namespace="default", role_kind="Role"),
        policies.binding("d", "gone", policies.user("jane"), namespace="default", role_kind="Robot"),
    ]
    server = policies.api(missing)
    everywhere = 'rbac: RBAC: clusterrole.rbac.authorization.k8s.io "gone" not found'
    assert _message(policies.ask(server, policies.JANE, "GET", "/api/v1/pods")).endswith(f": {everywhere}")
    role = 'role.rbac.authorization.k8s.io "gone" not found'
    robot = 'robot.rbac.authorization.k8s.io "gone" not found'
    listed = f'[clusterrole.rbac.authorization.k8s.io "gone" not found, {role}, {robot}]'
    assert _message(policies.ask(server, policies.JANE, "GET", PODS)).endswith(f": rbac: RBAC: {listed}")
    old = policies.api(missing[:1], kubernetes_version="1.36")
    assert _message(policies.ask(old, policies.JANE, "GET", PODS)).endswith(f": {everywhere.removeprefix('rbac: ')}")
    assert aggregate([]) == ""


def test_requests_need_rules_and_questions_do_not() -> None:
    role = policies.role("r", policies.rule("list get", "pods configmaps"))
    server = policies.api([role, policies.binding("b", "r", policies.user("jane"))])
    _review(server, policies.JANE, {"verb": "get", "resource": "pods"})
    key = ("ClusterRole", "", "r", 0)
    assert key not in server.catalog.authorizer.needed
    policies.ask(server, policies.JANE, "GET", PODS)
    assert server.catalog.authorizer.needed[key] == {Permission("list", "", "pods", is_resource=True)}


def test_the_parts_of_a_rule_are_its_verbs_of_each_resource_and_path() -> None:
    rule = PolicyRule(("get",), ("", "apps"), ("pods",), non_resource_urls=("/x",))
    parts = [*rules.permissions(rule)]
    assert [(part.verb, part.group, part.target) for part in parts] == [
        ("get", "", "pods"),
        ("get", "apps", "pods"),
        ("get", "", "/x"),
    ]


def test_a_new_cluster_has_roles_that_can_be_stored_and_deleted() -> None:
    server = servers.api()
    roles = server.catalog.roles
    admin = roles.find_role("ClusterRole", "", "admin")
    assert admin is not None
    assert len(admin.rules) > 20
    assert roles.find_role("Robot", "", "admin") is None
    assert roles.own_bindings() == []
    assert policies.ask(server, policies.JANE, "GET", "/version").code == 200
    roles.store_defaults()
    assert policies.ask(server, policies.JANE, "GET", "/version").code == 200
    assert roles.own_bindings() == []
    for name in ("system:discovery", "system:public-info-viewer"):
        server.store.delete(
            server.store.entries("clusterrolebindings.rbac.authorization.k8s.io")[0].key._replace(name=name)
        )
    assert policies.ask(server, policies.JANE, "GET", "/version").code == 403
    server.catalog.settle()


def test_a_stored_binding_replaces_that_of_a_new_cluster() -> None:
    bindings = [policies.binding(name, "gone", None) for name in ("system:discovery", "system:public-info-viewer")]
    server = policies.api(bindings)
    assert policies.ask(server, policies.JANE, "GET", "/version").code == 403


def test_aggregated_roles_have_the_rules_of_the_selected_roles() -> None:
    selector = {"clusterRoleSelectors": [{"matchLabels": {"team": "a"}}, {}]}
    member = policies.role("one", policies.rule("list", "pods"), metadata={"labels": {"team": "a"}})
    whole = policies.role(
        "whole",
        policies.rule("get", "nodes"),
        aggregationRule={"clusterRoleSelectors": selector["clusterRoleSelectors"][:1]},
    )
    server = policies.api([whole, member, policies.binding("b", "whole", policies.user("jane"))])
    assert policies.ask(server, policies.JANE, "GET", PODS).code == 200
    assert policies.ask(server, policies.JANE, "GET", "/api/v1/nodes/x").code == 403
    server.catalog.roles.put(policies.role("one", policies.rule("get", "pods"), metadata={"labels": {"team": "a"}}))
    server.catalog.settle()
    assert policies.ask(server, policies.JANE, "GET", PODS).code == 403
    stored = storedroles.StoredRoles(server.store)
    stored.store_defaults()
    stored.put(policies.role("whole", aggregationRule=selector))
    stored.settle()
    result = stored.find_role("ClusterRole", "", "whole")
    assert result is not None
    assert len(result.rules) > 100


def test_the_authorizer_takes_any_source_of_roles() -> None:
    authorizer = RoleAuthorizer(servers.api().catalog.roles, profile.named("1.37"))
    result = authorizer.find_rules(policies.JANE, "default")
    assert (len(result.rules), result.problem) == (4, "")


@pytest.mark.parametrize("is_alone", [False, True])
def test_an_aggregated_role_that_selects_none_loses_its_rules(*, is_alone: bool) -> None:
    selector = {"clusterRoleSelectors": [{"matchLabels": {"a": "b"}}]}

    store = Store()
    roles = storedroles.StoredRoles(store)
    if is_alone:
        roles.store_defaults()
        for entry in store.entries("clusterroles.rbac.authorization.k8s.io"):
            store.delete(entry.key)
    roles.put(policies.role("all", policies.rule("get", "pods"), aggregationRule=selector))

    roles.settle()

    result = roles.find_role("ClusterRole", "", "all")
    assert result is not None
    assert not result.rules
