"""Candidate values of a schema, before the engine has judged them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from synthesis.versions import fields

from pytest_crd.engine import profile
from pytest_crd.engine.formats import stringformats
from pytest_crd.synthesis import boundaryvalues, numbervalues, texts
from pytest_crd.synthesis.demands import Demand
from pytest_crd.synthesis.schemavalues import Maker
from pytest_crd.synthesis.texts import TextDemand

TEXT = {"type": "string"}


def _values(schema: Any, *, full: bool = False) -> list[Any]:
    return list(Maker(full=full).find_values(Demand((schema,))))


def test_values_of_a_place_are_made_once_and_only_as_far_as_they_are_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def find_texts(demand: TextDemand) -> Iterator[str]:
        for text in ("a", "b", "c"):
            calls.append(text)
            yield text

    monkeypatch.setattr(texts, "find_texts", find_texts)
    node = Demand((TEXT,))

    assert Maker().first(node) == "a"
    assert calls == ["a"]
    first, second = Maker().find_values(node), Maker().find_values(node)
    assert [*zip(first, second, strict=True)] == [("a", "a"), ("b", "b"), ("c", "c")]
    assert calls == ["a", "b", "c"]
    assert [*Maker(full=True).find_values(node)] == ["a", "b", "c"]


@pytest.mark.parametrize("name", texts.FORMATS)
def test_the_texts_of_a_format_have_it(name: str) -> None:
    check = stringformats.check(name, profile.named("1.37"))

    assert check is not None
    assert [text for text in texts.FORMATS[name] if not check(text)] == []


def test_each_value_comes_once() -> None:
    assert _values({"type": "boolean", "default": False}) == [False, True]
    assert [*map(type, _values({"type": "number", "enum": [1, True, 1.0, 1]}))] == [int, bool, float]


def test_the_number_of_values_is_limited() -> None:
    assert len(_values({**TEXT, "enum": [str(number) for number in range(1000)]})) < 100


def test_null_is_the_last_value_of_a_nullable_schema() -> None:
    assert _values({**TEXT, "enum": ["a"], "nullable": True}) == ["a", None]


def test_simple_texts_come_before_meaningful_ones() -> None:
    assert _values(TEXT)[:4] == ["a", "b", "c", "example.com"]
    assert _values({**TEXT, "minLength": 3})[:2] == ["aaa", "aab"]


def test_there_are_no_more_unique_items_than_distinct_values() -> None:
    node = Demand(({"type": "array", "items": {**TEXT, "enum": ["a", "b"]}, "x-kubernetes-list-type": "set"},))

    assert [Maker().items(node, count) for count in (0, 1, 2, 3)] == [[], ["a"], ["a", "b"], None]


def test_undeclared_items_may_be_anything() -> None:
    assert _values({"type": "array", "minItems": 1})[:2] == [[{}], [{}, {}]]


def test_an_embedded_resource_has_type_and_metadata() -> None:
    schema = {**fields(metadata={"type": "object"}, spec_=TEXT), "x-kubernetes-embedded-resource": True}

    assert _values(schema)[0] == {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "example"},
        "spec": "a",
    }


def test_a_text_is_not_made_longer_than_is_sensible() -> None:
    assert list(texts.find_texts_of_length(TextDemand(), 2_000_000)) == []
    assert len(next(texts.find_texts_of_length(TextDemand(least=200_000), 200_000))) == 200_000


def test_a_text_of_a_length_that_a_pattern_does_not_have_is_made_without_it() -> None:
    assert list(texts.find_texts_of_length(TextDemand(patterns=("^x$",)), 3)) == ["aaa", "111"]


def test_numbers_stay_in_the_bounds_of_their_format() -> None:
    node = Demand(({"type": "integer", "format": "int32", "minimum": 2**31 - 1},))

    assert numbervalues.find_numbers(node.number) == (2**31 - 1,)


def test_demands_are_cached() -> None:
    """A search requests the same fields and values hundreds of times."""
    node = Demand(({**fields(a={"type": "integer"}), "additionalProperties": TEXT},))
    field = node.field("a")

    assert field is not None
    assert field is node.field("a")
    assert field is node.properties["a"]
    assert node.values is node.values
    assert field.number is field.number
    assert numbervalues.find_numbers(field.number) is numbervalues.find_numbers(field.number)


def test_a_junctor_is_violated_by_values_that_its_branches_refuse() -> None:
    schema = {**fields(b={"type": "integer"}), "not": {"properties": {"b": {"enum": [7]}}, "required": ["b"]}}

    assert {"b": 7} in list(boundaryvalues.find_junctor_values(Demand((schema,)), "not", Maker()))


def test_fields_beside_the_named_ones_may_be_anything() -> None:
    node = Demand(({"additionalProperties": True},))

    assert node.field("a") == Demand(({},))
    assert node.values == Demand(({},))
    assert Demand(({"additionalProperties": False},)).field("a") is None


@pytest.mark.parametrize(("enum", "lists"), [([1], [[]]), ([1, {"a": "x"}], [[], [{"a": "a"}]])])
def test_items_with_keys_are_objects(enum: list[Any], lists: list[Any]) -> None:
    keyed = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a"]}

    assert _values({"type": "array", "items": {**fields(a=TEXT), "enum": enum}, **keyed}) == lists


@pytest.mark.parametrize(
    ("items", "ends"),
    [
        (TEXT, ("aaa", "ack")),
        ({**TEXT, "pattern": "^[a-z]+$", "maxLength": 63}, ("aaa", "ack")),
        ({**TEXT, "pattern": "^[0-9]{3}$"}, ("000", "062")),
        ({**TEXT, "pattern": "^arn:[0-9]{12}:[a-z]+/[A-Z]$"}, ("arn:000000000000:aaa/A", "arn:000000000000:ack/A")),
        ({"type": "integer", "minimum": 1, "maximum": 63}, (1, 63)),
        ({"type": "number", "maximum": 0}, (0, -31)),
    ],
)
def test_there_are_as_many_distinct_items_as_wanted(items: dict[str, Any], ends: tuple[Any, Any]) -> None:
    values = Maker().items(Demand(({"type": "array", "items": items, "x-kubernetes-list-type": "set"},)), 63)

    assert values is not None
    assert len({*values}) == 63
    assert (values[0], values[-1]) == ends
    keyed = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a"]}
    objects = {"type": "array", "items": {**fields(a=items), "required": ["a"]}, **keyed}
    assert Maker().items(Demand((objects,)), 63) == [{"a": item} for item in values]


@pytest.mark.parametrize(
    "items",
    [
        {"type": "boolean"},
        {**TEXT, "maxLength": 1},
        {**TEXT, "pattern": "^[ab]{6}$"},
        {**TEXT, "format": "ipv4"},
        {"type": "integer", "minimum": 1, "maximum": 62},
        {"type": "integer", "minimum": 2, "maximum": 1},
    ],
)
def test_there_are_no_more_distinct_items_than_known(items: dict[str, Any]) -> None:
    assert Maker().items(Demand(({"type": "array", "items": items, "x-kubernetes-list-type": "set"},)), 63) is None
