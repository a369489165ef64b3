"""The conditions of a CRD, as the server's controllers set them."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.engine import profile
from pytest_crd.engine.crds import conditions, declared, defaulted, internal
from pytest_crd.engine.crds.condition import Condition
from pytest_crd.engine.crds.internal import InternalCrd
from pytest_crd.engine.crds.nameconflicts import Naming


def _condition(api_version: str = declared.V1BETA1, **spec: Any) -> Condition | None:
    return conditions.non_structural_schema(internal.declared(_internal(spec, api_version)), profile.named("1.37"))


def _internal(spec: Any, api_version: str = declared.V1, *, kubernetes: str = "1.37", **more: Any) -> InternalCrd:
    named = profile.named(kubernetes)
    crd = {"apiVersion": api_version, "kind": declared.KIND, "spec": spec, **more}
    return internal.from_defaulted(defaulted.apply(crd, named), named)


def _versions(*schemas: Any) -> list[Any]:
    return [
        {"name": f"v{number}", **({} if schema is None else {"schema": {"openAPIV3Schema": schema}})}
        for number, schema in enumerate(schemas, 1)
    ]


def test_a_structural_crd_has_no_condition() -> None:
    assert _condition(declared.V1, versions=_versions({"type": "object"})) is None


@pytest.mark.parametrize(("kubernetes", "violations"), [("1.35", 0), ("1.37", 1)])
def test_an_example_is_a_violation_where_the_version_sees_it(kubernetes: str, violations: int) -> None:
    schema = {"type": "object", "properties": {"metadata": {"type": "object", "example": "m"}}}
    spec = internal.declared(_internal({"versions": _versions(schema)}, kubernetes=kubernetes))
    condition = conditions.non_structural_schema(spec, profile.named(kubernetes))
    assert (condition is not None) == bool(violations)


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


ACCEPTED = ("NamesAccepted", "True", "NoConflicts", "no conflicts found")
ESTABLISHED = ("Established", "True", "InitialNamesAccepted", "the initial names have been accepted")


def _conditions(crd: Any, kubernetes: str = "1.37", **naming: Any) -> list[tuple[str, str, str, str]]:
    whole = _internal(**({"spec": {}} | crd))
    computed = conditions.compute(whole, profile.named(kubernetes), Naming({}, **naming))
    return [(condition.type, condition.status, condition.reason, condition.message) for condition in computed]


def test_a_crd_without_conflicts_is_established() -> None:
    assert _conditions({}) == [ACCEPTED, ESTABLISHED]


def test_a_crd_with_taken_names_is_not_established() -> None:
    assert _conditions({}, reason="KindConflict", message='"A" is already in use') == [
        ("NamesAccepted", "False", "KindConflict", '"A" is already in use'),
        ("Established", "False", "NotAccepted", "not all names are accepted"),
    ]


@pytest.mark.parametrize(
    ("api_version", "conversion"),
    [
        (declared.V1, {"webhook": {"clientConfig": {"caBundle": "YWJj"}}}),
        (declared.V1BETA1, {"webhookClientConfig": {"caBundle": "YWJj"}}),
    ],
)
def test_a_crd_with_an_invalid_ca_bundle_is_not_established(api_version: str, conversion: Any) -> None:
    crd = {"api_version": api_version, "spec": {"conversion": conversion, "preserveUnknownFields": False}}
    assert _conditions(crd) == [
        ACCEPTED,
        ("Established", "False", "InvalidCABundle", "The conversion webhook CABundle is invalid"),
    ]
    assert _conditions(crd, "1.21") == [ACCEPTED, ESTABLISHED]


@pytest.mark.parametrize(
    ("annotation", "status", "reason"),
    [
        (None, "False", "MissingAnnotation"),
        ("yes", "False", "InvalidAnnotation"),
        ("unapproved", "False", "UnapprovedAnnotation"),
        ("https://a.b", "True", "ApprovedAnnotation"),
    ],
)
def test_a_group_of_the_community_has_a_condition_about_its_approval(
    annotation: str | None, status: str, reason: str
) -> None:
    annotations = {} if annotation is None else {"api-approved.kubernetes.io": annotation}
    crd = {"metadata": {"annotations": annotations}, "spec": {"group": "a.k8s.io"}}
    (*_, condition) = _conditions(crd)
    assert condition[:3] == ("KubernetesAPIApprovalPolicyConformant", status, reason)


def test_all_conditions_are_returned_in_order() -> None:
    crd = {"spec": {"group": "k8s.io", "preserveUnknownFields": True}}
    assert [condition[0] for condition in _conditions(crd)] == [
        "NamesAccepted",
        "Established",
        "NonStructuralSchema",
        "KubernetesAPIApprovalPolicyConformant",
    ]


@pytest.mark.parametrize(
    ("stored", "answer"),
    [
        ([], True),
        ([{"type": "NamesAccepted", "status": "True"}], True),
        ([{"type": "Established", "status": "False"}], False),
        ([{"type": "Established", "status": "True"}], True),
    ],
)
def test_a_stored_crd_is_established_by_its_condition_or_without_conditions(stored: Any, *, answer: bool) -> None:
    assert conditions.is_established(_internal({}), {"conditions": stored}, profile.named("1.37")) is answer
