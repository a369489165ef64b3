"""CRDs on a running server: creation, changes and deletion."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from support import servers

from pytest_crd.engine.api.customresourcedefinition import CustomResourceDefinition
from pytest_crd.engine.registry.response import NotAcceptedError
from pytest_crd.server.api import Api
from pytest_crd.server.http.httpmessages import HTTPAnswer
from pytest_crd.server.http.statuses import ApiError

THINGS = f"{servers.CRDS}/things.example.com"
OBJECTS = "/apis/example.com/v1/namespaces/default/things"
THING = {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a"}}


def _conditions(server: Api, path: str = THINGS) -> dict[str, str]:
    conditions = servers.ask(server, "GET", path).value["status"]["conditions"]
    return {item["type"]: f"{item['status']} {item['reason']}" for item in conditions}


def test_a_created_crd_is_served() -> None:
    server = servers.api()
    assert servers.ask(server, "GET", OBJECTS).code == 404
    stream = servers.watch(server, f"{servers.CRDS}?watch=1&fieldSelector=metadata.name%3Dthings.example.com")

    created = servers.ask(server, "POST", servers.CRDS, servers.crd())
    assert (created.code, created.value["metadata"]["generation"]) == (201, 1)
    assert created.value["status"] == {
        "conditions": None, "acceptedNames": {"plural": "", "kind": ""}, "storedVersions": ["v1"]
    }  # fmt: skip
    assert _conditions(server) == {"NamesAccepted": "True NoConflicts", "Established": "True InitialNamesAccepted"}
    assert [event.type for event in stream.watch.take()] == ["ADDED", "MODIFIED", "MODIFIED"]
    assert servers.ask(server, "POST", OBJECTS, THING).code == 201
    assert servers.ask(server, "POST", servers.CRDS, servers.crd()).value["reason"] == "AlreadyExists"


def test_a_refused_crd_is_not_served() -> None:
    server = servers.api()
    answer = servers.ask(server, "POST", servers.CRDS, servers.crd(scope="Nowhere"))

    assert (answer.code, answer.value["reason"]) == (422, "Invalid")
    assert servers.ask(server, "GET", THINGS).code == 404
    assert servers.ask(server, "POST", servers.CRDS, {"kind": "CustomResourceDefinition"}).code == 422


def test_a_crd_can_be_changed() -> None:
    server = servers.api(servers.crd())
    stored = copy.deepcopy(servers.ask(server, "GET", THINGS).value)
    stored["spec"]["names"]["shortNames"] = ["th"]

    changed = servers.ask(server, "PUT", THINGS, stored)
    assert (changed.code, changed.value["metadata"]["generation"]) == (200, 2)
    assert servers.ask(server, "PUT", THINGS, stored).value["reason"] == "Conflict"
    second = f"{servers.CRDS}/others.example.com"
    assert servers.ask(server, "PUT", second, stored).code == 400
    named = {**stored, "metadata": {**stored["metadata"], "name": "others.example.com"}}
    assert servers.ask(server, "PUT", second, named).code == 404
    assert server.catalog.find_by_name("th").names.plural == "things"
    names = servers.ask(server, "GET", THINGS).value["status"]["acceptedNames"]
    assert names["shortNames"] == ["th"]

    patch = {"metadata": {"labels": {"a": "b"}}}
    patched = servers.ask(server, "PATCH", THINGS, patch, mediaType="application/merge-patch+json")
    assert (patched.code, patched.value["metadata"]["labels"], patched.value["metadata"]["generation"]) == (
        200,
        {"a": "b"},
        2,
    )
    missing = f"{servers.CRDS}/others.example.com"
    assert servers.ask(server, "PATCH", missing, patch, mediaType="application/merge-patch+json").code == 404


def _put_schema(server: Api, schema: dict[str, Any], **version: Any) -> HTTPAnswer:
    stored = copy.deepcopy(servers.ask(server, "GET", THINGS).value)
    stored["spec"]["versions"][0] |= {"schema": {"openAPIV3Schema": schema}, **version}
    return servers.ask(server, "PUT", THINGS, stored)


def test_an_accepted_schema_is_validated_again_once_the_version_gets_a_status() -> None:
    server = servers.api(servers.crd())
    schema = {"type": "object", "minProperties": 1}
    assert [_put_schema(server, schema).code for _ in range(2)] == [200, 200]

    refused = _put_schema(server, schema, subresources={"status": {}})

    assert (refused.code, [cause["field"] for cause in refused.value["details"]["causes"]]) == (
        422,
        ["spec.validation.openAPIV3Schema"],
    )
    assert _put_schema(server, {"type": "object"}, subresources={"status": {}}).code == 200


def test_neither_of_two_forks_follows_the_crd_that_the_other_writes() -> None:
    server = servers.api(servers.crd())
    fork, schemas = server.fork(), [{"type": "object", "minProperties": number} for number in (4, 5)]
    assert [_put_schema(*pair).code for pair in zip((server, fork), schemas, strict=True)] == [200, 200]

    for target, number in ((server, 4), (fork, 5), (server, 4)):
        assert (
            f"should have at least {number} properties" in servers.ask(target, "POST", OBJECTS, THING).value["message"]
        )
        status = {"status": {"storedVersions": ["v0", "v1"]}}
        media_type = "application/merge-patch+json"
        assert servers.ask(target, "PATCH", f"{THINGS}/status", status, mediaType=media_type).code == 200


def test_a_crd_with_empty_fields_is_served_as_stored() -> None:
    server = servers.api(servers.crd())
    schema = {"type": "object", "properties": {"a": {"type": "string", "description": "", "enum": []}}}

    codes = [_put_schema(server, schema).code for _ in range(2)]

    stored = servers.ask(server, "GET", THINGS).value["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    assert (codes, stored["properties"]) == ([200, 200], {"a": {"type": "string"}})
    assert servers.ask(server, "POST", OBJECTS, THING | {"a": "b"}).code == 201


def test_the_writer_of_a_crd_owns_its_fields() -> None:
    server = servers.api()
    created = servers.ask(server, "POST", servers.CRDS, servers.crd(), agent="one/1").value["metadata"]["managedFields"]
    names: dict[str, Any] = {"f:kind": {}, "f:listKind": {}, "f:plural": {}, "f:singular": {}}
    spec = {
        "f:conversion": {".": {}, "f:strategy": {}},
        "f:group": {},
        "f:names": names,
        "f:scope": {},
        "f:versions": {},
    }
    assert [(item["manager"], item["operation"], item["fieldsV1"]) for item in created] == [
        ("one", "Update", {"f:spec": spec})
    ]  # as kube-apiserver 1.37 has it
    stored = copy.deepcopy(servers.ask(server, "GET", THINGS).value)
    (status,) = [item for item in stored["metadata"]["managedFields"] if item["manager"] == "kube-apiserver"]
    parts: dict[str, Any] = {f"f:{name}": {} for name in ("lastTransitionTime", "message", "reason", "status", "type")}
    assert (status["operation"], status["subresource"]) == ("Update", "status")
    assert status["fieldsV1"]["f:status"] == {
        "f:acceptedNames": names,
        "f:conditions": {f'k:{{"type":"{name}"}}': {".": {}, **parts} for name in ("Established", "NamesAccepted")},
    }
    same = servers.ask(server, "PUT", THINGS, stored, agent="two/1").value["metadata"]
    assert (same["resourceVersion"], same["managedFields"]) == (
        stored["metadata"]["resourceVersion"],
        stored["metadata"]["managedFields"],
    )
    labels = {"metadata": {"labels": {"a": "b"}}}
    patched = servers.ask(
        server, "PATCH", f"{THINGS}?fieldManager=two", labels, mediaType="application/merge-patch+json"
    ).value["metadata"]["managedFields"]
    # Entries are in the order of their seconds, which may pass between the requests.
    assert {item["manager"]: [*item["fieldsV1"]] for item in patched} == {
        "kube-apiserver": ["f:status"],
        "one": ["f:spec"],
        "two": ["f:metadata"],
    }


def test_a_crd_can_be_applied() -> None:
    server = servers.api()
    for code in (201, 200):
        answer = servers.ask(
            server, "PATCH", f"{THINGS}?fieldManager=m", servers.crd(), mediaType="application/apply-patch+yaml"
        )
        assert answer.code == code
    assert answer.value["metadata"]["managedFields"][0]["manager"] == "m"
    assert servers.ask(server, "POST", OBJECTS, THING).code == 201


def test_the_deletion_of_a_crd_deletes_its_objects() -> None:
    server = servers.api(servers.crd())
    servers.ask(server, "POST", OBJECTS, THING)
    stream = servers.watch(server, f"{OBJECTS}?watch=1")

    deleted = servers.ask(server, "DELETE", THINGS)
    assert deleted.value["metadata"]["finalizers"] == ["customresourcecleanup.apiextensions.k8s.io"]
    assert deleted.value["status"]["conditions"][-1]["reason"] == "InstanceDeletionPending"
    assert [event.type for event in stream.watch.take()] == ["ADDED", "DELETED"]
    assert servers.ask(server, "GET", OBJECTS).code == 404
    assert servers.ask(server, "GET", THINGS).code == 404


def test_a_deleted_crd_waits_for_objects_with_finalizers() -> None:
    server = servers.api(servers.crd())
    blocked = {**THING, "metadata": {"name": "a", "finalizers": ["example.com/hold"]}}
    servers.ask(server, "POST", OBJECTS, blocked)
    servers.ask(server, "DELETE", THINGS)

    assert _conditions(server)["Terminating"] == "True InstanceDeletionInProgress"
    assert servers.ask(server, "DELETE", THINGS).code == 200
    assert servers.ask(server, "POST", OBJECTS, {**THING, "metadata": {"name": "b"}}).code == 403
    assert servers.ask(server, "GET", f"{OBJECTS}/a").value["metadata"]["deletionTimestamp"]

    servers.ask(
        server, "PATCH", f"{OBJECTS}/a", {"metadata": {"finalizers": None}}, mediaType="application/merge-patch+json"
    )
    assert servers.ask(server, "GET", THINGS).code == 404


def test_the_deletion_of_a_crd_ignores_the_propagation_policy() -> None:
    blocked = {**servers.crd(), "metadata": {"name": "things.example.com", "finalizers": ["example.com/hold"]}}
    server = servers.api()
    servers.ask(server, "POST", servers.CRDS, blocked)
    deleted = servers.ask(server, "DELETE", THINGS, {"propagationPolicy": "Foreground"})
    assert deleted.value["metadata"]["finalizers"] == ["example.com/hold", "customresourcecleanup.apiextensions.k8s.io"]


def test_deleting_a_collection_of_crds_leaves_their_objects() -> None:
    """As on a server, their custom resources reappear when the CRD is created again."""
    server = servers.api(servers.crd())
    servers.ask(server, "POST", OBJECTS, THING)
    stream = servers.watch(server, f"{OBJECTS}?watch=1")

    assert servers.ask(server, "DELETE", servers.CRDS, {"preconditions": {"uid": "nope"}}).code == 409
    assert servers.ask(server, "DELETE", servers.CRDS).code == 200
    assert (servers.ask(server, "GET", THINGS).code, servers.ask(server, "GET", OBJECTS).code) == (404, 404)
    assert [event.type for event in stream.watch.take()] == ["ADDED"]
    servers.ask(server, "POST", servers.CRDS, servers.crd())
    assert [item["metadata"]["name"] for item in servers.ask(server, "GET", OBJECTS).value["items"]] == ["a"]


def test_a_deleted_crd_with_finalizers_outlives_its_objects() -> None:
    server = servers.api(servers.crd())
    hold = {"metadata": {"finalizers": ["example.com/hold"]}}
    servers.ask(server, "PATCH", THINGS, hold, mediaType="application/merge-patch+json")
    servers.ask(server, "DELETE", THINGS)

    assert servers.ask(server, "GET", THINGS).value["metadata"]["finalizers"] == ["example.com/hold"]
    assert _conditions(server)["Terminating"] == "False InstanceDeletionCompleted"
    free = {"metadata": {"finalizers": None}}
    assert servers.ask(server, "PATCH", THINGS, free, mediaType="application/merge-patch+json").code == 200
    assert servers.ask(server, "GET", THINGS).code == 404


def test_the_first_of_two_crds_with_the_same_kind_is_accepted() -> None:
    server = servers.api(servers.crd())
    second = servers.crd(names={"kind": "Thing", "plural": "others"})
    second["metadata"]["name"] = "others.example.com"
    servers.ask(server, "POST", servers.CRDS, second)

    others: Any = servers.ask(server, "GET", f"{servers.CRDS}/others.example.com").value
    assert _conditions(server, f"{servers.CRDS}/others.example.com")["Established"] == "False NotAccepted"
    assert others["status"]["acceptedNames"] == {"kind": "", "plural": "others"}
    assert servers.ask(server, "GET", "/apis/example.com/v1/others").code == 404
    servers.ask(server, "DELETE", THINGS)
    assert _conditions(server, f"{servers.CRDS}/others.example.com")["Established"].startswith("True")


def test_a_server_does_not_start_with_an_invalid_crd() -> None:
    crd = CustomResourceDefinition.from_manifest(servers.crd(scope="Nowhere"))
    with pytest.raises(NotAcceptedError, match=r"spec\.scope"):
        Api([crd])


def test_a_crd_has_no_scale() -> None:
    server = servers.api(servers.crd())
    answer: Any = servers.ask(server, "GET", f"{THINGS}/scale")
    assert answer.code == 404
    type_ = server.catalog.find_by_name("crd")
    (entry,) = server.store.entries(type_.resource)
    with pytest.raises(ApiError, match="not found"):
        type_.scale(entry)


def test_crds_are_shown_in_a_table() -> None:
    table = "application/json;as=Table;g=meta.k8s.io;v=v1"
    printed = servers.ask(servers.api(servers.crd()), "GET", servers.CRDS, accept=table).value
    heads = ["Name", "Scope", "Versions", "Created At", "Group", "Kind", "ShortNames", "Established"]
    assert [item["name"] for item in printed["columnDefinitions"]] == heads
    cells = printed["rows"][0]["cells"]
    created = printed["rows"][0]["object"]["metadata"]["creationTimestamp"]
    assert cells == ["things.example.com", "Namespaced", "v1(storage)", created, "example.com", "Thing", "", True]


def test_a_crd_of_v1beta1_is_served_as_v1() -> None:
    columns = [{"name": "Size", "type": "integer", "JSONPath": ".spec.size"}]
    schema = {"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object"}}}}
    whole = servers.crd()
    names = whole["spec"]["names"]
    spec = {"group": "example.com", "names": names, "version": "v1", "scope": "Namespaced", "validation": schema}
    old = {**whole, "apiVersion": "apiextensions.k8s.io/v1beta1", "spec": {**spec, "additionalPrinterColumns": columns}}
    server = servers.api(old)

    stored = servers.ask(server, "GET", THINGS).value
    assert stored["apiVersion"] == "apiextensions.k8s.io/v1"
    (version,) = stored["spec"]["versions"]
    assert (version["schema"], version["additionalPrinterColumns"]) == (
        schema, [{"name": "Size", "type": "integer", "jsonPath": ".spec.size"}]
    )  # fmt: skip
    created = servers.ask(server, "POST", OBJECTS, {**THING, "spec": {"size": 1}}).value
    assert created["spec"] == {"size": 1}
    table = servers.ask(server, "GET", OBJECTS, accept="application/json;as=Table;g=meta.k8s.io;v=v1").value
    assert table["rows"][0]["cells"] == ["a", 1]


def test_a_v1beta1_crd_can_omit_columns() -> None:
    spec = {"group": "example.com", "names": servers.crd()["spec"]["names"], "version": "v1", "scope": "Namespaced"}
    old = {**servers.crd(), "apiVersion": "apiextensions.k8s.io/v1beta1", "spec": spec}
    stored = servers.ask(servers.api(old), "GET", THINGS).value
    assert "additionalPrinterColumns" not in stored["spec"]["versions"][0]


def test_a_crd_has_managers_under_the_oldest_version() -> None:
    server = servers.api(kubernetes_version="1.21")
    created: Any = servers.ask(server, "POST", servers.CRDS, servers.crd()).value
    spec = {**created["spec"], "names": {**created["spec"]["names"], "shortNames": ["th"]}}
    answer: Any = servers.ask(server, "PUT", THINGS, {**servers.ask(server, "GET", THINGS).value, "spec": spec})

    assert (answer.code, answer.value["metadata"]["generation"]) == (200, 2)
    assert {entry["manager"] for entry in answer.value["metadata"]["managedFields"]} == {"kube-apiserver", "probe"}


def test_a_crd_with_unknown_managers_can_be_updated() -> None:
    server = servers.api(kubernetes_version="1.21")
    created: Any = servers.ask(server, "POST", servers.CRDS, servers.crd()).value
    stored: Any = servers.ask(server, "GET", THINGS).value
    [*entries] = stored["metadata"]["managedFields"]
    old = {**entries[0], "apiVersion": "apiextensions.k8s.io/v1beta1"}
    spec = {**created["spec"], "names": {**created["spec"]["names"], "shortNames": ["th"]}}
    sent = {**stored, "metadata": {**stored["metadata"], "managedFields": [old]}, "spec": spec}
    answer: Any = servers.ask(server, "PUT", THINGS, sent)

    assert (answer.code, answer.value["metadata"]["generation"]) == (200, 2)


@pytest.mark.parametrize(("version", "owns_labels"), [("1.34", False), ("1.35", False), ("1.36", True), ("1.37", True)])
def test_the_writer_of_the_status_owns_changed_metadata_since_1_36(version: str, *, owns_labels: bool) -> None:
    server = servers.api(kubernetes_version=version)
    servers.ask(server, "POST", servers.CRDS, servers.crd())
    merge = {"mediaType": "application/merge-patch+json"}
    sent = {"metadata": {"labels": {"a": "b"}}, "status": {"storedVersions": ["v0", "v1"]}}
    written = servers.ask(server, "PATCH", f"{THINGS}/status?fieldManager=m", sent, **merge).value

    (own,) = [entry for entry in written["metadata"]["managedFields"] if entry["manager"] == "m"]
    assert ("f:metadata" in own["fieldsV1"]) is owns_labels
    assert written["metadata"]["labels"] == {"a": "b"}


def test_the_writer_of_the_status_owns_its_changes() -> None:
    """As kube-apiserver 1.37 answers; its code to reset the labels has no effect."""
    server = servers.api()
    servers.ask(server, "POST", servers.CRDS, servers.crd())
    stored = copy.deepcopy(servers.ask(server, "GET", f"{THINGS}/status").value)
    stored["metadata"]["labels"] = {"a": "b"}
    stored["spec"]["scope"] = "Cluster"
    stored["status"]["storedVersions"] = ["v0", "v1"]
    mine = {"type": "Mine", "status": "True", "reason": "X", "message": "m", "lastTransitionTime": None}
    stored["status"]["conditions"].append(mine)

    written = servers.ask(server, "PUT", f"{THINGS}/status", stored).value
    assert (written["spec"]["scope"], written["metadata"]["generation"]) == ("Namespaced", 1)
    assert written["status"]["conditions"][-1] == mine
    entries = [item for item in written["metadata"]["managedFields"] if item.get("subresource") == "status"]
    own = next(item for item in entries if item["manager"] != "kube-apiserver")
    fields = ("lastTransitionTime", "message", "reason", "status", "type")
    assert own["fieldsV1"] == {
        "f:metadata": {"f:labels": {".": {}, "f:a": {}}},
        "f:status": {
            "f:conditions": {'k:{"type":"Mine"}': {".": {}, **{f"f:{name}": {} for name in fields}}},
            "f:storedVersions": {},
        },
    }


def test_a_crd_without_the_established_condition_is_not_served() -> None:
    server = servers.api(servers.crd())
    merge = {"mediaType": "application/merge-patch+json"}
    things = "/apis/example.com/v1/namespaces/default/things"
    assert servers.ask(server, "GET", things).code == 200
    servers.ask(
        server, "PATCH", f"{THINGS}/status", {"status": {"conditions": [{"type": "A", "status": "True"}]}}, **merge
    )
    assert servers.ask(server, "GET", things).code == 404
    servers.ask(server, "PATCH", f"{THINGS}/status", {"status": {"acceptedNames": {"plural": "", "kind": ""}}}, **merge)
    assert servers.ask(server, "GET", things).code == 200


def test_a_condition_keeps_its_time_until_its_status_changes() -> None:
    server = servers.api(servers.crd())
    stored = copy.deepcopy(servers.ask(server, "GET", THINGS).value)
    first, second = "2024-01-01T00:00:00Z", "2024-01-02T00:00:00Z"
    accepted, established = stored["status"]["conditions"]
    accepted |= {"lastTransitionTime": first}
    established |= {"lastTransitionTime": second, "status": "False"}
    stored["status"]["acceptedNames"] = {"plural": "", "kind": ""}
    servers.ask(server, "PUT", f"{THINGS}/status", stored)

    conditions = servers.ask(server, "GET", THINGS).value["status"]["conditions"]
    assert [item["status"] for item in conditions] == ["True", "True"]
    assert conditions[0]["lastTransitionTime"] == first
    assert conditions[1]["lastTransitionTime"] != second


def test_crds_that_are_not_established_are_not_published() -> None:
    second = servers.crd("Gadget", names={"plural": "gadgets", "kind": "Thing"})
    server = servers.api(servers.crd(), second)
    published = servers.ask(server, "GET", "/openapi/v2").value["definitions"]
    assert "com.example.v1.Thing" in published
    assert "gadgets" not in json.dumps(published)
    assert not any("gadgets" in path for path in servers.ask(server, "GET", "/openapi/v2").value["paths"])


def test_a_deleted_crd_that_was_never_established_has_a_reason_of_its_own() -> None:
    server = servers.api(servers.crd())
    second = servers.crd("Other", names={"kind": "Thing", "plural": "others"})
    second["metadata"]["finalizers"] = ["example.com/hold"]
    servers.ask(server, "POST", servers.CRDS, second)
    servers.ask(server, "DELETE", f"{servers.CRDS}/others.example.com")

    assert _conditions(server, f"{servers.CRDS}/others.example.com")["Terminating"] == "False NeverEstablished"


def test_watches_end_when_their_crd_changes() -> None:
    server = servers.api(servers.crd())
    first = servers.watch(server, f"{OBJECTS}?watch=1")
    _merge(server, {"metadata": {"labels": {"a": "b"}}})
    servers.ask(server, "POST", OBJECTS, THING)
    assert [event.type for event in first.watch.take()] == ["ADDED"]
    assert not first.watch.is_over

    _merge(server, {"spec": {"names": {"shortNames": ["th"]}}})
    servers.ask(server, "DELETE", f"{OBJECTS}/a")
    assert first.watch.take() == []
    assert first.watch.is_over


def test_a_watch_cannot_start_before_a_change_of_its_crd() -> None:
    server = servers.api(servers.crd())
    since = servers.ask(server, "GET", OBJECTS).value["metadata"]["resourceVersion"]
    _merge(server, {"spec": {"names": {"shortNames": ["th"]}}})
    changed = server.store.revision
    servers.ask(server, "POST", OBJECTS, THING)
    stream = servers.watch(server, f"{OBJECTS}?watch=1&resourceVersion={since}")
    (event,) = stream.watch.take()

    assert (event.type, event.value["code"], event.value["reason"]) == ("ERROR", 410, "Expired")
    assert event.value["message"] == f"too old resource version: {since} ({changed})"
    assert stream.watch.is_over
    assert stream.watch.take() == []


def test_a_watch_can_start_before_a_new_label_of_its_crd() -> None:
    server = servers.api(servers.crd())
    since = servers.ask(server, "GET", OBJECTS).value["metadata"]["resourceVersion"]
    _merge(server, {"metadata": {"labels": {"a": "b"}}})
    servers.ask(server, "POST", OBJECTS, THING)
    stream = servers.watch(server, f"{OBJECTS}?watch=1&resourceVersion={since}")

    assert [event.type for event in stream.watch.take()] == ["ADDED"]
    assert not stream.watch.is_over


def test_watches_survive_changes_of_other_crds() -> None:
    server = servers.api(servers.crd(), servers.crd("Other"))
    stream = servers.watch(server, f"{OBJECTS}?watch=1")
    servers.ask(server, "DELETE", f"{servers.CRDS}/others.example.com")

    assert (stream.watch.take(), stream.watch.is_over) == ([], False)


def test_former_storage_versions_are_recorded() -> None:
    version = servers.crd()["spec"]["versions"][0]
    server = servers.api(servers.crd())
    before = {**version, "storage": False}
    after = {**version, "name": "v2"}

    changed = _merge(server, {"spec": {"versions": [before, after]}})
    assert changed["status"]["storedVersions"] == ["v1", "v2"]
    changed = _merge(server, {"spec": {"versions": [version, {**after, "storage": False}]}})
    assert changed["status"]["storedVersions"] == ["v1", "v2"]


def _merge(server: Api, body: Any) -> Any:
    return servers.ask(server, "PATCH", THINGS, body, mediaType="application/merge-patch+json").value


@pytest.mark.parametrize(
    ("version", "line"), [("1.32", 100), ("1.33", 110), ("1.34", 110), ("1.35", 111), ("1.37", 111)]
)
def test_the_error_for_an_unknown_kind_has_the_line_of_the_scheme(version: str, line: int) -> None:
    sent = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "Nope"}
    answer = servers.ask(Api(kubernetes_version=version), "POST", servers.CRDS, sent)
    assert answer.value["message"].endswith(f'in scheme "pkg/runtime/scheme.go:{line}"')
