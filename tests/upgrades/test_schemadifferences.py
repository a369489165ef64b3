"""Differences between two schemas, and their effects on objects."""

from __future__ import annotations

import pytest

from pytest_crd.engine.schema import schemamap
from pytest_crd.engine.schema.schemamap import SchemaNode
from pytest_crd.upgrades import effects, schemadifferences
from pytest_crd.upgrades.subject import Subject
from pytest_crd.upgrades.upgradefindings import Kind
from upgrades.changes import JSON, NUMBER, OBJECT, TEXT, crd, obj, ruled

LIST: JSON = {"type": "array"}


def list_differences(old: JSON, new: JSON) -> list[tuple[str, str]]:
    return [
        (schemamap.spelled(difference.place), difference.keyword)
        for difference in schemadifferences.find_differences(SchemaNode(old), SchemaNode(new))
    ]


def test_equal_schemas_do_not_differ() -> None:
    assert list_differences(obj(a=TEXT), obj(a=dict(TEXT))) == []


def test_differences_have_their_places() -> None:
    assert list_differences(obj(a=LIST | {"items": TEXT}, b=OBJECT), obj(a=LIST | {"items": NUMBER}, c=OBJECT)) == [
        ("a[*]", "type"),
        ("b", "removed"),
        ("c", "added"),
    ]
    assert list_differences({**OBJECT, "additionalProperties": TEXT}, {**OBJECT, "additionalProperties": NUMBER}) == [
        ("[*]", "type")
    ]
    assert list_differences({**OBJECT, "additionalProperties": TEXT}, {**OBJECT, "additionalProperties": True}) == [
        ("", "additionalProperties")
    ]


def test_items_may_come_and_go() -> None:
    assert list_differences(LIST, LIST | {"items": TEXT}) == [("[*]", "added")]
    assert list_differences(LIST | {"items": TEXT}, LIST) == [("[*]", "removed")]


def test_a_stated_default_of_a_list_or_object_type_is_no_difference() -> None:
    atomic, granular = {**LIST, "x-kubernetes-list-type": "atomic"}, {**OBJECT, "x-kubernetes-map-type": "granular"}

    assert list_differences(obj(a=LIST, b=granular), obj(a=atomic, b=OBJECT)) == []
    assert list_differences(obj(a=LIST | {"x-kubernetes-list-type": "set"}), obj(a=atomic)) == [
        ("a", "x-kubernetes-list-type")
    ]


def test_the_message_of_a_rule_is_no_difference() -> None:
    assert list_differences(ruled("self.a < 1", message="a"), ruled("self.a < 1", message="b")) == []
    assert list_differences(ruled("self.a < 1"), ruled("self.a < 1", optionalOldSelf=True)) == [
        ("", "x-kubernetes-validations"),
        ("", "x-kubernetes-validations"),
    ]


def test_an_update_of_an_object_that_the_old_crd_refuses_shows_nothing() -> None:
    subject = Subject(crd(TEXT).version("v1"))

    assert effects.find_change({"spec": {"x": "a"}}, subject, subject, stored={"spec": {"x": 1}}).effects == ()


def test_unchecked_rules_are_no_effect() -> None:
    old = Subject(crd(obj(a=NUMBER, b=NUMBER)).version("v1"))
    new = Subject(crd({**ruled("self.a < 1"), "required": ["b"]}).version("v1"))

    change = effects.find_change({"spec": {"x": {"a": 1}}}, old, new)

    assert [(effect.kind, effect.place) for effect in change.effects] == [(Kind.REFUSED, ("spec", "x", "b"))]
    assert len(change.witness.after.errors) == 2


def test_a_default_in_a_preserved_unknown_field_widens() -> None:
    keeps = {**OBJECT, "x-kubernetes-preserve-unknown-fields": True}
    old = Subject(crd(keeps).version("v1"))
    new = Subject(crd({**keeps, "properties": {"a": obj(b={**TEXT, "default": "c"})}}).version("v1"))

    change = effects.find_change({"spec": {"x": {"a": {}}}}, old, new)

    assert [(effect.kind, effect.place) for effect in change.effects] == [(Kind.WIDENED, ("spec", "x", "a", "b"))]


def test_new_keywords_and_defaults_may_refuse_and_removed_ones_may_not() -> None:
    def refusing(old: JSON, new: JSON) -> list[str]:
        return [
            difference.keyword
            for difference in schemadifferences.find_differences(SchemaNode(old), SchemaNode(new))
            if difference.can_refuse
        ]

    assert refusing(obj(), obj(a=TEXT)) == []  # no stored object has the field
    assert refusing(obj(), obj(a={**TEXT, "default": "a"})) == ["added"]
    keeps = {"x-kubernetes-preserve-unknown-fields": True}
    assert refusing({**obj(), **keeps}, {**obj(a=TEXT), **keeps}) == ["added"]
    assert refusing(TEXT, {**TEXT, "default": "a"}) == ["default"]
    assert refusing({**TEXT, "maxLength": 3}, TEXT) == []
    assert refusing({**TEXT, "maxLength": 3}, {**TEXT, "maxLength": 4}) == []
    assert refusing({**TEXT, "maxLength": 3}, {**TEXT, "maxLength": 2}) == ["maxLength"]
    assert refusing({**NUMBER, "minimum": 3}, {**NUMBER, "minimum": 2}) == []
    assert refusing({**NUMBER, "minimum": 3}, {**NUMBER, "minimum": 4}) == ["minimum"]
    assert refusing(NUMBER, {**NUMBER, "minimum": 4}) == ["minimum"]
    assert refusing(OBJECT, {**OBJECT, "x-kubernetes-map-type": "atomic"}) == []


@pytest.mark.parametrize(("least", "is_refusing"), [(0, False), (3, False), (4, True)])
def test_each_object_has_three_fields(least: int, is_refusing: bool) -> None:  # noqa: FBT001
    (difference,) = schemadifferences.find_differences(
        SchemaNode(OBJECT), SchemaNode({**OBJECT, "minProperties": least})
    )
    (inner,) = schemadifferences.find_differences(
        SchemaNode(obj(a=OBJECT)), SchemaNode(obj(a={**OBJECT, "minProperties": least}))
    )

    assert difference.can_refuse is is_refusing
    assert inner.can_refuse is (least > 0)


def test_an_enum_in_another_order_refuses_nothing() -> None:
    def refuses(*values: str) -> bool:
        (difference,) = schemadifferences.find_differences(
            SchemaNode({"enum": ["a", "b"]}), SchemaNode({"enum": list(values)})
        )
        return difference.can_refuse

    assert not refuses("b", "a")
    assert refuses("b", "c")
