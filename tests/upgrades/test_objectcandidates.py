"""Candidates, to the last one, as in a search without success."""

from __future__ import annotations

from pytest_crd.engine.schema.schemamap import Each, Place, SchemaNode
from pytest_crd.synthesis import Boundaries
from pytest_crd.upgrades import objectcandidates, schemadifferences, surroundings
from pytest_crd.upgrades.objectcandidates import Candidate
from upgrades.changes import JSON, NUMBER, TEXT, crd_with_versions, listed, obj

# No value satisfies the rule.
NEVER: JSON = {"type": "boolean", "x-kubernetes-validations": [{"rule": "self && !self"}]}


def boundaries(root: JSON) -> Boundaries:
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": root}}
    crd = crd_with_versions(version)
    assert crd.response.accepted, crd.response.message
    return Boundaries(crd.versions[0])


def find_candidates(old: JSON, new: JSON, place: Place, keyword: str) -> list[Candidate]:
    """Return all candidates for the difference of *keyword* at *place*."""
    differing = list(schemadifferences.find_differences(SchemaNode(old), SchemaNode(new)))
    (difference,) = (item for item in differing if (item.place, item.keyword) == (place, keyword))
    return list(objectcandidates.Maker(boundaries(old), boundaries(new), differing).find_candidates(difference))


def specs(candidates: list[Candidate]) -> list[object]:
    return [candidate.resource.get("spec") for candidate in candidates]


def test_a_difference_of_the_whole_object_is_tried_with_a_value_at_each_place() -> None:
    old, new = ({**obj(spec=obj(a=NUMBER, b=NEVER)), "pattern": pattern} for pattern in ("^a$", "^b$"))

    candidates = specs(find_candidates(old, new, (), "pattern"))

    assert {"a": 0} in candidates
    assert not any(isinstance(spec, dict) and "b" in spec for spec in candidates)


def test_a_place_without_accepted_objects_is_tried_with_values_of_one_crd() -> None:
    within = obj(b=obj(("c",), c=NEVER))
    old, new = (obj(spec=obj(a={**within, **more})) for more in ({}, {"minProperties": 1}))
    deeper = [obj(spec=obj(a=obj(("n",), n=NEVER, b={**TEXT, **more}))) for more in ({}, {"maxLength": 3})]

    assert {"a": {}} in specs(find_candidates(old, new, ("spec", "a"), "minProperties"))
    assert find_candidates(deeper[0], deeper[1], ("spec", "a", "b"), "maxLength") == []


def test_patterns_are_compared_where_both_crds_make_objects() -> None:
    old, new = (obj(spec=obj(a={**TEXT, "pattern": pattern})) for pattern in ("^[a-z]{1,3}$", "^[a-z]{1,2}$"))
    (difference,) = schemadifferences.find_differences(SchemaNode(old), SchemaNode(new))

    def find_specs(left: Boundaries | None, right: Boundaries | None) -> list[object]:
        return specs(list(objectcandidates.Maker(left, right, [difference]).find_candidates(difference)))

    assert {"a": "aaa"} in find_specs(boundaries(old), boundaries(new))
    assert find_specs(None, boundaries(new)) != []


def test_a_rule_is_tried_where_only_one_crd_makes_objects() -> None:
    old, new = (
        obj(spec={**obj(a=NUMBER), **rules}) for rules in ({}, {"x-kubernetes-validations": [{"rule": "true"}]})
    )
    (difference,) = schemadifferences.find_differences(SchemaNode(old), SchemaNode(new))

    for left, right in ((None, boundaries(new)), (boundaries(old), None)):
        maker = objectcandidates.Maker(left, right, [difference])
        assert {} in specs(list(maker.find_candidates(difference)))


def test_lists_of_the_whole_object_have_no_order_beside_each_other() -> None:
    old, new = (obj(a=listed(kind)) for kind in ("atomic", "set"))

    candidates = find_candidates(old, new, ("a",), "x-kubernetes-list-type")

    assert ["a", "a"] in [candidate.resource.get("a") for candidate in candidates]


def test_a_field_of_an_item_is_tried_in_two_otherwise_equal_items() -> None:
    old, new = (
        obj(spec=obj(a={"type": "array", "items": items}))
        for items in (obj(b=TEXT), obj(b=TEXT, c={**TEXT, "enum": ["x"]}))
    )

    candidates = specs(find_candidates(old, new, ("spec", "a", Each.ITEM, "c"), schemadifferences.ADDED))

    assert {"a": [{}, {"c": "x"}]} in candidates


def test_a_null_item_gets_no_fields() -> None:
    never = {"x-kubernetes-validations": [{"rule": "false"}]}
    old, new = (
        obj(spec=obj(a={"type": "array", "items": {**items, "nullable": True, **never}}))
        for items in (obj(), obj(c=TEXT))
    )

    assert {"a": [None]} in specs(find_candidates(old, new, ("spec", "a", Each.ITEM, "c"), schemadifferences.ADDED))


def test_no_list_is_reversed_in_an_object_that_is_never_accepted() -> None:
    never = {"x-kubernetes-validations": [{"rule": "false"}]}
    old, new = (obj(spec=obj(a={**obj(b=listed(kind)), **never})) for kind in ("atomic", "set"))

    assert find_candidates(old, new, ("spec", "a", "b"), "x-kubernetes-list-type") == []


def test_no_field_is_varied_in_an_object_that_is_never_accepted() -> None:
    inner = {**obj(b=TEXT), "x-kubernetes-validations": [{"rule": "false"}]}
    old, new = (obj(spec=obj(a={**inner, "properties": {"b": TEXT, **more}})) for more in ({}, {"c": TEXT}))

    assert find_candidates(old, new, ("spec", "a", "c"), schemadifferences.ADDED) == []


def test_a_map_that_can_only_be_null_is_tried_with_a_null_value() -> None:
    never: JSON = {"type": "object", "nullable": True, "minProperties": 2, "allOf": [{"maxProperties": 1}]}
    old, new = (obj(spec={**never, "additionalProperties": values}) for values in (TEXT, {**TEXT, "default": "a"}))

    candidates = find_candidates(old, new, ("spec", Each.VALUE), "default")

    assert {"null": None} in specs(candidates)


def test_no_default_is_looked_for_in_an_object_that_is_never_accepted() -> None:
    inner = obj(c={"type": "boolean", "default": True})
    never = {**inner, "x-kubernetes-validations": [{"rule": "self.c && !self.c"}]}
    side = boundaries(obj(spec=obj(a=never, b=inner)))

    assert [found["spec"] for found in surroundings.find_defaulted(side, ("spec",))] == [{"b": {}}]
