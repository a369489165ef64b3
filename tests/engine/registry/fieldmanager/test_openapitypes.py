"""Merge types of schemas without a type."""

from __future__ import annotations

from pytest_crd.engine import profile
from pytest_crd.engine.registry.fieldmanager.mergetypes import ATOMIC
from pytest_crd.engine.registry.fieldmanager.openapitypes import OpenAPITypes


def test_untyped_schemas_are_atomic_in_old_versions() -> None:
    created = OpenAPITypes({}, profile.named("1.21").apply).merge_type({})

    assert (created.scalar, created.list, created.map) == ("untyped", ATOMIC.list, ATOMIC.map)


def test_untyped_schemas_are_deduced_from_values_in_new_versions() -> None:
    created = OpenAPITypes({}, profile.named("1.37").apply).merge_type({})

    assert created.scalar == "untyped"
    assert created.list is not ATOMIC.list
    assert created.map is not ATOMIC.map


def test_a_single_schema_of_all_of_need_not_be_a_reference() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "integer", "allOf": [{"minimum": 1}]}}}

    created = OpenAPITypes({}, profile.named("1.37").apply).merge_type(schema)

    assert created.map is not None
    assert created.map.fields["a"].scalar == "numeric"
