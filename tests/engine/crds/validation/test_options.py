"""Validation options, version by version."""

from __future__ import annotations

from pytest_crd.engine.crds.validation.options import ValidationOptions


def test_the_cost_of_an_unchanged_schema_is_not_limited() -> None:
    options = ValidationOptions(versions_with_unchanged_schemas=frozenset({"v1"}))
    assert options.for_version("v1").suppress_per_expression_cost
    assert options.for_version("v2") is options
