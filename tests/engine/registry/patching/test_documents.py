"""Documents of patches keep their spelling."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.crds.decoded import json_schema_props
from pytest_crd.engine.registry.patching import documents


@pytest.mark.parametrize(
    ("sent", "written"),
    [
        ('{ "b": 1.0, "a": [1e3, -0, true] }', '{"b":1.0,"a":[1e3,-0,true]}'),
        ('{"a": 1, "a": 2}', '{"a":1,"a":2}'),
        ('["\\u0061", "<a>", "plain\\n"]', '["\\u0061","\\u003ca\\u003e","plain\\n"]'),
        ("[9223372036854775808, 1.5]", "[9223372036854775808,1.5]"),
        ("null", "null"),
    ],
)
def test_unread_parts_keep_their_spelling(sent: str, written: str) -> None:
    assert documents.to_text(documents.read(sent)) == written


def test_changed_parts_have_gos_spelling() -> None:
    assert documents.to_text({"b": documents.read('{"d":1,"c":2}'), "a": "<"}) == '{"a":"\\u003c","b":{"d":1,"c":2}}'


def test_the_value_of_a_document_is_plain() -> None:
    value = documents.plain(documents.read('{"a": [1.0, "\\u0061", 2], "a": [1.50, "<"]}'))
    assert jsonvalue.equal(value, {"a": [1.5, "<"]})
    assert [type(item) for item in value["a"]] == [float, str]


@pytest.mark.parametrize(
    ("sent", "usual"),
    [
        ('{"a": [1, 1.5, "x", null, {"b": true}]}', True),
        ('{"a": [1.0]}', False),
        ('{"a": {"b": "\\u0061"}}', False),
        ('[{"a": {"b": 1, "b": 1}}]', False),
    ],
)
def test_documents_with_gos_spelling_are_usual(sent: str, *, usual: bool) -> None:
    assert documents.is_usual(documents.read(sent)) is usual


def test_a_sent_value_keeps_its_key_order() -> None:
    assert documents.to_text(documents.as_sent({"b": [{"d": 1, "c": 2}], "a": None})) == (
        '{"b":[{"d":1,"c":2}],"a":null}'
    )


@pytest.mark.parametrize(
    ("remaining", "right", "equal"),
    [
        ('{"a":1,"b":[1,"x"]}', '{"b":[1,"x"],"a":1}', True),
        ('{"a":1}', '{"b":1}', False),
        ("[1,2]", "[2,1]", False),
        ("[1]", "[1,2]", False),
        ("{}", "[]", False),
        ("1", "{}", False),
        ("1.0", "1", False),
        ("1.50", "1.5", False),
        ('"\\u0061"', '"a"', False),
        ("null", "null", True),
    ],
)
def test_scalars_are_equal_if_their_spelling_is(remaining: str, right: str, *, equal: bool) -> None:
    assert documents.equal(documents.read(remaining), documents.read(right)) is equal


def test_each_duplicate_is_reported_once_with_its_path() -> None:
    sent = documents.read('{"a":1,"a":{"b":1,"b":2},"a":[{"c":1,"c":2}]}')
    assert documents.duplicates({"x": sent}) == tuple(
        f'duplicate field "x.{place}"' for place in ("a", "a.b", "a[0].c")
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (
            {"default": {"b": 1, "a": 2}, "type": "object", "id": "i"},
            '{"id":"i","type":"object","default":{"a":2,"b":1}}',
        ),
        ({"items": {"title": "t", "type": "string"}}, '{"items":{"type":"string","title":"t"}}'),
        ({"items": [{"title": "t", "type": "string"}]}, '{"items":[{"type":"string","title":"t"}]}'),
        ({"additionalProperties": True}, '{"additionalProperties":true}'),
        (
            {"properties": {"b": {}, "a": {"title": "t", "type": "x"}}},
            '{"properties":{"a":{"type":"x","title":"t"},"b":{}}}',
        ),
        ({"required": None, "enum": ["b", "a"]}, '{"enum":["b","a"],"required":null}'),
        ("text", '"text"'),
    ],
)
def test_fields_are_in_the_order_of_their_struct(value: Any, text: str) -> None:
    assert documents.to_text(documents.in_order(value, json_schema_props("v1"))) == text
