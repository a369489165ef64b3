"""Errors of the protobuf encoding of OpenAPI documents."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.server.protobuf import openapiwriting
from pytest_crd.server.protobuf.protofields import ProtobufError

INFO = {"title": "a", "version": "1"}


def _schema(schema: Any) -> Any:
    return {"swagger": "2.0", "info": INFO, "paths": {}, "definitions": {"a": schema}}


def _parameter(parameter: Any) -> Any:
    return {"swagger": "2.0", "info": INFO, "paths": {"/a": {"parameters": [parameter]}}}


@pytest.mark.parametrize(
    ("document", "path"),
    [
        ([], "the document"),
        ({"swagger": 2}, "swagger"),
        ({"other": 1}, "other"),
        ({"paths": {"a": {}}}, "paths.a"),
        ({"schemes": "http"}, "schemes"),
        (_schema("x"), "definitions.a"),
        (_schema({"nullable": True}), "definitions.a.nullable"),
        (_schema({"maxLength": True}), "definitions.a.maxLength"),
        (_schema({"maxLength": 1.5}), "definitions.a.maxLength"),
        (_schema({"maximum": "1"}), "definitions.a.maximum"),
        (_schema({"maximum": False}), "definitions.a.maximum"),
        (_schema({"uniqueItems": 1}), "definitions.a.uniqueItems"),
        (_schema({"type": ["a", 1]}), "definitions.a.type"),
        (_schema({"items": [{}]}), "definitions.a.items"),
        (_schema({"additionalProperties": "x"}), "definitions.a.additionalProperties"),
        (_parameter({"in": "cookie", "name": "a", "type": "string"}), "paths./a.parameters[0]"),
        (_parameter({"in": "path", "name": "a", "schema": {}}), "paths./a.parameters[0].schema"),
        ({"paths": {"/a": {"get": {"responses": {"20": {}}}}}}, "paths./a.get.responses.20"),
        ({"securityDefinitions": {"a": {"type": "oauth2"}}}, "securityDefinitions.a"),
        ({"securityDefinitions": {"a": {"type": "openId"}}}, "securityDefinitions.a"),
    ],
)
def test_parts_without_a_message_are_errors(document: Any, path: str) -> None:
    with pytest.raises(ProtobufError) as caught:
        openapiwriting.write(document, "v2")
    assert str(caught.value) == f"{path} has no place in OpenAPI"


def test_documents_nested_too_deep_are_errors() -> None:
    schema: Any = {}
    for _ in range(400):
        schema = {"additionalProperties": schema}
    with pytest.raises(ProtobufError, match=r"^nested more than 256 levels deep$"):
        openapiwriting.write(_schema(schema), "v2")


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (None, b""),
        ({}, b""),
        ([1], b""),
        (False, b"\x10\x00"),
        ("", b"\x1a\x00"),
        ("a", b"\x1a\x01a"),
        (2, b"\x09" + bytes(7) + b"\x40"),
        (2.0, b"\x09" + bytes(7) + b"\x40"),
    ],
)
def test_only_scalar_defaults_of_version_3_are_encoded(value: Any, written: bytes) -> None:
    """The messages of gnostic have no default for other types."""
    result = openapiwriting.write({"components": {"schemas": {"a": {"default": value}}}}, "v3")
    assert result.endswith(b"\x8a\x02" + bytes([len(written)]) + written)
