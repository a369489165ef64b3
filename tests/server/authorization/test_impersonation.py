"""Requests that act as another user."""

from __future__ import annotations

from typing import Any

import pytest
from support import policies

from pytest_crd.engine.registry import usernames
from pytest_crd.engine.registry.admission import User

WHOAMI = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
PODS = "/api/v1/namespaces/default/pods"
ACCOUNT = "system:serviceaccount:ops:operator"


def _whoami(server: Any, user: User, *headers: tuple[str, str]) -> Any:
    return policies.ask(server, user, "POST", WHOAMI, {}, headers=headers).value["status"]["userInfo"]


def _refusal(server: Any, user: User, *headers: tuple[str, str], path: str = PODS) -> str:
    answer = policies.ask(server, user, "GET", path, headers=headers)
    assert answer.code == 403
    return str(answer.value["message"])


def _as(name: str) -> tuple[str, str]:
    return ("impersonate-user", name)


def test_an_administrator_may_act_as_anyone() -> None:
    server = policies.api([])
    root = policies.ADMIN
    assert _whoami(server, root, _as("jane")) == {"username": "jane", "groups": ["system:authenticated"]}
    groups = ["system:serviceaccounts", "system:serviceaccounts:ops", "system:authenticated"]
    assert _whoami(server, root, _as(ACCOUNT)) == {"username": ACCOUNT, "groups": groups}
    assert _whoami(server, root, _as(ACCOUNT), ("impersonate-group", "g"))["groups"] == ["g", "system:authenticated"]
    # The last successful mode comes first, and only another one knows the group of nodes.
    assert _whoami(server, root, _as("system:node:n"))["groups"] == ["system:authenticated"]
    assert _whoami(policies.api([]), root, _as("system:node:n"))["groups"] == ["system:nodes", "system:authenticated"]
    everything = (
        _as("jane"),
        ("impersonate-uid", "1"),
        ("impersonate-group", "system:authenticated"),
        ("impersonate-extra-a.io%2Fb", "x"),
        ("impersonate-extra-a.io%2Fb", "y"),
        ("impersonate-extra-c%zz", "z"),
    )
    assert _whoami(server, root, *everything) == {
        "username": "jane",
        "uid": "1",
        "groups": ["system:authenticated"],
        "extra": {"a.io/b": ["x", "y"], "c%zz": ["z"]},
    }
    anonymous = _whoami(
        policies.api([policies.binding("b", "system:basic-user", policies.group("system:unauthenticated"))]),
        root,
        _as("system:anonymous"),
    )
    assert anonymous["groups"] == ["system:unauthenticated"]


def test_the_acting_user_needs_the_verb_impersonate() -> None:
    server = policies.api([])
    first_mode = 'pods is forbidden: User "jane" cannot impersonate-on:user-info:list resource "pods" in API group "" in the namespace "default"'
    assert _refusal(server, policies.JANE, _as("bob")) == first_mode
    assert "cannot impersonate-on:serviceaccount:list resource" in _refusal(server, policies.JANE, _as(ACCOUNT))
    assert "cannot impersonate-on:arbitrary-node:list" in _refusal(server, policies.JANE, _as("system:node:n"))
    grouped = _refusal(server, policies.JANE, _as(ACCOUNT), ("impersonate-group", "g"))
    assert grouped == (
        'serviceaccounts "operator" is forbidden: User "jane" cannot impersonate resource "serviceaccounts" in API group "" in the namespace "ops"'
    )
    old = policies.api([], kubernetes_version="1.35")
    assert _refusal(old, policies.JANE, _as("bob")) == (
        'users "bob" is forbidden: User "jane" cannot impersonate resource "users" in API group "" at the cluster scope'
    )


def test_each_part_of_the_impersonated_user_is_asked_for() -> None:
    rules = [
        policies.rule("impersonate", "users", resourceNames=["bob"]),
        policies.rule("impersonate", "groups", resourceNames=["g"]),
        policies.rule("impersonate", "uids userextras/k", "authentication.k8s.io", resourceNames=["1"]),
        policies.rule("list", "pods"),
    ]
    own = policies.binding("b", "r", policies.user("jane"))
    bound = policies.binding("c", "p", policies.user("bob"))
    server = policies.api(
        [policies.role("r", *rules), policies.role("p", policies.rule("list", "pods")), own, bound],
        kubernetes_version="1.35",
    )
    bob = _as("bob")
    headers = (bob, ("impersonate-group", "g"), ("impersonate-uid", "1"), ("impersonate-extra-k", "1"))
    assert policies.ask(server, policies.JANE, "GET", PODS, headers=headers).code == 200
    assert 'groups "h" is forbidden' in _refusal(server, policies.JANE, bob, ("impersonate-group", "h"))
    assert 'uids.authentication.k8s.io "2"' in _refusal(server, policies.JANE, bob, ("impersonate-uid", "2"))
    assert 'resource "userextras/k"' in _refusal(server, policies.JANE, bob, ("impersonate-extra-k", "2"))


def _constrained(mode: str, *rules: Any) -> Any:
    on = policies.rule(f"impersonate-on:{mode}:list", "pods")
    role = policies.role("r", on, policies.rule("impersonate", "nothing"), *rules)
    listing = policies.role("p", policies.rule("list", "pods"))
    everyone = policies.binding("c", "p", policies.group("system:authenticated"))
    subjects = [policies.binding("b", "r", policies.user(name)) for name in ("jane",)]
    account = policies.binding("d", "r", policies.account("operator", "ops"))
    return policies.api([role, listing, everyone, *subjects, account])


GROUP = "authentication.k8s.io"


def test_modes_allow_a_verb_while_acting_as_another() -> None:
    own = policies.rule("impersonate:user-info", "users groups uids userextras/a.io/k", GROUP)
    server = _constrained("user-info", own)
    bob = _as("bob")
    assert policies.ask(server, policies.JANE, "GET", PODS, headers=(bob,)).code == 200
    # The last successful mode comes first.
    assert "cannot impersonate-on:user-info:list" in _refusal(
        server, policies.JANE, bob, path="/apis/apps/v1/deployments"
    )
    assert policies.ask(server, policies.JANE, "GET", PODS, headers=(bob, ("impersonate-uid", "1"))).code == 200
    for groups in (("a",), ("a", "b", "c", "d")):
        named = tuple(("impersonate-group", group) for group in groups)
        assert policies.ask(server, policies.JANE, "GET", PODS, headers=(bob, *named)).code == 200
    few, many = (tuple(("impersonate-extra-a.io%2Fk", str(n)) for n in range(count)) for count in (1, 4))
    assert policies.ask(server, policies.JANE, "GET", PODS, headers=(bob, *few)).code == 200
    assert policies.ask(server, policies.JANE, "GET", PODS, headers=(bob, *many)).code == 200


def test_a_permission_for_all_values_is_asked_for_once() -> None:
    server = _constrained("user-info", policies.rule("impersonate:user-info", "users userextras/*", GROUP))
    values = tuple(("impersonate-extra-a.io%2Fk", str(number)) for number in range(4))
    assert policies.ask(server, policies.JANE, "GET", PODS, headers=(_as("bob"), *values)).code == 200
    assert "userextras/a.io/k" in _refusal(server, policies.JANE, _as("bob"), *values[:3])


@pytest.mark.parametrize(
    ("header", "problem"),
    [
        (("impersonate-group", ""), "impersonating the empty string group is not allowed"),
        (("impersonate-group", "system:masters"), "impersonating the system:masters group is not allowed"),
        (("impersonate-extra-", "x"), "impersonating the empty string key in extra is not allowed"),
        (("impersonate-extra-a.io%2Fk", ""), "impersonating the empty string value in extra is not allowed"),
        (
            ("impersonate-extra-k", "x"),
            'impersonating an invalid key in extra is not allowed: extra.key: Invalid value: "k": must be a domain-prefixed path (such as "acme.io/foo")',
        ),
        (("impersonate-extra-a_b%2Fk%20", "x"), "an invalid key in extra is not allowed: [extra.key: Invalid value"),
    ],
)
def test_modes_refuse_powerful_and_malformed_parts(header: tuple[str, str], problem: str) -> None:
    server = _constrained("user-info", policies.rule("impersonate:user-info", "*", GROUP))
    assert problem in _refusal(server, policies.JANE, _as("bob"), header)


def test_many_groups_and_values_without_a_permission_for_all_are_asked_for_one_by_one() -> None:
    rules = [
        policies.rule("impersonate:user-info", "users", GROUP),
        policies.rule("impersonate:user-info", "groups", GROUP, resourceNames=["a", "b", "c", "d"]),
        policies.rule("impersonate:user-info", "userextras/a.io/k", GROUP, resourceNames=["0", "1", "2", "3"]),
    ]
    server = _constrained("user-info", *rules)
    groups = tuple(("impersonate-group", group) for group in "abcd")
    values = tuple(("impersonate-extra-a.io%2Fk", str(number)) for number in range(4))
    headers = (_as("bob"), *groups, *values)
    assert policies.ask(server, policies.JANE, "GET", PODS, headers=headers).code == 200


def test_service_accounts_and_nodes_have_modes_of_their_own() -> None:
    server = _constrained("serviceaccount", policies.rule("impersonate:serviceaccount", "serviceaccounts", GROUP))
    assert policies.ask(server, policies.JANE, "GET", PODS, headers=(_as(ACCOUNT),)).code == 200
    server = _constrained("arbitrary-node", policies.rule("impersonate:arbitrary-node", "nodes", GROUP))
    assert policies.ask(server, policies.JANE, "GET", PODS, headers=(_as("system:node:n"),)).code == 200
    server = _constrained("associated-node", policies.rule("impersonate:associated-node", "nodes", GROUP))
    node = {"authentication.kubernetes.io/node-name": ("n",)}
    on_node = policies.OPERATOR._replace(extra=node)
    assert policies.ask(server, on_node, "GET", PODS, headers=(_as("system:node:n"),)).code == 200
    assert "arbitrary-node" in _refusal(server, on_node, _as("system:node:m"))


def test_headers_without_a_user_are_refused() -> None:
    headers = (("impersonate-group", "g"), ("impersonate-uid", "u"), ("impersonate-extra-a", "x"))
    answer = policies.ask(policies.api([]), policies.ADMIN, "GET", "/apis", headers=headers)
    printed = 'Name:"", UID:"u", Groups:[]string{"g"}, Extra:map[string][]string{"a":[]string{"x"}}'
    message = f"requested &user.DefaultInfo{{{printed}}} without impersonating a user name"
    assert (answer.code, answer.value["message"]) == (400, message)
    bare = policies.ask(policies.api([]), policies.ADMIN, "GET", "/apis", headers=headers[1:2])
    grouped = policies.ask(
        policies.api([], kubernetes_version="1.35"), policies.ADMIN, "GET", "/apis", headers=headers[:1]
    )
    assert grouped.value["message"].startswith("requested [{Group  g    }] without")
    assert "Groups:[]string(nil), Extra:map[string][]string(nil)}" in bare.value["message"]
    words = (
        "requested [{Group  g    } {UserExtra  x  authentication.k8s.io/v1  a} {UID  u  authentication.k8s.io/v1  }]"
    )
    old = policies.ask(policies.api([], kubernetes_version="1.35"), policies.ADMIN, "GET", "/apis", headers=headers)
    assert old.value["message"] == f"{words} without impersonating a user"
    oldest = policies.ask(policies.api([], kubernetes_version="1.34"), policies.ADMIN, "GET", "/apis", headers=headers)
    assert (oldest.code, oldest.body.decode()) == (
        500,
        f'Internal Server Error: "/apis": {words} without impersonating a user\n',
    )
    without = (("impersonate-user", ""), ("impersonate-other", "x"))
    assert policies.ask(policies.api([]), policies.ADMIN, "GET", "/apis", headers=without).code == 200


def test_usernames_name_service_accounts_and_nodes() -> None:
    assert usernames.split_service_account(ACCOUNT) == ("ops", "operator")
    for name in ("jane", "system:serviceaccount:ops", "system:serviceaccount:a.b:c", "system:serviceaccount:a:C"):
        assert usernames.split_service_account(name) is None
    assert usernames.service_account("ops", "operator") == ACCOUNT
    assert (usernames.find_node("system:node:n"), usernames.find_node("system:node:N"), usernames.find_node("n")) == (
        "n",
        "",
        "",
    )
