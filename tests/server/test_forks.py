"""A fork of a server begins in the state of its origin, and neither sees the writes of the other."""

from __future__ import annotations

import pytest
from support import policies, servers

from pytest_crd.server.api import Api

CONFIGMAPS = "/api/v1/namespaces/default/configmaps"
ACCOUNTS = "/api/v1/namespaces/team/serviceaccounts"
ROLES = "/apis/rbac.authorization.k8s.io/v1/clusterroles"
MAP = {"metadata": {"name": "a"}, "data": {"k": "v"}}
POLICY = {
    "metadata": {"name": "none"},
    "spec": {
        "matchConstraints": {
            "resourceRules": [
                {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["*"], "resources": ["configmaps"]}
            ]
        },
        "validations": [{"expression": "false", "message": "no"}],
    },
}
BINDING = {"metadata": {"name": "none"}, "spec": {"policyName": "none", "validationActions": ["Deny"]}}


@pytest.fixture
def origin() -> Api:
    server = servers.api(servers.crd("Thing"), has_service_accounts=True)
    assert servers.ask(server, "POST", CONFIGMAPS, MAP).code == 201
    return server


def _deny(server: Api) -> None:
    """Store a policy that denies all writes of ConfigMaps."""
    group = "/apis/admissionregistration.k8s.io/v1"
    assert servers.ask(server, "POST", f"{group}/validatingadmissionpolicies", POLICY).code == 201
    assert servers.ask(server, "POST", f"{group}/validatingadmissionpolicybindings", BINDING).code == 201


def _code(server: Api, method: str, path: str, body: object = None) -> int:
    return servers.ask(server, method, path, body).code


@pytest.mark.parametrize("order", [1, -1])
def test_neither_sees_the_objects_of_the_other(origin: Api, order: int) -> None:
    changed, other = (origin, origin.fork())[::order]
    assert _code(changed, "DELETE", f"{CONFIGMAPS}/a") == 200
    assert _code(changed, "POST", CONFIGMAPS, {"metadata": {"name": "b"}}) == 201

    listed = servers.ask(other, "GET", CONFIGMAPS).value["items"]

    assert [(item["metadata"]["name"], item["data"]) for item in listed] == [("a", {"k": "v"})]
    assert [item["metadata"]["name"] for item in servers.ask(changed, "GET", CONFIGMAPS).value["items"]] == ["b"]


def test_neither_serves_the_crds_of_the_other(origin: Api) -> None:
    fork, sibling = origin.fork(), origin.fork()
    assert _code(fork, "POST", servers.CRDS, servers.crd("Other")) == 201
    assert _code(sibling, "DELETE", f"{servers.CRDS}/things.example.com") == 200
    path = "/apis/example.com/v1/namespaces/default/"

    served = {
        plural: [_code(server, "GET", path + plural) for server in (origin, fork, sibling)]
        for plural in ("things", "others")
    }

    assert served == {"things": [200, 200, 404], "others": [404, 200, 404]}
    conflict = servers.crd("Thing", names={"kind": "Thing", "plural": "twins"})
    conflict["metadata"]["name"] = "twins.example.com"
    conditions = {}
    for server in (origin, sibling):
        created = servers.ask(server, "POST", servers.CRDS, conflict)
        conditions[server] = servers.ask(server, "GET", f"{servers.CRDS}/twins.example.com").value["status"][
            "conditions"
        ]
        assert created.code == 201
    assert [items[0]["reason"] for items in conditions.values()] == ["ListKindConflict", "NoConflicts"]


def test_neither_meets_the_policies_of_the_other(origin: Api) -> None:
    fork = origin.fork()
    _deny(fork)
    second = fork.fork()

    codes = [_code(server, "PUT", f"{CONFIGMAPS}/a", MAP) for server in (origin, fork, second)]

    assert codes == [200, 422, 422]
    assert _code(fork, "DELETE", "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings/none") == 200
    assert [_code(server, "PUT", f"{CONFIGMAPS}/a", MAP) for server in (fork, second)] == [200, 422]


def test_neither_decides_by_the_roles_of_the_other() -> None:
    origin = policies.api([])
    fork = origin.fork()
    fork.catalog.roles.put(policies.role("r", policies.rule("get", "pods")))
    fork.catalog.roles.put(policies.binding("b", "r", policies.user("jane")))
    fork.catalog.settle()
    pods = "/api/v1/namespaces/default/pods/p"

    assert policies.ask(fork, policies.JANE, "GET", pods).code == 404
    assert policies.ask(origin, policies.JANE, "GET", pods).code == 403
    assert (bool(fork.catalog.authorizer.needed), origin.catalog.authorizer.needed) == (True, {})
    fork.catalog.authorizer.has_project_roles = True
    assert [server.catalog.authorizer.has_project_roles for server in (fork.fork(), origin)] == [True, False]


def test_the_controllers_of_a_fork_work_on_its_objects(origin: Api) -> None:
    fork = origin.fork()
    assert _code(fork, "POST", "/api/v1/namespaces", {"metadata": {"name": "team"}}) == 201

    assert _code(fork, "GET", f"{ACCOUNTS}/default") == 200
    assert _code(origin, "GET", f"{ACCOUNTS}/default") == 404


def test_a_fork_expires_the_revisions_before_it(origin: Api) -> None:
    before = origin.store.revision
    assert _code(origin, "POST", CONFIGMAPS, {"metadata": {"name": "b"}}) == 201
    fork = origin.fork()

    path = f"{CONFIGMAPS}?resourceVersion={before}&resourceVersionMatch=Exact"

    assert [_code(server, "GET", path) for server in (origin, fork)] == [200, 410]
    assert _code(fork, "GET", f"{CONFIGMAPS}?resourceVersion={fork.store.revision}") == 200


def test_a_reset_server_has_the_state_that_it_keeps(origin: Api) -> None:
    origin.keep()
    _deny(origin)
    assert _code(origin, "PUT", f"{CONFIGMAPS}/a", MAP) == 422
    crd = servers.ask(origin, "GET", f"{servers.CRDS}/things.example.com").value
    assert _code(origin, "DELETE", f"{servers.CRDS}/things.example.com") == 200

    origin.reset()

    assert _code(origin, "PUT", f"{CONFIGMAPS}/a", MAP) == 200
    assert servers.ask(origin, "GET", f"{servers.CRDS}/things.example.com").value == crd
    assert _code(origin, "GET", "/apis/example.com/v1/namespaces/default/things") == 200
