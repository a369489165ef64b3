"""Custom resources on a server."""

from __future__ import annotations

import copy
import itertools
import json
from typing import Any

import pytest
from oracle.generators import servergen
from support import servers

from pytest_crd.engine import CustomResourceDefinition
from pytest_crd.engine.observer import ObservedRequest
from pytest_crd.server.api import Api
from pytest_crd.server.customresources import CustomResourceType

_APPLY = "application/apply-patch+yaml"


def test_a_mistyped_stored_object_has_no_scale() -> None:
    server = servers.api()
    job = {**servers.job("a"), "apiVersion": "fuzz.example.com/v1beta1", "spec": {"replicas": "many"}}
    servers.ask(server, "POST", servers.JOBS.replace("/v1/", "/v1beta1/"), job)
    answer = servers.ask(server, "GET", f"{servers.JOBS}/a/scale")
    assert answer.value["message"] == ".spec.replicas accessor error: many is of the type string, expected int64"
    scaled = {"spec": {"replicas": 1}}
    merge = servers.ask(server, "PATCH", f"{servers.JOBS}/a/scale", scaled, mediaType="application/merge-patch+json")
    assert merge.code == answer.code


def test_deletion_fields_of_a_new_object_have_no_owner() -> None:
    """Clients that copy an object which is being deleted send these fields."""
    going = {"deletionTimestamp": "2024-01-02T03:04:05Z", "deletionGracePeriodSeconds": 5}
    created = servers.ask(servers.api(), "POST", servers.JOBS, servers.job("a", **going)).value

    (owned,) = created["metadata"]["managedFields"]
    assert owned["fieldsV1"].keys() == {"f:spec"}
    assert not going.keys() & created["metadata"].keys()


def test_an_object_without_replicas_has_no_scale() -> None:
    """As kube-apiserver 1.37 answers."""
    scale = {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    server = servers.api(servers.crd(versions=[{**version, "subresources": {"scale": scale}}]))
    path = "/apis/example.com/v1/namespaces/default/things"
    servers.ask(server, "POST", path, {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a"}})

    answer = servers.ask(server, "GET", f"{path}/a/scale")

    problem = 'the spec replicas field ".spec.replicas" does not exist'
    assert (answer.code, answer.value["reason"]) == (500, "InternalError")
    assert answer.value["message"] == f"Internal error occurred: {problem}"
    assert answer.value["details"] == {"causes": [{"message": problem}]}


def test_a_patch_to_another_version_with_other_fields_is_refused_by_validation() -> None:
    """As kube-apiserver 1.37 answers: fields that the version of the request does not know get no owner."""

    def version(name: str, field: str) -> Any:
        spec = {"type": "object", "properties": {field: {"type": "string"}}}
        schema = {"type": "object", "properties": {"spec": spec}}
        return {"name": name, "served": True, "storage": name == "v1", "schema": {"openAPIV3Schema": schema}}

    server = servers.api(servers.crd(versions=[version("v1", "old"), version("v2", "new")]))
    path = "/apis/example.com/v1/namespaces/default/things"
    servers.ask(server, "POST", path, {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a"}})
    patch = {"apiVersion": "example.com/v2", "spec": {"new": "x"}}

    answer: Any = servers.ask(server, "PATCH", f"{path}/a", patch, mediaType="application/merge-patch+json")

    problem = 'apiVersion: Invalid value: "example.com/v2": must be example.com/v1'
    assert answer.value["message"] == f'Thing.example.com "a" is invalid: {problem}'


@pytest.mark.parametrize("method", ["GET", "PATCH"])
def test_a_stored_object_is_pruned_and_defaulted_again_after_its_schema_changes(method: str) -> None:
    """As kube-apiserver 1.37 answers, which reads each object under the current schema."""
    thing = {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a"}, "spec": {"old": "x"}}
    path = "/apis/example.com/v1/namespaces/default/things"
    server = servers.api(servers.crd(versions=[_version_of(old={"type": "string"})]))
    servers.ask(server, "POST", path, thing)
    merge = "application/merge-patch+json"
    spec = {"spec": {"versions": [_version_of(new={"type": "string", "default": "y"})]}}
    assert servers.ask(server, "PATCH", f"{servers.CRDS}/things.example.com", spec, mediaType=merge).code == 200

    operations = [{"op": "test", "path": "/spec", "value": {"new": "y"}}]
    patch = {} if method == "GET" else {"body": operations, "mediaType": "application/json-patch+json"}
    answer: Any = servers.ask(server, method, f"{path}/a", **patch)

    assert answer.value["spec"] == {"new": "y"}


@pytest.mark.parametrize("method", ["POST", "PATCH"])
def test_numbers_of_defaults_are_stored_as_a_server_spells_them(method: str) -> None:
    """A server writes the CRD as JSON, where the default `2.0` is `2`."""
    server = servers.api(servers.crd())
    default = {"type": "object", "properties": {"n": {"type": "number"}}, "default": {"n": 2.0}}
    names = {"kind": "Other", "plural": "others"}
    schema = {"openAPIV3Schema": {"type": "object", "properties": {"spec": default}}}
    version = {"name": "v1", "served": True, "storage": True, "schema": schema}
    assert servers.ask(server, "POST", servers.CRDS, servers.crd("Other", names=names, versions=[version])).code == 201
    sent = {"apiVersion": "example.com/v1", "kind": "Other", "metadata": {"name": "a"}}
    path = "/apis/example.com/v1/namespaces/default/others"

    url, media_type = (path, "application/json") if method == "POST" else (f"{path}/a?fieldManager=m", _APPLY)
    answer: Any = servers.ask(server, method, url, sent, mediaType=media_type)

    assert (answer.code, type(answer.value["spec"]["n"])) == (201, int)


def test_a_repeated_field_of_a_sent_object_is_a_warning() -> None:
    server = servers.api(servers.crd())
    body = '{"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a", "name": "b"}}'
    answer: Any = servers.ask(server, "POST", "/apis/example.com/v1/namespaces/default/things", body)
    assert (answer.code, answer.value["metadata"]["name"]) == (201, "b")
    assert answer.warnings == ('duplicate field "metadata.name"',)


def test_writes_leave_the_states_of_earlier_revisions_as_they_are() -> None:
    server = servers.api(servers.crd(versions=[_version_of(n={"type": "integer"})]))
    path = "/apis/example.com/v1/namespaces/default/things"
    thing: Any = {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a"}, "spec": {"n": 0}}
    answers: list[Any] = [servers.ask(server, "POST", path, thing)]
    merge = "application/merge-patch+json"
    for number in (1, 2):
        patch = {"spec": {"n": number}, "metadata": {"labels": {"n": str(number)}}}
        answers.append(servers.ask(server, "PATCH", f"{path}/a", patch, mediaType=merge))

    first, *_ = server.store.since(int(answers[0].value["metadata"]["resourceVersion"]) - 1)
    assert first.new is not None
    assert first.new.value == json.loads(answers[0].body)
    assert [answer.value["spec"] for answer in answers] == [{"n": 0}, {"n": 1}, {"n": 2}]


@pytest.mark.parametrize("overtaken", [0, 1, 2, 9])
def test_an_overtaken_write_is_decided_again(overtaken: int, monkeypatch: pytest.MonkeyPatch) -> None:
    job_crd = CustomResourceDefinition.from_manifest(copy.deepcopy(servergen.crds()[0]))
    server = Api([job_crd])
    servers.ask(server, "POST", servers.JOBS, servers.job("a", labels={"n": "0"}))
    decide = CustomResourceType.answer
    others = itertools.chain(range(1, overtaken + 1))
    is_locked = []

    def decide_late(self: CustomResourceType, stored: Any, *rest: Any) -> Any:
        outcome = decide(self, stored, *rest)
        is_locked.append(server.store.lock._is_owned())  # type: ignore[attr-defined]
        if not is_locked[-1] and (number := next(others, None)) is not None:
            key = self.key("default", "a")
            server.store.put(key, {**stored, "metadata": {**stored["metadata"], "labels": {"n": str(number)}}})
        return outcome

    monkeypatch.setattr(CustomResourceType, "answer", decide_late)
    patch = {"metadata": {"annotations": {"x": "y"}}}
    reports: list[ObservedRequest] = []
    with job_crd.observer.heard_by(request=lambda _, request: reports.append(request)):
        answer = servers.ask(server, "PATCH", f"{servers.JOBS}/a", patch, mediaType="application/merge-patch+json")

    (report,) = reports
    assert report.validated is not None
    assert report.validated["metadata"]["labels"] == {"n": str(min(overtaken, 2))}
    metadata = answer.value["metadata"]
    assert metadata["annotations"] == {"x": "y"}
    assert metadata["labels"] == {"n": str(min(overtaken, 2))}
    assert is_locked == [[False], [False, False], [False, False, True], [False, False, True]][min(overtaken, 3)]


@pytest.mark.parametrize(("finalizers", "code"), [([], 404), (["example.com/hold"], 403)])
def test_no_object_outlives_a_crd_that_is_deleted_during_its_create(
    finalizers: list[str], code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = servers.api()
    crd = f"{servers.CRDS}/jobs.fuzz.example.com"
    patch = {"metadata": {"finalizers": ["customresourcecleanup.apiextensions.k8s.io", *finalizers]}}
    servers.ask(server, "PATCH", crd, patch, mediaType="application/merge-patch+json")
    decide = CustomResourceType.answer

    def decide_late(self: CustomResourceType, *rest: Any) -> Any:
        outcome = decide(self, *rest)
        assert servers.ask(server, "DELETE", crd).code == 200
        return outcome

    monkeypatch.setattr(CustomResourceType, "answer", decide_late)
    assert servers.ask(server, "POST", servers.JOBS, servers.job("a")).code == code
    assert not server.store.entries("jobs.fuzz.example.com")


def _version_of(**fields: Any) -> Any:
    """Return a version of a CRD with these fields in its spec."""
    schema = {"type": "object", "properties": {"spec": {"type": "object", "default": {}, "properties": fields}}}
    return {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}


def _spec_of(**fields: str) -> Any:
    spec = {"type": "object", "properties": {name: {"type": kind} for name, kind in fields.items()}}
    return {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}}


STORED_BEFORE = {"name": "v1", "served": True, "storage": True, "schema": _spec_of(a="string", b="integer")}
STORED_SINCE = {"name": "v2", "served": True, "storage": True, "schema": _spec_of(b="integer")}
OLDER = "/apis/example.com/v1/namespaces/default/things"
MERGE = "application/merge-patch+json"


def _change_versions(server: Api, *versions: Any) -> None:
    changed: Any = servers.ask(
        server, "PATCH", f"{servers.CRDS}/things.example.com", {"spec": {"versions": versions}}, mediaType=MERGE
    )
    assert changed.code == 200, changed.value


def test_an_object_keeps_the_fields_of_an_earlier_storage_version_until_it_is_written() -> None:
    """As kube-apiserver 1.37 answers."""
    server = servers.api(servers.crd(versions=[STORED_BEFORE]))
    thing = {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a"}, "spec": {"a": "9", "b": 1}}
    servers.ask(server, "POST", OLDER, thing)
    _change_versions(server, {**STORED_BEFORE, "storage": False}, STORED_SINCE)

    def read(path: str) -> Any:
        value: Any = servers.ask(server, "GET", path).value
        return [item["spec"] for item in value.get("items", [value])]

    newer = OLDER.replace("/v1/", "/v2/")
    assert [read(path) for path in (f"{OLDER}/a", OLDER, f"{newer}/a")] == [[{"a": "9", "b": 1}]] * 2 + [[{"b": 1}]]
    before: Any = servers.ask(server, "GET", f"{OLDER}/a").value
    written: Any = servers.ask(server, "PATCH", f"{OLDER}/a", {}, mediaType=MERGE).value
    assert written["metadata"]["resourceVersion"] != before["metadata"]["resourceVersion"]
    assert read(f"{OLDER}/a") == [{"b": 1}]


def test_an_object_in_a_version_that_the_crd_no_longer_has_is_unreadable() -> None:
    """As kube-apiserver 1.37 answers."""
    server = servers.api(servers.crd(versions=[STORED_BEFORE]))
    servers.ask(server, "POST", OLDER, {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a"}})
    _change_versions(server, {**STORED_BEFORE, "storage": False}, STORED_SINCE)
    migrated = {"status": {"storedVersions": ["v2"]}}
    servers.ask(server, "PATCH", f"{servers.CRDS}/things.example.com/status", migrated, mediaType=MERGE)
    _change_versions(server, STORED_SINCE)

    answer: Any = servers.ask(server, "GET", f"{OLDER.replace('/v1/', '/v2/')}/a")

    assert answer.code == 500
    assert answer.value["message"].endswith(": request to convert CR from an invalid group/version: example.com/v1")
