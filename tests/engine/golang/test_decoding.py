"""Decoding into example Go types, each made to show one rule of Go."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_crd.engine.golang import decoding, gotypes
from pytest_crd.engine.golang.gotypes import (
    BOOL,
    BYTES,
    FLOAT64,
    INT32,
    INT64,
    STRING,
    TIME,
    List,
    Map,
    Pointer,
    Raw,
    Struct,
    StructReference,
    Union,
)


def tree() -> Struct:
    return TREE


INNER = Struct("v1.Inner", {"number": INT64, "flag": Pointer(BOOL)})
SCHEMA_OR_BOOL = Union("v1.OrBool", StructReference(tree), bools=True, refusal="boolean or tree expected")
TREE = Struct(
    "v1.Tree",
    {
        "name": STRING,
        "small": INT32,
        "size": INT64,
        "ratio": Pointer(FLOAT64),
        "data": BYTES,
        "time": TIME,
        "any": Pointer(Raw("v1.JSON")),
        "anys": List(Raw("v1.JSON")),
        "inner": Pointer(INNER),
        "inners": List(INNER),
        "names": List(STRING),
        "labels": Map(STRING),
        "sizes": Map(INT64),
        "flags": Map(BOOL),
        "ratios": List(FLOAT64),
        "datas": List(BYTES),
        "below": Map(StructReference(tree), "v1.Below"),
        "trees": List(StructReference(tree)),
        "rest": Pointer(SCHEMA_OR_BOOL),
        "either": Map(Union("v1.OrStrings", StructReference(tree), array=List(STRING))),
        "items": Pointer(Union("v1.OrTrees", StructReference(tree), array=List(StructReference(tree)), empty=[])),
    },
)
WRITTEN = Struct(
    "v1.Written",
    {
        "kind": STRING,
        "name": STRING,
        "size": INT64,
        "limit": Pointer(INT64),
        "labels": Map(STRING),
        "created": TIME,
        "deleted": Pointer(TIME),
        "raw": Pointer(Raw("v1.FieldsV1")),
        "inner": INNER,
    },
    required=frozenset({"kind"}),
)


def test_types_have_gos_names() -> None:
    assert List(Pointer(StructReference(tree))).name == "[]v1.Tree"
    assert Map(List(STRING)).name == "map[string][]string"


def decode_error(value: Any, kind: gotypes.GoType = TREE, *, sort_keys: bool = True) -> str:
    with pytest.raises(decoding.DecodeError) as refused:
        decoding.decode(value, kind, sort_keys=sort_keys)
    return str(refused.value)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        pytest.param(5, "number into Go value of type v1.Tree", id="a number for the whole"),
        pytest.param([], "array into Go value of type v1.Tree", id="an array for the whole"),
        pytest.param({"name": 5}, "number into Go struct field Tree.name of type string", id="a number for a string"),
        pytest.param({"name": 1.5}, "number into Go struct field Tree.name of type string", id="a float for a string"),
        pytest.param({"name": {}}, "object into Go struct field Tree.name of type string", id="an object for one"),
        pytest.param(
            {"size": "1"}, "string into Go struct field Tree.size of type int64", id="a string for an integer"
        ),
        pytest.param({"size": True}, "bool into Go struct field Tree.size of type int64", id="a bool for an integer"),
        pytest.param({"size": 1.5}, "number 1.5 into Go struct field Tree.size of type int64", id="a fraction for one"),
        pytest.param(
            {"size": 9.223372036854775808e18},
            "number 9223372036854776000 into Go struct field Tree.size of type int64",
            id="a number beyond int64",
        ),
        pytest.param(
            {"small": 2**31}, "number 2147483648 into Go struct field Tree.small of type int32", id="one beyond int32"
        ),
        pytest.param(
            {"ratio": "1"}, "string into Go struct field Tree.ratio of type float64", id="a string for a float"
        ),
        pytest.param(
            {"names": {}}, "object into Go struct field Tree.names of type []string", id="an object for a list"
        ),
        pytest.param({"names": [1]}, "number into Go struct field Tree.names of type string", id="a number in a list"),
        pytest.param(
            {"labels": []}, "array into Go struct field Tree.labels of type map[string]string", id="for a map"
        ),
        pytest.param({"labels": {"a": 1}}, "number into Go struct field Tree.labels of type string", id="in a map"),
        pytest.param({"below": 1}, "number into Go struct field Tree.below of type v1.Below", id="for a named map"),
        pytest.param(
            {"trees": 1}, "number into Go struct field Tree.trees of type []v1.Tree", id="for a list of structs"
        ),
        pytest.param({"inner": 1}, "number into Go struct field Tree.inner of type v1.Inner", id="for a pointer"),
        pytest.param(
            {"inners": [{"flag": "x"}]},
            "string into Go struct field Inner.inners.flag of type bool",
            id="the struct is the innermost, the path holds no index",
        ),
        pytest.param(
            {"below": {"key": {"below": {"key": {"name": 1}}}}},
            "number into Go struct field Tree.below.below.name of type string",
            id="the path holds no map keys",
        ),
        pytest.param({"data": 1}, "number into Go struct field Tree.data of type []uint8", id="a number for bytes"),
        pytest.param({"data": ["a"]}, "string into Go struct field Tree.data of type uint8", id="a string among bytes"),
        pytest.param({"data": [256]}, "number 256 into Go struct field Tree.data of type uint8", id="256 among bytes"),
        pytest.param({"time": 5}, "number into Go struct field Tree.time of type string", id="a number for a time"),
        pytest.param(
            {"rest": {"inners": [{"number": "x"}]}},
            "string into Go struct field Tree.rest.inners.number of type int64",
            id="inside a union, the struct is the outer one",
        ),
        pytest.param(
            {"items": [1]}, "number into Go struct field Tree.items of type v1.Tree", id="in a list that decodes itself"
        ),
    ],
)
def test_mismatches_have_gos_message(value: Any, message: str) -> None:
    assert decode_error(value) == f"json: cannot unmarshal {message}"


@pytest.mark.parametrize(
    ("value", "message"),
    [
        pytest.param({"data": "!"}, "illegal base64 data at input byte 0", id="base64"),
        pytest.param(
            {"time": "x"}, 'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"', id="time"
        ),
        pytest.param({"rest": 5}, "boolean or tree expected", id="neither boolean nor object"),
        pytest.param({"rest": {"rest": []}}, "boolean or tree expected", id="deeper down"),
    ],
)
def test_errors_of_custom_decoders_are_reported_unchanged(value: Any, message: str) -> None:
    assert decode_error(value) == message


def test_the_first_mismatch_by_sorted_keys_is_reported() -> None:
    assert decode_error({"size": "x", "name": 5}).endswith("Tree.name of type string")


def test_without_sorting_the_first_mismatch_in_document_order_is_reported() -> None:
    assert decode_error({"size": "x", "name": 5}, sort_keys=False).endswith("Tree.size of type int64")


@pytest.mark.parametrize("sort_keys", [True, False])
def test_errors_of_custom_decoders_take_precedence_over_mismatches(*, sort_keys: bool) -> None:
    assert decode_error({"name": 5, "rest": 5}, sort_keys=sort_keys) == "boolean or tree expected"


def test_errors_of_nested_custom_decoders_take_precedence_over_mismatches() -> None:
    assert decode_error({"rest": {"name": 5, "rest": 5}}) == "boolean or tree expected"


def test_bytes_given_as_a_list_do_not_hide_an_earlier_mismatch() -> None:
    assert decode_error({"data": [1], "name": 5}).endswith("Tree.name of type string")


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"name": "", "names": [], "labels": {}, "inner": {}, "size": 0, "data": "", "any": {}},
        {"name": "a", "below": {"b": {"trees": [{"rest": True}, {"rest": False}, {"rest": {"name": "c"}}]}}},
        {"any": {"x": [None, 1.5]}, "anys": [None, {}], "ratio": 5, "either": {"a": ["x"], "b": {"name": "c"}}},
    ],
)
def test_values_that_go_holds_unchanged_are_returned_as_the_same_object(value: Any) -> None:
    decoded = decoding.decode(value, TREE)
    assert decoded.value is value
    assert decoded.unknown == ()


@pytest.mark.parametrize(
    ("value", "decoded"),
    [
        pytest.param(None, {}, id="a null for the whole is the empty struct"),
        pytest.param({"name": None, "inner": None, "any": None, "names": None}, {}, id="a null in a field is not set"),
        pytest.param(
            {"names": [None], "labels": {"a": None}}, {"names": [""], "labels": {"a": ""}}, id="a null string"
        ),
        pytest.param(
            {"sizes": {"a": None}, "flags": {"a": None}}, {"sizes": {"a": 0}, "flags": {"a": False}}, id="a null number"
        ),
        pytest.param(
            {"ratios": [None], "datas": [None]}, {"ratios": [0], "datas": [None]}, id="a null float, and bytes"
        ),
        pytest.param(
            {"inners": [None], "below": {"a": None}}, {"inners": [{}], "below": {"a": {}}}, id="a null struct"
        ),
        pytest.param({"anys": [None]}, {"anys": [None]}, id="a null that is any JSON stays"),
        pytest.param(
            {"either": {"a": None, "b": 5}}, {"either": {"a": None, "b": None}}, id="a null, or what is ignored"
        ),
        pytest.param({"items": 5}, {"items": []}, id="a scalar instead of a tree or trees is ignored"),
        pytest.param({"ratio": 2**53 + 1}, {"ratio": 2**53}, id="an integer becomes the nearest float64"),
        pytest.param({"data": [104, None, 105]}, {"data": "aABp"}, id="numbers become base64"),
        pytest.param({"data": "a\nGk="}, {"data": "aGk="}, id="base64 loses its line breaks"),
        pytest.param({"time": "2020-01-01T01:00:00+01:00"}, {"time": "2020-01-01T00:00:00Z"}, id="times are in UTC"),
        pytest.param({"time": "0001-01-01T00:00:00Z"}, {}, id="the zero time is not set"),
    ],
)
def test_values_are_normalized_as_go_holds_them(value: Any, decoded: Any) -> None:
    assert decoding.decode(value, TREE).value == decoded


@pytest.mark.parametrize(
    ("value", "written"),
    [
        pytest.param({"kind": "a", "name": "b"}, {"kind": "a", "name": "b"}, id="set fields stay"),
        pytest.param({}, {"kind": ""}, id="required fields are added"),
        pytest.param({"kind": "", "name": "", "size": 0, "labels": {}}, {"kind": ""}, id="empty fields are dropped"),
        pytest.param({"kind": "a", "limit": 0, "raw": {}}, {"kind": "a", "limit": 0, "raw": {}}, id="pointers stay"),
        pytest.param({"kind": "a", "inner": {}}, {"kind": "a", "inner": {}}, id="structs stay"),
        pytest.param(
            {"kind": "a", "created": "0001-01-01T00:00:00Z", "deleted": "0001-01-01T00:00:00Z"},
            {"kind": "a"},
            id="zero times go",
        ),
        pytest.param({"x": "", "kind": None}, {"kind": ""}, id="an unknown field is not taken for a required one"),
    ],
)
def test_structs_with_required_fields_are_returned_as_go_writes_them(value: Any, written: Any) -> None:
    assert decoding.decode(value, WRITTEN).value == written


@pytest.mark.parametrize(
    ("value", "unknown"),
    [
        pytest.param({"x": 1, "name": "a"}, ("x",), id="at the root"),
        pytest.param({"Name": "a"}, ("Name",), id="in other case"),
        pytest.param({"z": None, "a": 1}, ("a", "z"), id="sorted by key, nulls too"),
        pytest.param({"inners": [{"a.b": 1}, {"": 1}]}, ("inners[0].a.b", "inners[1]."), id="in lists, keys unquoted"),
        pytest.param(
            {"below": {"k.l": {"x": 1}, "k": {"x": 1}}}, ("below.k.x", "below.k.l.x"), id="sorted by key, not path"
        ),
        pytest.param({"below": {"a.b": {"x": 1}, "a": {"b.x": 1}}}, ("below.a.b.x",), id="each spelling once"),
        pytest.param({"rest": {"x": 1}, "items": [{"x": 1}], "either": {"a": {"x": 1}}}, (), id="not below decoders"),
        pytest.param(
            {str(i): 1 for i in range(10, 200)},
            tuple(str(i) for i in sorted(map(str, range(10, 200)))[:100]),
            id="the first hundred",
        ),
    ],
)
def test_unknown_fields_are_listed(value: Any, unknown: tuple[str, ...]) -> None:
    assert decoding.decode(value, TREE).unknown == unknown


def test_without_sorting_unknown_fields_are_listed_in_document_order() -> None:
    assert decoding.decode({"z": 1, "a": 1}, TREE, sort_keys=False).unknown == ("z", "a")


def test_unlisted_unknown_fields_are_dropped() -> None:
    assert decoding.decode({"rest": {"x": 1, "name": "a"}}, TREE).value == {"rest": {"name": "a"}}


SCALARS = st.none() | st.booleans() | st.integers(-5, 5) | st.sampled_from(["", "a", "2020-01-01T00:00:00Z", "aGk="])
KEYS = st.sampled_from([*TREE.fields, "x", "a.b"])
VALUES = st.recursive(
    SCALARS, lambda below: st.lists(below, max_size=3) | st.dictionaries(KEYS, below, max_size=4), max_leaves=15
)


@given(st.dictionaries(KEYS, VALUES, max_size=5))
def test_decoding_is_pure_and_idempotent(value: dict[str, Any]) -> None:
    """The input is not modified, and decoding the result again returns it without unknown fields."""
    before = copy.deepcopy(value)
    try:
        decoded = decoding.decode(value, TREE)
    except decoding.DecodeError:
        assert value == before
        return
    assert value == before
    again = decoding.decode(decoded.value, TREE)
    assert again.value == decoded.value
    assert again.unknown == ()


@given(st.dictionaries(st.sampled_from(["name", "below", "x", "y.z"]), st.none() | st.just("a"), max_size=4))
def test_exactly_the_unknown_fields_are_dropped(value: dict[str, Any]) -> None:
    value.pop("below", None)
    decoded = decoding.decode(value, TREE)
    assert set(decoded.unknown) == value.keys() - TREE.fields.keys()
    assert decoded.value == {key: item for key, item in value.items() if key in TREE.fields and item is not None}
