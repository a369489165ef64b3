"""Owners of the fields of CRDs after creates, updates and patches. Recorded answers of servers are compared elsewhere."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.engine import CustomResourceDefinition, Response, profile
from pytest_crd.engine.registry.crd import CrdManagers

SPEC: dict[str, Any] = {
    "group": "example.com",
    "names": {"plural": "as", "kind": "A"},
    "scope": "Namespaced",
    "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "object"}}}],
}
MANIFEST: dict[str, Any] = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "as.example.com"},
    "spec": SPEC,
}
BETA: dict[str, Any] = {
    **MANIFEST,
    "apiVersion": "apiextensions.k8s.io/v1beta1",
    "spec": {**SPEC, "version": "v1", "versions": [{"name": "v1", "served": True, "storage": True}]},
}
UNTRACKED = r"the managed fields of this CRD are unknown: .* not in v1beta1; write the CRD in v1"


def _stored(answer: Response) -> CustomResourceDefinition:
    assert answer.whole is not None
    return CustomResourceDefinition.from_manifest(answer.whole.value)


def test_the_creator_of_a_crd_owns_its_fields() -> None:
    answer = CustomResourceDefinition.from_manifest(MANIFEST).response

    assert answer.changed
    assert {"spec.group", "spec.versions", "spec.conversion.strategy"} < {*answer.managers["pytest-crd"]}
    applied = CustomResourceDefinition.apply({"spec": {"names": {"kind": "B"}}}, manager="me", old=answer)
    assert [(item.manager, str(item.field)) for item in applied.conflicts] == [("pytest-crd", "spec.names.kind")]


def test_updates_and_patches_own_the_fields_that_they_change() -> None:
    stored = _stored(CustomResourceDefinition.apply({**MANIFEST, "metadata": {"name": "as.example.com"}}, manager="a"))
    new = {**MANIFEST, "spec": {**SPEC, "names": {**SPEC["names"], "shortNames": ["s"]}}}

    updated = CustomResourceDefinition.from_manifest(new).update_from(stored)
    patched = stored.patch({"metadata": {"labels": {"x": "1"}}})

    assert "spec.names.shortNames" in updated.managers["pytest-crd"]
    assert "spec.versions" in updated.managers["a"]
    assert patched.managers["pytest-crd"] == ("metadata.labels", "metadata.labels.x")
    assert updated.whole is not None
    assert updated.whole.value["metadata"]["generation"] == 2


def test_a_write_without_changes_reports_none() -> None:
    crd = CustomResourceDefinition.from_manifest(MANIFEST)
    stored = _stored(crd.response)

    assert [item.changed for item in (crd.update_from(stored), stored.patch({}), stored.patch([]))] == [False] * 3
    assert [item.changed for item in (crd.update_from(crd), crd.patch({}))] == [False] * 2


def test_an_update_does_not_start_to_track_a_crd() -> None:
    crd = CustomResourceDefinition.from_manifest(MANIFEST)

    assert crd.patch({"metadata": {"labels": {"x": "1"}}}).managers == {}


def test_a_refused_write_has_no_owner() -> None:
    answer = CustomResourceDefinition.from_manifest(MANIFEST).patch({"spec": {"scope": "Nowhere"}})

    assert (answer.code, answer.managers, answer.whole) == (422, {}, None)


def test_managers_of_a_new_v1beta1_crd_are_not_implemented() -> None:
    answer = CustomResourceDefinition.from_manifest(BETA, kubernetes_version="1.21").response

    answer.assert_accepted()
    with pytest.raises(NotImplementedError, match=UNTRACKED):
        _ = answer.managers
    with pytest.raises(NotImplementedError, match=UNTRACKED):
        _ = answer.changed


def test_sent_v1beta1_managers_are_not_implemented_for_versions_that_serve_v1beta1() -> None:
    entry: dict[str, Any] = {"manager": "a", "operation": "Update", "apiVersion": "apiextensions.k8s.io/v1beta1"}
    entry |= {"fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {"f:scope": {}}}}
    manifest = {**MANIFEST, "metadata": {"name": "as.example.com", "managedFields": [entry]}}

    assert set(CustomResourceDefinition.from_manifest(manifest).response.managers) == {"pytest-crd"}
    with pytest.raises(NotImplementedError, match=UNTRACKED):
        _ = CustomResourceDefinition.from_manifest(manifest, kubernetes_version="1.21").response.managers


def test_stored_v1beta1_managers_are_not_implemented() -> None:
    crd = CustomResourceDefinition.from_manifest(MANIFEST)
    entry = {"manager": "old", "operation": "Update", "apiVersion": "apiextensions.k8s.io/v1beta1"}
    stored = CustomResourceDefinition.from_manifest(
        {**MANIFEST, "metadata": {"name": "as.example.com", "managedFields": [entry]}}
    )

    with pytest.raises(NotImplementedError, match=UNTRACKED):
        _ = crd.update_from(stored).managers


def test_crds_have_no_scale() -> None:
    with pytest.raises(LookupError, match="have no scale"):
        _ = CrdManagers(profile.named("1.37")).of_scale


def test_crds_have_a_merge_type_in_v1_alone() -> None:
    managers = CrdManagers(profile.named("1.37"))
    assert managers.merge_type(MANIFEST) is not None
    assert managers.merge_type(BETA) is None
