"""Boundaries: the nearest object that holds a keyword, and the nearest that breaks it."""

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
    version = versions.of(fields(a_=schema))

    found = boundary(version, "spec.a", keyword)

    assert (found.place, found.keyword, found.subresource) == ("spec.a", keyword, "")
    assert _shown(_at_a(found.inside)) == _shown(inside)
    assert _shown(_at_a(found.outside)) == _shown(outside)
    assert found.inside is not None
    assert version.create(found.inside, field_validation="Strict").accepted
    if found.outside is not None and found.answer is not None:
        assert {**found.outside, "spec": 0} == {**found.inside, "spec": 0}
        assert not found.answer.accepted or found.answer.nulls


def _shown(value: Any) -> Any:
    """Return *value* with its type, as 1 is neither 1.0 nor True."""
    return type(value), value


def test_a_required_field_is_there_or_not() -> None:
    found = boundary(versions.of(fields(a_=TEXT, b=NUMBER)), "spec", "required a")

    assert (found.inside, found.outside) == (_tab({"a": "a"}), _tab({}))
    assert found.answer is not None
    assert [str(error) for error in found.answer.errors] == ["spec.a: Required value"]


def test_a_required_field_with_a_default_cannot_be_missed() -> None:
    found = boundary(versions.of(fields(a_={**TEXT, "default": "x"})), "spec", "required a")

    assert (found.inside, found.outside, found.answer) == (_tab({"a": "x"}), None, None)


def test_what_a_junctor_says_of_texts_is_put_into_no_whole_object() -> None:
    version = versions.of(fields(a=TEXT), root={"not": {"enum": ["x"]}})

    assert boundary(version, "", "not").outside is None


def test_what_every_object_has_is_not_left_out() -> None:
    version = versions.of({"type": "object"}, root={"required": ["metadata", "spec"]})

    assert boundary(version, "", "required metadata") == Boundary("", "required metadata")
    assert boundary(version, "", "type").inside == _tab({})


def test_a_required_key_of_a_map_is_there_or_not() -> None:
    found = boundary(versions.of({**MAP, "required": ["b"]}), "spec", "required b")

    assert (found.inside, found.outside) == (_tab({"b": 0}), _tab({}))


def test_a_required_field_that_is_not_specified_is_there_or_not() -> None:
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True, "required": ["b"]}

    found = boundary(versions.of(schema), "spec", "required b")

    assert (found.inside, found.outside) == (_tab({"b": {}}), _tab({}))


def _tab(spec: Any) -> dict[str, Any]:
    return {"apiVersion": "example.com/v1", "kind": "Tab", "metadata": {"name": "example"}, "spec": spec}


def test_a_place_may_be_inside_lists_and_maps() -> None:
    item = fields(key_=TEXT, sizes={"type": "object", "additionalProperties": {**NUMBER, "maximum": 5}})
    keyed = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["key"]}
    version = versions.of(fields(items={"type": "array", "minItems": 2, "items": item, **keyed}))

    found = boundary(version, "spec.items[*].sizes[*]", "maximum")

    assert found.inside == _tab({"items": [{"key": "a", "sizes": {"key": 5}}, {"key": "b"}]})
    assert found.outside == _tab({"items": [{"key": "a", "sizes": {"key": 6}}, {"key": "b"}]})


def test_what_is_around_a_place_is_made_to_go_with_it() -> None:
    union = {
        **fields(type_={**TEXT, "enum": ["A", "B"]}, b={**NUMBER, "maximum": 5}),
        RULE: [{"rule": "self.type == 'B' ? has(self.b) : !has(self.b)"}],
    }

    found = boundary(versions.of(fields(items={"type": "array", "items": union})), "spec.items[*].b", "maximum")

    assert found.inside == _tab({"items": [{"type": "B", "b": 5}]})
    assert found.outside == _tab({"items": [{"type": "B", "b": 6}]})


def test_what_else_is_broken_with_a_value_is_mended() -> None:
    """Zero days are too few, and fewer than the backups that are kept, unless none is."""
    spec = fields(days={**NUMBER, "minimum": 1}, last={**NUMBER, "default": 3})
    spec[RULE] = [{"rule": "!has(self.days) || self.last <= self.days"}]

    found = boundary(versions.of(spec), "spec.days", "minimum")

    assert found.outside is not None
    assert found.outside["spec"]["days"] == 0
    assert found.outside["spec"]["last"] <= 0
    assert found.answer is not None
    assert [error.field for error in found.answer.errors] == ["spec.days"]


def test_what_cannot_be_broken_alone_has_no_outside() -> None:
    spec = fields(days={**NUMBER, "minimum": 1})
    spec[RULE] = [{"rule": "!has(self.days) || self.days >= 1"}]

    assert boundary(versions.of(spec), "spec.days", "minimum").outside is None


def test_a_change_may_begin_with_another_object_than_the_smallest() -> None:
    """Nothing is below the least that is allowed, but there is something above it."""
    version = versions.of(fields(a={**NUMBER, "minimum": 0, RULE: [{"rule": "self >= oldSelf"}]}))

    found = boundary(version, "spec.a", f"{RULE}[0]")

    assert found.old is not None
    assert found.outside is not None
    assert found.old["spec"]["a"] > found.outside["spec"]["a"]
    assert found.answer is not None
    assert not found.answer.accepted


def test_a_rule_that_is_false_says_more_than_one_that_cannot_be_evaluated() -> None:
    spec = fields(a=NUMBER)
    spec[RULE] = [{"rule": "self.a > 3", "message": "more"}]

    found = boundary(versions.of(spec), "spec", f"{RULE}[0]")

    assert found.answer is not None
    assert [error.detail for error in found.answer.errors] == ["more"]


def test_a_rule_that_is_never_false_is_broken_by_what_it_cannot_be_evaluated_for() -> None:
    spec = fields(a=NUMBER)
    spec[RULE] = [{"rule": "self.a == self.a"}]

    found = boundary(versions.of(spec), "spec", f"{RULE}[0]")

    assert found.answer is not None
    assert [error.detail for error in found.answer.errors] == ["no such key: a evaluating rule: self.a == self.a"]


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
    version = versions.of(fields(a={"type": "array", "maxItems": count, "items": items}))

    found = boundary(version, "spec.a", "maxItems")

    assert found.outside is not None
    assert len(found.outside["spec"]["a"]) == count + 1
    assert len([size for size in judged if size >= count]) < 10
    assert len(repaired) < 200


def test_a_rule_on_a_change_is_broken_by_a_change() -> None:
    found = boundary(versions.of(fields(a_={**NUMBER, RULE: [{"rule": "self == oldSelf"}]})), "spec.a", f"{RULE}[0]")

    assert (found.old, found.inside) == (_tab({"a": 0}), _tab({"a": 0}))
    assert found.outside is not None
    assert found.outside["spec"]["a"] != 0
    assert found.answer is not None
    assert [error.field for error in found.answer.errors] == ["spec.a"]


def test_a_change_that_nothing_breaks_has_no_outside() -> None:
    found = boundary(versions.of(fields(a_={**NUMBER, RULE: [{"rule": "oldSelf == oldSelf"}]})), "spec.a", f"{RULE}[0]")

    assert (found.inside, found.outside, found.old) == (_tab({"a": 0}), None, None)


def test_a_status_is_written_by_its_subresource() -> None:
    status = fields(
        count={**NUMBER, "maximum": 3, RULE: [{"rule": "self >= oldSelf"}]}, phase={**TEXT, "enum": ["Ready"]}
    )
    version = versions.of({"type": "object"}, root={"properties": {"status": status}}, subresources={"status": {}})

    limit, change = (boundary(version, "status.count", keyword) for keyword in ("maximum", f"{RULE}[0]"))

    assert (limit.subresource, change.subresource) == ("status", "status")
    assert limit.inside == {**_tab({}), "status": {"count": 3}}
    assert limit.outside == {**_tab({}), "status": {"count": 4}}
    assert change.outside is not None
    assert change.outside["status"]["count"] < 0
    assert (
        version.update_status(
            change.outside, old=version.update_status(change.old or {}, old=_tab({})).stored or {}
        ).code
        == 422
    )


@pytest.mark.parametrize(
    ("place", "keyword"),
    [("spec.b", "maximum"), ("spec.a", "minimum"), ("spec.a", f"{RULE}[0]"), ("spec", "required b")],
)
def test_there_is_no_boundary_where_there_is_no_keyword(place: str, keyword: str) -> None:
    with pytest.raises(LookupError, match=r"Tab v1 has no '.*' at '.*'"):
        boundary(versions.of(fields(a_={**NUMBER, "maximum": 3})), place, keyword)


def test_all_boundaries_of_a_version_come_outer_places_first() -> None:
    version = versions.of(
        fields(a_={**NUMBER, "maximum": 3}, b={**LIST, "maxItems": 2, "x-kubernetes-list-type": "atomic"}),
        root={RULE: [{"rule": "size(self.metadata.name) < 9"}]},
    )

    found = [(one.place, one.keyword) for one in boundaries(version)]

    assert found == [
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
def test_where_no_object_has_the_place_there_are_no_sides(
    schema: dict[str, Any], place: str, keyword: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(placement, "_MOST_TO_EXIST", 15)  # more of them are as impossible

    found = boundary(versions.of(fields(a=schema)), place, keyword)

    assert found == Boundary(place, keyword)


def test_a_text_has_no_fields_whatever_a_schema_of_v1beta1_says() -> None:
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
    version = versions.of(fields(a_={**NUMBER, RULE: [{"rule": "self > 5 && self < 5"}]}))

    with pytest.raises(NoExampleError):
        next(boundaries(version))


# Rules that say the same at several places, or speak of the whole value

IMMUTABLE = [{"rule": "self == oldSelf", "message": "immutable"}]


def test_a_rule_that_speaks_of_the_whole_value_is_broken_by_a_field_more() -> None:
    version = versions.of(fields(a_={**fields(b=TEXT, c=NUMBER), RULE: IMMUTABLE}))

    found = boundary(version, "spec.a", f"{RULE}[0]")

    assert (found.old, found.outside) == (_tab({"a": {}}), _tab({"a": {"b": "a"}}))


def test_a_rule_that_another_place_has_too_is_told_from_it() -> None:
    name = {**TEXT, RULE: IMMUTABLE}
    version = versions.of(fields(a_={**fields(name=name), RULE: IMMUTABLE}))

    found = boundary(version, "spec.a.name", f"{RULE}[0]")

    assert (found.old, found.outside) == (_tab({"a": {"name": "a"}}), _tab({"a": {"name": "b"}}))
    assert found.answer is not None
    assert [error.field for error in found.answer.errors] == ["spec.a", "spec.a.name"]


def test_of_a_field_that_a_rule_limits_to_some_values_there_is_an_object_with_one_of_them() -> None:
    items = {"type": "array", "maxItems": 5, "items": fields(effect={**TEXT, "maxLength": 9})}
    version = versions.of(
        fields(a={**items, RULE: [{"rule": "self.all(x, !has(x.effect) || x.effect in ['n', 'm'])"}]})
    )

    assert boundary(version, "spec.a[*].effect", "type").outside == _tab({"a": [{"effect": 1}]})


def test_of_what_keeps_something_only_what_takes_it_away_is_not_allowed() -> None:
    keep = repair.Keep(("spec", "a"))

    assert keep.allows(Mutation(("spec", "a"), 1))
    assert not keep.allows(Mutation(("spec", "a")))
    assert not keep.allows(Mutation(("spec",), {}))
    assert not repair.Keep(("spec", "a"), within=True).allows(Mutation(("spec", "a"), 1))


# Rules of which an object that breaks one breaks others too, at first

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
def test_what_else_is_broken_with_a_rule_is_mended(rules: list[str], old: Any, outside: Any) -> None:
    part = fields(size_={**TEXT, "enum": ["a"]})
    spec = {**fields(a=NUMBER, b=NUMBER, c=NUMBER, d=NUMBER, part=part), RULE: [{"rule": rule} for rule in rules]}

    found = boundary(versions.of(spec), "spec", f"{RULE}[0]")

    assert found.old == (None if old is None else _tab(old))
    assert found.outside == _tab(outside)
    assert found.answer is not None
    assert [error.rule is not None and error.rule.text for error in found.answer.errors] == rules[:1]


@pytest.mark.parametrize("rule", ["!has(oldSelf.a) || has(self.a)", "oldSelf.?a.orValue(0) < 3 || has(self.b)"])
def test_a_change_of_what_no_object_has_has_no_outside(rule: str) -> None:
    spec = {**fields(a=NUMBER, b=NUMBER), RULE: [{"rule": rule}, {"rule": "!has(self.a)"}]}

    assert boundary(versions.of(spec), "spec", f"{RULE}[0]").outside is None
