"""CRDs of classes."""

from __future__ import annotations

import dataclasses
import enum
import math
from collections.abc import Callable
from typing import Annotated, Any, Literal

import msgspec
import pydantic
import pytest
from pydantic import BaseModel, Field

import pytest_crd
from pytest_crd.classes import crd_of
from pytest_crd.classes.manifests import pluralize
from pytest_crd.engine import CrdError, CustomResourceDefinition


class Mode(enum.StrEnum):
    FULL = "full"
    SOME = "some"


class Retention(BaseModel):
    days: Annotated[int, Field(gt=0, le=30)] = 7


class BackupSpec(BaseModel):
    """A backup."""

    schedule: str = Field(description="In the syntax of cron.", min_length=1)
    mode: Mode = Mode.FULL
    retention: Retention | None = None


class BackupStatus(BaseModel):
    phase: Literal["Ready", "Failed"] | None = None


class Backup(BaseModel):
    apiVersion: str  # noqa: N815 - as in manifests
    kind: str
    metadata: dict[str, Any]
    spec: BackupSpec
    status: BackupStatus | None = None


SPEC = {
    "type": "object",
    "description": "A backup.",
    "required": ["schedule"],
    "properties": {
        "schedule": {"type": "string", "description": "In the syntax of cron.", "minLength": 1},
        "mode": {"type": "string", "enum": ["full", "some"], "default": "full"},
        "retention": {
            "type": "object",
            "nullable": True,
            "properties": {
                "days": {"type": "integer", "default": 7, "minimum": 0, "exclusiveMinimum": True, "maximum": 30}
            },
        },
    },
}


def schema_of(manifest: dict[str, Any]) -> dict[str, Any]:
    schema: dict[str, Any] = manifest["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    return schema


def test_a_model_is_the_spec() -> None:
    assert crd_of(BackupSpec, group="example.com", kind="Backup") == {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "backups.example.com"},
        "spec": {
            "group": "example.com",
            "names": {"kind": "Backup", "plural": "backups", "singular": "backup", "listKind": "BackupList"},
            "scope": "Namespaced",
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "storage": True,
                    "schema": {
                        "openAPIV3Schema": {"type": "object", "required": ["spec"], "properties": {"spec": SPEC}}
                    },
                }
            ],
        },
    }


def test_a_model_with_a_spec_is_the_object() -> None:
    manifest = crd_of(
        Backup,
        group="example.com",
        plural="backupz",
        versions=["v1beta1", "v1"],
        scope="Cluster",
        names={"shortNames": ["bk"]},
    )

    assert manifest["metadata"] == {"name": "backupz.example.com"}
    assert manifest["spec"]["names"]["shortNames"] == ["bk"]
    assert manifest["spec"]["scope"] == "Cluster"
    assert [(item["name"], item["storage"]) for item in manifest["spec"]["versions"]] == [
        ("v1beta1", False),
        ("v1", True),
    ]
    assert all(item["subresources"] == {"status": {}} for item in manifest["spec"]["versions"])
    schema = schema_of(manifest)
    assert schema["required"] == ["spec"]
    assert schema["properties"].keys() == {"spec", "status"}
    assert schema["properties"]["status"]["properties"]["phase"] == {
        "type": "string",
        "allOf": [{"enum": ["Ready", "Failed"]}],
        "nullable": True,
    }


def test_the_engine_answers_with_the_manifest() -> None:
    crd = CustomResourceDefinition.from_manifest(pytest_crd.crd_of(BackupSpec, group="example.com", kind="Backup"))

    answer = crd.versions[0].create({"spec": {"schedule": "@daily", "retention": {}}})

    answer.assert_accepted()
    assert answer.stored["spec"] == {"schedule": "@daily", "mode": "full", "retention": {"days": 7}}


def test_other_classes_have_a_schema_too() -> None:
    @dataclasses.dataclass
    class Point:
        x: int
        y: int = 0

    class Line(msgspec.Struct):
        length: float

    adapted = schema_of(crd_of(pydantic.TypeAdapter(Point), group="example.com"))["properties"]["spec"]
    assert adapted["required"] == ["x"]
    line = schema_of(crd_of(msgspec.json.schema(Line), group="example.com", kind="Line"))["properties"]["spec"]
    assert line["properties"] == {"length": {"type": "number"}}


@pytest.mark.parametrize(
    ("model", "message"),
    [(int, r"has no model_json_schema\(\): pass a pydantic model"), ({"type": "object"}, "no title: pass kind=")],
)
def test_a_model_without_a_schema_or_a_name_is_misuse(model: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        crd_of(model, group="example.com")


def test_what_a_server_refuses_is_told_in_its_words() -> None:
    class Spec(BaseModel):
        a: Annotated[str, Field(json_schema_extra={"x-kubernetes-validations": [{"rule": "self +"}]})]

    with pytest.raises(CrdError) as caught:
        crd_of(Spec, group="example.com")

    assert str(caught.value).startswith("Spec: spec.validation.openAPIV3Schema.properties[spec].properties[a]")


@pytest.mark.parametrize(
    ("kind", "plural"),
    [
        ("backup", "backups"),
        ("policy", "policies"),
        ("gateway", "gateways"),
        ("ingress", "ingresses"),
        ("batch", "batches"),
    ],
)
def test_plurals_are_regular(kind: str, plural: str) -> None:
    assert pluralize(kind) == plural


class Opaque(BaseModel):
    callback: Callable[[], int]


def test_a_type_without_a_json_schema_is_a_mistake_of_its_class() -> None:
    with pytest.raises(CrdError, match=r"Opaque: it has no JSON Schema: .*Callable"):
        pytest_crd.crd_of(Opaque, group="example.com")


def test_a_default_that_is_not_json_is_a_mistake_with_its_field() -> None:
    schema = {"type": "object", "properties": {"rate": {"type": "number", "default": math.inf}}}

    with pytest.raises(CrdError, match=r"Model: spec.versions.*\.rate\.default: inf is not JSON"):
        pytest_crd.crd_of({"title": "Model", **schema}, group="example.com")


def test_the_server_takes_null_for_an_optional_choice() -> None:
    choice = {"anyOf": [{"enum": ["a", "b"], "type": "string"}, {"type": "null"}]}
    manifest = pytest_crd.crd_of(
        {"title": "Model", "type": "object", "properties": {"choice": choice}}, group="example.com"
    )
    (version,) = CustomResourceDefinition.from_manifest(manifest).versions

    assert version.create({"spec": {"choice": None}}).accepted
    assert version.create({"spec": {"choice": "b"}}).accepted
    assert not version.create({"spec": {"choice": "c"}}).accepted
