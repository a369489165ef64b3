from __future__ import annotations

import copy
from collections import Counter
from typing import Any

import pytest

from pytest_crd.engine import profile
from pytest_crd.engine.metadata import names, objectmetavalidation
from pytest_crd.engine.schema import structural

NEW, MIDDLE, OLD, OLDEST = (profile.named(version) for version in ("1.37", "1.36", "1.32", "1.21"))
EMBEDDED = {"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True}
SCHEMA = structural.from_schema(
    {
        "type": "object",
        "properties": {
            "one": EMBEDDED,
            "list": {"type": "array", "items": EMBEDDED},
            "map": {"type": "object", "additionalProperties": EMBEDDED},
            "both": {"type": "object", "additionalProperties": EMBEDDED, "properties": {"a": EMBEDDED, "b": {}}},
            "outer": {
                "type": "object",
                "x-kubernetes-embedded-resource": True,
                "properties": {"spec": {"type": "object", "properties": {"inner": EMBEDDED}}},
            },
            "plain": {"type": "string"},
        },
    }
)
BAD = {"apiVersion": "v1", "kind": "A", "metadata": {"name": "/"}}


def embedded(value: Any, of: profile.Profile = NEW) -> list[str]:
    validate = objectmetavalidation.compile_embedded(SCHEMA, of)
    assert validate is not None
    before = copy.deepcopy(value)
    errors = list(map(str, validate(value)))
    assert value == before
    return errors


def test_a_name_is_a_subdomain_on_create() -> None:
    (error,) = objectmetavalidation.validate_create({"name": "A"}, namespaced=False, profile=NEW)
    assert error.detail == names.dns1123_subdomain("A")[0]


def test_a_namespaced_object_needs_a_namespace() -> None:
    (error,) = objectmetavalidation.validate_create({"name": "a"}, namespaced=True, profile=NEW)
    assert error.field == "metadata.namespace"


def test_an_invalid_prefix_is_refused_by_the_rules_of_stored_objects() -> None:
    metadata = {"name": "a", "generateName": "a/-"}
    assert objectmetavalidation.validate_create(metadata, namespaced=False, profile=NEW) == []
    (error,) = objectmetavalidation.validate_created(metadata, namespaced=False, profile=NEW)
    assert error.field == "metadata.generateName"


def test_an_update_repeats_errors_of_its_checks() -> None:
    metadata = {
        "name": "a",
        "generateName": "/",
        "labels": {"": ""},
        "finalizers": ["a b"],
        "deletionGracePeriodSeconds": 1,
    }
    errors = objectmetavalidation.validate_update(metadata, {"name": "a"}, namespaced=False, profile=NEW)
    assert Counter(error.field for error in errors) == {
        "metadata.generateName": 1,
        "metadata.labels": 2 * 3,
        "metadata.finalizers": 1,
        "metadata.deletionGracePeriodSeconds": 2,
    }
    common = objectmetavalidation.validate_common_update(metadata, {"name": "a"}, namespaced=False, profile=NEW)
    assert errors[: len(common)] == common


def test_an_update_accepts_a_name_that_is_not_a_subdomain() -> None:
    assert objectmetavalidation.validate_update({"name": "A"}, {"name": "A"}, namespaced=False, profile=NEW) == []


def test_each_reading_prints_other_addresses() -> None:
    event = {"apiVersion": "v1", "kind": "Event", "name": "a", "uid": "u", "controller": True}
    metadata = {"name": "a", "ownerReferences": [event]}
    errors = objectmetavalidation.validate_update(metadata, {"name": "a"}, namespaced=False, profile=OLD)
    assert len(set(map(str, errors))) == 3


def test_only_new_finalizers_are_warned_about() -> None:
    metadata = {"finalizers": ["a", "b"]}
    assert len(objectmetavalidation.warnings(metadata)) == 2
    assert len(objectmetavalidation.warnings(metadata, {"finalizers": ["a"]})) == 1
    assert objectmetavalidation.warnings(metadata, profile=OLDEST) == ()


def test_schemas_without_embedded_resources_have_no_validator() -> None:
    schema = structural.from_schema({"type": "object", "properties": {"a": {"type": "array", "items": {}}}})
    assert objectmetavalidation.compile_embedded(schema, NEW) is None


@pytest.mark.parametrize(
    ("value", "fields"),
    [
        pytest.param({"one": BAD}, ["one"], id="in a field"),
        pytest.param({"list": [BAD, 1, BAD]}, ["list[0]", "list[2]"], id="in a list"),
        pytest.param({"map": {"b": BAD, "a.b": BAD}}, ["map[a.b]", "map[b]"], id="in a map"),
        pytest.param({"both": {"c": BAD, "a": BAD, "b": BAD}}, ["both.a", "both[c]"], id="in fields and in a map"),
        pytest.param(
            {"outer": {**BAD, "spec": {"inner": BAD}}}, ["outer", "outer.spec.inner"], id="in an embedded resource"
        ),
        pytest.param({"one": "a", "list": {}, "map": [], "plain": BAD}, [], id="not in values of another type"),
        pytest.param({"one": [BAD]}, [], id="not in a list instead of a resource"),
        pytest.param({}, [], id="not where there is nothing"),
    ],
)
def test_embedded_resources_are_found(value: Any, fields: list[str]) -> None:
    wrong = "Invalid value: \"/\": may not contain '/'"
    assert embedded(value) == [f"{field}.metadata.name: {wrong}" for field in fields]


@pytest.mark.parametrize(
    ("resource", "errors"),
    [
        pytest.param({}, ["apiVersion: Required value", "kind: Required value"], id="both are needed"),
        pytest.param(
            {"apiVersion": "", "kind": ""},
            ['apiVersion: Invalid value: "": must not be empty', 'kind: Invalid value: "": must not be empty'],
            id="both hold something",
        ),
        pytest.param(
            {"apiVersion": None, "kind": [1]},
            ["apiVersion: Invalid value: null: must be a string", "kind: Invalid value: [1]: must be a string"],
            id="both are strings",
        ),
        pytest.param(
            {"apiVersion": "a/b/c", "kind": "A"},
            ['apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c'],
            id="an API version has one slash",
        ),
        pytest.param(
            {"apiVersion": "v1", "kind": "-A" + "a" * 63},
            [
                f'kind: Invalid value: "-A{"a" * 63}": may have mixed case, but should otherwise match: '
                + ",".join(names.dns1035_label("-a" + "a" * 63))
            ],
            id="a kind is a label but for its case",
        ),
    ],
)
def test_types_of_embedded_resources_are_validated(resource: Any, errors: list[str]) -> None:
    assert embedded({"one": resource}) == [f"one.{error}" for error in errors]


@pytest.mark.parametrize("value", [pytest.param(None, id="null"), pytest.param({}, id="empty")])
def test_an_embedded_resource_needs_no_name(value: Any) -> None:
    assert embedded({"one": {**BAD, "metadata": value}}) == []


def test_metadata_that_cannot_be_decoded_is_invalid() -> None:
    words = "json: cannot unmarshal array into Go value of type v1.ObjectMeta"
    assert embedded({"one": {**BAD, "metadata": []}}) == [f"one.metadata: Invalid value: []: {words}"]


def test_a_namespace_of_an_embedded_resource_is_a_label() -> None:
    assert embedded({"one": {**BAD, "metadata": {"namespace": "a.b"}}}) == [
        'one.metadata.namespace: Invalid value: "a.b": must not contain dots'
    ]


@pytest.mark.parametrize(
    ("of", "count"), [pytest.param(NEW, 1, id="once in 1.37"), pytest.param(MIDDLE, 2, id="twice in 1.36")]
)
def test_repeated_errors_in_embedded_metadata_are_dropped_by_newer_versions(of: profile.Profile, count: int) -> None:
    assert len(embedded({"one": {**BAD, "metadata": {"finalizers": ["a b", "a b"]}}}, of)) == count


def test_older_versions_word_missing_types_differently() -> None:
    assert embedded({"one": {"kind": None}}, OLD) == [
        "one.apiVersion: Required value: must not be empty",
        'one.kind: Invalid value: "null": must be a string',
    ]


@pytest.mark.parametrize(
    ("name", "errors"),
    [
        pytest.param(
            "A", [f'one.metadata.clusterName: Invalid value: "A": {names.dns1035_label("A")[0]}'], id="a bad one"
        ),
        pytest.param(
            1,
            [
                (
                    'one.metadata: Invalid value: map[string]interface {}{"clusterName":1}: '
                    "json: cannot unmarshal number into Go struct field ObjectMeta.clusterName of type string"
                )
            ],
            id="a number, which decoding refuses",
        ),
    ],
)
def test_the_oldest_version_validates_cluster_names(name: Any, errors: list[str]) -> None:
    assert embedded({"one": {**BAD, "metadata": {"clusterName": name}}}, OLDEST) == errors
