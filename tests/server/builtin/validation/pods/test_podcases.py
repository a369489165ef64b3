"""Refusals and warnings of Pods and templates, as kube-apiserver answered them."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any, Final

import pytest
from conformance import exchanges, serverside
from server.builtin.validation.workloads.test_workloads import CONTAINER, MERGE, PODS, causes
from support import servers

from pytest_crd.server.api import Api
from pytest_crd.server.http.httpmessages import HTTPAnswer

CASES: Final[list[dict[str, Any]]] = exchanges.load_yaml(
    (Path(__file__).parent / "podcases.yaml").read_text(encoding="utf-8")
)
TEMPLATES: Final = "/api/v1/namespaces/default/podtemplates"
# Words of the cases for texts that are too long to write.
LONG_TEXTS: Final = {"LONG5000": "a" * 5000, "LONG": "a" * 300, "HUGE": "a" * 300_000}

_server = functools.cache(lambda version: servers.api(kubernetes_version=version))


def _expand(value: Any) -> Any:
    """Return a value with its long texts, and lists instead of `repeat` and `item`."""
    if isinstance(value, dict):
        if value.keys() == {"repeat", "item"}:
            return [value["item"]] * value["repeat"]
        return {name: _expand(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_expand(item) for item in value]
    for word, text in LONG_TEXTS.items() if isinstance(value, str) else ():
        value = value.replace(word, text)
    return value


def _create(server: Api, case: dict[str, Any], query: str) -> HTTPAnswer:
    metadata = {"name": "p", **_expand(case.get("metadata", {}))}
    spec = {"containers": [CONTAINER], **_expand(case.get("spec", {}))}
    if case.get("template"):
        body = {"metadata": {"name": "p"}, "template": {"metadata": case.get("metadata", {}), "spec": spec}}
        return servers.ask(server, "POST", f"{TEMPLATES}{query}", body)
    return servers.ask(server, "POST", f"{PODS}{query}", {"metadata": metadata, "spec": spec})


def _texts(answer: HTTPAnswer) -> list[str]:
    """Return causes and warnings."""
    texts = [f"{field}: {message}" for field, message in causes(answer)]
    warnings = serverside.to_raw(answer).headers.get("warning", ())
    return [*texts, *(f"warning: {json.loads(text.removeprefix('299 - '))}" for text in warnings)]


@pytest.mark.parametrize("case", CASES, ids=[case["law"] for case in CASES])
def test_causes_and_warnings_are_those_of_kube_apiserver(case: dict[str, Any]) -> None:
    server = _server(case.get("version", "1.37"))
    changes = case.get("then", ())
    answer = _create(server, case, "" if changes else "?dryRun=All")
    for change in changes:
        assert answer.code < 300, answer.value
        path = "/".join(filter(None, (f"{PODS}/p", change.get("subresource"))))
        answer = servers.ask(server, "PATCH", path, _expand(change["patch"]), **MERGE)
    if changes:
        servers.ask(server, "DELETE", f"{PODS}/p?gracePeriodSeconds=0")
    assert _texts(answer) == _expand(case["answer"])
    assert (answer.code < 300) == all(text.startswith("warning: ") for text in case["answer"])


def test_policies_of_restarts_are_not_stored_in_1_34() -> None:
    own = {"restartPolicy": "Never", "restartPolicyRules": [{"action": "Restart"}]}
    sidecar = {**CONTAINER, "name": "b", **own, "restartPolicy": "Always"}
    body = {"metadata": {"name": "p"}, "spec": {"containers": [{**CONTAINER, **own}], "initContainers": [sidecar]}}
    spec = servers.ask(_server("1.34"), "POST", f"{PODS}?dryRun=All", body).value["spec"]
    policies = [item.get("restartPolicy") for item in (*spec["containers"], *spec["initContainers"])]
    assert policies == [None, "Always"]
    assert "restartPolicyRules" not in {*spec["containers"][0], *spec["initContainers"][0]}


def test_profiles_of_annotations_become_fields_of_containers() -> None:
    prefix = "container.apparmor.security.beta.kubernetes.io/"
    annotations = {f"{prefix}a": "localhost/x", f"{prefix}b": "unconfined"}
    spec = {
        "securityContext": {"appArmorProfile": {"type": "Unconfined"}},
        "containers": [CONTAINER, {**CONTAINER, "name": "b"}],
    }
    body = {"metadata": {"name": "p", "annotations": annotations}, "spec": spec}
    created = servers.ask(_server("1.37"), "POST", f"{PODS}?dryRun=All", body).value["spec"]["containers"]
    local = {"appArmorProfile": {"type": "Localhost", "localhostProfile": "x"}}
    assert [container.get("securityContext") for container in created] == [local, None]
