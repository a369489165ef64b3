"""Validation of built-in objects: order of errors, sizes, and warnings; recordings have the answers about each field."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from support import servers

from pytest_crd.server.builtin import builtinkinds
from pytest_crd.server.builtin.validation import kindvalidation

CORE = "/api/v1/namespaces/default"
ROLES = "/apis/rbac.authorization.k8s.io/v1/namespaces/default"
MIB = 1024 * 1024
MERGE = {"mediaType": "application/merge-patch+json"}
NAME = {"metadata": {"name": "a"}}


def errors(answer: Any) -> list[tuple[str, str]]:
    """Return field and message of each cause of a refusal."""
    return [(cause["field"], cause["message"]) for cause in answer.value["details"]["causes"]]


def test_all_kinds_with_validation_are_declared() -> None:
    assert kindvalidation.KINDS.keys() == builtinkinds.VALIDATED.keys()


@pytest.mark.parametrize(
    ("plural", "texts", "field"), [("configmaps", "data", "binaryData"), ("secrets", "stringData", "data")]
)
def test_data_has_at_most_a_mebibyte(plural: str, texts: str, field: str) -> None:
    """Most of the data is text, because decoding bytes is slower."""

    def sent(value: bytes) -> Any:
        return {**NAME, texts: {"a": "x" * (MIB - 3)}, field: {"b": base64.b64encode(value).decode()}}

    server = servers.api()
    assert servers.ask(server, "POST", f"{CORE}/{plural}?dryRun=All", sent(b"yyy")).code == 201
    refused = servers.ask(server, "POST", f"{CORE}/{plural}", sent(b"yyyy"))
    place = "data" if plural == "secrets" else "[]"
    assert errors(refused) == [(place, "Too long: may not be more than 1048576 bytes")]


def test_the_data_of_a_config_map_is_counted_in_bytes() -> None:
    both = {**NAME, "data": {"a": "é" * (MIB // 2)}, "binaryData": {"b": "eA=="}}
    refused = servers.ask(servers.api(), "POST", f"{CORE}/configmaps", json.dumps(both, ensure_ascii=False))
    assert errors(refused) == [("[]", "Too long: may not be more than 1048576 bytes")]


def test_errors_of_metadata_come_before_those_of_data_and_immutable_fields_between_them() -> None:
    server = servers.api()
    servers.ask(server, "POST", f"{CORE}/configmaps", {**NAME, "immutable": True, "data": {"a": "b"}})
    labelled = {"metadata": {"labels": {"-": "x"}}, "data": {"a": "c", "/": ""}, "immutable": None}
    refused = servers.ask(server, "PATCH", f"{CORE}/configmaps/a", labelled, **MERGE)
    assert [field for field, _ in errors(refused)] == ["metadata.labels", "immutable", "data", "data[/]"]


def test_missing_verbs_and_names_are_reported_after_other_errors() -> None:
    server = servers.api()
    rules = {**NAME, "rules": [{}, {"verbs": ["get"]}]}
    refused = errors(servers.ask(server, "POST", f"{ROLES}/roles", rules))
    assert refused[-1] == ("rules[0].verbs", "Required value")
    assert [field for field, _ in refused[:-1]] == [
        *("rules[0].apiGroups", "rules[0].resources", "rules[1].apiGroups", "rules[1].resources"),
    ]
    binding = {**NAME, "roleRef": {"kind": "Pod"}, "subjects": [{"kind": "Robot"}]}
    refused = errors(servers.ask(server, "POST", f"{ROLES}/rolebindings", binding))
    assert [field for field, _ in refused] == ["roleRef.kind", "subjects[0].kind", "subjects[0].name", "roleRef.name"]


def test_missing_verbs_are_reported_in_place_by_older_versions() -> None:
    server = servers.api(kubernetes_version="1.34")
    refused = errors(servers.ask(server, "POST", f"{ROLES}/roles", {**NAME, "rules": [{}]}))
    assert refused[0] == ("rules[0].verbs", "Required value: verbs must contain at least one value")


def test_a_terminating_namespace_keeps_its_phase() -> None:
    server = servers.api()
    finalized = {"metadata": {"name": "team", "finalizers": ["example.com/hold"]}}
    servers.ask(server, "POST", "/api/v1/namespaces", finalized)
    servers.ask(server, "DELETE", "/api/v1/namespaces/team")
    refused = servers.ask(server, "PATCH", "/api/v1/namespaces/team/status", {"status": {"phase": "Active"}}, **MERGE)
    detail = "may only be 'Terminating' if `deletionTimestamp` is not empty"
    assert errors(refused) == [("status.Phase", f'Invalid value: "Active": {detail}')]
    status = {"status": {"phase": "Terminating"}}
    assert servers.ask(server, "PATCH", "/api/v1/namespaces/team/status", status, **MERGE).code == 200


def test_finalize_writes_metadata_and_finalizers() -> None:
    server = servers.api()
    servers.ask(server, "POST", "/api/v1/namespaces", {"metadata": {"name": "team"}})
    sent = {"metadata": {"name": "team", "annotations": {"a": "b"}}, "spec": {"finalizers": ["example.com/a"]}}
    stored = servers.ask(server, "PUT", "/api/v1/namespaces/team/finalize", sent).value
    assert (stored["spec"], stored["metadata"]["annotations"]) == ({"finalizers": ["example.com/a"]}, {"a": "b"})
    assert stored["status"] == {"phase": "Active"}


def test_events_of_the_new_group_change_only_their_series() -> None:
    server, path = servers.api(), "/apis/events.k8s.io/v1/namespaces/default/events"
    event = {
        **NAME,
        "regarding": {"kind": "Pod", "name": "p"},
        "reason": "R",
        "type": "Normal",
        "action": "A",
        "eventTime": "2024-01-02T03:04:05.000001Z",
        "reportingController": "example.com/c",
        "reportingInstance": "i",
    }
    servers.ask(server, "POST", path, event)
    series = {"series": {"count": 2, "lastObservedTime": "2024-01-02T03:04:05.000001Z"}}
    assert servers.ask(server, "PATCH", f"{path}/a", series, **MERGE).code == 200
    refused = servers.ask(server, "PATCH", f"{path}/a", {"regarding": {"name": "q"}, "note": "n"}, **MERGE)
    pod = '{"Kind":"Pod","Namespace":"","Name":"q","UID":"","APIVersion":"","ResourceVersion":"","FieldPath":""}'
    assert errors(refused) == [
        ("involvedObject", f"Invalid value: {pod}: field is immutable"),
        ("message", 'Invalid value: "n": field is immutable'),
    ]
    assert refused.value["details"].get("group") is None
    deleted = servers.ask(server, "DELETE", f"{path}/a").value
    assert deleted["details"]["group"] == "events.k8s.io"


def test_a_generated_name_that_is_taken_is_told() -> None:
    server = servers.api()
    servers.ask(server, "POST", f"{CORE}/configmaps", NAME)
    answer = servers.ask(server, "POST", f"{CORE}/configmaps", {"metadata": {"name": "a", "generateName": "a-"}})
    assert answer.value["message"].endswith(
        '"a" already exists, the server was not able to generate a unique name for the object'
    )
    assert dict(answer.headers)["Retry-After"] == "1"


@pytest.mark.parametrize("type_", ["dockercfg", "dockerconfigjson"])
@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{}", ""),
        ("null", ""),
        ("", "unexpected end of JSON input"),
        ("{'a'", "invalid character '\\'' looking for beginning of object key string"),
        ("[]", "json: cannot unmarshal array into Go value of type map[string]interface {}"),
        ('"x"', "json: cannot unmarshal string into Go value of type map[string]interface {}"),
        ("5", "json: cannot unmarshal number into Go value of type map[string]interface {}"),
        ("true", "json: cannot unmarshal bool into Go value of type map[string]interface {}"),
    ],
)
def test_configurations_of_registries_are_json_objects(type_: str, text: str, problem: str) -> None:
    server = servers.api()
    secret = {**NAME, "type": f"kubernetes.io/{type_}", "data": {f".{type_}": base64.b64encode(text.encode()).decode()}}
    answer = servers.ask(server, "POST", f"{CORE}/secrets", secret)
    causes = [] if answer.code == 201 else errors(answer)
    redacted = f'Invalid value: "<secret contents redacted>": {problem}'
    assert causes == ([(f"data[.{type_}]", redacted)] if problem else [])
    empty = {"metadata": {"name": "b"}, "type": f"kubernetes.io/{type_}"}
    assert errors(servers.ask(server, "POST", f"{CORE}/secrets", empty)) == [(f"data[.{type_}]", "Required value")]


def test_a_new_object_with_a_version_is_refused_even_if_its_name_is_being_deleted() -> None:
    server = servers.api()
    finalized = {"metadata": {"name": "a", "finalizers": ["example.com/hold"]}}
    servers.ask(server, "POST", f"{CORE}/configmaps", finalized)
    servers.ask(server, "DELETE", f"{CORE}/configmaps/a")
    versioned = servers.ask(server, "POST", f"{CORE}/configmaps", {"metadata": {"name": "a", "resourceVersion": "1"}})
    message = "resourceVersion should not be set on objects to be created"
    assert (versioned.code, versioned.value["message"]) == (500, message)


def test_a_deleted_event_does_not_wait_for_the_garbage_collector() -> None:
    server = servers.api()
    event = {"metadata": {"name": "a", "finalizers": ["orphan"]}, "involvedObject": {"kind": "Pod", "name": "p"}}
    servers.ask(server, "POST", f"{CORE}/events", event)
    assert servers.ask(server, "DELETE", f"{CORE}/events/a").value["kind"] == "Status"
    assert servers.ask(server, "GET", f"{CORE}/events/a").code == 404


def test_a_changed_role_without_a_name_is_reported_in_place() -> None:
    server = servers.api()
    servers.ask(server, "POST", f"{ROLES}/rolebindings", {**NAME, "roleRef": {"kind": "Role", "name": "r"}})
    refused = servers.ask(server, "PATCH", f"{ROLES}/rolebindings/a", {"roleRef": {"name": None}}, **MERGE)
    assert [field for field, _ in errors(refused)] == ["roleRef.name", "roleRef"]


def test_the_generation_of_a_new_object_is_validated_and_stays() -> None:
    server = servers.api()
    refused = servers.ask(server, "POST", f"{CORE}/configmaps", {"metadata": {"name": "a", "generation": -1}})
    assert errors(refused) == [("metadata.generation", "Invalid value: -1: must be greater than or equal to 0")]
    created = servers.ask(server, "POST", f"{CORE}/configmaps", {"metadata": {"name": "a", "generation": 5}})
    assert created.value["metadata"]["generation"] == 5
