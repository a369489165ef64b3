"""Defaulting and pruning on read from storage; they are skipped if they cannot change a resource."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tiers import examples

from pytest_crd.engine import CrdVersion, CustomResourceDefinition, DecodeError, jsonvalue, profile
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.passes.versionpasses import Passes
from pytest_crd.engine.schema import structural

NEWEST = profile.named("1.37")

FIELDS = st.sampled_from(["a", "b"])
NAMES = st.sampled_from(["a", "b", "metadata", "kind"])
VALUES: st.SearchStrategy[JSONValue] = st.recursive(
    st.none() | st.integers(0, 3) | st.sampled_from(["x", "None"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)
LEAVES = st.fixed_dictionaries(
    {"type": st.sampled_from(["object", "string"])},
    optional={
        "default": VALUES,
        "nullable": st.booleans(),
        "x-kubernetes-embedded-resource": st.just(value=True),
        "x-kubernetes-preserve-unknown-fields": st.just(value=True),
    },
)


def _schema(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    keywords: dict[str, st.SearchStrategy[Any]] = {
        "properties": st.dictionaries(FIELDS, inner, max_size=3),
        "items": inner,
        "additionalProperties": inner,
        "default": VALUES,
        "x-kubernetes-embedded-resource": st.just(value=True),
    }
    return st.fixed_dictionaries({"type": st.sampled_from(["object", "array"])}, optional=keywords)


def _with_default(default: JSONValue, **child: JSONValue) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {"a": {"type": "object", "default": default, "properties": {"b": {"type": "string"}}, **child}},
    }


_RESOURCE: dict[str, Any] = {"type": "object", "x-kubernetes-embedded-resource": True}
_DEFAULTED: dict[str, Any] = {"type": "object", "properties": {"name": {"type": "string", "default": "x"}}}


def _with_resource(**fields: JSONValue) -> dict[str, Any]:
    """Return the schema of an object with defaults beside an embedded resource, and in its *fields*."""
    return {**_DEFAULTED, "additionalProperties": {**_RESOURCE, "properties": fields}}


@examples(100)
@given(st.recursive(LEAVES, _schema, max_leaves=6), st.dictionaries(FIELDS, VALUES, max_size=3))
def test_a_settled_resource_does_not_change_when_it_is_read_again(
    schema: dict[str, Any], resource: dict[str, Any]
) -> None:
    passes = Passes(structural.from_schema(schema), NEWEST, preserve_unknown_fields=False)
    assume(passes.settles)
    try:
        once = passes.default(passes.prune(resource).value).value
    except DecodeError:
        assume(False)  # noqa: FBT003 - it takes nothing else
    again = passes.default(passes.prune(once, drop_malformed=True).value).value
    assert jsonvalue.equal(once, again)


@pytest.mark.parametrize(
    ("schema", "settles"),
    [
        pytest.param(_with_default({"b": "x"}), True, id="a default without nulls"),
        pytest.param(_with_default({"b": None}), False, id="a null in a default is dropped on reading"),
        pytest.param(
            _with_default({}, **{"x-kubernetes-embedded-resource": True}),
            False,
            id="metadata in a default is coerced on reading",
        ),
        pytest.param(_with_resource(metadata=_DEFAULTED), False, id="so is metadata in a resource"),
        pytest.param(_with_resource(spec=_DEFAULTED), True, id="defaults in other fields of a resource"),
        pytest.param(_with_default({"b": "x"}, items=_RESOURCE), False, id="a default around a resource"),
    ],
)
def test_nulls_and_metadata_in_defaults_keep_a_schema_from_settling(schema: dict[str, Any], settles: bool) -> None:  # noqa: FBT001 - of parametrize
    assert Passes(structural.from_schema(schema), NEWEST, preserve_unknown_fields=False).settles is settles


def test_a_schema_that_preserves_unknown_fields_settles_with_null_defaults() -> None:
    schema = structural.from_schema(_with_default({"b": None}))
    assert Passes(schema, NEWEST, preserve_unknown_fields=True).settles


def test_a_version_without_a_schema_settles() -> None:
    assert Passes(None, NEWEST, preserve_unknown_fields=False).settles


def _version(status: dict[str, Any]) -> CrdVersion:
    schema = {"type": "object", "properties": {"status": {"type": "object", **status}}}
    version = {"name": "v1", "served": True, "storage": True, "subresources": {"status": {}}}
    names = {"kind": "Case", "plural": "cases"}
    crd = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "cases.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": names,
            "versions": [{**version, "schema": {"openAPIV3Schema": schema}}],
        },
    }
    return CustomResourceDefinition.from_manifest(crd).version("v1")


@pytest.mark.parametrize("sent", [{}, {"status": {"phase": "sent"}}], ids=["without a status", "with a status"])
def test_a_new_resource_has_the_default_status_instead_of_the_sent_status(sent: dict[str, Any]) -> None:
    version = _version({"default": {"phase": "new"}, "properties": {"phase": {"type": "string"}}})
    assert version.create(sent).stored["status"] == {"phase": "new"}


def test_a_new_resource_has_no_status_without_a_default() -> None:
    version = _version({"properties": {"phase": {"type": "string"}}})
    assert "status" not in version.create({"status": {"phase": "sent"}}).stored
