"""Repeated keys: errors of a strict decoder, and the values that Go decodes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_crd.engine.golang import decoding
from pytest_crd.engine.golang.decodeerrors import Repeating, SentNumber
from pytest_crd.engine.golang.gotypes import BOOL, INT32, STRING, List, Map, Pointer, Struct, StructReference

ITEM = Struct("v1.Item", {"name": STRING, "port": INT32})
KIND = Struct(
    "v1.Kind",
    {
        "name": STRING,
        "flag": Pointer(BOOL),
        "labels": Map(STRING),
        "items": List(ITEM),
        "one": Pointer(ITEM),
        "of": StructReference(lambda: ITEM),
        "maps": Map(ITEM),
    },
)


def _read(text: str) -> Any:
    def build_object(pairs: list[tuple[str, Any]]) -> Any:
        return dict(pairs) if len(dict(pairs)) == len(pairs) else Repeating(pairs)

    return json.loads(text, object_pairs_hook=build_object)


@pytest.mark.parametrize(
    ("text", "decoded"),
    [
        ('{"name":"a","name":"b","name":null}', {"name": "b"}),
        ('{"flag":true,"flag":null}', {}),
        ('{"labels":{"a":"1"},"labels":{"b":"2"},"labels":null}', {}),
        ('{"labels":{"a":"1","c":"3"},"labels":{"b":"2","a":"4"}}', {"labels": {"a": "4", "c": "3", "b": "2"}}),
        ('{"one":{"name":"a"},"one":{"port":1}}', {"one": {"name": "a", "port": 1}}),
        ('{"of":{"name":"a"},"of":{"port":1,"port":2}}', {"of": {"name": "a", "port": 2}}),
        ('{"maps":{"x":{"name":"a"}},"maps":{"x":{"port":1}}}', {"maps": {"x": {"port": 1}}}),
        ('{"items":[{"name":"a"},{"name":"b"}],"items":[{"port":1}]}', {"items": [{"name": "a", "port": 1}]}),
        ('{"items":[{"name":"a"}],"items":[null,{"name":"b"}]}', {"items": [{"name": "a"}, {"name": "b"}]}),
        ('{"items":[{"name":"a","name":"b"}]}', {"items": [{"name": "b"}]}),
    ],
)
def test_repeated_keys_are_merged_as_in_go(text: str, decoded: Any) -> None:
    assert decoding.decode(_read(text), KIND, sort_keys=False).value == decoded


def test_unknown_and_repeated_fields_are_reported_in_document_order() -> None:
    text = '{"b":1,"name":"a","a":{"x":1,"x":2},"name":"b","of":{"zz":1,"name":"a","name":"c"},"b":2,"labels":{"l":"1","l":"2"},"name":""}'
    decoded = decoding.decode(_read(text), KIND, sort_keys=False)

    assert decoded.unknown == ("b", "a", "of.zz")
    assert decoded.problems == (
        'unknown field "b"',
        'unknown field "a"',
        'duplicate field "name"',
        'unknown field "of.zz"',
        'duplicate field "of.name"',
        'duplicate field "labels.l"',
    )


def test_unknown_fields_are_reported_in_the_requested_order() -> None:
    value = {"b": 1, "a": 2}
    assert decoding.decode(value, KIND).problems == ('unknown field "a"', 'unknown field "b"')
    assert decoding.decode(value, KIND, sort_keys=False).problems == ('unknown field "b"', 'unknown field "a"')


@pytest.mark.parametrize("text", ['{"name":1,"name":"a"}', '{"name":"a","name":1}'])
def test_all_values_of_a_repeated_key_are_checked(text: str) -> None:
    with pytest.raises(
        decoding.DecodeError, match=r"cannot unmarshal number into Go struct field Kind.name of type string"
    ):
        decoding.decode(_read(text), KIND, sort_keys=False)


@pytest.mark.parametrize("kind", [STRING, List(STRING)])
def test_mismatches_call_an_object_with_repeated_keys_an_object(kind: Any) -> None:
    with pytest.raises(decoding.DecodeError, match="cannot unmarshal object into Go value"):
        decoding.decode(Repeating([("a", 1), ("a", 2)]), kind)


def test_mismatches_print_the_literal_of_a_number() -> None:
    number = SentNumber(1.0)
    number.spelled = "1.0"
    with pytest.raises(
        decoding.DecodeError, match=r"cannot unmarshal number 1\.0 into Go struct field Item.port of type int32"
    ):
        decoding.decode({"port": number}, ITEM)
    with pytest.raises(
        decoding.DecodeError, match=r"cannot unmarshal number into Go struct field Item.name of type string"
    ):
        decoding.decode({"name": number}, ITEM)


def test_mismatches_name_embedded_structs() -> None:
    kind = Struct("v1.Volume", {"name": STRING, "empty": ITEM}, frozenset(), {"empty": "VolumeSource"})
    outer = Struct("v1.Pod", {"volumes": List(kind)})
    with pytest.raises(decoding.DecodeError) as error:
        decoding.decode({"volumes": [{"empty": {"port": "x"}}]}, outer)
    assert str(error.value) == (
        "json: cannot unmarshal string into Go struct field Item.volumes.VolumeSource.empty.port of type int32"
    )
    with pytest.raises(decoding.DecodeError) as error:
        decoding.decode({"volumes": [{"empty": "x"}]}, outer)
    assert str(error.value) == (
        "json: cannot unmarshal string into Go struct field Volume.volumes.VolumeSource.empty of type v1.Item"
    )
