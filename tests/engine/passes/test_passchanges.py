"""Paths of changes by passes, with the keywords that caused them."""

from __future__ import annotations

from pytest_crd.engine.passes.passchanges import Spelling
from pytest_crd.engine.schema import structural


def test_a_path_without_a_schema_has_no_origin() -> None:
    schema = structural.from_schema({"type": "object", "properties": {"a": {"type": "string"}}})

    for version_schema in (schema, None):
        (path,) = Spelling(version_schema, "default", None).spell([("a", "b", "c")])

        assert (path, path.steps, path.origin) == ("a.b.c", ("a", "b", "c"), None)


def test_the_same_path_is_spelled_once() -> None:
    spelling = Spelling(None, "default", None)

    assert spelling.spell([("a",)])[0] is spelling.spell([("a",)])[0]
