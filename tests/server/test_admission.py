"""Admission plugins of a server: writes and deletions of custom resources and built-in kinds."""

from __future__ import annotations

from typing import Any

import pytest
from support import servers
from support.webhooks import FixedWebhooks, FunctionAdmission

from pytest_crd.engine import CustomResourceDefinition
from pytest_crd.engine.errors.refusal import Refusal
from pytest_crd.engine.registry.admission import AdmissionRequest, Admitted
from pytest_crd.engine.registry.requestbody import RefusedError
from pytest_crd.server.api import Api

THINGS = "/apis/example.com/v1/namespaces/default/things"
MAPS = "/api/v1/namespaces/default/configmaps"


def _label(request: AdmissionRequest) -> Admitted:
    if request.object is None:
        return Admitted(None, ("deleting",))
    metadata = {**request.object["metadata"], "labels": {"by": "webhook"}}
    return Admitted({**request.object, "metadata": metadata}, ("labelled",))


def _deny(request: AdmissionRequest) -> Admitted:
    # The deletion of a collection names no object.
    if request.operation == "DELETE" and (request.old_object or {})["metadata"]["name"] == "held":
        raise RefusedError(Refusal(403, "Forbidden", "it is held"), warnings=("careful",))
    return Admitted(request.object)


def _spoil(request: AdmissionRequest) -> Admitted:
    assert request.object is not None
    return Admitted({**request.object, "data": 1})


def _server(admission: FunctionAdmission) -> Api:
    crd = CustomResourceDefinition.from_manifest(servers.crd())
    return Api([crd], webhooks=FixedWebhooks(None, admission))


@pytest.fixture
def admission() -> FunctionAdmission:
    """Plugins that label objects and hold one."""
    return FunctionAdmission(_label, _deny)


@pytest.fixture
def server(admission: FunctionAdmission) -> Api:
    """A server with these plugins."""
    return _server(admission)


def _object(name: str = "a") -> Any:
    return {"metadata": {"name": name}}


@pytest.mark.parametrize(
    ("path", "type_meta"),
    [
        (THINGS, {"apiVersion": "example.com/v1", "kind": "Thing"}),
        (MAPS, {"apiVersion": "v1", "kind": "ConfigMap"}),
    ],
)
def test_writes_are_admitted(server: Api, path: str, type_meta: dict[str, str]) -> None:
    answer = servers.ask(server, "POST", path, type_meta | _object())

    assert answer.code == 201
    assert answer.value["metadata"]["labels"] == {"by": "webhook"}
    assert any("labelled" in value for _, value in answer.headers if value)


@pytest.mark.parametrize("path", [THINGS, MAPS])
def test_deletions_are_admitted(server: Api, admission: FunctionAdmission, path: str) -> None:
    kind = {"apiVersion": "example.com/v1", "kind": "Thing"} if path == THINGS else {}
    servers.ask(server, "POST", path, kind | _object())
    servers.ask(server, "POST", path, kind | _object("held"))
    admission.calls.clear()

    denied = servers.ask(server, "DELETE", f"{path}/held")
    deleted = servers.ask(server, "DELETE", f"{path}/a", {"propagationPolicy": "Background", "dryRun": ["All"]})

    assert (denied.code, denied.value["message"], denied.value["details"]["name"]) == (403, "it is held", "held")
    assert deleted.code == 200
    call = admission.calls[-1][1]
    assert (call.operation, call.object, call.dry_run) == ("DELETE", None, True)
    assert call.old_object is not None
    assert call.old_object["metadata"]["name"] == "a"
    assert call.options == {
        "kind": "DeleteOptions",
        "apiVersion": "meta.k8s.io/v1",
        "propagationPolicy": "Background",
        "dryRun": ["All"],
    }


def test_a_failed_precondition_is_refused_before_admission(server: Api, admission: FunctionAdmission) -> None:
    servers.ask(server, "POST", MAPS, _object())
    admission.calls.clear()

    assert servers.ask(server, "DELETE", f"{MAPS}/a", {"preconditions": {"uid": "other"}}).code == 409
    assert admission.calls == []


def test_each_object_of_a_deleted_collection_is_admitted(server: Api) -> None:
    servers.ask(server, "POST", MAPS, _object())
    servers.ask(server, "POST", MAPS, _object("held"))

    assert servers.ask(server, "DELETE", MAPS).code == 403
    assert servers.ask(server, "GET", f"{MAPS}/held").code == 200


@pytest.mark.parametrize(("path", "names"), [(f"{MAPS}/a", ["a", "a"]), (MAPS, ["", ""])])
def test_an_object_that_changes_during_admission_is_admitted_again(path: str, names: list[str]) -> None:
    calls: list[str] = []

    def change_once(request: AdmissionRequest) -> Admitted:
        if request.operation == "DELETE":
            calls.append(request.name)
            if len(calls) == 1:
                servers.ask(api, "PATCH", f"{MAPS}/a", {"data": {"a": "b"}}, mediaType="application/merge-patch+json")
        return Admitted(request.object)

    api = _server(FunctionAdmission(None, change_once))
    servers.ask(api, "POST", MAPS, _object())

    assert servers.ask(api, "DELETE", path).code == 200
    assert calls == names


@pytest.mark.parametrize(("path", "code"), [(f"{MAPS}/a", 404), (MAPS, 200)])
def test_an_object_that_is_deleted_during_admission_is_gone(path: str, code: int) -> None:
    calls: list[str] = []

    def delete_once(request: AdmissionRequest) -> Admitted:
        if request.operation == "DELETE":
            calls.append(request.name)
            if len(calls) == 1:
                servers.ask(api, "DELETE", f"{MAPS}/a")
        return Admitted(request.object)

    api = _server(FunctionAdmission(None, delete_once))
    servers.ask(api, "POST", MAPS, _object())

    assert servers.ask(api, "DELETE", path).code == code
    assert len(calls) == 2


def test_a_mutated_object_that_is_not_of_its_kind_is_an_error() -> None:
    assert servers.ask(_server(FunctionAdmission(_spoil)), "POST", MAPS, _object()).code == 500


def test_crds_are_admitted(server: Api) -> None:
    answer = servers.ask(server, "POST", servers.CRDS, servers.crd("Other", "other.com"))

    assert answer.code == 201
    assert answer.value["metadata"]["labels"] == {"by": "webhook"}
    assert servers.ask(server, "DELETE", f"{servers.CRDS}/others.other.com").code == 200


def test_the_crds_of_a_deleted_collection_are_admitted(server: Api, admission: FunctionAdmission) -> None:
    servers.ask(server, "POST", servers.CRDS, servers.crd("Other", "other.com"))
    admission.calls.clear()

    assert servers.ask(server, "DELETE", servers.CRDS).code == 200
    assert {request.operation for _, request in admission.calls} == {"DELETE"}


def test_a_mutated_crd_that_is_none_is_an_error() -> None:
    def spoil(request: AdmissionRequest) -> Admitted:
        assert request.object is not None
        return Admitted({**request.object, "spec": 1})

    api = _server(FunctionAdmission(spoil))

    assert servers.ask(api, "POST", servers.CRDS, servers.crd("Other", "other.com")).code == 500


def _rename(request: AdmissionRequest) -> Admitted:
    if request.object is None or request.operation != "CREATE":
        return Admitted(request.object)
    metadata = request.object["metadata"]
    name = "taken" if metadata["name"].startswith("to-taken") else f"{metadata['name']}-x"
    return Admitted({**request.object, "metadata": {**metadata, "name": name}})


@pytest.fixture
def renaming() -> Api:
    """A server that renames new objects."""
    return _server(FunctionAdmission(_rename))


@pytest.mark.parametrize("query", ["", "?dryRun=All"])
@pytest.mark.parametrize(("path", "resource"), [(MAPS, "configmaps"), (THINGS, "things.example.com")])
def test_a_renamed_object_overwrites_no_other(renaming: Api, path: str, resource: str, query: str) -> None:
    kind = {} if path == MAPS else {"apiVersion": "example.com/v1", "kind": "Thing"}
    codes = []
    for name in ("to-taken", "sent", "to-taken-2", "sent"):
        body = {**kind, **_object(name)}
        codes.append(servers.ask(renaming, "POST", path, body).code)
    assert codes == [201, 201, 409, 409]
    taken = servers.ask(renaming, "POST", path + query, {**kind, **_object("to-taken")})
    assert (taken.code, taken.value["message"]) == (409, f'{resource} "taken" already exists')
    names = [item["metadata"]["name"] for item in servers.ask(renaming, "GET", path).value["items"]]
    assert names == ["sent-x", "taken"]


@pytest.mark.parametrize("query", ["", "?dryRun=All"])
def test_the_sent_name_of_a_renamed_object_may_be_taken(renaming: Api, query: str) -> None:
    assert servers.ask(renaming, "POST", MAPS, _object("a")).code == 201
    created = servers.ask(renaming, "POST", MAPS + query, _object("a-x"))
    assert (created.code, created.value["metadata"]["name"]) == (201, "a-x-x")


def test_an_apply_stores_a_renamed_object_under_the_name_of_the_url(renaming: Api) -> None:
    apply = {"mediaType": "application/apply-patch+yaml"}
    body = {"apiVersion": "v1", "kind": "ConfigMap", **_object("a"), "data": {"a": "b"}}
    created = servers.ask(renaming, "PATCH", f"{MAPS}/a?fieldManager=m", body, **apply)
    assert (created.code, created.value["metadata"]["name"]) == (201, "a-x")
    assert servers.ask(renaming, "GET", f"{MAPS}/a-x").code == 404
    assert servers.ask(renaming, "GET", f"{MAPS}/a").value["metadata"]["name"] == "a-x"
    again = servers.ask(renaming, "PATCH", f"{MAPS}/a?fieldManager=m", {**body, "data": {"a": "c"}}, **apply)
    immutable = 'ConfigMap "a" is invalid: metadata.name: Invalid value: "a": field is immutable'
    assert (again.code, again.value["message"]) == (422, immutable)
    other = servers.ask(renaming, "PUT", f"{MAPS}/a", _object("a-x"))
    mismatch = "the name of the object (a-x) does not match the name on the URL (a)"
    assert (other.code, other.value["message"]) == (400, mismatch)
    deleted = servers.ask(renaming, "DELETE", f"{MAPS}/a")
    assert (deleted.code, deleted.value["details"]["name"]) == (200, "a-x")
