"""What is decoded of built-in objects, beside what is recorded."""

from __future__ import annotations

from typing import Any

import pytest
from support import servers

from pytest_crd.server.builtin import builtingotypes

MAPS = "/api/v1/namespaces/default/configmaps"
SECRETS = "/api/v1/namespaces/default/secrets"
DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
EVENTS = "/api/v1/namespaces/default/events"
MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
APPLY = "application/apply-patch+yaml"


@pytest.mark.parametrize("version", ["1.21", "1.37"])
def test_a_misspelt_field_is_told_in_every_way_of_writing(version: str) -> None:
    """An operator that writes it gets no error by default, and does not find it in its object."""
    server = servers.api(kubernetes_version=version)
    spec: Any = {"replicaz": 3, "template": {"spec": {"containers": [{"name": "a", "imag": "x"}]}}}
    made = servers.ask(server, "POST", DEPLOYMENTS, {"metadata": {"name": "web"}, "spec": spec})
    merged = servers.ask(server, "PATCH", f"{DEPLOYMENTS}/web", {"spec": {"replicaz": 4}}, mediaType=MERGE)
    strategic = servers.ask(server, "PATCH", f"{DEPLOYMENTS}/web", {"spec": {"replicaz": 4}}, mediaType=STRATEGIC)
    applied = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": {"replicaz": 4}}
    refused = servers.ask(server, "PATCH", f"{DEPLOYMENTS}/web?fieldManager=m", applied, mediaType=APPLY)

    assert made.dropped == ("spec.replicaz", "spec.template.spec.containers[0].imag")
    assert merged.dropped == strategic.dropped == ("spec.replicaz",)
    warned = ('unknown field "spec.replicaz"',) if version == "1.37" else ()
    assert merged.warnings == strategic.warnings == warned
    assert (refused.code, refused.value["message"].rpartition(": ")[2]) == (500, "field not declared in schema")
    assert "replicaz" not in servers.ask(server, "GET", f"{DEPLOYMENTS}/web").value["spec"]


def test_an_update_over_a_key_that_is_there_twice_is_of_what_go_holds() -> None:
    server = servers.api()
    servers.ask(server, "POST", MAPS, {"metadata": {"name": "a"}, "data": {"x": "1"}})
    text = '{"metadata":{"name":"a"},"metadata":{"labels":{"l":"1"}},"data":{"y":"2"},"data":{"z":"3"}}'
    answer = servers.ask(server, "PUT", f"{MAPS}/a", text)

    assert (answer.code, answer.value["data"]) == (200, {"y": "2", "z": "3"})
    assert answer.value["metadata"]["labels"] == {"l": "1"}
    assert answer.warnings == ('duplicate field "metadata"', 'duplicate field "data"')


def test_a_strategic_merge_patch_with_a_directive_that_is_none_is_refused() -> None:
    server = servers.api()
    servers.ask(server, "POST", MAPS, {"metadata": {"name": "a"}})
    answer = servers.ask(server, "PATCH", f"{MAPS}/a", {"metadata": {"$patch": "merge"}}, mediaType=STRATEGIC)

    assert (answer.code, answer.value["message"]) == (500, "unknown patch type: merge in map: map[$patch:merge]")


def test_texts_of_a_secret_become_its_data_whoever_writes_them() -> None:
    server = servers.api()
    servers.ask(server, "POST", SECRETS, {"metadata": {"name": "a"}, "stringData": {"a": "é"}})
    servers.ask(server, "PATCH", f"{SECRETS}/a", {"stringData": {"b": "x"}}, mediaType=MERGE)
    servers.ask(server, "PATCH", f"{SECRETS}/a", {"stringData": {"c": "y"}}, mediaType=STRATEGIC)
    applied = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}, "stringData": {"d": "z"}}
    answer = servers.ask(server, "PATCH", f"{SECRETS}/a?fieldManager=m", applied, mediaType=APPLY)

    assert answer.value["data"] == {"a": "w6k=", "b": "eA==", "c": "eQ==", "d": "eg=="}
    assert "stringData" not in answer.value


def test_who_wrote_an_event_through_the_other_group_is_forgotten() -> None:
    """A server knows no versions of a kind beyond its group."""
    server = servers.api()
    servers.ask(server, "POST", EVENTS, {"metadata": {"name": "a"}, "message": "x", "reason": "Why"}, agent="one/1")
    new = EVENTS.replace("/api/v1", "/apis/events.k8s.io/v1")
    answer = servers.ask(server, "PATCH", f"{new}/a", {"note": "y"}, mediaType=MERGE, agent="two/1")

    (owned,) = answer.value["metadata"]["managedFields"]
    assert (owned["manager"], owned["apiVersion"], owned["fieldsV1"]) == ("two", "events.k8s.io/v1", {"f:note": {}})


def test_each_kind_has_a_type_whose_object_without_anything_is_itself() -> None:
    for kind in servers.api().catalog.types()[:13]:
        type_ = builtingotypes.of_kind(kind.api_version, kind.names.kind, kind.profile)
        assert type_.zero["metadata"] == {}
        assert {**type_.zero, **kind.blank}.keys() == type_.zero.keys() | {"apiVersion", "kind"} & kind.blank.keys()


def test_a_request_for_the_status_writes_metadata_but_what_is_not_its() -> None:
    server = servers.api()
    servers.ask(
        server, "POST", DEPLOYMENTS, {"metadata": {"name": "web", "labels": {"a": "b"}}, "spec": {"replicas": 1}}
    )
    sent = {"metadata": {"labels": {"a": "c"}, "annotations": {"d": "e"}}, "status": {"replicas": 2}}
    answer = servers.ask(server, "PATCH", f"{DEPLOYMENTS}/web/status", sent, mediaType=MERGE, agent="two/1").value

    assert (answer["metadata"]["labels"], answer["metadata"]["annotations"]) == ({"a": "b"}, {"d": "e"})
    assert (answer["metadata"]["generation"], answer["status"]) == (1, {"replicas": 2})
    owners = {one["manager"]: one["fieldsV1"] for one in answer["metadata"]["managedFields"]}
    assert owners["two"] == {"f:metadata": {"f:annotations": {".": {}, "f:d": {}}}, "f:status": {"f:replicas": {}}}


def test_what_counts_as_another_generation_counts_once() -> None:
    server = servers.api()
    made = servers.ask(server, "POST", DEPLOYMENTS, {"metadata": {"name": "web"}, "spec": {"replicas": 1}}).value
    patch = {"metadata": {"annotations": {"a": "b"}}, "spec": {"replicas": 2}}
    both = servers.ask(server, "PATCH", f"{DEPLOYMENTS}/web", patch, mediaType=MERGE).value
    noted = servers.ask(
        server, "PATCH", f"{DEPLOYMENTS}/web", {"metadata": {"annotations": None}}, mediaType=MERGE
    ).value

    assert [one["metadata"]["generation"] for one in (made, both, noted)] == [1, 2, 3]


def test_an_item_without_a_key_is_known_by_its_default() -> None:
    pod = {"containers": [{"name": "a", "ports": [{"containerPort": 80}]}]}
    spec: Any = {"template": {"spec": pod}}
    applied = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": spec}
    answer = servers.ask(servers.api(), "PATCH", f"{DEPLOYMENTS}/web?fieldManager=m", applied, mediaType=APPLY).value

    (owned,) = answer["metadata"]["managedFields"]
    containers = owned["fieldsV1"]["f:spec"]["f:template"]["f:spec"]["f:containers"]
    assert list(containers['k:{"name":"a"}']["f:ports"]) == ['k:{"containerPort":80,"protocol":"TCP"}']


def test_unknown_fields_of_a_strategic_merge_patch_are_told_as_texts_are_ordered() -> None:
    server = servers.api()
    servers.ask(server, "POST", DEPLOYMENTS, {"metadata": {"name": "web"}})
    containers = [{"name": f"c{number}", **({"x": 1} if number in {2, 10} else {})} for number in range(11)]
    patch = {"spec": {"template": {"spec": {"containers": containers}}}}
    answer = servers.ask(server, "PATCH", f"{DEPLOYMENTS}/web", patch, mediaType=STRATEGIC)

    assert [one.partition("[")[2] for one in answer.warnings] == ['10].x"', '2].x"']


@pytest.mark.parametrize(
    ("sent", "stored"),
    [
        ("1000m", "1"),
        (" 1 ", "1"),
        ("1024Mi", "1Gi"),
        ("1.5", "1500m"),
        (2, "2"),
        (1.5, "1500m"),
        (None, "0"),
        ("0.5Gi", "512Mi"),
    ],
)
def test_quantities_are_written_as_servers_write_them(sent: Any, stored: str) -> None:
    spec = {"containers": [{"name": "a", "resources": {"limits": {"cpu": sent}}}]}
    path = "/api/v1/namespaces/default/pods"
    answer = servers.ask(servers.api(), "POST", path, {"metadata": {"name": "a"}, "spec": spec}).value

    assert answer["spec"]["containers"][0]["resources"]["limits"] == {"cpu": stored}


def test_a_zero_with_a_sign_is_one() -> None:
    text = '{"metadata":{"name":"a"},"spec":{"leaseTransitions":-0}}'
    path = "/apis/coordination.k8s.io/v1/namespaces/default/leases"
    assert servers.ask(servers.api(), "POST", path, text).value["spec"] == {"leaseTransitions": 0}
