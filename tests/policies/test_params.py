"""Params of bindings."""

from __future__ import annotations

from pytest_crd.policies.definitions import ParamKind
from pytest_crd.policies.params import NoParams


def test_without_objects_no_kind_is_known() -> None:
    source, kind = NoParams(), ParamKind("v1", "ConfigMap")

    assert source.read(kind, "default") == ()
