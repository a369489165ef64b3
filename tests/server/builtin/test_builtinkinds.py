"""Every built-in kind: names, subresources and treatment of small valid objects."""

from __future__ import annotations

import json
from typing import Any

import pytest
from oracle.generators import smallobjects
from support import servers

from pytest_crd.engine import profile
from pytest_crd.server.api import Api
from pytest_crd.server.builtin import builtinkinds, builtintypes
from pytest_crd.server.builtin.builtintypes import BuiltInType

KINDS = {(type_.api_version, type_.names.kind): type_ for type_ in builtintypes.built_in(profile.named("1.37"))}
APPLY = "application/apply-patch+yaml"
MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"


def path_of(type_: BuiltInType) -> str:
    """Return the path of the objects of a kind, in the default namespace."""
    lead = f"/apis/{type_.api_version}" if type_.group else f"/api/{type_.version}"
    return f"{lead}/namespaces/default/{type_.names.plural}" if type_.is_namespaced else f"{lead}/{type_.names.plural}"


def small(api_version: str, kind: str, name: str = "a") -> Any:
    """Return a small valid object."""
    return json.loads(json.dumps(smallobjects.named(api_version, kind, name)).replace("{ns}", "default"))


@pytest.mark.parametrize(("api_version", "kind"), [key for key in smallobjects.contents() if key in KINDS])
def test_objects_of_each_kind_are_written_read_and_deleted(api_version: str, kind: str) -> None:
    server, type_ = servers.api(), KINDS[api_version, kind]
    path, sent = path_of(type_), small(api_version, kind)
    created = servers.ask(server, "POST", path, sent)
    assert (created.code, created.unvalidated) == (201, "" if type_.validates else kind)
    object_path = f"{path}/{sent['metadata']['name']}"
    for media_type in (MERGE, STRATEGIC):
        patch = {"metadata": {"labels": {media_type.partition("/")[2].partition("+")[0]: "x"}}}
        assert servers.ask(server, "PATCH", object_path, patch, mediaType=media_type).code == 200
    applied = {**sent, "metadata": {"name": sent["metadata"]["name"], "annotations": {"b": "c"}}}
    query = "?fieldManager=m&force=true"
    assert servers.ask(server, "PATCH", f"{object_path}{query}", applied, mediaType=APPLY).code == 200
    stored = servers.ask(server, "GET", object_path).value
    assert set(sent) <= set(stored)
    assert (len(stored["metadata"]["labels"]) >= 2, stored["metadata"]["annotations"]["b"]) == (True, "c")
    assert ("generation" in stored["metadata"]) == type_._record.generates
    table = servers.ask(server, "GET", path, accept="application/json;as=Table;g=meta.k8s.io;v=v1").value
    assert len(table["columnDefinitions"]) >= 2
    assert len(table["rows"][-1]["cells"]) == len(table["columnDefinitions"])
    assert servers.ask(server, "DELETE", object_path).code == 200


def test_a_kind_is_served_by_the_versions_that_have_it() -> None:
    path = "/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies"
    codes = {version: servers.ask(Api(kubernetes_version=version), "GET", path).code for version in ("1.35", "1.36")}
    assert codes == {"1.35": 404, "1.36": 200}


def test_each_small_object_is_of_a_recorded_kind() -> None:
    recorded = {(record.api_version, record.kind) for record in builtinkinds.records() if "get" in record.verbs}
    assert recorded - {*smallobjects.contents()} == {("certificates.k8s.io/v1", "PodCertificateRequest")}


def test_a_new_node_keeps_its_status() -> None:
    server = servers.api()
    node = {"metadata": {"name": "n"}, "status": {"capacity": {"cpu": "4"}}}
    assert servers.ask(server, "POST", "/api/v1/nodes", node).value["status"]["capacity"] == {"cpu": "4"}
    assert servers.ask(server, "GET", "/api/v1/nodes?fieldSelector=spec.unschedulable%3Dfalse").value["items"]
    changed = {"metadata": {"name": "n"}, "spec": {"unschedulable": True}, "status": {"capacity": {"cpu": "8"}}}
    stored = servers.ask(server, "PUT", "/api/v1/nodes/n", changed).value
    assert (stored["spec"], stored["status"]["capacity"]) == ({"unschedulable": True}, {"cpu": "4"})
    listed = servers.ask(server, "GET", "/api/v1/nodes?fieldSelector=spec.unschedulable%3Dtrue").value["items"]
    assert [item["metadata"]["name"] for item in listed] == ["n"]
    assert not servers.ask(server, "GET", "/api/v1/nodes?fieldSelector=spec.unschedulable%3Dfalse").value["items"]


def test_metadata_of_some_kinds_is_not_written_through_the_status() -> None:
    server = servers.api()
    claims = path_of(KINDS["resource.k8s.io/v1", "ResourceClaim"])
    stored = servers.ask(server, "POST", claims, small("resource.k8s.io/v1", "ResourceClaim")).value
    labelled = {**stored, "metadata": {**stored["metadata"], "labels": {"a": "b"}}}
    assert "labels" not in servers.ask(server, "PUT", f"{claims}/a/status", labelled).value["metadata"]


def test_objects_that_change_the_answers_of_a_cluster_are_told() -> None:
    server = servers.api()
    quotas = KINDS["v1", "ResourceQuota"]
    answer = servers.ask(server, "POST", path_of(quotas), small(quotas.api_version, quotas.names.kind))
    assert answer.unenforced == "ResourceQuota"
    assert servers.ask(server, "GET", path_of(quotas)).unenforced == ""


@pytest.mark.parametrize(("mode", "value"), [("enforce", "baseline"), ("warn", "restricted"), ("audit", "baseline")])
def test_namespaces_that_restrict_pods_are_told(mode: str, value: str) -> None:
    server = servers.api()
    namespace = {"metadata": {"name": "a", "labels": {f"pod-security.kubernetes.io/{mode}": "privileged"}}}
    assert servers.ask(server, "POST", "/api/v1/namespaces", namespace).unenforced == ""
    namespace["metadata"]["labels"] = {f"pod-security.kubernetes.io/{mode}": value}
    unenforced = servers.ask(server, "PUT", "/api/v1/namespaces/a", namespace).unenforced
    assert unenforced == ("" if mode == "audit" else "Namespace with labels for PodSecurity")
