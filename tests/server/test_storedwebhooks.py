"""Webhooks of configurations and CRDs that clients create on a running server."""

from __future__ import annotations

import base64
import contextlib
import json
import socket
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from support import servers
from support.webhooks import FixedWebhooks, FunctionAdmission
from support.webhookservers import AUTHORITY_PEM, Conversation, answer, read_request, scripted, tls

from pytest_crd.engine import CustomResourceDefinition
from pytest_crd.engine.registry.admission import Admitted
from pytest_crd.server import httpserver
from pytest_crd.server.api import Api
from pytest_crd.server.http.certificates import Certificates

GROUP = "/apis/admissionregistration.k8s.io/v1"
THINGS = "/apis/example.com/v1/namespaces/default/things"
MAPS = "/api/v1/namespaces/default/configmaps"
BUNDLE = base64.b64encode(AUTHORITY_PEM.encode()).decode()


def _configuration(kind: str, client_config: Any, name: str = "hooks", **webhook: Any) -> Any:
    rules = [{"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": ["things", "configmaps"]}]
    manifest = {"name": "v.example.com", "clientConfig": client_config, "rules": rules, "sideEffects": "None"}
    webhooks = [{**manifest, "admissionReviewVersions": ["v1"], **webhook}]
    return {"apiVersion": GROUP.removeprefix("/apis/"), "kind": kind, "metadata": {"name": name}, "webhooks": webhooks}


def _create(server: Api, kind: str, client_config: Any, name: str = "hooks", **webhook: Any) -> Any:
    path = f"{GROUP}/{kind.lower()}s"
    reply = servers.ask(server, "POST", path, _configuration(kind, client_config, name, **webhook))
    assert reply.code == 201, reply.value
    return path


@contextlib.contextmanager
def _webhook(respond: Callable[[Any], Any], path: str = "/review") -> Iterator[tuple[Any, Conversation]]:
    """Serve reviews with a function, and yield the `clientConfig` and the requests."""

    def serve(sock: socket.socket, conversation: Conversation) -> None:
        while request := read_request(sock):
            conversation.requests.append(request)
            review = json.loads(request.partition(b"\r\n\r\n")[2])
            response = {"uid": review["request"]["uid"], **respond(review["request"])}
            sock.sendall(answer(json.dumps({**review, "request": None, "response": response}).encode()))

    with scripted(serve, context=tls("127.0.0.1")) as conversation:
        yield {"url": f"https://127.0.0.1:{conversation.port}{path}", "caBundle": BUNDLE}, conversation


def _named(path: str, name: str = "a") -> Any:
    type_meta = {"apiVersion": "v1", "kind": "ConfigMap"}
    if path != MAPS:
        kind = "Thing" if path == THINGS else "Part"
        type_meta = {"apiVersion": "example.com/v1", "kind": kind}
    return {**type_meta, "metadata": {"name": name}}


def _deny(_request: Any) -> Any:
    return {"allowed": False, "status": {"message": "never", "code": 403, "reason": "Forbidden"}}


def _label(_request: Any) -> Any:
    patch = json.dumps([{"op": "add", "path": "/metadata/labels", "value": {"by": "webhook"}}])
    return {"allowed": True, "patchType": "JSONPatch", "patch": base64.b64encode(patch.encode()).decode()}


@pytest.fixture
def server() -> Iterator[Api]:
    """A server with a CRD and without webhooks."""
    created = servers.api(servers.crd())
    yield created
    created.close()


@pytest.mark.parametrize("path", [THINGS, MAPS])
def test_validating_webhooks_are_called_while_their_configuration_is_stored(server: Api, path: str) -> None:
    with _webhook(_deny) as (client_config, conversation):
        configurations = _create(server, "ValidatingWebhookConfiguration", client_config)
        denied = servers.ask(server, "POST", path, _named(path))
        assert (denied.code, denied.value["reason"]) == (403, "Forbidden")
        assert denied.value["message"] == 'admission webhook "v.example.com" denied the request: never'
        servers.ask(server, "DELETE", f"{configurations}/hooks")
        assert servers.ask(server, "POST", path, _named(path)).code == 201
    assert len(conversation.requests) == 1


@pytest.mark.parametrize("path", [THINGS, MAPS])
def test_mutating_webhooks_change_objects(server: Api, path: str) -> None:
    with _webhook(_label) as (client_config, conversation):
        _create(server, "MutatingWebhookConfiguration", client_config)
        for name in ("a", "b"):
            stored = servers.ask(server, "POST", path, _named(path, name))
            assert stored.value["metadata"]["labels"] == {"by": "webhook"}
    assert conversation.connections == 1


def test_a_change_of_a_configuration_counts_at_once(server: Api) -> None:
    with _webhook(_deny) as (client_config, _conversation):
        path = _create(server, "ValidatingWebhookConfiguration", client_config)
        changes = {"webhooks": [{"name": "v.example.com", "rules": None}]}
        strategic = {"mediaType": "application/strategic-merge-patch+json"}
        assert servers.ask(server, "PATCH", f"{path}/hooks", changes, **strategic).code == 200
        assert servers.ask(server, "POST", MAPS, _named(MAPS)).code == 201


@pytest.mark.parametrize(
    ("client_config", "url"),
    [
        ({"url": "https://hooks.example.com/review"}, "https://hooks.example.com/review"),
        ({"service": {"namespace": "system", "name": "hooks"}}, "https://hooks.system.svc:443/"),
        ({"url": "https://a\u2100b/"}, "https://a\u2100b/"),
        ({"url": "https://[::1%25%5Dx]/"}, "https://[::1%]x]/"),
        ({"url": "https://[::1%25lo]:1/"}, "https://[::1%lo]:1/"),
        ({"url": "https://169.254.169.254:99999/latest"}, "https://169.254.169.254:99999/latest"),
    ],
)
@pytest.mark.parametrize("policy", ["Fail", "Ignore"])
def test_webhooks_on_other_hosts_are_refused(server: Api, client_config: Any, url: str, policy: str) -> None:
    _create(server, "ValidatingWebhookConfiguration", client_config, failurePolicy=policy)
    refused = servers.ask(server, "POST", MAPS, _named(MAPS))
    assert refused.code == 500
    assert f"pytest-crd does not call the webhook v.example.com at {url}: " in refused.value["message"]


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "localhost"])
@pytest.mark.parametrize("policy", ["Fail", "Ignore"])
def test_the_failure_policy_decides_about_a_port_that_cannot_be(server: Api, host: str, policy: str) -> None:
    _create(server, "ValidatingWebhookConfiguration", {"url": f"https://{host}:99999/x"}, failurePolicy=policy)
    answered = servers.ask(server, "POST", MAPS, _named(MAPS))
    assert answered.code == (201 if policy == "Ignore" else 500)
    if policy == "Fail":
        call = (
            f'failed to call webhook: Post "https://{host}:99999/x?timeout=10s": dial tcp: address 99999: invalid port'
        )
        message = f'Internal error occurred: failed calling webhook "v.example.com": {call}'
        assert answered.value["message"] == message


@pytest.mark.parametrize("kind", ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"])
def test_no_webhook_sees_configurations_and_policies(server: Api, kind: str) -> None:
    everything = [{"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": ["*/*"]}]
    path = _create(server, kind, {"url": "https://hooks.example.com/"}, rules=everything)
    assert servers.ask(server, "POST", MAPS, _named(MAPS)).code == 500
    policy = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicyBinding"}
    spec = {"policyName": "none", "validationActions": ["Deny"]}
    binding = {**policy, "metadata": {"name": "b"}, "spec": spec}
    assert servers.ask(server, "POST", f"{GROUP}/validatingadmissionpolicybindings", binding).code == 201
    assert servers.ask(server, "DELETE", f"{GROUP}/validatingadmissionpolicybindings/b").code == 200
    assert servers.ask(server, "DELETE", f"{path}/hooks").code == 200
    assert servers.ask(server, "POST", MAPS, _named(MAPS)).code == 201


def test_a_bundle_without_certificates_is_refused(server: Api) -> None:
    bundle = base64.b64encode(b"none").decode()
    _create(server, "ValidatingWebhookConfiguration", {"url": "https://127.0.0.1:1/", "caBundle": bundle})
    refused = servers.ask(server, "POST", MAPS, _named(MAPS))
    assert refused.code == 500
    assert refused.value["message"].endswith("the webhook v.example.com: its caBundle has no certificates in PEM")


@pytest.mark.parametrize("kind", ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"])
@pytest.mark.parametrize(("policy", "words"), [("Fail", "connection refused"), ("Ignore", "Ignore would hide it")])
def test_webhooks_that_are_not_reached_refuse_requests(server: Api, kind: str, policy: str, words: str) -> None:
    client_config = {"url": "https://localhost:1/review", "caBundle": BUNDLE}
    _create(server, kind, client_config, failurePolicy=policy)
    refused = servers.ask(server, "POST", MAPS, _named(MAPS))
    assert refused.code == 500
    assert words in refused.value["message"]


def test_webhooks_of_the_project_are_called_before_stored_ones() -> None:
    project = FunctionAdmission(lambda request: Admitted({**(request.object or {}), "data": {"by": "project"}}, ("1",)))
    crd = CustomResourceDefinition.from_manifest(servers.crd())
    server = Api([crd], webhooks=FixedWebhooks(None, project))
    with _webhook(lambda _request: {"allowed": True, "warnings": ["2"]}) as (client_config, conversation):
        _create(server, "ValidatingWebhookConfiguration", client_config)
        stored = servers.ask(server, "POST", MAPS, _named(MAPS))
        assert stored.warnings == ("1", "2")
    assert b'"by": "project"' in conversation.requests[0] or b'"by":"project"' in conversation.requests[0]
    server.close()


def test_a_refusal_of_a_stored_webhook_keeps_the_warnings_of_the_project() -> None:
    project = FunctionAdmission(None, lambda request: Admitted(request.object, ("careful",)))
    server = Api(webhooks=FixedWebhooks(None, project))
    with _webhook(_deny) as (client_config, _conversation):
        _create(server, "ValidatingWebhookConfiguration", client_config)
        denied = servers.ask(server, "POST", MAPS, _named(MAPS))
    assert (denied.code, denied.warnings) == (403, ("careful",))
    server.close()


def test_a_reset_server_calls_no_webhooks(server: Api) -> None:
    _create(server, "ValidatingWebhookConfiguration", {"url": "https://127.0.0.1:1/"})
    server.reset()
    assert servers.ask(server, "POST", MAPS, _named(MAPS)).code == 201


def test_a_stopped_server_closes_its_connections() -> None:
    api = servers.api(servers.crd())
    server = httpserver.HTTPServer(api, Certificates())
    server.start()
    with _webhook(_label) as (client_config, _conversation):
        _create(api, "MutatingWebhookConfiguration", client_config)
        servers.ask(api, "POST", MAPS, _named(MAPS))
        server.stop()


def test_conversion_webhooks_on_loopback_are_called(server: Api) -> None:
    def serve(sock: socket.socket, conversation: Conversation) -> None:
        while request := read_request(sock):
            conversation.requests.append(request)
            review = json.loads(request.partition(b"\r\n\r\n")[2])
            version = review["request"]["desiredAPIVersion"]
            converted = [
                {**item, "apiVersion": version, "spec": {"by": "webhook"}} for item in review["request"]["objects"]
            ]
            response = {"uid": review["request"]["uid"], "result": {"status": "Success"}, "convertedObjects": converted}
            sock.sendall(answer(json.dumps({**review, "request": None, "response": response}).encode()))

    with scripted(serve, context=tls("127.0.0.1")) as conversation:
        client_config = {"url": f"https://127.0.0.1:{conversation.port}/convert", "caBundle": BUNDLE}
        schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
        versions = [{"name": name, "served": True, "storage": name == "v1", "schema": schema} for name in ("v1", "v2")]
        webhook = {"clientConfig": client_config, "conversionReviewVersions": ["v1"]}
        crd = servers.crd("Part", versions=versions, conversion={"strategy": "Webhook", "webhook": webhook})
        assert servers.ask(server, "POST", servers.CRDS, crd).code == 201
        path = "/apis/example.com/{}/namespaces/default/parts"
        assert servers.ask(server, "POST", path.format("v1"), _named(path)).code == 201
        read = servers.ask(server, "GET", f"{path.format('v2')}/a")
    assert read.value["spec"] == {"by": "webhook"}
