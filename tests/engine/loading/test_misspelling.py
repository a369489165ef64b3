"""Manifests that are nearly CRDs."""

from __future__ import annotations

import pytest

from pytest_crd.engine.loading import slips

V1 = "apiextensions.k8s.io/v1"
KIND = "CustomResourceDefinition"


@pytest.mark.parametrize(
    ("api_version", "kind", "problem"),
    [
        (V1, "CustomResourceDefiniton", f"kind 'CustomResourceDefiniton' of {V1}; did you mean kind '{KIND}'?"),
        (V1, "customresourcedefinition", f"kind 'customresourcedefinition' of {V1}; did you mean kind '{KIND}'?"),
        (V1, "CRD", f"kind 'CRD' of {V1}; did you mean kind '{KIND}'?"),
        (V1, None, f"kind None of {V1}; did you mean kind '{KIND}'?"),
        ("apiextensions.k8s.io/v2", KIND, f"apiVersion 'apiextensions.k8s.io/v2' of a {KIND}; did you mean '{V1}'?"),
        ("apiextension.k8s.io/v1", KIND, f"apiVersion 'apiextension.k8s.io/v1' of a {KIND}; did you mean '{V1}'?"),
        ("v1", KIND, f"apiVersion 'v1' of a {KIND}; did you mean '{V1}'?"),
        (None, KIND, f"apiVersion None of a {KIND}; did you mean '{V1}'?"),
        (
            "apiextension.k8s.io/v1",
            "CustomResourceDefiniton",
            f"apiVersion 'apiextension.k8s.io/v1' and kind 'CustomResourceDefiniton'; did you mean '{V1}' and '{KIND}'?",
        ),
    ],
)
def test_errors_about_misspelt_crds_suggest_the_right_spelling(api_version: object, kind: object, problem: str) -> None:
    message = slips.problem_of({"apiVersion": api_version, "kind": kind})

    assert message == f"no server knows {problem}"


@pytest.mark.parametrize(
    ("api_version", "kind"),
    [
        (V1, KIND),
        ("apiextensions.k8s.io/v1beta1", KIND),
        (V1, "ConversionReview"),
        ("apiextensions.crossplane.io/v1", "CompositeResourceDefinition"),
        ("apiextensions.crossplane.io/v1alpha1", "ManagedResourceDefinition"),
        ("apiextensions.crossplane.io/v1", "Composition"),
        ("apiregistration.k8s.io/v1", "APIService"),
        ("kro.run/v1alpha1", "ResourceGraphDefinition"),
        ("v1", "Pod"),
        (1, ["x"]),
    ],
)
def test_manifests_of_other_kinds_have_no_error(api_version: object, kind: object) -> None:
    assert slips.problem_of({"apiVersion": api_version, "kind": kind}) == ""


def test_other_values_than_mappings_have_no_error() -> None:
    assert slips.problem_of(["kind", KIND]) == ""


@pytest.mark.parametrize(
    ("content", "answer"),
    [
        (b"kind: CustomResourceDefiniton\n", True),
        (b'{"apiVersion": "apiextension.k8s.io/v1", "kind": "X"}', True),
        (b"apiVersion: 'apiextensions.k8s.io/v1'\n", True),
        (b"apiVersion: apiextensions.crossplane.io/v1\nkind: CompositeResourceDefinition\n", False),
        (b"kind: Pod\napiVersion: v1\n", False),
        (b"kind: \xff\xfe\n", False),
    ],
)
def test_files_are_searched_for_misspelt_crds_without_parsing(content: bytes, *, answer: bool) -> None:
    assert slips.may_hold(content) is answer
