"""Requests that create no object of their own, with the words of kube-apiserver 1.37."""

from __future__ import annotations

import base64
import json
from datetime import UTC, datetime
from typing import Any

import pytest
from support import servers

from pytest_crd.server.api import Api
from pytest_crd.server.special import tokens
from pytest_crd.server.special.tokens import InvalidTokenError

CORE = "/api/v1/namespaces/default"
BUDGETS = "/apis/policy/v1/namespaces/default/poddisruptionbudgets"
REVIEWS = "/apis/authentication.k8s.io/v1/tokenreviews"
MERGE = {"mediaType": "application/merge-patch+json"}
LABELS = {"app": "cook"}


@pytest.fixture
def server() -> Api:
    api = servers.api()
    servers.ask(api, "POST", f"{CORE}/serviceaccounts", {"metadata": {"name": "sa"}})
    _create_pod(api, "p")
    return api


def _create_pod(api: Api, name: str, containers: int = 1, **spec: Any) -> None:
    listed = [{"name": f"c{number}", "image": "a"} for number in range(containers)]
    pod = {"metadata": {"name": name, "labels": LABELS}, "spec": {"containers": listed, **spec}}
    assert servers.ask(api, "POST", f"{CORE}/pods", pod).code == 201


def _summary(answer: Any) -> tuple[int, str]:
    return answer.code, answer.value.get("message", answer.value.get("status"))


def _eviction(name: str, **fields: Any) -> Any:
    return {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name}, **fields}


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ({"metadata": {"name": "p"}}, (500, "target.name: Required value")),
        (
            {"target": {"kind": "Pod", "name": "n"}},
            (500, 'target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>"'),
        ),
        (
            {"metadata": {"name": "q"}, "target": {"name": "n"}},
            (400, "name in URL does not match name in Binding object"),
        ),
        ({"target": {"kind": "Node", "name": "n"}, "metadata": {"annotations": {"a": "b"}}}, (201, "Success")),
    ],
)
def test_a_binding_assigns_a_pod_to_a_node(server: Api, body: Any, told: tuple[int, str]) -> None:
    assert _summary(servers.ask(server, "POST", f"{CORE}/pods/p/binding", body)) == told
    pod = servers.ask(server, "GET", f"{CORE}/pods/p").value
    assert pod["spec"].get("nodeName") == ("n" if told[0] == 201 else None)
    if told[0] == 201:
        assert pod["metadata"]["annotations"] == {"a": "b"}
        assert [item["type"] for item in pod["status"]["conditions"]] == ["PodScheduled"]


def test_a_pod_is_bound_once(server: Api) -> None:
    body = {"metadata": {"name": "p"}, "target": {"kind": "Node", "name": "n"}}
    assert servers.ask(server, "POST", f"{CORE}/bindings?dryRun=All", body).code == 201
    assert servers.ask(server, "POST", f"{CORE}/bindings", body).code == 201
    words = 'Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "n"'
    assert _summary(servers.ask(server, "POST", f"{CORE}/bindings", body)) == (409, words)
    body["metadata"] = {"name": "none"}
    assert _summary(servers.ask(server, "POST", f"{CORE}/bindings", body)) == (404, 'pods "none" not found')
    _create_pod(server, "ending")
    patch = {"metadata": {"finalizers": ["example.com/x"]}}
    servers.ask(server, "PATCH", f"{CORE}/pods/ending", patch, **MERGE)
    servers.ask(server, "DELETE", f"{CORE}/pods/ending")
    answer = servers.ask(server, "POST", f"{CORE}/pods/ending/binding", {"target": {"name": "n"}})
    assert "pod ending is being deleted, cannot be assigned to a host" in answer.value["message"]


def test_an_eviction_deletes_a_pod(server: Api) -> None:
    path = f"{CORE}/pods/p/eviction"
    words = "name in URL does not match name in Eviction object"
    assert _summary(servers.ask(server, "POST", path, _eviction("q"))) == (400, words)
    answer = servers.ask(server, "POST", f"{CORE}/pods/none/eviction", _eviction("none"))
    assert _summary(answer) == (404, 'pods "none" not found')
    assert _summary(servers.ask(server, "POST", f"{path}?dryRun=All", _eviction("p"))) == (201, "Success")
    assert _summary(servers.ask(server, "POST", path, _eviction("p", deleteOptions={"dryRun": ["All"]}))) == (
        201,
        "Success",
    )
    assert servers.ask(server, "GET", f"{CORE}/pods/p").code == 200
    assert _summary(servers.ask(server, "POST", path, _eviction("p"))) == (201, "Success")
    assert servers.ask(server, "GET", f"{CORE}/pods/p").code == 404


def test_an_eviction_may_be_sent_as_yaml(server: Api) -> None:
    text = "apiVersion: policy/v1\nkind: Eviction\nmetadata: {name: p}\n"
    answer = servers.ask(server, "POST", f"{CORE}/pods/p/eviction", text, mediaType="application/yaml")
    assert _summary(answer) == (201, "Success")


def _budget(api: Api, name: str, **status: int) -> None:
    spec = {"minAvailable": 1, "selector": {"matchLabels": LABELS}}
    servers.ask(api, "POST", BUDGETS, {"metadata": {"name": name}, "spec": spec})
    servers.ask(api, "PATCH", f"{BUDGETS}/{name}/status", {"status": status}, **MERGE)


def _run(api: Api, *, ready: bool = True) -> None:
    conditions = [{"type": "Ready", "status": "True" if ready else "False"}]
    status = {"phase": "Running", "conditions": conditions}
    servers.ask(api, "PATCH", f"{CORE}/pods/p/status", {"status": status}, **MERGE)


def test_a_budget_delays_evictions(server: Api) -> None:
    _run(server)
    _budget(server, "b")
    answer = servers.ask(server, "POST", f"{CORE}/pods/p/eviction", _eviction("p"))
    assert _summary(answer) == (429, "Cannot evict pod as it would violate the pod's disruption budget.")
    assert (
        answer.value["details"]["causes"][0]["message"]
        == "The disruption budget b is still being processed by the server."
    )
    assert ("Retry-After", "10") in answer.headers
    _budget(server, "b", observedGeneration=1, currentHealthy=1, desiredHealthy=1)
    answer = servers.ask(server, "POST", f"{CORE}/pods/p/eviction", _eviction("p"))
    words = "The disruption budget b needs 1 healthy pods and has 1 currently"
    assert (answer.code, answer.value["details"]["causes"][0]["message"]) == (429, words)


@pytest.mark.parametrize(("allowed", "reason"), [(1, "InsufficientPods"), (2, "SufficientPods")])
def test_an_eviction_takes_a_disruption_of_the_budget(server: Api, allowed: int, reason: str) -> None:
    _run(server)
    _budget(server, "b", observedGeneration=1, disruptionsAllowed=allowed)
    assert servers.ask(server, "POST", f"{CORE}/pods/p/eviction?dryRun=All", _eviction("p")).code == 201
    assert servers.ask(server, "POST", f"{CORE}/pods/p/eviction", _eviction("p")).code == 201
    status = servers.ask(server, "GET", f"{BUDGETS}/b").value["status"]
    assert (status["disruptionsAllowed"], status["conditions"][0]["reason"]) == (allowed - 1, reason)
    assert [*status["disruptedPods"]] == ["p"]


def test_a_pod_that_is_not_ready_needs_no_disruption(server: Api) -> None:
    _run(server, ready=False)
    _budget(server, "b", observedGeneration=1, currentHealthy=1, desiredHealthy=1)
    assert servers.ask(server, "POST", f"{CORE}/pods/p/eviction", _eviction("p")).code == 201


def test_a_pod_has_one_budget(server: Api) -> None:
    _run(server)
    _budget(server, "b")
    _budget(server, "c")
    code, words = _summary(servers.ask(server, "POST", f"{CORE}/pods/p/eviction", _eviction("p")))
    assert (code, "more than one PodDisruptionBudget" in words) == (500, True)


def _token(server: Api, **spec: Any) -> Any:
    return servers.ask(server, "POST", f"{CORE}/serviceaccounts/sa/token", {"spec": spec}).value


def test_a_token_is_reviewed_by_its_server(server: Api) -> None:
    issued = _token(server)
    assert issued["spec"] == {"audiences": [tokens.ISSUER], "expirationSeconds": 3600, "boundObjectRef": None}
    claims = json.loads(base64.urlsafe_b64decode(issued["status"]["token"].split(".")[1] + "=="))
    assert (claims["sub"], claims["iss"]) == ("system:serviceaccount:default:sa", tokens.ISSUER)
    review = servers.ask(server, "POST", REVIEWS, {"spec": {"token": issued["status"]["token"]}})
    status = review.value["status"]
    assert (review.code, status["authenticated"], status["audiences"]) == (201, True, [tokens.ISSUER])
    assert status["user"]["username"] == "system:serviceaccount:default:sa"
    assert "system:serviceaccounts:default" in status["user"]["groups"]


def test_a_token_is_for_its_audiences(server: Api) -> None:
    token = _token(server, audiences=["x"])["status"]["token"]
    status = servers.ask(server, "POST", REVIEWS, {"spec": {"token": token}}).value["status"]
    words = f'token audiences ["x"] is invalid for the target audiences ["{tokens.ISSUER}"]'
    assert status == {"user": {}, "error": f"[invalid bearer token, {words}]"}
    status = servers.ask(server, "POST", REVIEWS, {"spec": {"token": token, "audiences": ["x"]}}).value["status"]
    assert status["audiences"] == ["x"]
    own = _token(server)["status"]["token"]
    status = servers.ask(server, "POST", REVIEWS, {"spec": {"token": own, "audiences": ["x"]}}).value["status"]
    words = f'token audiences ["{tokens.ISSUER}"] is invalid for the target audiences ["x"]'
    assert status == {"user": {}, "error": f"[invalid bearer token, {words}]"}


def test_other_tokens_are_reviewed(server: Api) -> None:
    words = "token is required for TokenReview in authentication"
    assert _summary(servers.ask(server, "POST", REVIEWS, {"spec": {}})) == (400, words)
    status = servers.ask(server, "POST", REVIEWS, {"spec": {"token": "abc"}}).value["status"]
    assert status == {"user": {}, "error": "invalid bearer token"}
    server = servers.api(token="secret")  # noqa: S106 - of this test
    headers = {"authorization": "Bearer secret"}
    review = servers.ask(server, "POST", REVIEWS, {"spec": {"token": "secret"}}, headers=headers).value
    assert review["status"]["user"]["username"] == "kubernetes-admin"


def test_a_token_ends_with_its_account_and_its_time(server: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    token = _token(server)["status"]["token"]
    issued = server.tokens._tokens[token]
    server.tokens._tokens[token] = issued._replace(expires=datetime(2020, 1, 1, tzinfo=UTC))
    with pytest.raises(InvalidTokenError, match="has expired"):
        server.tokens.authenticate(token)
    server.tokens._tokens[token] = issued
    servers.ask(server, "DELETE", f"{CORE}/serviceaccounts/sa")
    with pytest.raises(InvalidTokenError, match="has been invalidated"):
        server.tokens.authenticate(token)


def test_a_token_may_be_bound_to_a_pod(server: Api) -> None:
    _create_pod(server, "own", serviceAccountName="sa")
    reference = {"apiVersion": "v1", "kind": "Pod", "name": "own"}
    token = _token(server, boundObjectRef=reference)["status"]["token"]
    user, _ = server.tokens.authenticate(token)
    assert user.extra["authentication.kubernetes.io/pod-name"] == ("own",)


@pytest.mark.parametrize(
    ("is_created_again", "words"), [(False, "has been invalidated"), (True, r"Pod UID \(.+\) does not match")]
)
def test_a_token_ends_with_the_object_to_which_it_is_bound(server: Api, words: str, *, is_created_again: bool) -> None:
    _create_pod(server, "own", serviceAccountName="sa")
    reference = {"apiVersion": "v1", "kind": "Pod", "name": "own"}
    token = _token(server, boundObjectRef=reference)["status"]["token"]
    servers.ask(server, "DELETE", f"{CORE}/pods/own")
    if is_created_again:
        _create_pod(server, "own", serviceAccountName="sa")
    with pytest.raises(InvalidTokenError, match=words):
        server.tokens.authenticate(token)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ({"spec": {"expirationSeconds": 5}}, (422, "may not specify a duration less than 10 minutes")),
        ({"spec": {"expirationSeconds": 2**33}}, (422, "may not specify a duration larger than 2^32 seconds")),
        ({"metadata": {"name": "other"}}, (422, "must match the service account name if specified")),
        ({"spec": {"boundObjectRef": {"apiVersion": "v1", "kind": "Pod", "name": "none"}}}, (404, 'pods "none" not found')),
        ({"spec": {"boundObjectRef": {"apiVersion": "v1", "kind": "Pod", "name": "p"}}}, (400, "different serviceaccount")),
        ({"spec": {"boundObjectRef": {"apiVersion": "v1", "kind": "ConfigMap"}}}, (400, "object of type /v1, Kind=ConfigMap")),
        ({"spec": {"audiences": 5}}, (400, 'TokenRequest in version "v1" cannot be handled as a TokenRequest')),
    ],
)  # fmt: skip
def test_wrong_requests_for_tokens_are_refused(server: Api, body: Any, told: tuple[int, str]) -> None:
    code, words = _summary(servers.ask(server, "POST", f"{CORE}/serviceaccounts/sa/token", body))
    assert (code, told[1] in words) == (told[0], True)


def test_tokens_are_of_accounts(server: Api) -> None:
    answer = servers.ask(server, "POST", f"{CORE}/serviceaccounts/none/token", {})
    assert _summary(answer) == (404, 'serviceaccounts "none" not found')
    answer = servers.ask(server, "POST", f"{CORE}/serviceaccounts/sa/token?dryRun=x", {})
    assert answer.code == 422


@pytest.mark.parametrize(
    ("method", "path", "told"),
    [
        ("GET", "pods/q/log", (400, "a container name must be specified for pod q, choose one of: [c0 c1]")),
        ("GET", "pods/p/log?container=z", (400, "container z is not valid for pod p")),
        ("GET", "pods/none/log", (404, 'pods "none" not found')),
        ("POST", "pods/p/exec", (400, "pod p does not have a host assigned")),
        ("POST", "pods/p/attach", (400, "pod p does not have a host assigned")),
        ("POST", "pods/p/portforward", (400, "pod p does not have a host assigned")),
        ("GET", "pods/p/proxy/a/b", (400, "address not allowed")),
        ("GET", "services/kubernetes/proxy/", (503, 'no endpoints available for service "kubernetes"')),
        ("GET", "services/https:kubernetes:/proxy", (503, 'no endpoints available for service "kubernetes"')),
    ],
)
def test_requests_for_a_kubelet_are_refused(server: Api, method: str, path: str, told: tuple[int, str]) -> None:
    _create_pod(server, "q", containers=2)
    assert _summary(servers.ask(server, method, f"{CORE}/{path}")) == told


def test_the_log_of_a_pod_is_empty_until_it_has_a_node(server: Api) -> None:
    answer = servers.ask(server, "GET", f"{CORE}/pods/p/log")
    assert (answer.code, answer.body) == (200, b"")
    servers.ask(server, "POST", f"{CORE}/pods/p/binding", {"target": {"name": "n"}})
    assert _summary(servers.ask(server, "GET", f"{CORE}/pods/p/log")) == (404, 'pods "n" not found')
    servers.ask(server, "POST", "/api/v1/nodes", {"metadata": {"name": "n"}})
    code, words = _summary(servers.ask(server, "POST", f"{CORE}/pods/p/exec"))
    assert (code, "no kubelet runs on a server of tests" in words) == (500, True)


def test_subresources_are_discovered_with_their_kinds(server: Api) -> None:
    listed = {item["name"]: item for item in servers.ask(server, "GET", "/api/v1").value["resources"]}
    assert (listed["pods/eviction"]["group"], listed["pods/eviction"]["kind"]) == ("policy", "Eviction")
    assert "group" not in listed["pods/binding"]
    assert listed["bindings"] == {"name": "bindings", "singularName": "binding", "namespaced": True, "kind": "Binding", "verbs": ["create"]}  # fmt: skip
