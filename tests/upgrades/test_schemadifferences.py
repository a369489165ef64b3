"""Where two schemas differ, and what an object meets there."""

from __future__ import annotations

from pytest_crd.engine.schema import schemamap
from pytest_crd.engine.schema.schemamap import SchemaNode
from pytest_crd.upgrades import effects, schemadifferences
from pytest_crd.upgrades.upgradefindings import Kind
from pytest_crd.upgrades.upgradesubject import Subject
from upgrades.changes import JSON, NUMBER, OBJECT, TEXT, crd, obj, ruled

LIST: JSON = {"type": "array"}


def told(old: JSON, new: JSON) -> list[tuple[str, str]]:
    return [
        (schemamap.spelled(one.place), one.keyword) for one in schemadifferences.find(SchemaNode(old), SchemaNode(new))
    ]


def test_equal_schemas_do_not_differ() -> None:
    assert told(obj(a=TEXT), obj(a=dict(TEXT))) == []


def test_a_difference_stands_where_it_is() -> None:
    assert told(obj(a=LIST | {"items": TEXT}, b=OBJECT), obj(a=LIST | {"items": NUMBER}, c=OBJECT)) == [
        ("a[*]", "type"),
        ("b", "removed"),
        ("c", "added"),
    ]
    assert told({**OBJECT, "additionalProperties": TEXT}, {**OBJECT, "additionalProperties": NUMBER}) == [
        ("[*]", "type")
    ]
    assert told({**OBJECT, "additionalProperties": TEXT}, {**OBJECT, "additionalProperties": True}) == [
        ("", "additionalProperties")
    ]


def test_items_may_come_and_go() -> None:
    assert told(LIST, LIST | {"items": TEXT}) == [("[*]", "added")]
    assert told(LIST | {"items": TEXT}, LIST) == [("[*]", "removed")]


def test_a_rule_is_the_same_whatever_it_says() -> None:
    assert told(ruled("self.a < 1", message="a"), ruled("self.a < 1", message="b")) == []
    assert told(ruled("self.a < 1"), ruled("self.a < 1", optionalOldSelf=True)) == [
        ("", "x-kubernetes-validations"),
        ("", "x-kubernetes-validations"),
    ]


def test_an_update_of_what_the_old_crd_never_took_shows_nothing() -> None:
    subject = Subject(crd(TEXT).version("v1"))

    assert effects.find({"spec": {"x": "a"}}, subject, subject, stored={"spec": {"x": 1}}).effects == ()


def test_that_rules_were_not_checked_is_no_effect() -> None:
    old = Subject(crd(obj(a=NUMBER, b=NUMBER)).version("v1"))
    new = Subject(crd({**ruled("self.a < 1"), "required": ["b"]}).version("v1"))

    found = effects.find({"spec": {"x": {"a": 1}}}, old, new)

    assert [(one.kind, one.place) for one in found.effects] == [(Kind.REFUSED, ("spec", "x", "b"))]
    assert len(found.witness.after.errors) == 2


def test_a_default_in_what_was_kept_unknown_is_new() -> None:
    keeps = {**OBJECT, "x-kubernetes-preserve-unknown-fields": True}
    old = Subject(crd(keeps).version("v1"))
    new = Subject(crd({**keeps, "properties": {"a": obj(b={**TEXT, "default": "c"})}}).version("v1"))

    found = effects.find({"spec": {"x": {"a": {}}}}, old, new)

    assert [(one.kind, one.place) for one in found.effects] == [(Kind.WIDENED, ("spec", "x", "a", "b"))]


def test_what_is_new_or_put_in_may_refuse_and_what_goes_may_not() -> None:
    def refusing(old: JSON, new: JSON) -> list[str]:
        return [one.keyword for one in schemadifferences.find(SchemaNode(old), SchemaNode(new)) if one.can_refuse]

    assert refusing(obj(), obj(a=TEXT)) == []  # no object that is stored has it
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


def test_an_enum_in_another_order_refuses_nothing() -> None:
    def refuses(*values: str) -> bool:
        (one,) = schemadifferences.find(SchemaNode({"enum": ["a", "b"]}), SchemaNode({"enum": list(values)}))
        return one.can_refuse

    assert not refuses("b", "a")
    assert refuses("b", "c")
