from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.engine import profile
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.metadata import names, objectmetarules
from pytest_crd.engine.metadata.objectmetarules import ObjectNaming

PATH = FieldPath(("metadata",))
NEW, MIDDLE, OLD, OLDEST = (profile.named(version) for version in ("1.37", "1.36", "1.32", "1.21"))
NAMED = ObjectNaming(objectmetarules.DNS_SUBDOMAIN, namespaced=False)
NAMESPACED = ObjectNaming(objectmetarules.DNS_SUBDOMAIN, namespaced=True)
SEGMENT = ObjectNaming(objectmetarules.PATH_SEGMENT, namespaced=False)


def errors_of(metadata: Any, naming: ObjectNaming = NAMED, of: profile.Profile = NEW) -> list[str]:
    return list(map(str, objectmetarules.validate({"name": "a", **metadata}, PATH, naming, of)))


def errors_of_change(metadata: Any, old: Any, of: profile.Profile = NEW) -> list[str]:
    return list(map(str, objectmetarules.validate_change(metadata, old, PATH, of)))


def test_complete_metadata_is_accepted() -> None:
    metadata = {
        "generateName": "a-",
        "namespace": "default",
        "generation": 1,
        "labels": {"a": "b"},
        "annotations": {"A.B/c": "any thing"},
        "finalizers": ["a.b/c"],
        "ownerReferences": [{"apiVersion": "v1", "kind": "A", "name": "a", "uid": "u"}],
        "managedFields": [{"operation": "Update"}],
        "clusterName": "A",
    }
    assert errors_of(metadata, NAMESPACED) == []


@pytest.mark.parametrize(
    ("metadata", "naming", "error"),
    [
        pytest.param(
            {"name": ""}, NAMED, "name: Required value: name or generateName is required", id="a name is needed"
        ),
        pytest.param({"name": "a/"}, SEGMENT, "name: Invalid value: \"a/\": may not contain '/'", id="by its rule"),
        pytest.param(
            {"generateName": "%"},
            SEGMENT,
            "generateName: Invalid value: \"%\": may not contain '%'",
            id="its prefix too",
        ),
        pytest.param({}, NAMESPACED, "namespace: Required value", id="a namespace is needed where there are some"),
        pytest.param(
            {"namespace": "a.b"},
            NAMESPACED,
            'namespace: Invalid value: "a.b": must not contain dots',
            id="a namespace is a label",
        ),
        pytest.param(
            {"namespace": "a"}, NAMED, "namespace: Forbidden: not allowed on this type", id="else none is allowed"
        ),
        pytest.param(
            {"generation": -1},
            NAMED,
            "generation: Invalid value: -1: must be greater than or equal to 0",
            id="generations count up",
        ),
        pytest.param(
            {"managedFields": [{}]},
            NAMED,
            "managedFields[0].operation: Required value: must not be empty",
            id="managed fields have an operation",
        ),
    ],
)
def test_each_field_has_its_rule(metadata: Any, naming: ObjectNaming, error: str) -> None:
    assert errors_of(metadata, naming) == [f"metadata.{error}"]


def test_errors_of_labels_and_annotations_are_sorted_by_key() -> None:
    metadata = {"labels": {"d d": "e e", "b b": "c"}, "annotations": {"b b": "c c", "A/a/a": ""}}
    errors = objectmetarules.validate({"name": "a", **metadata}, PATH, NAMED, NEW)
    assert [(error.field, error.bad_value, error.detail) for error in errors] == [
        ("metadata.labels", "b b", *names.label_key("b b", NEW)),
        ("metadata.labels", "d d", *names.label_key("d d", NEW)),
        ("metadata.labels", "e e", *names.label_value("e e", NEW)),
        ("metadata.annotations", "A/a/a", *names.label_key("a/a/a", NEW)),
        ("metadata.annotations", "b b", *names.label_key("b b", NEW)),
    ]


@pytest.mark.parametrize(
    ("value", "errors"),
    [
        pytest.param("é" * 131071 + "a", [], id="256 KiB are not too much"),
        pytest.param(
            "é" * 131071 + "aa",
            ["metadata.annotations: Too long: may not be more than 262144 bytes"],
            id="a byte more is",
        ),
    ],
)
def test_annotations_are_limited_by_their_bytes(value: str, errors: list[str]) -> None:
    assert errors_of({"annotations": {"a": value}}) == errors


def test_the_cluster_name_of_1_21_is_a_label() -> None:
    assert errors_of({"clusterName": "1"}, of=OLDEST) == [
        f'metadata.clusterName: Invalid value: "1": {names.dns1035_label("1")[0]}'
    ]


def test_unchanged_immutable_fields_are_accepted_on_update() -> None:
    old = {"deletionTimestamp": "2020-01-01T00:00:00Z", "deletionGracePeriodSeconds": 1, "finalizers": ["a.b/c"]}
    assert errors_of_change({**old, "labels": {"a": "b"}, "finalizers": []}, old) == []


@pytest.mark.parametrize(
    ("of", "printed"),
    [
        pytest.param(NEW, '"2020-01-01T00:00:00Z"', id="printed as JSON"),
        pytest.param(OLD, "2020-01-01 00:00:00 +0000 UTC", id="printed as Go prints"),
    ],
)
def test_deletion_fields_are_immutable(of: profile.Profile, printed: str) -> None:
    assert errors_of_change({"deletionTimestamp": "2020-01-01T00:00:00Z", "deletionGracePeriodSeconds": 0}, {}, of) == [
        f"metadata.deletionTimestamp: Invalid value: {printed}: field is immutable",
        "metadata.deletionGracePeriodSeconds: Invalid value: 0: field is immutable",
    ]


def test_finalizers_of_a_deleted_object_are_validated_first() -> None:
    old = {"deletionTimestamp": "2020-01-01T00:00:00Z"}
    metadata = {**old, "finalizers": ["a"], "labels": {"": ""}, "annotations": {"": ""}, "managedFields": [{}]}
    metadata["ownerReferences"] = [{"apiVersion": "v1", "kind": "A", "name": "a", "uid": ""}]
    fields = [error.field for error in objectmetarules.validate_change(metadata, old, PATH, NEW)]
    assert list(dict.fromkeys(fields)) == [
        "metadata.finalizers",
        "metadata.labels",
        "metadata.annotations",
        "metadata.ownerReferences[0].uid",
        "metadata.managedFields[0].operation",
    ]


@pytest.mark.parametrize(
    ("of", "count"),
    [
        pytest.param(NEW, 2, id="1.37 tells each error once"),
        pytest.param(MIDDLE, 3, id="1.36 tells them as they come"),
    ],
)
def test_repeated_errors_are_dropped_by_newer_versions(of: profile.Profile, count: int) -> None:
    errors = objectmetarules.validate({"name": "A", "finalizers": ["a b", "a b"]}, PATH, NAMED, of)
    assert len(objectmetarules.distinct_errors(errors, of)) == count
    assert objectmetarules.distinct_errors(errors, of)[:2] == errors[:2]
