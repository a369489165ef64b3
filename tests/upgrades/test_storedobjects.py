"""Updates of stored objects that pass after an upgrade."""

from __future__ import annotations

import pytest

from pytest_crd.engine import CustomResourceDefinition
from pytest_crd.upgrades import storedobjects, upgrade
from pytest_crd.upgrades.projectobjects import Specimens
from pytest_crd.upgrades.upgradefindings import Effect, Kind, Witness
from pytest_crd.upgrades.upgradesubject import Subject
from upgrades.changes import JSON, NUMBER, TEXT, crd_with_versions, obj


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
