"""The versions of a CRD."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.engine import profile
from pytest_crd.engine.crds import internal
from pytest_crd.engine.crds.declared import V1, V1BETA1
from pytest_crd.engine.crds.internal import InternalCrd
from pytest_crd.engine.crds.validation import versionsfield as crdversions
from pytest_crd.engine.crds.validation.options import ValidationOptions

NEWEST = profile.named("1.37")
OLD = profile.named("1.32")
OBJECT = {"openAPIV3Schema": {"type": "object", "properties": {"a": {"type": "string"}}}}
OTHER = {"openAPIV3Schema": {"type": "object"}}
STRICT = ValidationOptions()
LAX = ValidationOptions(require_openapi_schema=False)


def _crd(*versions: Any, api_version: str = V1, kubernetes: profile.Profile = NEWEST, **spec: Any) -> InternalCrd:
    crd = {"apiVersion": api_version, "spec": {"versions": list(versions), **spec}}
    return internal.from_defaulted(crd, kubernetes)


def _version(name: str = "v1", **more: Any) -> dict[str, Any]:
    return {"name": name, "served": True, "storage": name == "v1", "schema": OBJECT, **more}


def _texts(errors: Any) -> list[str]:
    return [str(error) for error in errors]


def _of_each(*versions: Any, kubernetes: profile.Profile = NEWEST, **options: Any) -> list[str]:
    crd = _crd(*versions, kubernetes=kubernetes)
    return _texts(crdversions.validate_each(crd, ValidationOptions(**options), kubernetes))


def test_every_version_needs_a_schema() -> None:
    crd = _crd(_version(), _version("v2", schema={}), {"name": "v3"})
    path = "spec.versions[{}].schema.openAPIV3Schema: Required value"
    assert _texts(crdversions.find_missing_schemas(crd, STRICT, NEWEST)) == [path.format(1), path.format(2)]
    assert _texts(crdversions.find_missing_schemas(crd, STRICT, OLD))[0] == f"{path.format(1)}: schemas are required"
    assert _texts(crdversions.find_missing_schemas(_crd(_version()), STRICT, NEWEST)) == []


def test_v1beta1_requires_schemas_of_served_versions_for_pruning_only() -> None:
    crd = _crd({"name": "v1", "served": True}, {"name": "v2", "schema": {}}, api_version=V1BETA1)
    assert _texts(crdversions.find_missing_schemas(crd, LAX, NEWEST)) == [
        "spec.versions[0].schema.openAPIV3Schema: Required value: because otherwise all fields are pruned"
    ]
    preserving = _crd({"name": "v1", "served": True}, api_version=V1BETA1, preserveUnknownFields=True)
    assert _texts(crdversions.find_missing_schemas(preserving, LAX, NEWEST)) == []


def test_errors_come_version_by_version() -> None:
    errors = _of_each(
        _version("V", additionalPrinterColumns=[{"name": "a", "type": "date"}], subresources={"scale": {}}),
        _version("v2", schema={"openAPIV3Schema": {"type": "string"}}),
    )
    assert [text.split(": ")[0] for text in errors] == [
        "spec.versions[0].name",
        "spec.versions[0].subresources.scale.specReplicasPath",
        "spec.versions[0].subresources.scale.statusReplicasPath",
        "spec.versions[0].additionalPrinterColumns[0].JSONPath",
        "spec.versions[1].schema.openAPIV3Schema.type",
    ]


def test_the_status_subresource_restricts_the_schema_of_its_own_version() -> None:
    schema = {"openAPIV3Schema": {"type": "object", "maxProperties": 3}}
    with_status = _version(schema=schema, subresources={"status": {}})
    errors = _of_each(with_status, _version("v2", schema={"openAPIV3Schema": {"type": "object", "maxProperties": 4}}))
    assert [text.split(": ")[0] for text in errors] == ["spec.versions[0].schema.openAPIV3Schema"]
    assert len(_of_each(with_status, _version("v2", subresources={"status": {}}))) == 1


@pytest.mark.parametrize(
    ("warning", "details"),
    [
        ("use v2", []),
        ("", ["must not be an empty string"]),
        ("é" * 128, []),
        ("é" * 129, ["must be <= 256 characters long"]),
        (
            "é\x07\n",
            ["must only contain printable UTF-8 characters; non-printable character found at index 2"],
        ),
    ],
)
def test_a_deprecation_warning_is_a_short_printable_text(warning: str, details: list[str]) -> None:
    errors = _of_each(_version(deprecated=True, deprecationWarning=warning))
    prefix = "spec.versions[0].deprecationWarning: Invalid value: "
    assert all(text.startswith(prefix) for text in errors)
    assert [text.partition('": ')[2] for text in errors] == details


def test_only_a_deprecated_version_warns() -> None:
    assert _of_each(_version(deprecationWarning="")) == [
        'spec.versions[0].deprecationWarning: Invalid value: "": can only be set for deprecated versions'
    ]


FIELDS = [{"jsonPath": ".a"}]


def test_selectable_fields_of_one_version_need_a_schema_of_its_own() -> None:
    of_shared = 'spec.versions[0].selectableFields: Invalid value: "": '
    version = _version(selectableFields=FIELDS)
    assert _of_each(version, _version("v2")) == [
        f"{of_shared}may only be set when `version.schema.openAPIV3Schema` is not included"
    ]
    assert _of_each(version, _version("v2"), kubernetes=OLD) == [
        f"{of_shared}selectableFields may only be set when version.schema.openAPIV3Schema is not included"
    ]
    assert _of_each(version, _version("v2", schema=OTHER)) == []


def test_selectable_fields_of_all_versions_need_a_schema_of_all() -> None:
    def errors(crd: InternalCrd) -> list[str]:
        return _texts(crdversions.validate_shared_selectable_fields(crd, STRICT, NEWEST))

    version = _version(selectableFields=FIELDS)
    assert errors(_crd(version)) == []
    assert errors(_crd(_version())) == []
    assert errors(_crd(version, _version("v2", schema=OTHER, selectableFields=FIELDS))) == [
        'spec.selectableFields: Invalid value: "": may only be set when validations.schema is included'
    ]


def _of_all(*versions: Any, api_version: str = V1, kubernetes: profile.Profile = NEWEST, **spec: Any) -> list[str]:
    crd = _crd(*versions, api_version=api_version, kubernetes=kubernetes, **spec)
    return [text.rpartition(": ")[2] for text in _texts(crdversions.validate_together(crd, kubernetes))]


def test_exactly_one_version_is_stored() -> None:
    detail = "must have exactly one version marked as storage version"
    assert _of_all(_version(), _version("v2")) == []
    assert _of_all(_version("v2")) == [detail]
    assert _of_all(_version(), _version("v2", storage=True)) == [detail]
    assert _of_all() == [detail]


def test_no_two_versions_have_the_same_name() -> None:
    assert _of_all(_version(), _version(storage=False)) == ["must contain unique version names"]


def test_versions_are_printed_without_shared_fields() -> None:
    (error,) = crdversions.validate_together(_crd(_version("v2")), NEWEST)
    assert error.message.startswith(
        'Invalid value: [{"Name":"v2","Served":true,"Storage":false,"Deprecated":false,"DeprecationWarning":null,'
        '"Schema":null,'
    )


def test_a_v1beta1_crd_declares_a_field_for_all_versions_or_in_each() -> None:
    columns = [{"name": "a"}]
    shared: dict[str, Any] = {"validation": OBJECT, "subresources": {}, "additionalPrinterColumns": columns}
    own: dict[str, Any] = {"subresources": {"status": {}}, "additionalPrinterColumns": columns}
    assert _of_all(_version(**own), _version("v2", schema=None), api_version=V1BETA1, **shared) == [
        "top-level and per-version schemas are mutually exclusive",
        "top-level and per-version subresources are mutually exclusive",
        "top-level and per-version additionalPrinterColumns are mutually exclusive",
    ]
    assert _of_all(_version(**own), api_version=V1BETA1) == [
        "per-version schemas may not all be set to identical values (top-level validation should be used instead)",
        "per-version subresources may not all be set to identical values (top-level subresources should be used instead)",
        (
            "per-version additionalPrinterColumns may not all be set to identical values "
            "(top-level additionalPrinterColumns should be used instead)"
        ),
    ]


def test_the_version_of_v1beta1_is_the_first() -> None:
    assert _of_all(_version(), api_version=V1BETA1, version="v2", schema={})[-1:] == [
        "must match the first version in spec.versions"
    ]
    first = _of_all(_version("V", storage=True, schema=None), api_version=V1BETA1, version="V")
    assert first[0].endswith("regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')")
