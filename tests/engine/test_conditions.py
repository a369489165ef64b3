"""The condition NonStructuralSchema, as the server's controller sets it."""

from __future__ import annotations

from typing import Any

from pytest_crd.engine import conditions, crdspec
from pytest_crd.engine.conditions import Condition


def _condition(api_version: str = crdspec.V1BETA1, **spec: Any) -> Condition | None:
    return conditions.non_structural_schema(crdspec.from_decoded({"apiVersion": api_version, "spec": spec}))


def _versions(*schemas: Any) -> list[Any]:
    return [
        {"name": f"v{number}", **({} if schema is None else {"schema": {"openAPIV3Schema": schema}})}
        for number, schema in enumerate(schemas, 1)
    ]


def test_a_structural_crd_has_no_condition() -> None:
    assert _condition(crdspec.V1, versions=_versions({"type": "object"})) is None


def test_a_crd_without_schemas_has_no_condition() -> None:
    assert _condition(preserveUnknownFields=False, versions=_versions(None)) is None


def test_violations_are_joined_and_named_in_their_version() -> None:
    assert _condition(preserveUnknownFields=False, versions=_versions({}, {"type": "string"})) == Condition(
        "NonStructuralSchema",
        "True",
        "Violations",
        "[spec.versions[0].schema.openAPIV3Schema.type: Required value: must not be empty at the root, "
        'spec.versions[1].schema.openAPIV3Schema.type: Invalid value: "string": must be object at the root]',
    )


def test_preserving_unknown_fields_is_a_violation_of_its_own() -> None:
    condition = _condition(versions=_versions({"type": "object"}))
    assert condition is not None
    assert condition.message == "spec.preserveUnknownFields: Invalid value: true: must be false"


def test_a_construct_without_structural_form_leaves_the_status_unknown() -> None:
    condition = _condition(preserveUnknownFields=False, versions=_versions({"type": "object"}, {"id": "a"}))
    assert condition == Condition(
        "NonStructuralSchema",
        "Unknown",
        "StructuralError",
        "failed to check validation schema for version v2: OpenAPIV3Schema 'id' is not supported",
    )
