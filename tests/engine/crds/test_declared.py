"""Declarations of CRDs, v1 and v1beta1 alike."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.engine import profile
from pytest_crd.engine.crds import declared, defaulted, internal
from pytest_crd.engine.crds.declared import V1, V1BETA1, CrdSpec

NEWEST = profile.named("1.37")
OBJECT = {"type": "object"}


def _spec(api_version: str = V1, metadata: Any = None, **spec: Any) -> CrdSpec:
    return _declared({"apiVersion": api_version, "kind": declared.KIND, "metadata": metadata, "spec": spec})


def _declared(decoded: Any) -> CrdSpec:
    return internal.declared(internal.from_defaulted(defaulted.apply(decoded, NEWEST), NEWEST))


def _version(name: str, schema: Any = None, **more: Any) -> dict[str, Any]:
    return {"name": name, **({} if schema is None else {"schema": {"openAPIV3Schema": schema}}), **more}


@pytest.mark.parametrize(
    ("manifest", "answer"),
    [
        ({"apiVersion": V1, "kind": "CustomResourceDefinition"}, True),
        ({"apiVersion": V1BETA1, "kind": "CustomResourceDefinition"}, True),
        ({"apiVersion": "apiextensions.k8s.io/v2", "kind": "CustomResourceDefinition"}, False),
        ({"apiVersion": V1, "kind": "Pod"}, False),
        ({}, False),
        ([], False),
        (None, False),
    ],
)
def test_a_crd_is_recognized_by_kind_and_api_version(manifest: Any, *, answer: bool) -> None:
    assert declared.is_crd(manifest) is answer


def test_a_v1_crd_is_read() -> None:
    spec = _spec(
        metadata={"name": "tabs.example.com"},
        group="example.com",
        names={"plural": "tabs", "kind": "Tab"},
        scope="Cluster",
        versions=[_version("v1", OBJECT, served=True, storage=True)],
    )
    assert (spec.name, spec.group, spec.kind, spec.plural) == ("tabs.example.com", "example.com", "Tab", "tabs")
    assert (spec.scope, spec.preserve_unknown_fields) == ("Cluster", False)
    (version,) = spec.versions
    assert (version.name, version.served, version.storage) == ("v1", True, True)
    assert version.schema is not None
    assert version.schema.value == OBJECT


def test_missing_fields_are_empty_and_the_name_follows_from_plural_and_group() -> None:
    spec = _declared({"apiVersion": V1})
    assert spec == CrdSpec(
        ".", "", "", "", "", "", preserve_unknown_fields=False, converts_by_webhook=False, versions=()
    )


def test_v1beta1_preserves_unknown_fields_and_is_namespaced_by_default() -> None:
    assert _spec(V1BETA1).preserve_unknown_fields is True
    assert _spec(V1BETA1).scope == "Namespaced"
    assert _spec(V1BETA1, preserveUnknownFields=False, scope="Cluster").preserve_unknown_fields is False


def test_v1beta1_may_have_one_version_and_one_schema_for_all() -> None:
    (version,) = _spec(V1BETA1, version="v1", validation={"openAPIV3Schema": OBJECT}).versions
    assert (version.name, version.served, version.storage) == ("v1", True, True)
    assert version.schema is not None
    assert version.schema.value == OBJECT
    assert str(version.schema_path) == "spec.validation.openAPIV3Schema"
    assert str(version.condition_path) == "spec.versions[0].schema.openAPIV3Schema"


def test_v1beta1_versions_count_before_version() -> None:
    versions = _spec(V1BETA1, version="v1", versions=[_version("v2", OBJECT), _version("v3")]).versions
    names_and_schemas = [(version.name, version.schema and version.schema.value) for version in versions]
    assert names_and_schemas == [("v2", OBJECT), ("v3", None)]
    assert str(versions[0].schema_path) == "spec.versions[0].schema.openAPIV3Schema"


@pytest.mark.parametrize(
    ("left", "right"),
    [
        pytest.param(OBJECT, OBJECT, id="equal schemas"),
        pytest.param(
            OBJECT, {**OBJECT, "description": "", "nullable": False, "enum": []}, id="what is empty is absent"
        ),
        pytest.param({**OBJECT, "default": {"a": 1}}, {**OBJECT, "default": {"a": 1}}, id="equal defaults"),
        pytest.param({"required": ["a"]}, {"required": ["a"]}, id="equal lists"),
    ],
)
def test_one_schema_for_all_versions_is_moved_up(left: Any, right: Any) -> None:
    """Errors of v1 then name `spec.validation`, which v1 does not even have."""
    versions = _spec(versions=[_version("v1", left), _version("v2", right)]).versions
    assert {str(version.schema_path) for version in versions} == {"spec.validation.openAPIV3Schema"}


@pytest.mark.parametrize(
    ("left", "right"),
    [
        pytest.param(OBJECT, {"type": "string"}, id="another type"),
        pytest.param(OBJECT, None, id="no schema in one of them"),
        pytest.param({**OBJECT, "default": {}}, OBJECT, id="an empty default is none that is absent"),
        pytest.param({"default": 1}, {"default": 1.5}, id="other defaults"),
        pytest.param({**OBJECT, "not": {}}, OBJECT, id="an empty schema behind a pointer"),
        pytest.param({**OBJECT, "additionalProperties": False}, OBJECT, id="a false behind a pointer"),
        pytest.param({**OBJECT, "additionalProperties": {}}, OBJECT, id="an empty schema in place of a bool"),
        pytest.param({**OBJECT, "externalDocs": {}}, OBJECT, id="an empty struct behind a pointer"),
        pytest.param({"required": ["a"]}, {"required": ["a", "b"]}, id="a longer list"),
        pytest.param({"required": ["a"]}, {"required": ["b"]}, id="another item"),
        pytest.param({"maxLength": 0}, {}, id="a zero behind a pointer"),
    ],
)
def test_schemas_that_differ_stay_in_their_versions(left: Any, right: Any) -> None:
    versions = _spec(versions=[_version("v1", left), _version("v2", right)]).versions
    assert [str(version.schema_path) for version in versions] == [
        "spec.versions[0].schema.openAPIV3Schema",
        "spec.versions[1].schema.openAPIV3Schema",
    ]
