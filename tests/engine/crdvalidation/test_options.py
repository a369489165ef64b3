"""What is demanded of a CRD, version by version."""

from __future__ import annotations

from pytest_crd.engine.crdvalidation.options import ValidationOptions


def test_a_new_crd_must_obey_everything_but_may_have_any_ca_bundle() -> None:
    options = ValidationOptions()
    assert options.require_structural_schema
    assert options.allow_invalid_ca_bundle
    assert not options.require_immutable_names


def test_an_unchanged_schema_may_cost_what_it_cost() -> None:
    options = ValidationOptions(versions_with_unchanged_schemas=frozenset({"v1"}))
    assert options.for_version("v1").suppress_per_expression_cost
    assert options.for_version("v2") is options


def test_structural_schemas_can_be_demanded_on_top() -> None:
    options = ValidationOptions(require_structural_schema=False)
    assert options.with_structural_schema() == ValidationOptions()
