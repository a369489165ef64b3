"""Requests for objects of built-in kinds without a cluster."""

from __future__ import annotations

from pytest_crd.cli import builtinobjects


def test_a_built_in_kind_has_no_place_in_a_file() -> None:
    client = builtinobjects.of_version("1.37").find_client("v1", "ConfigMap")
    assert client is not None
    assert client.locate(("data",), None) == ""
