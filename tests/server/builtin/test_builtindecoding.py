"""Decoding of built-in kinds without a recorded server response."""

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
CONTAINER = {"name": "a", "image": "i"}


def _spec(container: Any) -> Any:
    """Return the valid spec of a Deployment."""
    labels = {"app": "web"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
    return {"replicas": 1, "selector": {"matchLabels": labels}, "template": template}


@pytest.mark.parametrize("version", ["1.21", "1.37"])
def test_every_write_reports_a_misspelt_field(version: str) -> None:
    """An operator that writes it gets no error by default, and does not find it in its object."""
    server = servers.api(kubernetes_version=version)
    spec: Any = {"replicaz": 3, **_spec({"name": "a", "image": "x", "imag": "x"})}
    created = servers.ask(server, "POST", DEPLOYMENTS, {"metadata": {"name": "web"}, "spec": spec})
    merged = servers.ask(server, "PATCH", f"{DEPLOYMENTS}/web", {"spec": {"replicaz": 4}}, mediaType=MERGE)
    strategic = servers.ask(server, "PATCH", f"{DEPLOYMENTS}/web", {"spec": {"replicaz": 4}}, mediaType=STRATEGIC)
    applied = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": {"replicaz": 4}}
    refused = servers.ask(server, "PATCH", f"{DEPLOYMENTS}/web?fieldManager=m", applied, mediaType=APPLY)

    assert created.dropped == ("spec.replicaz", "spec.template.spec.containers[0].imag")
    assert merged.dropped == strategic.dropped == ("spec.replicaz",)
    warned = ('unknown field "spec.replicaz"',) if version == "1.37" else ()
    assert merged.warnings == strategic.warnings == warned
    assert (refused.code, refused.value["message"].rpartition(": ")[2]) == (500, "field not declared in schema")
    assert "replicaz" not in servers.ask(server, "GET", f"{DEPLOYMENTS}/web").value["spec"]


def test_duplicate_keys_of_an_update_are_merged_as_go_does() -> None:
    server = servers.api()
    servers.ask(server, "POST", MAPS, {"metadata": {"name": "a"}, "data": {"x": "1"}})
    text = '{"metadata":{"name":"a"},"metadata":{"labels":{"l":"1"}},"data":{"y":"2"},"data":{"z":"3"}}'
    answer = servers.ask(server, "PUT", f"{MAPS}/a", text)

    assert (answer.code, answer.value["data"]) == (200, {"y": "2", "z": "3"})
    assert answer.value["metadata"]["labels"] == {"l": "1"}
    assert answer.warnings == ('duplicate field "metadata"', 'duplicate field "data"')


def test_a_strategic_merge_patch_with_an_unknown_directive_is_refused() -> None:
    server = servers.api()
    servers.ask(server, "POST", MAPS, {"metadata": {"name": "a"}})
    answer = servers.ask(server, "PATCH", f"{MAPS}/a", {"metadata": {"$patch": "merge"}}, mediaType=STRATEGIC)

    assert (answer.code, answer.value["message"]) == (500, "unknown patch type: merge in map: map[$patch:merge]")


def test_every_write_converts_string_data_of_a_secret() -> None:
    server = servers.api()
    servers.ask(server, "POST", SECRETS, {"metadata": {"name": "a"}, "stringData": {"a": "é"}})
    servers.ask(server, "PATCH", f"{SECRETS}/a", {"stringData": {"b": "x"}}, mediaType=MERGE)
    servers.ask(server, "PATCH", f"{SECRETS}/a", {"stringData": {"c": "y"}}, mediaType=STRATEGIC)
    applied = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}, "stringData": {"d": "z"}}
    answer = servers.ask(server, "PATCH", f"{SECRETS}/a?fieldManager=m", applied, mediaType=APPLY)

    assert answer.value["data"] == {"a": "w6k=", "b": "eA==", "c": "eQ==", "d": "eg=="}
    assert "stringData" not in answer.value


def test_managers_of_an_event_in_the_other_group_are_dropped() -> None:
    """A server converts a kind between versions of one group only."""
    server = servers.api()
    servers.ask(server, "POST", EVENTS, {"metadata": {"name": "a"}, "message": "x", "reason": "Why"}, agent="one/1")
    new = EVENTS.replace("/api/v1", "/apis/events.k8s.io/v1")
    patch = {"metadata": {"labels": {"y": "z"}}}
    answer = servers.ask(server, "PATCH", f"{new}/a", patch, mediaType=MERGE, agent="two/1")

    (owned,) = answer.value["metadata"]["managedFields"]
    assert (owned["manager"], owned["apiVersion"], owned["fieldsV1"]) == (
        "two",
        "events.k8s.io/v1",
        {"f:metadata": {"f:labels": {".": {}, "f:y": {}}}},
    )


def test_each_kind_has_a_matching_go_type() -> None:
    for kind in servers.api().catalog.types()[:13]:
        type_ = builtingotypes.of_kind(kind.api_version, kind.names.kind, kind.profile)
        assert type_.zero["metadata"] == {}
        assert {**type_.zero, **kind.blank}.keys() == type_.zero.keys() | {"apiVersion", "kind"} & kind.blank.keys()


def test_an_update_of_the_status_keeps_protected_metadata() -> None:
    server = servers.api()
    servers.ask(
        server, "POST", DEPLOYMENTS, {"metadata": {"name": "web", "labels": {"a": "b"}}, "spec": _spec(CONTAINER)}
    )
    sent = {"metadata": {"labels": {"a": "c"}, "annotations": {"d": "e"}}, "status": {"replicas": 2}}
    answer = servers.ask(server, "PATCH", f"{DEPLOYMENTS}/web/status", sent, mediaType=MERGE, agent="two/1").value

    assert (answer["metadata"]["labels"], answer["metadata"]["annotations"]) == ({"a": "b"}, {"d": "e"})
    assert (answer["metadata"]["generation"], answer["status"]) == (1, {"replicas": 2})
    owners = {item["manager"]: item["fieldsV1"] for item in answer["metadata"]["managedFields"]}
    assert owners["two"] == {"f:metadata": {"f:annotations": {".": {}, "f:d": {}}}, "f:status": {"f:replicas": {}}}


def test_a_change_of_spec_and_annotations_increments_the_generation_once() -> None:
    server = servers.api()
    created = servers.ask(server, "POST", DEPLOYMENTS, {"metadata": {"name": "web"}, "spec": _spec(CONTAINER)}).value
    patch = {"metadata": {"annotations": {"a": "b"}}, "spec": {"replicas": 2}}
    both = servers.ask(server, "PATCH", f"{DEPLOYMENTS}/web", patch, mediaType=MERGE).value
    noted = servers.ask(
        server, "PATCH", f"{DEPLOYMENTS}/web", {"metadata": {"annotations": None}}, mediaType=MERGE
    ).value

    assert [item["metadata"]["generation"] for item in (created, both, noted)] == [1, 2, 3]


def test_an_item_without_a_key_has_the_default_key() -> None:
    spec = _spec({**CONTAINER, "ports": [{"containerPort": 80}]})
    applied = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": spec}
    answer = servers.ask(servers.api(), "PATCH", f"{DEPLOYMENTS}/web?fieldManager=m", applied, mediaType=APPLY).value

    (owned,) = answer["metadata"]["managedFields"]
    containers = owned["fieldsV1"]["f:spec"]["f:template"]["f:spec"]["f:containers"]
    assert list(containers['k:{"name":"a"}']["f:ports"]) == ['k:{"containerPort":80,"protocol":"TCP"}']


def test_unknown_fields_of_a_strategic_merge_patch_are_sorted_as_texts() -> None:
    server = servers.api()
    servers.ask(server, "POST", DEPLOYMENTS, {"metadata": {"name": "web"}, "spec": _spec(CONTAINER)})
    containers = [
        {"name": f"c{number}", "image": "i", **({"x": 1} if number in {2, 10} else {})} for number in range(11)
    ]
    patch = {"spec": {"template": {"spec": {"containers": containers}}}}
    answer = servers.ask(server, "PATCH", f"{DEPLOYMENTS}/web", patch, mediaType=STRATEGIC)

    assert [item.partition("[")[2] for item in answer.warnings] == ['10].x"', '2].x"']


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
def test_quantities_have_the_servers_spelling(sent: Any, stored: str) -> None:
    spec = {"containers": [{**CONTAINER, "resources": {"limits": {"cpu": sent}}}]}
    path = "/api/v1/namespaces/default/pods"
    answer = servers.ask(servers.api(), "POST", path, {"metadata": {"name": "a"}, "spec": spec}).value

    assert answer["spec"]["containers"][0]["resources"]["limits"] == {"cpu": stored}


def test_negative_zero_is_stored_as_zero() -> None:
    text = '{"metadata":{"name":"a"},"spec":{"leaseTransitions":-0}}'
    path = "/apis/coordination.k8s.io/v1/namespaces/default/leases"
    assert servers.ask(servers.api(), "POST", path, text).value["spec"] == {"leaseTransitions": 0}
