"""Validation of webhook configurations on a server, with the words of kube-apiserver 1.37."""

from __future__ import annotations

from typing import Any

import pytest
from support import servers

from pytest_crd.server.api import Api

GROUP = "/apis/admissionregistration.k8s.io/v1"
FORM = "; desired format: https://host[/path]"
PARSED = f'clientConfig.url: Required value: url must be a valid URL: parse "{{}}": {{}}{FORM}'


@pytest.fixture(scope="module")
def server() -> Api:
    return servers.api(servers.crd())


def _webhook(rule: Any = None, **fields: Any) -> dict[str, Any]:
    rules = [{"apiGroups": ["x"], "apiVersions": ["*"], "operations": ["*"], "resources": ["things"], **(rule or {})}]
    return {
        "name": "d.x.example.com",
        "clientConfig": {"url": "https://127.0.0.1:1/"},
        "rules": rules,
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
        **fields,
    }


def _body(kind: str, *webhooks: Any, name: str = "d") -> Any:
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": kind,
        "metadata": {"name": name},
        "webhooks": [*webhooks],
    }


INVALID = [
    (
        _webhook({"resources": ["*", "*/*"]}),
        'rules[0].resources: Invalid value: ["*","*/*"]: if \'*/*\' is present, must not specify other resources',
    ),
    (
        _webhook(clientConfig={"url": "http://a/"}),
        f"clientConfig.url: Invalid value: \"http\": 'https' is the only allowed URL scheme{FORM}",
    ),
    (_webhook(clientConfig={"url": "https://[::1/"}), PARSED.format("https://[::1/", "missing ']' in host")),
    (
        _webhook(clientConfig={"url": "https://127.0.0.1:x/"}),
        PARSED.format("https://127.0.0.1:x/", 'invalid port ":x" after host'),
    ),
    (_webhook(clientConfig={}), "clientConfig: Required value: exactly one of url or service is required"),
]


@pytest.mark.parametrize("kind", ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"])
@pytest.mark.parametrize(("webhook", "problem"), INVALID)
def test_an_invalid_configuration_is_refused_at_creation_and_at_an_update(
    server: Api, kind: str, webhook: Any, problem: str
) -> None:
    path, dry = f"{GROUP}/{kind.lower()}s", "?dryRun=All"
    message = f'{kind}.admissionregistration.k8s.io "d" is invalid: webhooks[0].{problem}'
    refused = servers.ask(server, "POST", path + dry, _body(kind, webhook))
    assert (refused.code, refused.value["message"]) == (422, message)
    assert servers.ask(server, "POST", path, _body(kind, _webhook())).code == 201
    try:
        changed = {"webhooks": [webhook]}
        merge = {"mediaType": "application/merge-patch+json"}
        refused = servers.ask(server, "PATCH", f"{path}/d{dry}", changed, **merge)
        assert (refused.code, refused.value["message"]) == (422, message)
        labelled = {"metadata": {"labels": {"a": "b"}}}
        assert servers.ask(server, "PATCH", f"{path}/d{dry}", labelled, **merge).code == 200
    finally:
        assert servers.ask(server, "DELETE", f"{path}/d").code == 200


def test_reserved_names_are_refused_at_creation(server: Api) -> None:
    kind = "ValidatingWebhookConfiguration"
    refused = servers.ask(server, "POST", f"{GROUP}/{kind.lower()}s", _body(kind, name="a.static.k8s.io"))
    assert refused.code == 422
    assert 'names ending with ".static.k8s.io" are reserved' in refused.value["message"]
