"""JSON documents as they are patched: what was sent stays as it was spelled."""

from __future__ import annotations

import pytest

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.registry.patching import patchdocuments


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
def test_what_is_not_looked_into_is_written_as_it_was_sent(sent: str, written: str) -> None:
    assert patchdocuments.written(patchdocuments.read(sent)) == written


def test_what_is_looked_into_is_written_as_go_writes_it() -> None:
    assert (
        patchdocuments.written({"b": patchdocuments.read('{"d":1,"c":2}'), "a": "<"})
        == '{"a":"\\u003c","b":{"d":1,"c":2}}'
    )


def test_the_value_of_a_document_is_plain() -> None:
    value = patchdocuments.plain(patchdocuments.read('{"a": [1.0, "\\u0061", 2], "a": [1.50, "<"]}'))
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
def test_what_is_spelled_as_go_spells_it_is_usual(sent: str, *, usual: bool) -> None:
    assert patchdocuments.is_usual(patchdocuments.read(sent)) is usual


def test_a_value_is_sent_in_its_order() -> None:
    assert patchdocuments.written(patchdocuments.as_sent({"b": [{"d": 1, "c": 2}], "a": None})) == (
        '{"b":[{"d":1,"c":2}],"a":null}'
    )


@pytest.mark.parametrize(
    ("left", "right", "equal"),
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
def test_scalars_are_equal_that_are_spelled_alike(left: str, right: str, *, equal: bool) -> None:
    assert patchdocuments.equal(patchdocuments.read(left), patchdocuments.read(right)) is equal


def test_each_duplicate_is_named_once_where_it_is() -> None:
    sent = patchdocuments.read('{"a":1,"a":{"b":1,"b":2},"a":[{"c":1,"c":2}]}')
    assert patchdocuments.duplicates({"x": sent}) == tuple(
        f'duplicate field "x.{place}"' for place in ("a", "a.b", "a[0].c")
    )
