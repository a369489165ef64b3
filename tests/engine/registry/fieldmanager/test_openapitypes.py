"""The types by which values are merged whose schema says no type."""

from __future__ import annotations

from pytest_crd.engine import profile
from pytest_crd.engine.registry.fieldmanager.mergetypes import ATOMIC
from pytest_crd.engine.registry.fieldmanager.openapitypes import OpenAPITypes


def test_what_has_no_type_is_owned_as_a_whole_by_old_servers() -> None:
    made = OpenAPITypes({}, profile.named("1.21").apply).merge_type({})

    assert (made.scalar, made.list, made.map) == ("untyped", ATOMIC.list, ATOMIC.map)


def test_what_has_no_type_is_told_by_its_value() -> None:
    made = OpenAPITypes({}, profile.named("1.37").apply).merge_type({})

    assert made.scalar == "untyped"
    assert made.list is not ATOMIC.list
    assert made.map is not ATOMIC.map
