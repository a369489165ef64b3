"""Subresources of built-in kinds that write a part of an object."""

from __future__ import annotations

from oracle.generators import certificatepools
from server.builtin.test_builtinkinds import KINDS, path_of, small
from support import servers

CERTIFICATE = certificatepools.encode(certificatepools.PEMS["CERT"])
POD = {"metadata": {"name": "a"}, "spec": {"containers": [{"name": "a", "image": "a"}]}}
MERGE = {"mediaType": "application/merge-patch+json"}
PODS = path_of(KINDS["v1", "Pod"])


def test_an_approval_writes_the_conditions_of_a_request() -> None:
    server, type_ = servers.api(), KINDS["certificates.k8s.io/v1", "CertificateSigningRequest"]
    path = path_of(type_)
    stored = servers.ask(server, "POST", path, small(type_.api_version, type_.names.kind)).value
    condition = {"type": "Approved", "status": "True", "reason": "r", "message": "m"}
    sent = {**stored, "status": {"conditions": [condition], "certificate": CERTIFICATE}}
    approved = servers.ask(server, "PUT", f"{path}/a/approval", sent).value
    assert (approved["status"]["conditions"][0]["type"], "certificate" in approved["status"]) == ("Approved", False)
    assert approved["status"]["conditions"][0]["lastUpdateTime"].startswith("20")
    issued = servers.ask(server, "PATCH", f"{path}/a/status", {"status": {"certificate": CERTIFICATE}}, **MERGE).value
    assert issued["status"]["certificate"] == CERTIFICATE
    assert servers.ask(server, "GET", f"{path}/a/approval").value["kind"] == "CertificateSigningRequest"


def test_only_finalize_changes_the_finalizers_of_a_namespace() -> None:
    server = servers.api()
    servers.ask(server, "POST", "/api/v1/namespaces", {"metadata": {"name": "team"}})
    changed = {"metadata": {"name": "team"}, "spec": {"finalizers": ["kubernetes", "example.com/x"]}}
    answer = servers.ask(server, "PUT", "/api/v1/namespaces/team", changed).value
    assert answer["spec"] == {"finalizers": ["kubernetes"]}
    answer = servers.ask(server, "PUT", "/api/v1/namespaces/team/finalize", changed).value
    assert answer["spec"] == changed["spec"]


def test_debug_containers_are_added_to_a_pod() -> None:
    server = servers.api()
    servers.ask(server, "POST", PODS, POD)
    patch = {"spec": {"ephemeralContainers": [{"name": "d", "image": "d"}], "nodeName": "n"}}
    answer = servers.ask(server, "PATCH", f"{PODS}/a/ephemeralcontainers", patch, **MERGE).value
    assert (answer["spec"]["ephemeralContainers"][0]["name"], "nodeName" in answer["spec"]) == ("d", False)


def test_the_resources_of_a_pod_are_resized() -> None:
    server = servers.api()
    needs = {"requests": {"cpu": "2"}}
    servers.ask(
        server, "POST", PODS, {**POD, "spec": {"containers": [{"name": "a", "image": "a", "resources": needs}]}}
    )
    container = {"name": "a", "image": "b", "resources": {"requests": {"cpu": "1"}}}
    answer = servers.ask(server, "PATCH", f"{PODS}/a/resize", {"spec": {"containers": [container]}}, **MERGE).value
    (resized,) = answer["spec"]["containers"]
    assert (resized["image"], resized["resources"]) == ("a", {"requests": {"cpu": "1"}})
    more = {"spec": {"containers": [container, {"name": "b", "image": "b"}]}}
    refused = servers.ask(server, "PATCH", f"{PODS}/a/resize", more, **MERGE)
    assert refused.code == 422
    assert refused.value["message"].endswith(
        "spec.containers: Forbidden: containers may not be added or removed on resize"
    )
