"""Requests for custom resources: the order of checks, and the responses."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_crd import engine

SPEC = {
    "type": "object",
    "properties": {
        "replicas": {"type": "integer", "minimum": 0, "maximum": 10},
        "image": {"type": "string", "default": "cron:latest"},
        "tags": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
        "template": {
            "type": "object",
            "x-kubernetes-embedded-resource": True,
            "x-kubernetes-preserve-unknown-fields": True,
        },
    },
}
SCHEMA = {
    "type": "object",
    "properties": {"spec": SPEC, "status": {"type": "object", "properties": {"ready": {"type": "boolean"}}}},
}
NAMED = {"apiVersion": "example.com/v1", "kind": "Cron", "metadata": {"name": "a"}}
SUBRESOURCES = {"status": {}, "scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.n"}}


def _crd(
    *versions: dict[str, Any], scope: str = "Namespaced", kubernetes: str = "1.37"
) -> engine.CustomResourceDefinition:
    manifest = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "spec": {
            "group": "example.com",
            "names": {"kind": "Cron", "plural": "crons"},
            "scope": scope,
            "versions": list(versions) or [_version()],
        },
    }
    return engine.CustomResourceDefinition.from_manifest(manifest, kubernetes_version=kubernetes)


def _version(
    name: str = "v1", schema: Any = SCHEMA, *, storage: bool = True, subresources: Any = None
) -> dict[str, Any]:
    version = {"name": name, "served": True, "storage": storage, "schema": {"openAPIV3Schema": schema}}
    return version | ({"subresources": subresources} if subresources else {})


V1 = _crd().version("v1")
WITH_STATUS = _crd(_version(subresources=SUBRESOURCES)).version("v1")


def _namespaced(**fields: Any) -> dict[str, Any]:
    return NAMED | {"metadata": {"name": "a", "namespace": "default"}} | fields


def test_the_response_reports_pruned_and_defaulted_fields() -> None:
    answer = V1.create({**NAMED, "spec": {"replicas": 3, "bogus": 1, "tags": None}})
    assert (answer.code, answer.accepted) == (201, True)
    assert answer.stored == _namespaced(spec={"replicas": 3, "image": "cron:latest"})
    assert answer.warnings == ('unknown field "spec.bogus"',)
    assert (answer.pruned, answer.defaulted, answer.nulls) == (("spec.bogus",), ("spec.image",), ("spec.tags",))


def test_a_mapping_may_omit_type_and_metadata() -> None:
    stored = V1.create({"spec": {}}).stored
    assert (stored["apiVersion"], stored["kind"]) == ("example.com/v1", "Cron")
    assert stored["metadata"] == {"name": "example", "namespace": "default"}


def test_a_text_is_sent_unchanged() -> None:
    answer = V1.create("spec: {}")
    assert answer.code == 400
    assert answer.message == (
        "the object provided is unrecognized (must be of type Cron): Object 'Kind' is missing in 'spec: {}' "
        "(737065633a207b7d)"
    )


def test_the_resource_of_the_caller_is_not_modified() -> None:
    resource = {**NAMED, "spec": {"bogus": 1, "tags": ["a"]}}
    answer = V1.create(resource)
    answer.stored["spec"]["tags"].append("b")
    assert resource == {**NAMED, "spec": {"bogus": 1, "tags": ["a"]}}


def test_errors_come_in_the_order_of_the_passes() -> None:
    spec = {"replicas": 11, "tags": ["a", "a"], "template": {"kind": "Pod"}}
    answer = WITH_STATUS.create({**NAMED, "metadata": {"name": "A"}, "spec": spec | {"replicas": -1}})
    assert answer.code == 422
    assert [error.field for error in answer.errors] == [
        "metadata.name",
        "spec.replicas",
        ".spec.replicas",
        "spec.template.apiVersion",
        "spec.tags[1]",
    ]
    assert answer.message.startswith('Cron.example.com "A" is invalid: [metadata.name: Invalid value: "A": ')


def test_a_wrong_kind_hides_errors_of_values() -> None:
    answer = V1.create({**NAMED, "kind": "Job", "spec": {"replicas": 11}})
    assert answer.message == 'Job.example.com "a" is invalid: kind: Invalid value: "Job": must be Cron'


@pytest.mark.parametrize(
    ("mode", "code", "warnings"),
    [
        pytest.param("Warn", 201, ('line 1: key "a" already set in map', 'unknown field "spec"'), id="warned about"),
        pytest.param("Ignore", 201, (), id="ignored"),
        pytest.param("Strict", 400, (), id="refused"),
    ],
)
def test_field_validation_decides_about_unknown_and_duplicate_fields(mode: Any, code: int, warnings: Any) -> None:
    crd = _crd(_version(schema={"type": "object"}))
    text = "{apiVersion: example.com/v1, kind: Cron, metadata: {name: a}, spec: {a: 1, a: 2}}"
    answer = crd.version("v1").create(text, field_validation=mode)
    assert (answer.code, answer.warnings) == (code, warnings)


def test_strict_validation_lists_all_problems() -> None:
    text = (
        '{"apiVersion": "example.com/v1", "kind": "Cron", "metadata": {"name": "a", "x": 1}, "spec": {"a": 1, "a": 2}}'
    )
    answer = V1.create(text, field_validation="Strict")
    listed = 'duplicate field "spec.a", unknown field "metadata.x", unknown field "spec.a"'
    assert answer.message == f'Cron in version "v1" cannot be handled as a Cron: strict decoding error: {listed}'


def test_an_unknown_field_validation_is_a_usage_error() -> None:
    with pytest.raises(ValueError, match="field_validation 'strict': one of Strict, Warn, Ignore"):
        V1.create({}, field_validation="strict")  # type: ignore[arg-type] # that is the point


def test_older_versions_ignore_field_validation() -> None:
    answer = _crd(kubernetes="1.21").version("v1").create({"spec": {"bogus": 1}}, field_validation="Strict")
    assert (answer.code, answer.warnings, answer.pruned) == (201, (), ("spec.bogus",))


@pytest.mark.parametrize(
    ("resource", "message"),
    [
        pytest.param(
            {"metadata": {"name": 3}},
            'Cron in version "v1" cannot be handled as a Cron: json: cannot unmarshal number into Go struct field '
            "ObjectMeta.name of type string",
            id="metadata of a wrong type",
        ),
        pytest.param(
            {"apiVersion": "example.com/v2"},
            "the API version in the data (example.com/v2) does not match the expected API version (example.com/v1)",
            id="another version",
        ),
        pytest.param(
            {"apiVersion": "other.com/v1", "kind": "Job"},
            "the API version in the data (other.com/v1) does not match the expected API version (example.com/v1)",
            id="another group",
        ),
        pytest.param(
            {"metadata": {"name": "a", "namespace": "b"}},
            "the namespace of the provided object does not match the namespace sent on the request",
            id="another namespace",
        ),
    ],
)
def test_inconsistent_requests_are_bad_requests(resource: Any, message: str) -> None:
    answer = V1.create(resource, namespace="default")
    assert (answer.code, answer.message, answer.stored_if_accepted) == (400, message, None)


def test_an_object_in_another_version_is_pruned_by_its_schema_before_the_refusal() -> None:
    crd = _crd(_version(), _version("v2", {"type": "object", "properties": {"b": {"type": "string"}}}, storage=False))
    answer = crd.version("v1").create({"apiVersion": "example.com/v2", "b": "x", "spec": {}})
    assert (answer.code, answer.warnings) == (400, ('unknown field "spec"',))


def test_a_cluster_wide_resource_has_no_namespace() -> None:
    answer = _crd(scope="Cluster").version("v1").create({"metadata": {"name": "a", "namespace": "b"}})
    assert answer.stored["metadata"] == {"name": "a"}


def test_a_generated_name_is_not_shown() -> None:
    answer = V1.create({"metadata": {"generateName": "a-"}})
    assert answer.stored["metadata"] == {"generateName": "a-", "namespace": "default"}


def test_a_finalizer_without_a_domain_is_warned_about() -> None:
    [warning] = V1.create({"metadata": {"name": "a", "finalizers": ["x"]}}).warnings
    assert warning.startswith('metadata.finalizers: "x": prefer a domain-qualified finalizer name')


def test_the_status_has_an_endpoint_of_its_own() -> None:
    status = {"ready": True}
    assert "status" not in WITH_STATUS.create({"status": status}).stored
    assert V1.create({"status": status}).stored["status"] == status
    old = _namespaced(spec={"image": "x"}, status={"ready": False})
    assert WITH_STATUS.update({"spec": {"image": "y"}, "status": status}, old=old).stored == _namespaced(
        spec={"image": "y"}, status={"ready": False}
    )
    answer = WITH_STATUS.update_status({"spec": {"image": "y"}, "status": status}, old=old)
    assert (answer.code, answer.stored) == (200, _namespaced(spec={"image": "x"}, status=status))


def test_an_update_of_a_missing_status_subresource_is_not_found() -> None:
    answer = V1.update_status({"status": {}}, old={"metadata": {"name": "a"}})
    assert (answer.code, answer.message) == (404, 'crons.example.com "a" not found')
    assert (answer.status or {})["details"] == {"name": "a", "group": "example.com", "kind": "crons"}


def test_a_status_is_validated_by_its_own_schema() -> None:
    answer = WITH_STATUS.update_status({"status": {"ready": 1}}, old={"spec": {"replicas": 99}})
    assert [error.field for error in answer.errors] == ["status.ready"]
    assert answer.errors[0].detail == 'ready in body must be of type boolean: "integer"'


def test_an_update_may_keep_invalid_values() -> None:
    old = {"spec": {"replicas": 11, "tags": ["a", "a"]}}
    assert V1.update({"spec": {"replicas": 11, "tags": ["a", "a"], "image": "x"}}, old=old).accepted
    assert [error.field for error in V1.update({"spec": {"replicas": 12}}, old=old).errors] == ["spec.replicas"]
    assert not V1.update({"spec": {"tags": ["b", "b"]}}, old={"spec": {"tags": ["b"]}}).accepted


def test_an_update_must_match_the_stored_object() -> None:
    old = {"metadata": {"name": "a", "namespace": "b"}, "spec": {}}
    assert V1.update({"spec": {}}, old=old).stored["metadata"] == {"name": "a", "namespace": "b"}
    answer = V1.update({"metadata": {"name": "c"}}, old=old)
    assert (answer.code, answer.message) == (400, "the name of the object (c) does not match the name on the URL (a)")
    answer = V1.update({"metadata": {"resourceVersion": "0"}}, old=old)
    assert answer.code == 422
    assert "must be specified for an update" in answer.message


def test_a_wrong_kind_on_update_hides_the_values_too() -> None:
    answer = V1.update({"kind": "Job", "spec": {"replicas": 12}}, old={"spec": {}})
    assert [error.field for error in answer.errors] == ["kind"]


def test_objects_are_stored_under_the_schema_of_the_storage_version() -> None:
    both = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string", "default": "x"}}}
    only_a = {"type": "object", "properties": {"a": {"type": "string"}, "c": {"type": "string", "default": "y"}}}
    crd = _crd(_version("v1", both, storage=False), _version("v2", only_a))
    answer = crd.version("v1").create({"a": "1", "b": "2"})
    assert answer.stored == _namespaced(metadata={"name": "example", "namespace": "default"}, a="1")
    old = {"apiVersion": "example.com/v2", "a": "1"}
    assert crd.version("v1").update({"a": "1"}, old=old).stored["apiVersion"] == "example.com/v1"


def test_malformed_metadata_of_a_stored_object_is_dropped() -> None:
    answer = V1.update({"spec": {}}, old={"metadata": {"name": "a", "labels": 3}})
    assert answer.accepted


def test_a_version_without_a_schema_prunes_all_fields() -> None:
    version = {"name": "v1", "served": True, "storage": True}
    answer = _crd(version).version("v1").create({"spec": {}})
    assert (answer.code, answer.pruned) == (201, ("spec",))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param("[1]", "cannot unmarshal array into", id="a list"),
        pytest.param("3", "cannot unmarshal number into", id="a number"),
        pytest.param("x", "cannot unmarshal string into", id="a text"),
        pytest.param("true", "cannot unmarshal bool into", id="a boolean"),
    ],
)
def test_a_body_that_is_no_object_is_refused(text: str, problem: str) -> None:
    message = V1.create(text).message
    assert message.startswith("the object provided is unrecognized (must be of type Cron): couldn't get version/kind; ")
    assert problem in message
    assert message.endswith(f" ({text.encode().hex()})")


def test_a_value_that_is_no_object_is_sent_as_json() -> None:
    sent: Any = [None]
    assert V1.create(sent).message.endswith("} (5b6e756c6c5d)")


def test_whole_floats_in_a_text_are_stored_as_integers() -> None:
    text = '{"apiVersion": "example.com/v1", "kind": "Cron", "metadata": {"name": "a"}, "spec": {"replicas": 3.0}}'
    replicas = V1.create(text).stored["spec"]["replicas"]
    assert (replicas, type(replicas)) == (3, int)


def test_a_version_that_is_not_served_is_not_found() -> None:
    version = _crd(_version() | {"served": False}).version("v1")
    for answer in (version.create({}), version.update({}, old={}), version.update_status({}, old={})):
        assert (answer.code, answer.message) == (404, "the server could not find the requested resource")
        assert "details" not in (answer.status or {"details": ""})


@pytest.mark.parametrize(
    ("resource", "code"),
    [
        pytest.param({"a": "b" * (3 << 20)}, 413, id="a mapping"),
        pytest.param({"a": ["b" * 1024] * (3 << 10)}, 413, id="one text in many places"),
        pytest.param({"a": "\0" * (1 << 19)}, 413, id="characters that are six in JSON"),
        pytest.param({"a": "\0" * (1 << 18)}, 201, id="not so many of them"),
        pytest.param('{"apiVersion": "b/v1"}' + " " * (3 << 20), 413, id="a text"),
        pytest.param('{"apiVersion": "b/v1"}' + " " * ((3 << 20) - 22), 400, id="as much text as there may be"),
    ],
)
def test_a_body_of_more_than_three_mebibytes_is_not_read(resource: Any, code: int) -> None:
    answer = V1.create(resource)
    assert answer.code == code
    if code == 413:
        assert answer.status == {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": "Request entity too large: limit is 3145728",
            "reason": "RequestEntityTooLarge",
            "code": 413,
        }


def test_a_null_body_is_quoted_as_null() -> None:
    body: Any = None
    problem = "Object 'Kind' is missing in 'null' (6e756c6c)"
    answer = V1.create(body)
    assert answer.message.endswith(problem)


def test_a_character_cut_by_a_generated_name_is_printed_as_bytes() -> None:
    answer = V1.create({"metadata": {"generateName": "a" * 56 + "\U0001f600"}})
    assert f'"{"a" * 56}\\xf0\\x9fxxxxx" is invalid' in answer.message
    assert (answer.status or {})["details"]["name"] == "a" * 56 + "\ufffd\ufffdxxxxx"


@pytest.mark.parametrize(
    ("metadata", "namespace", "answer"),
    [
        pytest.param({"name": "a"}, None, "default", id="nobody says one"),
        pytest.param({"name": "a", "namespace": "b"}, None, "b", id="the object does"),
        pytest.param({"name": "a", "namespace": "b"}, "b", "b", id="both do"),
        pytest.param({"name": "a"}, "c", "c", id="the caller does"),
        pytest.param({"name": "a", "namespace": "b"}, "c", 400, id="the caller says another"),
        pytest.param({"name": "a", "namespace": ""}, None, "default", id="the object says nothing with it"),
        pytest.param({"name": "a", "namespace": 1}, None, 400, id="what the object says is none"),
    ],
)
def test_the_namespace_comes_from_the_caller_or_the_object(
    metadata: Any, namespace: str | None, answer: object
) -> None:
    sent = {**NAMED, "metadata": metadata, "spec": {}}
    old = {"metadata": {"name": "a"}, "spec": {}}
    responses = [
        V1.create(sent, namespace=namespace),
        V1.create(json.dumps(sent), namespace=namespace),
        V1.update(sent, old=old, namespace=namespace),
        WITH_STATUS.update_status(sent, old=old, namespace=namespace),
    ]
    for response in responses:
        stored = response.stored["metadata"]["namespace"] if response.accepted else response.code
        assert stored == answer


def test_a_body_without_an_object_is_a_bad_request() -> None:
    assert V1.create([]).code == 400  # type: ignore[arg-type] # a caller may do so all the same


@pytest.mark.parametrize(
    ("metadata", "name"),
    [({}, "example"), ({"labels": {"a": "b"}}, "example"), ({"name": "a"}, "a"), ({"generateName": ""}, None)],
)
def test_a_mapping_without_a_name_gets_a_default_name(metadata: Any, name: str | None) -> None:
    answer = V1.create({"metadata": metadata, "spec": {}})

    assert (answer.stored["metadata"]["name"] if answer.accepted else None) == name
    if name is None:
        assert [str(error) for error in answer.errors] == [
            "metadata.name: Required value: name or generateName is required"
        ]


def test_a_text_without_a_name_gets_no_default_name() -> None:
    assert not V1.create('{"apiVersion": "example.com/v1", "kind": "Tab", "metadata": {}}').accepted


def test_a_text_gets_no_name_or_version_from_the_stored_object() -> None:
    version = _crd().version("v1")

    nameless = version.update(json.dumps({**NAMED, "metadata": {}}), old=NAMED)
    without_version = version.update(json.dumps(NAMED), old=NAMED)

    assert nameless.message == "the name of the object (a based on URL) was undeterminable: name must be provided"
    assert [str(error) for error in without_version.errors] == [
        "metadata.resourceVersion: Invalid value: 0: must be specified for an update"
    ]
    assert version.update(NAMED, old=NAMED).accepted
