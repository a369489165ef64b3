"""The passes over a custom resource, in the server's order."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from pytest_crd.engine import profile
from pytest_crd.engine.golang.decoding import DecodeError
from pytest_crd.engine.passes.versionpasses import Passes, Spelling
from pytest_crd.engine.schema import structural

NEWEST = profile.named("1.37")

RESOURCE = {"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True}
SCHEMA = {
    "type": "object",
    "properties": {
        "spec": {
            "type": "object",
            "properties": {
                "a": {"type": "object", "default": {"b": 1, "unknown": 2}, "properties": {"b": {"type": "integer"}}},
                "text": {"type": "string"},
                "template": RESOURCE,
            },
        }
    },
}


def _passes(schema: Any = SCHEMA, *, preserve: bool = False) -> Passes:
    declared = None if schema is None else structural.from_schema(schema)
    return Passes(declared, NEWEST, preserve_unknown_fields=preserve)


def test_warnings_come_in_three_groups() -> None:
    """Root metadata first, then unknown fields by their text, then metadata of embedded resources."""
    resource = {
        "spec": {"z": 1, "b": 2, "template": {"metadata": {"name": "n", "odd": 1}}},
        "extra": 1,
        "metadata": {"name": "n", "garbage": 1},
    }
    before = copy.deepcopy(resource)
    pruned = _passes().prune(resource)
    assert pruned.paths == ("metadata.garbage", "extra", "spec.b", "spec.z", "spec.template.metadata.odd")
    assert pruned.value == {
        "metadata": {"name": "n"},
        "spec": {"template": {"metadata": {"name": "n"}}},
    }
    assert resource == before


def test_a_resource_without_metadata_gets_none() -> None:
    assert _passes().prune({"kind": "K", "spec": {}}).value == {"kind": "K", "spec": {}}


def test_malformed_metadata_is_a_decode_error() -> None:
    with pytest.raises(DecodeError):
        _passes().prune({"metadata": {"labels": {"a": 5}}})


def test_metadata_is_coerced_even_if_unknown_fields_are_preserved() -> None:
    resource = {"metadata": {"odd": 1}, "spec": {"x": 1, "template": {"metadata": {"odd": 1}}}, "y": 1}
    pruned = _passes(preserve=True).prune(resource)
    assert pruned.paths == ("metadata.odd", "spec.template.metadata.odd")
    assert pruned.value["y"] == 1
    assert pruned.value["spec"]["x"] == 1


def test_a_root_that_is_an_embedded_resource_is_coerced_once() -> None:
    pruned = _passes(RESOURCE).prune({"kind": 5, "metadata": {"odd": 1}})
    assert (pruned.value, pruned.paths) == ({"kind": 5, "metadata": {}}, ("metadata.odd",))


def test_without_a_schema_only_the_implicit_fields_stay() -> None:
    pruned = _passes(None).prune({"apiVersion": "v1", "kind": "K", "spec": {}})
    assert pruned.value == {"apiVersion": "v1", "kind": "K"}
    assert pruned.paths == ("spec",)
    assert _passes(None).default({"kind": "K", "spec": None}).value == {"kind": "K", "spec": None}


def test_nulls_are_dropped_before_defaulting_and_defaults_are_pruned() -> None:
    resource = {"kind": "K", "metadata": {"odd": None}, "spec": {"text": None, "a": None}}
    before = copy.deepcopy(resource)
    defaulted = _passes().default(resource)
    assert defaulted.value == {"kind": "K", "metadata": {"odd": None}, "spec": {"a": {"b": 1}}}
    assert defaulted.nulls == ("spec.text",)
    assert defaulted.paths == ("spec.a",)
    assert resource == before


def test_reprs_have_the_public_attributes() -> None:
    passes = _passes({"properties": {"a": {"type": "string", "default": "b"}, "c": {"type": "string"}}})
    assert repr(passes.prune({"d": 1})) == "Pruned(value={}, paths=('d',))"
    assert repr(passes.default({"c": None})) == "Defaulted(value={'a': 'b'}, paths=('a',), nulls=('c',))"


def test_nulls_and_defaults_stay_unchanged_if_unknown_fields_are_preserved() -> None:
    defaulted = _passes(preserve=True).default({"spec": {"text": None}})
    assert defaulted.value == {"spec": {"text": None, "a": {"b": 1, "unknown": 2}}}
    assert defaulted.nulls == ()


def test_a_default_of_the_kind_does_not_replace_the_kind_of_the_resource() -> None:
    schema = {"type": "object", "properties": {"kind": {"type": "string", "default": "Other"}}}
    assert _passes(schema).default({"kind": "K"}).value == {"kind": "K"}


def test_a_path_without_a_schema_has_no_origin() -> None:
    schema = structural.from_schema({"type": "object", "properties": {"a": {"type": "string"}}})

    for version_schema in (schema, None):
        (path,) = Spelling(version_schema, "default", None).spell([("a", "b", "c")])

        assert (path, path.steps, path.origin) == ("a.b.c", ("a", "b", "c"), None)


def test_the_same_path_is_spelled_once() -> None:
    spelling = Spelling(None, "default", None)

    assert spelling.spell([("a",)])[0] is spelling.spell([("a",)])[0]
