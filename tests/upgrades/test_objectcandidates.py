"""Objects that are tried, to the last one: a search that finds nothing goes through them all."""

from __future__ import annotations

import pytest

from pytest_crd.engine.schema.schemamap import Each, Place, SchemaNode
from pytest_crd.synthesis import Boundaries
from pytest_crd.upgrades import objectcandidates, schemadifferences
from pytest_crd.upgrades.objectcandidates import Candidate
from upgrades.changes import JSON, NUMBER, TEXT, listed, obj, of_versions

# Nothing can stand there, as no value is both.
NEVER: JSON = {**TEXT, "x-kubernetes-validations": [{"rule": "self == 'a' && self == 'b'"}]}


def boundaries(root: JSON) -> Boundaries:
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": root}}
    crd = of_versions(version)
    assert crd.response.accepted, crd.response.message
    return Boundaries(crd.versions[0])


def tried(old: JSON, new: JSON, place: Place, keyword: str) -> list[Candidate]:
    """Return all objects that are tried for the difference of *keyword* at *place*."""
    differing = list(schemadifferences.find(SchemaNode(old), SchemaNode(new)))
    (difference,) = (one for one in differing if (one.place, one.keyword) == (place, keyword))
    return list(objectcandidates.Maker(boundaries(old), boundaries(new), differing).find(difference))


def specs(found: list[Candidate]) -> list[object]:
    return [one.resource.get("spec") for one in found]


def test_a_whole_object_is_tried_with_something_at_each_place_at_which_anything_can_stand() -> None:
    old, new = ({**obj(spec=obj(a=NUMBER, b=NEVER)), "pattern": pattern} for pattern in ("^a$", "^b$"))

    found = specs(tried(old, new, (), "pattern"))

    assert {"a": 0} in found
    assert not any(isinstance(spec, dict) and "b" in spec for spec in found)


@pytest.mark.uncounted
def test_a_place_that_no_object_has_is_tried_with_what_one_crd_may_take() -> None:
    within = obj(b=obj(("c",), c=NEVER))
    old, new = (obj(spec=obj(a={**within, **more})) for more in ({}, {"minProperties": 1}))
    deeper = [obj(spec=obj(a=obj(("n",), n=NEVER, b={**TEXT, **more}))) for more in ({}, {"maxLength": 3})]

    assert {"a": {}} in specs(tried(old, new, ("spec", "a"), "minProperties"))
    assert tried(deeper[0], deeper[1], ("spec", "a", "b"), "maxLength") == []


def test_patterns_are_compared_where_both_crds_make_objects() -> None:
    old, new = (obj(spec=obj(a={**TEXT, "pattern": pattern})) for pattern in ("^[a-z]{1,3}$", "^[a-z]{1,2}$"))
    (difference,) = schemadifferences.find(SchemaNode(old), SchemaNode(new))

    def made(one: Boundaries | None, other: Boundaries | None) -> list[object]:
        return specs(list(objectcandidates.Maker(one, other, [difference]).find(difference)))

    assert {"a": "aaa"} in made(boundaries(old), boundaries(new))
    assert made(None, boundaries(new)) != []


def test_lists_of_the_whole_object_have_no_order_beside_each_other() -> None:
    old, new = (obj(a=listed(kind)) for kind in ("atomic", "set"))

    found = tried(old, new, ("a",), "x-kubernetes-list-type")

    assert ["a", "a"] in [one.resource.get("a") for one in found]


def test_a_field_of_an_item_is_tried_in_two_items_that_are_else_alike() -> None:
    old, new = (
        obj(spec=obj(a={"type": "array", "items": items}))
        for items in (obj(b=TEXT), obj(b=TEXT, c={**TEXT, "enum": ["x"]}))
    )

    found = specs(tried(old, new, ("spec", "a", Each.ITEM, "c"), schemadifferences.ADDED))

    assert {"a": [{}, {"c": "x"}]} in found


def test_what_is_no_object_is_made_none() -> None:
    never = {"x-kubernetes-validations": [{"rule": "false"}]}
    old, new = (
        obj(spec=obj(a={"type": "array", "items": {**items, "nullable": True, **never}}))
        for items in (obj(), obj(c=TEXT))
    )

    assert {"a": [None]} in specs(tried(old, new, ("spec", "a", Each.ITEM, "c"), schemadifferences.ADDED))


def test_no_list_is_turned_in_what_can_never_stand_there() -> None:
    never = {"x-kubernetes-validations": [{"rule": "false"}]}
    old, new = (obj(spec=obj(a={**obj(b=listed(kind)), **never})) for kind in ("atomic", "set"))

    assert tried(old, new, ("spec", "a", "b"), "x-kubernetes-list-type") == []


def test_nothing_is_tried_around_a_field_of_what_can_never_stand_there() -> None:
    inner = {**obj(b=TEXT), "x-kubernetes-validations": [{"rule": "false"}]}
    old, new = (obj(spec=obj(a={**inner, "properties": {"b": TEXT, **more}})) for more in ({}, {"c": TEXT}))

    assert tried(old, new, ("spec", "a", "c"), schemadifferences.ADDED) == []
