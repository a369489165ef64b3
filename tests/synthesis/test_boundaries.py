"""Boundaries: the nearest object that satisfies a keyword, and the nearest that violates it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from synthesis import versions
from synthesis.versions import fields

from pytest_crd import engine
from pytest_crd.synthesis import Boundary, NoExampleError, boundaries, boundary, exampleobjects, placement, repair
from pytest_crd.synthesis.mutations import Mutator
from pytest_crd.synthesis.objectchanges import Change, Mutation

TEXT = {"type": "string"}
NUMBER = {"type": "integer"}
RULE = "x-kubernetes-validations"
ABSENT = object()
LIST = {"type": "array", "items": TEXT}
MAP = {"type": "object", "additionalProperties": NUMBER}

# The schema of `spec.a`, the keyword, and its values on both sides of the boundary.
BORDERS: dict[str, tuple[dict[str, Any], str, Any, Any]] = {
    "minimum": ({**NUMBER, "minimum": 3}, "minimum", 3, 2),
    "maximum": ({**NUMBER, "maximum": 3}, "maximum", 3, 4),
    "exclusive minimum": ({**NUMBER, "minimum": 3, "exclusiveMinimum": True}, "minimum", 4, 3),
    "exclusive maximum": ({"type": "number", "maximum": 3, "exclusiveMaximum": True}, "maximum", 2.5, 3),
    "minimum of multiples": ({**NUMBER, "minimum": 5, "multipleOf": 4}, "minimum", 8, 4),
    "multipleOf": ({**NUMBER, "multipleOf": 3}, "multipleOf", 0, 1),
    "multipleOf a fraction": ({"type": "number", "multipleOf": 0.5}, "multipleOf", 0.5, 0.25),
    "multipleOf 1": ({**NUMBER, "multipleOf": 1}, "multipleOf", 0, ABSENT),
    "minLength": ({**TEXT, "minLength": 2}, "minLength", "aa", "a"),
    "maxLength": ({**TEXT, "maxLength": 2}, "maxLength", "aa", "aaa"),
    "maxLength with a pattern": ({**TEXT, "maxLength": 3, "pattern": "^x+$"}, "maxLength", "xxx", "xxxx"),
    "maxLength with a format": ({**TEXT, "maxLength": 10, "format": "date"}, "maxLength", "2024-01-31", "a" * 11),
    "no length below none": ({**TEXT, "minLength": 0}, "minLength", "", ABSENT),
    "pattern": ({**TEXT, "pattern": "^[a-c]+$"}, "pattern", "a", "a "),
    "format": ({**TEXT, "format": "ipv4"}, "format", "10.0.0.1", "10.0.0.1!"),
    "format of a number": ({**NUMBER, "format": "int32"}, "format", 2147483647, 2147483648),
    "format of a float": ({"type": "number", "format": "float"}, "format", 0, 1e39),
    "format of a bounded number": ({**NUMBER, "format": "int32", "maximum": 5, "minimum": 1}, "format", 1, 2147483648),
    "enum": ({**TEXT, "enum": ["b", "c"]}, "enum", "b", "bx"),
    "enum of numbers": ({**NUMBER, "enum": [1, 2]}, "enum", 1, 0),
    "enum of truth values": ({"type": "boolean", "enum": [True]}, "enum", True, ABSENT),
    "enum of objects": ({**MAP, "enum": [{"b": 1}]}, "enum", {"b": 1}, {"another": 1}),
    "type": (TEXT, "type", "a", 1),
    "type of a list": (LIST, "type", [], "a"),
    "type of a number": ({"type": "number"}, "type", 0, "a"),
    "number or text": ({"x-kubernetes-int-or-string": True}, "type", 0, True),
    "nullable": ({**TEXT, "nullable": True}, "nullable", None, ABSENT),
    "not nullable": (TEXT, "nullable", "a", None),
    "minItems": ({**LIST, "minItems": 2}, "minItems", ["a", "a"], ["a"]),
    "maxItems": ({**LIST, "maxItems": 1}, "maxItems", ["a"], ["a", "a"]),
    "no items below none": ({**LIST, "minItems": 0}, "minItems", [], ABSENT),
    "minProperties": ({**MAP, "minProperties": 1}, "minProperties", {"key0": 0}, {}),
    "maxProperties": ({**MAP, "maxProperties": 1}, "maxProperties", {"key0": 0}, {"key0": 0, "key1": 0}),
    "maxProperties of named fields": (
        {**fields(b_=TEXT, c=TEXT), "maxProperties": 1},
        "maxProperties",
        {"b": "a"},
        {"b": "a", "c": "a"},
    ),
    "more fields than there are": ({**fields(b=TEXT), "maxProperties": 3}, "maxProperties", {}, ABSENT),
    "a set": ({**LIST, "x-kubernetes-list-type": "set"}, "x-kubernetes-list-type", ["a", "b"], ["a", "a"]),
    "a set of one value": (
        {"type": "array", "items": {**TEXT, "enum": ["x"]}, "x-kubernetes-list-type": "set"},
        "x-kubernetes-list-type",
        ["x"],
        ["x", "x"],
    ),
    "oneOf": (
        {**fields(b=NUMBER, c=NUMBER), "oneOf": [{"required": ["b"]}, {"required": ["c"]}]},
        "oneOf",
        {"b": 0},
        {},
    ),
    "anyOf": ({**TEXT, "anyOf": [{"minLength": 3}, {"enum": [""]}]}, "anyOf", "aaa", "aa"),
    "not": ({**TEXT, "not": {"enum": ["a"]}}, "not", "b", "a"),
    "a rule": ({**NUMBER, RULE: [{"rule": "self < 7"}]}, f"{RULE}[0]", 0, 7),
    "the second rule": (
        {**fields(b=NUMBER), RULE: [{"rule": "has(self.b)"}, {"rule": "self.b > 3"}]},
        f"{RULE}[1]",
        {"b": 4},
        {"b": 3},
    ),
    "a branch that nothing breaks": ({**TEXT, "anyOf": [{"minLength": 0}]}, "anyOf", "a", ABSENT),
    "a rule that nothing breaks": ({**NUMBER, RULE: [{"rule": "self == self"}]}, f"{RULE}[0]", 0, ABSENT),
}


def _at_a(resource: Any) -> Any:
    return ABSENT if resource is None else resource["spec"]["a"]


@pytest.mark.parametrize(("schema", "keyword", "inside", "outside"), BORDERS.values(), ids=BORDERS)
def test_both_sides_differ_in_one_place(schema: dict[str, Any], keyword: str, inside: Any, outside: Any) -> None:
    version = versions.create_version(fields(a_=schema))

    result = boundary(version, "spec.a", keyword)

    assert (result.place, result.keyword, result.subresource) == ("spec.a", keyword, "")
    assert _with_type(_at_a(result.inside)) == _with_type(inside)
    assert _with_type(_at_a(result.outside)) == _with_type(outside)
    assert result.inside is not None
    assert version.create(result.inside, field_validation="Strict").accepted
    if result.outside is not None and result.answer is not None:
        assert {**result.outside, "spec": 0} == {**result.inside, "spec": 0}
        assert not result.answer.accepted or result.answer.nulls


def _with_type(value: Any) -> Any:
    """Return *value* with its type, as 1 is neither 1.0 nor True."""
    return type(value), value


def test_a_required_field_is_there_or_not() -> None:
    result = boundary(versions.create_version(fields(a_=TEXT, b=NUMBER)), "spec", "required a")

    assert (result.inside, result.outside) == (_tab({"a": "a"}), _tab({}))
    assert result.answer is not None
    assert [str(error) for error in result.answer.errors] == ["spec.a: Required value"]


def test_a_required_field_with_a_default_cannot_be_missed() -> None:
    result = boundary(versions.create_version(fields(a_={**TEXT, "default": "x"})), "spec", "required a")

    assert (result.inside, result.outside, result.answer) == (_tab({"a": "x"}), None, None)


def test_a_junctor_of_texts_gives_no_whole_object() -> None:
    version = versions.create_version(fields(a=TEXT), root={"not": {"enum": ["x"]}})

    assert boundary(version, "", "not").outside is None


def test_required_metadata_is_never_missing() -> None:
    version = versions.create_version({"type": "object"}, root={"required": ["metadata", "spec"]})

    assert boundary(version, "", "required metadata") == Boundary("", "required metadata")
    assert boundary(version, "", "type").inside == _tab({})


def test_a_required_key_of_a_map_is_there_or_not() -> None:
    result = boundary(versions.create_version({**MAP, "required": ["b"]}), "spec", "required b")

    assert (result.inside, result.outside) == (_tab({"b": 0}), _tab({}))


def test_a_required_field_that_is_not_specified_is_there_or_not() -> None:
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True, "required": ["b"]}

    result = boundary(versions.create_version(schema), "spec", "required b")

    assert (result.inside, result.outside) == (_tab({"b": {}}), _tab({}))


def _tab(spec: Any) -> dict[str, Any]:
    return {"apiVersion": "example.com/v1", "kind": "Tab", "metadata": {"name": "example"}, "spec": spec}


def test_a_place_may_be_inside_lists_and_maps() -> None:
    item = fields(key_=TEXT, sizes={"type": "object", "additionalProperties": {**NUMBER, "maximum": 5}})
    keyed = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["key"]}
    version = versions.create_version(fields(items={"type": "array", "minItems": 2, "items": item, **keyed}))

    result = boundary(version, "spec.items[*].sizes[*]", "maximum")

    assert result.inside == _tab({"items": [{"key": "a", "sizes": {"key": 5}}, {"key": "b"}]})
    assert result.outside == _tab({"items": [{"key": "a", "sizes": {"key": 6}}, {"key": "b"}]})


def test_sibling_fields_are_adapted_to_a_value() -> None:
    union = {
        **fields(type_={**TEXT, "enum": ["A", "B"]}, b={**NUMBER, "maximum": 5}),
        RULE: [{"rule": "self.type == 'B' ? has(self.b) : !has(self.b)"}],
    }

    result = boundary(
        versions.create_version(fields(items={"type": "array", "items": union})), "spec.items[*].b", "maximum"
    )

    assert result.inside == _tab({"items": [{"type": "B", "b": 5}]})
    assert result.outside == _tab({"items": [{"type": "B", "b": 6}]})


def test_other_violations_by_a_value_are_repaired() -> None:
    """Zero days are too few, and fewer than the backups that are kept, unless none is."""
    spec = fields(days={**NUMBER, "minimum": 1}, last={**NUMBER, "default": 3})
    spec[RULE] = [{"rule": "!has(self.days) || self.last <= self.days"}]

    result = boundary(versions.create_version(spec), "spec.days", "minimum")

    assert result.outside is not None
    assert result.outside["spec"]["days"] == 0
    assert result.outside["spec"]["last"] <= 0
    assert result.answer is not None
    assert [error.field for error in result.answer.errors] == ["spec.days"]


def test_a_keyword_that_cannot_be_violated_alone_has_no_outside() -> None:
    spec = fields(days={**NUMBER, "minimum": 1})
    spec[RULE] = [{"rule": "!has(self.days) || self.days >= 1"}]

    assert boundary(versions.create_version(spec), "spec.days", "minimum").outside is None


def test_a_change_may_begin_with_another_object_than_the_smallest() -> None:
    """Nothing is below the least that is allowed, but there is something above it."""
    version = versions.create_version(fields(a={**NUMBER, "minimum": 0, RULE: [{"rule": "self >= oldSelf"}]}))

    result = boundary(version, "spec.a", f"{RULE}[0]")

    assert result.old is not None
    assert result.outside is not None
    assert result.old["spec"]["a"] > result.outside["spec"]["a"]
    assert result.answer is not None
    assert not result.answer.accepted


def test_a_false_rule_is_preferred_to_a_failed_evaluation() -> None:
    spec = fields(a=NUMBER)
    spec[RULE] = [{"rule": "self.a > 3", "message": "more"}]

    result = boundary(versions.create_version(spec), "spec", f"{RULE}[0]")

    assert result.answer is not None
    assert [error.detail for error in result.answer.errors] == ["more"]


def test_a_rule_that_is_never_false_is_violated_by_a_failed_evaluation() -> None:
    spec = fields(a=NUMBER)
    spec[RULE] = [{"rule": "self.a == self.a"}]

    result = boundary(versions.create_version(spec), "spec", f"{RULE}[0]")

    assert result.answer is not None
    assert [error.detail for error in result.answer.errors] == ["no such key: a evaluating rule: self.a == self.a"]


@pytest.mark.parametrize("count", [1000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_many_items_are_tried_a_few_times(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of many items may be wrong, and all are repaired alike."""
    judged: list[int] = []
    repaired: list[engine.FieldError | None] = []
    create_judge, find_changes = repair.create_judge, Mutator.find_changes

    def noting(*arguments: Any, **named: Any) -> repair.Judge:
        judge = create_judge(*arguments, **named)

        def noted(resource: repair.Resource) -> engine.Response:
            judged.append(len(resource.get("spec", {}).get("a", ())))
            return judge(resource)

        return noted

    def finding(mutator: Mutator, resource: Any, error: engine.FieldError | None) -> Iterator[Change]:
        repaired.append(error)
        return find_changes(mutator, resource, error)

    monkeypatch.setattr(repair, "create_judge", noting)
    monkeypatch.setattr(Mutator, "find_changes", finding)
    items = fields(a=TEXT, b=TEXT)
    items[RULE] = [{"rule": "has(self.a) != has(self.b)"}]
    version = versions.create_version(fields(a={"type": "array", "maxItems": count, "items": items}))

    result = boundary(version, "spec.a", "maxItems")

    assert result.outside is not None
    assert len(result.outside["spec"]["a"]) == count + 1
    assert len([size for size in judged if size >= count]) < 10
    assert len(repaired) < 200


def test_a_transition_rule_is_violated_by_an_update() -> None:
    result = boundary(
        versions.create_version(fields(a_={**NUMBER, RULE: [{"rule": "self == oldSelf"}]})), "spec.a", f"{RULE}[0]"
    )

    assert (result.old, result.inside) == (_tab({"a": 0}), _tab({"a": 0}))
    assert result.outside is not None
    assert result.outside["spec"]["a"] != 0
    assert result.answer is not None
    assert [error.field for error in result.answer.errors] == ["spec.a"]


def test_a_transition_rule_that_is_always_true_has_no_outside() -> None:
    result = boundary(
        versions.create_version(fields(a_={**NUMBER, RULE: [{"rule": "oldSelf == oldSelf"}]})), "spec.a", f"{RULE}[0]"
    )

    assert (result.inside, result.outside, result.old) == (_tab({"a": 0}), None, None)


def test_a_status_is_written_by_its_subresource() -> None:
    status = fields(
        count={**NUMBER, "maximum": 3, RULE: [{"rule": "self >= oldSelf"}]}, phase={**TEXT, "enum": ["Ready"]}
    )
    version = versions.create_version(
        {"type": "object"}, root={"properties": {"status": status}}, subresources={"status": {}}
    )

    limit, change = (boundary(version, "status.count", keyword) for keyword in ("maximum", f"{RULE}[0]"))

    assert (limit.subresource, change.subresource) == ("status", "status")
    assert limit.inside == {**_tab({}), "status": {"count": 3}}
    assert limit.outside == {**_tab({}), "status": {"count": 4}}
    assert change.outside is not None
    assert change.outside["status"]["count"] < 0
    assert (
        version.update_status(change.outside, old=version.update_status(change.old or {}, old=_tab({})).stored).code
        == 422
    )


@pytest.mark.parametrize(
    ("place", "keyword"),
    [("spec.b", "maximum"), ("spec.a", "minimum"), ("spec.a", f"{RULE}[0]"), ("spec", "required b")],
)
def test_there_is_no_boundary_where_there_is_no_keyword(place: str, keyword: str) -> None:
    with pytest.raises(LookupError, match=r"Tab v1 has no '.*' at '.*'"):
        boundary(versions.create_version(fields(a_={**NUMBER, "maximum": 3})), place, keyword)


def test_all_boundaries_of_a_version_come_outer_places_first() -> None:
    version = versions.create_version(
        fields(a_={**NUMBER, "maximum": 3}, b={**LIST, "maxItems": 2, "x-kubernetes-list-type": "atomic"}),
        root={RULE: [{"rule": "size(self.metadata.name) < 9"}]},
    )

    result = [(item.place, item.keyword) for item in boundaries(version)]

    assert result == [
        ("", "type"),
        ("", "nullable"),
        ("", "required spec"),
        ("", f"{RULE}[0]"),
        ("spec", "type"),
        ("spec", "nullable"),
        ("spec", "required a"),
        ("spec.a", "type"),
        ("spec.a", "nullable"),
        ("spec.a", "maximum"),
        ("spec.b", "type"),
        ("spec.b", "nullable"),
        ("spec.b", "maxItems"),
        ("spec.b[*]", "type"),
        ("spec.b[*]", "nullable"),
    ]


IMPOSSIBLE = {
    "an object": ({**fields(c_=NUMBER), RULE: [{"rule": "self.c > 5"}, {"rule": "self.c < 5"}]}, "spec.a.c", "type"),
    "a required one": ({**fields(c_=NUMBER), RULE: [{"rule": "self.c > 5 && self.c < 5"}]}, "spec.a", "required c"),
    "a rule": ({**NUMBER, RULE: [{"rule": "self > 5"}, {"rule": "self < 5"}]}, "spec.a", f"{RULE}[1]"),
    "a branch": ({**NUMBER, RULE: [{"rule": "self > 5 && self < 5"}], "anyOf": [{"minimum": 0}]}, "spec.a", "anyOf"),
    "items": (
        {"type": "array", "items": {**TEXT, "enum": ["x"]}, "x-kubernetes-list-type": "set", "minItems": 2},
        "spec.a[*]",
        "type",
    ),
    "an item": (
        {"type": "array", "items": {**TEXT, "minLength": 5, "maxLength": 3}, "x-kubernetes-list-type": "set"},
        "spec.a[*]",
        "type",
    ),
    "values": ({**MAP, RULE: [{"rule": "size(self) > 5 && size(self) < 5"}]}, "spec.a[*]", "type"),
}


@pytest.mark.parametrize(("schema", "place", "keyword"), IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_places_without_an_accepted_object_have_no_sides(
    schema: dict[str, Any], place: str, keyword: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(placement, "_MOST_TO_EXIST", 15)  # further trials would fail as well

    result = boundary(versions.create_version(fields(a=schema)), place, keyword)

    assert result == Boundary(place, keyword)


def test_properties_of_a_text_in_v1beta1_are_ignored() -> None:
    schema = {"type": "object", "properties": {"a": {**TEXT, "properties": {"b": NUMBER}}}}
    manifest = {
        "apiVersion": "apiextensions.k8s.io/v1beta1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "tabs.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Cluster",
            "version": "v1",
            "names": {"plural": "tabs", "kind": "Tab"},
            "validation": {"openAPIV3Schema": schema},
        },
    }
    version = engine.CustomResourceDefinition.from_manifest(manifest).versions[0]

    assert boundary(version, "a.b", "type") == Boundary("a.b", "type")


def test_without_an_example_there_are_no_boundaries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exampleobjects, "_MOST_TRIALS", 50)
    version = versions.create_version(fields(a_={**NUMBER, RULE: [{"rule": "self > 5 && self < 5"}]}))

    with pytest.raises(NoExampleError):
        next(boundaries(version))


# Rules that occur at several places, or are about the whole value

IMMUTABLE = [{"rule": "self == oldSelf", "message": "immutable"}]


def test_a_rule_on_a_whole_value_is_violated_by_a_new_field() -> None:
    version = versions.create_version(fields(a_={**fields(b=TEXT, c=NUMBER), RULE: IMMUTABLE}))

    result = boundary(version, "spec.a", f"{RULE}[0]")

    assert (result.old, result.outside) == (_tab({"a": {}}), _tab({"a": {"b": "a"}}))


def test_equal_rules_at_two_places_are_distinguished() -> None:
    name = {**TEXT, RULE: IMMUTABLE}
    version = versions.create_version(fields(a_={**fields(name=name), RULE: IMMUTABLE}))

    result = boundary(version, "spec.a.name", f"{RULE}[0]")

    assert (result.old, result.outside) == (_tab({"a": {"name": "a"}}), _tab({"a": {"name": "b"}}))
    assert result.answer is not None
    assert [error.field for error in result.answer.errors] == ["spec.a", "spec.a.name"]


def test_a_field_that_a_rule_limits_has_an_object_with_an_allowed_value() -> None:
    items = {"type": "array", "maxItems": 5, "items": fields(effect={**TEXT, "maxLength": 9})}
    version = versions.create_version(
        fields(a={**items, RULE: [{"rule": "self.all(x, !has(x.effect) || x.effect in ['n', 'm'])"}]})
    )

    assert boundary(version, "spec.a[*].effect", "type").outside == _tab({"a": [{"effect": 1}]})


def test_kept_parts_may_change_but_not_be_removed() -> None:
    keep = repair.Keep(("spec", "a"))

    assert keep.allows(Mutation(("spec", "a"), 1))
    assert not keep.allows(Mutation(("spec", "a")))
    assert not keep.allows(Mutation(("spec",), {}))
    assert not repair.Keep(("spec", "a"), within=True).allows(Mutation(("spec", "a"), 1))


# Rules that are violated together with others at first

MENDED = {
    "an object": (
        ["!has(self.a) || !has(self.b)", "!has(self.b) || has(self.c)"],
        None,
        {"a": 0, "b": 0, "c": 0},
    ),
    "what is changed": (["!has(oldSelf.b) || has(self.b)", "!has(self.b) || has(self.c)"], {"b": 0, "c": 0}, {}),
    "what it is changed to": (["has(oldSelf.b) || !has(self.b)", "!has(self.b) || has(self.c)"], {}, {"b": 0, "c": 0}),
    "both": (
        [
            "!has(oldSelf.b) || !has(self.d)",
            "!has(self.b) || has(self.c)",
            "has(self.c) == has(oldSelf.c)",
            "!has(self.b) || self.b == 0",
        ],
        {"b": 0, "c": 0},
        {"b": 0, "c": 0, "d": 0},
    ),
    "what blocks rules": (["!has(self.part) || has(self.a)"], None, {"part": {"size": "a"}}),
}


@pytest.mark.parametrize(("rules", "old", "outside"), MENDED.values(), ids=MENDED)
def test_other_violations_with_a_rule_are_repaired(rules: list[str], old: Any, outside: Any) -> None:
    part = fields(size_={**TEXT, "enum": ["a"]})
    spec = {**fields(a=NUMBER, b=NUMBER, c=NUMBER, d=NUMBER, part=part), RULE: [{"rule": rule} for rule in rules]}

    result = boundary(versions.create_version(spec), "spec", f"{RULE}[0]")

    assert result.old == (None if old is None else _tab(old))
    assert result.outside == _tab(outside)
    assert result.answer is not None
    assert [error.rule is not None and error.rule.text for error in result.answer.errors] == rules[:1]


@pytest.mark.parametrize("rule", ["!has(oldSelf.a) || has(self.a)", "oldSelf.?a.orValue(0) < 3 || has(self.b)"])
def test_a_transition_rule_on_an_impossible_field_has_no_outside(rule: str) -> None:
    spec = {**fields(a=NUMBER, b=NUMBER), RULE: [{"rule": rule}, {"rule": "!has(self.a)"}]}

    assert boundary(versions.create_version(spec), "spec", f"{RULE}[0]").outside is None
