"""Updates of stored objects that pass after an upgrade."""

from __future__ import annotations

import pytest

from pytest_crd.engine import CustomResourceDefinition
from pytest_crd.upgrades import storedobjects, upgrade
from pytest_crd.upgrades.projectobjects import Specimens
from pytest_crd.upgrades.subject import Subject
from pytest_crd.upgrades.upgradefindings import Effect, Kind, Witness
from upgrades.changes import JSON, NUMBER, TEXT, crd_with_versions, obj
from upgrades.test_upgrades import judge


def crd(*required: str) -> CustomResourceDefinition:
    schema = obj(spec=obj(required, x=NUMBER, y=TEXT), status=obj(y={**TEXT, "enum": ["a"]}))
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    return crd_with_versions({**version, "subresources": {"status": {}}})


@pytest.mark.parametrize(
    ("status", "others"), [(None, " or status"), ({"y": "a"}, " or status"), ({}, "")], ids=["none", "full", "empty"]
)
def test_an_update_of_the_status_is_noted_if_another_status_is_accepted(status: JSON | None, others: str) -> None:
    old, new = (Subject(definition.versions[0]) for definition in (crd(), crd("y")))
    resource = {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a"}, "spec": {"x": 4}}
    written = old.write(resource if status is None else {**resource, "status": status})
    effect = Effect(Kind.REFUSED, ("spec", "y"), "", "")

    note = storedobjects.note(effect, Witness(resource, written, new.write(resource)), old, new)

    assert note.startswith(f"refused when created; an update of metadata{others} alone passes")


def test_a_stored_object_is_read_in_the_storage_version_of_the_old_crd() -> None:
    """As kube-apiserver 1.37 reads it: with the defaults of v1, so that the same object sent through v1 changes nothing."""
    rule = {"x-kubernetes-validations": [{"rule": "!has(self.e) || self.e != 'bad'"}]}

    def version(name: str, *, is_storage: bool, spec: JSON) -> JSON:
        schema = {"openAPIV3Schema": obj(spec=spec)}
        return {"name": name, "served": True, "storage": is_storage, "schema": schema}

    defaulted = [{**obj(b=TEXT, e={**TEXT, "default": value}), **rule} for value in ("bad", "good")]
    old = crd_with_versions(*(version(name, is_storage=name == "v1", spec=obj(b=TEXT)) for name in ("v1", "v2")))
    new = crd_with_versions(
        *(version(name, is_storage=name == "v2", spec=spec) for name, spec in zip(("v1", "v2"), defaulted, strict=True))
    )

    refused = next(item for item in upgrade.judge(old, new, Specimens()).findings if item.kind is Kind.REFUSED)

    assert refused.witness is not None
    assert refused.witness.note == "refused when created; an update that leaves spec as it is passes"


def scaled(limit: JSON) -> CustomResourceDefinition:
    schema = obj(spec=obj(replicas=NUMBER, y=limit), status=obj(replicas=NUMBER))
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    scale = {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}
    return crd_with_versions({**version, "subresources": {"status": {}, "scale": scale}})


def find_note(old: CustomResourceDefinition, new: CustomResourceDefinition) -> str:
    result = judge(old, new)
    witness = result.findings[0].witness
    assert witness is not None
    return witness.note


@pytest.mark.parametrize(
    ("kubernetes_version", "words"),
    [
        ("1.37", "refused when created; an update that leaves spec.y as it is passes"),
        ("1.21", "refused when created, and in any update of an object that is stored"),
    ],
)
def test_the_note_is_that_of_the_kubernetes_version(kubernetes_version: str, words: str) -> None:
    old, new = (scaled(limit).under(kubernetes_version) for limit in (TEXT, {**TEXT, "pattern": "^x"}))

    assert find_note(old, new) == words


def test_a_writer_whose_request_is_refused_is_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = (scaled(limit) for limit in (TEXT, {**TEXT, "pattern": "^x"}))
    monkeypatch.setattr(
        type(new.versions[0]),
        "update_status",
        lambda version, resource, **_: version.create({**resource, "status": {}}),
    )

    assert find_note(old, new).endswith("an update that leaves spec.y as it is passes; one of its status is refused")


def test_a_refusal_for_another_cause_says_nothing_about_a_writer(monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = (scaled(limit) for limit in (TEXT, {**TEXT, "pattern": "^x"}))
    monkeypatch.setattr(type(new.versions[0]), "update_status", lambda version, *_, **__: version.create({"spec": 1}))

    assert "status" not in find_note(old, new)


def with_status(x: JSON) -> CustomResourceDefinition:
    schema = obj(spec=obj(note=TEXT), status=obj(x=x))
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    return crd_with_versions({**version, "subresources": {"status": {}}})


def test_a_status_that_makes_each_update_of_the_object_fail_is_a_refusal() -> None:
    preserved = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}

    result = judge(with_status(preserved), with_status({**preserved, "x-kubernetes-embedded-resource": True}))

    notes = {finding.path: finding.witness.note for finding in result.findings if finding.witness}
    assert notes["status.x.apiVersion"] == (
        "a create passes; any update of an object that is stored is refused, but for one of its status"
    )
    assert "status.x.kind" in notes
    assert ("data loss", "status.x.metadata.unknownField") in {(item.kind.value, item.path) for item in result.findings}
