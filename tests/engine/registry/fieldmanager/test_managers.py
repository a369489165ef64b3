"""Managed fields in which equal parts are one object."""

from __future__ import annotations

from typing import Any, Final

import pytest
from support import servers

from pytest_crd.engine.registry.fieldmanager import fieldsets, managers, pathelements
from pytest_crd.engine.registry.fieldmanager.managers import SharedForms
from pytest_crd.server.api import Api

THINGS: Final = "/apis/example.com/v1/namespaces/default/things"
LISTENERS: Final = {
    "type": "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["name"],
    "items": {
        "type": "object",
        "required": ["name"],
        "properties": {"name": {"type": "string"}, "port": {"type": "integer"}},
    },
}


@pytest.fixture
def server() -> Api:
    schema = {
        "type": "object",
        "properties": {"spec": {"type": "object", "properties": {"listeners": LISTENERS}}},
    }
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    api = servers.api(servers.crd("Thing", versions=[version]))
    api.store.clock.freeze()
    return api


def _create(server: Api, name: str) -> Any:
    """Create an object with two listeners, and return the entry of its manager as stored."""
    listeners = [{"name": listener, "port": 80} for listener in ("a", "b")]
    body = {
        "apiVersion": "example.com/v1",
        "kind": "Thing",
        "metadata": {"name": name},
        "spec": {"listeners": listeners},
    }
    assert servers.ask(server, "POST", THINGS, body).code == 201
    return _entry(server, name)


def _entry(server: Api, name: str) -> Any:
    (stored,) = [entry for entry in server.store.entries("things.example.com") if entry.key.name == name]
    (entry,) = stored.value["metadata"]["managedFields"]
    return entry


def _listeners(entry: Any) -> Any:
    return entry["fieldsV1"]["f:spec"]["f:listeners"]


def test_equal_parts_of_objects_are_one_object(server: Api) -> None:
    first = _create(server, "one")
    assert _listeners(first)['k:{"name":"a"}'] is _listeners(first)['k:{"name":"b"}']
    assert _create(server, "two") is first
    server.store.clock.advance(1)
    later = _create(server, "three")
    assert later["time"] != first["time"]
    assert later["fieldsV1"] is first["fieldsV1"]


def test_a_patch_changes_one_of_the_equal_parts(server: Api) -> None:
    before = _create(server, "one")
    _create(server, "two")
    path = '/metadata/managedFields/0/fieldsV1/f:spec/f:listeners/k:{"name":"a"}/f:port'
    patch = [{"op": "remove", "path": path}]
    assert servers.ask(server, "PATCH", f"{THINGS}/one", patch, mediaType="application/json-patch+json").code == 200
    all_fields: dict[str, dict[str, str]] = {".": {}, "f:name": {}, "f:port": {}}
    assert _listeners(_entry(server, "one")) == {
        ".": {},
        'k:{"name":"a"}': {".": {}, "f:name": {}},
        'k:{"name":"b"}': all_fields,
    }
    assert _entry(server, "two") is before
    assert _listeners(before) == {".": {}, 'k:{"name":"a"}': all_fields, 'k:{"name":"b"}': all_fields}


def test_shared_parts_are_read_once() -> None:
    forms = SharedForms()
    fields = fieldsets.from_paths(
        [(pathelements.field("a"),), (pathelements.field("b"),), (pathelements.field("b"), pathelements.field("c"))]
    )
    written = managers.write_fields(fields, forms)
    read = managers.read_fields(written, forms=forms)
    assert read == fields
    assert managers.read_fields(written, forms=forms) is read
    assert managers.read_fields(written) is not read
    assert managers.read_fields({**written, "f:b": {}}, forms=forms) != fields
    nothing = managers.write_fields(fieldsets.EMPTY, forms)
    assert managers.read_fields(nothing, forms=forms) is managers.read_fields(nothing, forms=forms) is fieldsets.EMPTY


def test_forms_forget_old_parts_and_stay_right() -> None:
    forms = SharedForms()
    first = managers.write_fields(_numbered(0), forms)
    assert managers.write_fields(_numbered(0), forms) is first
    for number in range(1, 30):
        fields = _numbered(number)
        written = managers.write_fields(fields, forms)
        assert written == managers.write_fields(fields)
        assert managers.read_fields(written, forms=forms) == fields
    assert managers.write_fields(_numbered(0), forms) == first
    assert managers.write_fields(_numbered(0), forms) is not first
    assert len(forms.shared) < 30


def _numbered(number: int) -> fieldsets.FieldSet:
    """Return a set of 1,000 fields."""
    return fieldsets.from_paths([(pathelements.field(f"f{number}-{index}"),) for index in range(1_000)])
