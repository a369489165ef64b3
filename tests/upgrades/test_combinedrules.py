"""Rules that old and new CRDs have: an object may break the new rule only if it keeps the old ones."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.engine import CustomResourceDefinition
from pytest_crd.upgrades import combinedrules
from pytest_crd.upgrades.schemadifferences import Difference
from upgrades.changes import JSON, NUMBER, TEXT, crd, crd_with_versions, obj
from upgrades.test_upgrades import judge, list_findings

TEXTS: JSON = {"type": "array", "maxItems": 9, "items": {**TEXT, "maxLength": 9}}
NOT_ABOVE = (
    "!has(self.status) || !has(self.status.r) || !has(self.spec) || !has(self.spec.r) || self.status.r <= self.spec.r"
)


def ruled(schema: JSON, *rules: str) -> JSON:
    return {**schema, "x-kubernetes-validations": [{"rule": rule} for rule in rules]}


def with_root(root: JSON, **more: Any) -> CustomResourceDefinition:
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": root}}
    return crd_with_versions({**version, **more})


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("self.exists(x, x.startsWith('a'))", "self.all(x, x.startsWith('a'))", id="exists to all"),
        pytest.param("self.size() == 0 || self[0] == 'k'", "self.size() < 2 || self[1] == 'k'", id="another item"),
    ],
)
def test_a_changed_rule_is_shown_by_an_object_that_keeps_the_old_rule(before: str, after: str) -> None:
    assert "refused spec.x" in list_findings(judge(crd(ruled(TEXTS, before)), crd(ruled(TEXTS, after))))


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"subresources": {"status": {}}},
        {"subresources": {"status": {}, "scale": {"specReplicasPath": ".spec.r", "statusReplicasPath": ".status.r"}}},
    ],
)
def test_a_rule_across_status_and_spec_is_shown(more: JSON) -> None:
    root = obj(spec=obj(r=NUMBER), status=obj(r=NUMBER))

    assert list_findings(judge(with_root(root, **more), with_root(ruled(root, NOT_ABOVE), **more))) == ["refused ."]


def difference(place: tuple[str, ...], rule: str, version: str = "v1") -> Difference:
    return Difference(place, "x-kubernetes-validations", None, {"rule": rule}, (version, version))


SCALE: JSON = {"subresources": {"scale": {"specReplicasPath": ".spec.x", "statusReplicasPath": ".status.r"}}}


@pytest.mark.parametrize("more", [{}, SCALE], ids=["none", "scale"])
def test_other_subresources_stay(more: JSON) -> None:
    root = obj(spec=obj(x=NUMBER), status=obj(r=NUMBER))
    version = with_root(root, **more).version("v1")

    boundary = combinedrules.find_rule_boundary(version, difference(("spec", "x"), "self < 3"))

    assert boundary is not None
    assert boundary.outside is not None
    assert boundary.outside["spec"] == {"x": 3}


def test_a_status_that_all_versions_share_is_joined() -> None:
    names = {"plural": "things", "singular": "thing", "kind": "Thing", "listKind": "ThingList"}
    validation = {"openAPIV3Schema": obj(spec=obj(r=NUMBER), status=obj(r=NUMBER))}
    spec = {"group": "example.com", "version": "v1", "scope": "Namespaced", "names": names, "validation": validation}
    manifest = {
        "apiVersion": "apiextensions.k8s.io/v1beta1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.example.com"},
        "spec": {**spec, "subresources": {"status": {}}, "preserveUnknownFields": False},
    }
    version = CustomResourceDefinition.from_manifest(manifest).version("v1")

    boundary = combinedrules.find_rule_boundary(version, difference((), NOT_ABOVE))

    assert boundary is not None
    assert boundary.outside is not None
    assert boundary.outside.keys() > {"spec", "status"}


@pytest.mark.parametrize(
    "unknown",
    [
        pytest.param(difference(("spec", "y"), "self == 'a'"), id="place"),
        pytest.param(difference(("spec",), "self.y == 'a'"), id="field"),
        pytest.param(difference((), "self.y == 'a'"), id="field of all objects"),
        pytest.param(difference(("spec",), "self.x == 'a'", "v2"), id="version"),
        pytest.param(
            Difference(("spec",), "x-kubernetes-validations", {"rule": "true"}, None, ("v1", "v1")), id="no new rule"
        ),
    ],
)
def test_a_rule_on_values_that_the_old_schema_lacks_has_no_candidates(unknown: Difference) -> None:
    version = crd(TEXT).version("v1")

    gone = Difference((), "x-kubernetes-validations", {"rule": "true"}, None)
    assert [*combinedrules.find_candidates(version, unknown, [gone])] == []


@pytest.mark.parametrize(
    ("place", "keyword", "after", "expected"),
    [
        pytest.param((), "x-kubernetes-validations", None, True, id="around"),
        pytest.param(("spec", "x", "a"), "x-kubernetes-validations", None, True, id="inside"),
        pytest.param(("spec", "y"), "x-kubernetes-validations", None, False, id="beside"),
        pytest.param((), "enum", None, False, id="other keyword"),
        pytest.param((), "x-kubernetes-validations", {"rule": "true"}, False, id="new"),
    ],
)
def test_old_rules_count_only_if_one_is_gone(
    place: tuple[str, ...], keyword: str, after: Any, *, expected: bool
) -> None:
    other = Difference(place, keyword, {"rule": "true"}, after)

    found = [*combinedrules.find_candidates(crd(TEXT).version("v1"), difference(("spec", "x"), "self == 'b'"), [other])]

    assert bool(found) is expected
