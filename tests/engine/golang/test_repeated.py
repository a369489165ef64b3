"""Keys that are there twice: what is said of them, and what Go holds."""

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
    def made(pairs: list[tuple[str, Any]]) -> Any:
        return dict(pairs) if len(dict(pairs)) == len(pairs) else Repeating(pairs)

    return json.loads(text, object_pairs_hook=made)


@pytest.mark.parametrize(
    ("text", "held"),
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
def test_what_is_decoded_twice_is_merged_as_go_merges_it(text: str, held: Any) -> None:
    assert decoding.decode(_read(text), KIND, sort_keys=False).value == held


def test_what_is_unknown_or_there_twice_is_told_in_its_order() -> None:
    text = '{"b":1,"name":"a","a":{"x":1,"x":2},"name":"b","of":{"zz":1,"name":"a","name":"c"},"b":2,"labels":{"l":"1","l":"2"},"name":""}'
    found = decoding.decode(_read(text), KIND, sort_keys=False)

    assert found.unknown == ("b", "a", "of.zz")
    assert found.problems == (
        'unknown field "b"',
        'unknown field "a"',
        'duplicate field "name"',
        'unknown field "of.zz"',
        'duplicate field "of.name"',
        'duplicate field "labels.l"',
    )


def test_unknown_fields_alone_are_told_in_the_order_that_is_asked_for() -> None:
    value = {"b": 1, "a": 2}
    assert decoding.decode(value, KIND).problems == ('unknown field "a"', 'unknown field "b"')
    assert decoding.decode(value, KIND, sort_keys=False).problems == ('unknown field "b"', 'unknown field "a"')


@pytest.mark.parametrize("text", ['{"name":1,"name":"a"}', '{"name":"a","name":1}'])
def test_each_value_of_a_key_is_of_its_type(text: str) -> None:
    with pytest.raises(
        decoding.DecodeError, match=r"cannot unmarshal number into Go struct field Kind.name of type string"
    ):
        decoding.decode(_read(text), KIND, sort_keys=False)


@pytest.mark.parametrize("kind", [STRING, List(STRING)])
def test_an_object_with_a_key_twice_is_an_object_to_other_types(kind: Any) -> None:
    with pytest.raises(decoding.DecodeError, match="cannot unmarshal object into Go value"):
        decoding.decode(Repeating([("a", 1), ("a", 2)]), kind)


def test_a_number_is_shown_as_it_was_sent() -> None:
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


def test_what_is_inlined_is_told_with_what_it_is_in() -> None:
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
