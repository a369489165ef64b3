"""Decoding of CRD manifests, v1 and v1beta1, as the Go types of Kubernetes 1.37 decode them."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from pytest_crd.engine.crds import decoded as crdtypes
from pytest_crd.engine.golang import decoding


def crd(spec: dict[str, Any] | None = None, *, version: str = "v1", **others: Any) -> dict[str, Any]:
    return {
        "apiVersion": f"apiextensions.k8s.io/{version}",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "tests.example.com"},
        "spec": {"group": "example.com", "names": {"plural": "tests", "kind": "Test"}, **(spec or {})},
        **others,
    }


def with_schema(schema: Any) -> dict[str, Any]:
    return crd({"versions": [{"name": "v1", "schema": {"openAPIV3Schema": {"properties": {"a": schema}}}}]})


def schema_of(decoded: decoding.Decoded) -> Any:
    return decoded.value["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["a"]


def error_of(manifest: dict[str, Any], **options: bool) -> str:
    with pytest.raises(decoding.DecodeError) as refused:
        crdtypes.decode_crd(manifest, **options)
    return str(refused.value).removeprefix("json: cannot unmarshal ")


SCHEMA_PATH = "JSONSchemaProps.spec.versions.schema.openAPIV3Schema.properties"


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        (5, f"number into Go struct field {SCHEMA_PATH} of type v1.JSONSchemaProps"),
        ({"type": 5}, f"number into Go struct field {SCHEMA_PATH}.type of type string"),
        ({"$schema": 5}, f"number into Go struct field {SCHEMA_PATH}.$schema of type v1.JSONSchemaURL"),
        ({"properties": {"b": 5}}, f"number into Go struct field {SCHEMA_PATH}.properties of type v1.JSONSchemaProps"),
        ({"maxLength": 1.5}, f"number 1.5 into Go struct field {SCHEMA_PATH}.maxLength of type int64"),
        ({"maximum": "1"}, f"string into Go struct field {SCHEMA_PATH}.maximum of type float64"),
        ({"enum": {}}, f"object into Go struct field {SCHEMA_PATH}.enum of type []v1.JSON"),
        ({"allOf": {}}, f"object into Go struct field {SCHEMA_PATH}.allOf of type []v1.JSONSchemaProps"),
        ({"nullable": "true"}, f"string into Go struct field {SCHEMA_PATH}.nullable of type bool"),
        ({"definitions": 5}, f"number into Go struct field {SCHEMA_PATH}.definitions of type v1.JSONSchemaDefinitions"),
        (
            {"dependencies": 5},
            f"number into Go struct field {SCHEMA_PATH}.dependencies of type v1.JSONSchemaDependencies",
        ),
        ({"dependencies": {"a": [5]}}, f"number into Go struct field {SCHEMA_PATH}.dependencies of type string"),
        (
            {"dependencies": {"a": {"type": 5}}},
            f"number into Go struct field {SCHEMA_PATH}.dependencies.type of type string",
        ),
        ({"items": {"type": 5}}, f"number into Go struct field {SCHEMA_PATH}.items.type of type string"),
        ({"items": [5]}, f"number into Go struct field {SCHEMA_PATH}.items of type v1.JSONSchemaProps"),
        (
            {"additionalProperties": {"items": {"items": {"maxLength": 1.5}}}},
            f"number 1.5 into Go struct field {SCHEMA_PATH}.additionalProperties.items.items.maxLength of type int64",
        ),
        (
            {"x-kubernetes-validations": [{"reason": 5}]},
            (
                f"number into Go struct field {SCHEMA_PATH.replace('JSONSchemaProps', 'ValidationRule')}"
                ".x-kubernetes-validations.reason of type v1.FieldValueErrorReason"
            ),
        ),
        (
            {"items": {"x-kubernetes-validations": [{"rule": 5}]}},
            f"number into Go struct field {SCHEMA_PATH}.items.x-kubernetes-validations.rule of type string",
        ),
        ({"additionalProperties": 5}, "boolean or JSON schema expected"),
        ({"additionalItems": []}, "boolean or JSON schema expected"),
        ({"properties": {"a": 5, "m": {"additionalProperties": 7}}}, "boolean or JSON schema expected"),
    ],
)
def test_a_schema_that_cannot_be_decoded_is_refused_in_the_servers_words(schema: Any, message: str) -> None:
    assert error_of(with_schema(schema)) == message


@pytest.mark.parametrize(
    ("manifest", "message"),
    [
        (
            crd(spec=None) | {"spec": 5},
            "number into Go struct field CustomResourceDefinition.spec of type v1.CustomResourceDefinitionSpec",
        ),
        (
            crd(metadata={"labels": 5}),
            "number into Go struct field ObjectMeta.metadata.labels of type map[string]string",
        ),
        (
            crd({"versions": 5}),
            "number into Go struct field CustomResourceDefinitionSpec.spec.versions of type []v1.CustomResourceDefinitionVersion",
        ),
        (
            crd({"scope": 5}),
            "number into Go struct field CustomResourceDefinitionSpec.spec.scope of type v1.ResourceScope",
        ),
        (
            crd({"conversion": {"webhook": {"clientConfig": {"service": {"port": 2147483648}}}}}),
            "number 2147483648 into Go struct field ServiceReference.spec.conversion.webhook.clientConfig.service.port of type int32",
        ),
        (crd({"conversion": {"webhook": {"clientConfig": {"caBundle": "!!"}}}}), "illegal base64 data at input byte 0"),
        (
            crd(status={"conditions": [{"lastTransitionTime": 5}]}),
            "number into Go struct field CustomResourceDefinitionCondition.status.conditions.lastTransitionTime of type string",
        ),
        (
            crd({"validation": {"openAPIV3Schema": {"not": 5}}}, version="v1beta1"),
            "number into Go struct field JSONSchemaProps.spec.validation.openAPIV3Schema.not of type v1beta1.JSONSchemaProps",
        ),
    ],
)
def test_a_manifest_that_cannot_be_decoded_is_refused_in_the_servers_words(
    manifest: dict[str, Any], message: str
) -> None:
    assert error_of(manifest) == message


def test_the_order_of_keys_decides_only_on_request() -> None:
    manifest = crd({"versions": 5, "scope": 5})
    assert "spec.scope" in error_of(manifest)
    assert "spec.versions" in error_of(manifest, sort_keys=False)


def test_unknown_fields_are_spelled_as_in_the_servers_warnings() -> None:
    schema = {
        "foo": 1,
        "properties": {
            "l": {"items": {"bar": 1, "type": "string"}, "zed": 1},
            "m": {"additionalProperties": {"qux": 1}},
        },
        "allOf": [{"nope": 1}],
    }
    decoded = crdtypes.decode_crd(with_schema(schema) | {"zeta": 1, "alpha": 2})
    assert decoded.unknown == (
        "alpha",
        "spec.versions[0].schema.openAPIV3Schema.properties.a.allOf[0].nope",
        "spec.versions[0].schema.openAPIV3Schema.properties.a.foo",
        "spec.versions[0].schema.openAPIV3Schema.properties.a.properties.l.zed",
        "zeta",
    )
    assert schema_of(decoded) == {
        "properties": {"l": {"items": {"type": "string"}}, "m": {"additionalProperties": {}}},
        "allOf": [{}],
    }


@pytest.mark.parametrize(
    ("schema", "held"),
    [
        pytest.param({"default": None, "items": None, "enum": None}, {}, id="null is not set"),
        pytest.param(
            {"default": {}, "enum": [None], "required": []},
            {"default": {}, "enum": [None], "required": []},
            id="empty is set",
        ),
        pytest.param({"properties": {"b": None}}, {"properties": {"b": {}}}, id="a null schema is an empty one"),
        pytest.param({"items": 5}, {"items": []}, id="what items cannot be is nothing"),
        pytest.param({"additionalProperties": False}, {"additionalProperties": False}, id="false stays"),
    ],
)
def test_a_schema_keeps_the_distinctions_that_go_keeps(schema: Any, held: Any) -> None:
    assert schema_of(crdtypes.decode_crd(with_schema(schema))) == held


def test_v1_and_v1beta1_know_different_fields() -> None:
    spec = {"version": "v1", "additionalPrinterColumns": [{"name": "a", "JSONPath": ".a", "jsonPath": ".b"}]}
    assert crdtypes.decode_crd(crd(spec)).unknown == ("spec.additionalPrinterColumns", "spec.version")
    assert crdtypes.decode_crd(crd(spec, version="v1beta1")).unknown == ("spec.additionalPrinterColumns[0].jsonPath",)


def test_a_full_manifest_comes_back_as_the_same_object() -> None:
    column = {"name": "a", "type": "string", "format": "", "description": "", "priority": 0, "jsonPath": ".a"}
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "deprecated": False,
        "deprecationWarning": "",
        "schema": {
            "openAPIV3Schema": {"type": "object", "externalDocs": {"url": ""}, "x-kubernetes-map-type": "atomic"}
        },
        "subresources": {"status": {}, "scale": {"specReplicasPath": ".a", "statusReplicasPath": ".b"}},
        "additionalPrinterColumns": [column],
        "selectableFields": [{"jsonPath": ".a"}],
    }
    client = {"url": "", "service": {"namespace": "", "name": "", "path": "/", "port": 1}, "caBundle": "aGk="}
    conversion = {"strategy": "Webhook", "webhook": {"clientConfig": client, "conversionReviewVersions": ["v1"]}}
    manifest = crd(
        {"scope": "Cluster", "versions": [version], "conversion": conversion, "preserveUnknownFields": False}
    )
    before = copy.deepcopy(manifest)
    decoded = crdtypes.decode_crd(manifest)
    assert decoded.value is manifest
    assert decoded.unknown == ()
    assert manifest == before


def test_metadata_come_back_as_object_meta_is_written() -> None:
    decoded = crdtypes.decode_crd(crd(metadata={"name": "a", "labels": {}, "creationTimestamp": None, "x": 1}))
    assert decoded.value["metadata"] == {"name": "a"}
    assert decoded.unknown == ("metadata.x",)


def test_any_mapping_can_be_decoded() -> None:
    class Manifest(dict[str, Any]):
        pass

    assert crdtypes.decode_crd(Manifest(crd())).value == crd()


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        (
            {"\u212aind": "x"},
            (
                'x in version "v1" cannot be handled as a CustomResourceDefinition: no kind "x" is registered for version '
                '"apiextensions.k8s.io/v1"'
            ),
        ),
        (
            {"apiversion": "x"},
            (
                'CustomResourceDefinition in version "x" cannot be handled as a CustomResourceDefinition: no kind '
                '"CustomResourceDefinition" is registered for version "x"'
            ),
        ),
        (
            {"KIND": 1},
            (
                "the object provided is unrecognized (must be of type CustomResourceDefinition): couldn't get version/kind; json "
                "parse error: json: cannot unmarshal number into Go struct field .kind of type string "
                '({"KIND":1,"apiVersion":"apiext ...)'
            ),
        ),
    ],
)
def test_a_key_that_differs_from_kind_by_case_decides(more: dict[str, Any], problem: str) -> None:
    with pytest.raises(decoding.DecodeError) as raised:
        crdtypes.decode_crd(crd() | {"kind": "CustomResourceDefinition"} | more)
    assert str(raised.value) == problem


def test_a_key_that_differs_by_case_and_says_nothing_else_is_an_unknown_field() -> None:
    more = {"\u212aind": "", "KIND": "x", "Kind": None}
    assert set(crdtypes.decode_crd(crd() | {"kind": "CustomResourceDefinition"} | more).unknown) == set(more)
