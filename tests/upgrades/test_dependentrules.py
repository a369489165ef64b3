"""Rules and junctors that stay as they are, and refuse objects because a place that they read changes."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.engine import CustomResourceDefinition
from pytest_crd.upgrades.upgrade import Upgrade
from pytest_crd.upgrades.upgradefindings import Finding, Kind
from upgrades.changes import JSON, NUMBER, OBJECT, TEXT, crd, crd_with_versions, obj
from upgrades.test_upgrades import judge

FLAG: JSON = {"type": "boolean"}
SHORT: JSON = {**TEXT, "maxLength": 9}
TIME: JSON = {**TEXT, "format": "duration"}


def default(schema: JSON, value: Any) -> JSON:
    return {**schema, "default": value}


def ruled(schema: JSON, *rules: str) -> JSON:
    return {**schema, "x-kubernetes-validations": [{"rule": rule} for rule in rules]}


def upgrade(rule: str, old: JSON, new: JSON, **others: JSON) -> Upgrade:
    """Return the effects of a changed field `a` beside *others*."""
    before, after = (crd(ruled({**OBJECT, "properties": {"a": field, **others}}, rule)) for field in (old, new))
    return judge(before, after)


def find_refusals(result: Upgrade) -> list[Finding]:
    return [finding for finding in result.findings if finding.kind is Kind.REFUSED]


@pytest.mark.parametrize(
    ("rule", "old", "new", "others"),
    [
        ("!has(self.b) || self.b <= self.a", default(NUMBER, 10), default(NUMBER, 5), {"b": NUMBER}),
        ("!(has(self.a) && has(self.b))", TEXT, default(TEXT, "x"), {"b": TEXT}),
        ("!has(self.b) || has(self.a)", default(TEXT, "x"), TEXT, {"b": TEXT}),
        ("!(has(self.a) && has(self.b))", obj(k=TEXT), default(obj(k=TEXT), {}), {"b": FLAG}),
        (
            "!has(self.b) || quantity(self.b).compareTo(quantity(self.a)) <= 0",
            default(SHORT, "2Gi"),
            default(SHORT, "1Gi"),
            {"b": SHORT},
        ),
        ("!has(self.b) || self.b <= self.a", default(TIME, "10m"), default(TIME, "5m"), {"b": TIME}),
        (
            "self.a + (has(self.b) ? self.b : 0) + (has(self.c) ? self.c : 0) <= 30",
            default(NUMBER, 1),
            default(NUMBER, 9),
            {"b": NUMBER, "c": NUMBER},
        ),
        (
            "!has(self.b) || self.b in self.a",
            default({"type": "array", "maxItems": 3, "items": SHORT}, ["x", "y"]),
            default({"type": "array", "maxItems": 3, "items": SHORT}, ["x"]),
            {"b": SHORT},
        ),
        ("!has(self.b) || self.b <= self.a", default(NUMBER, 10), NUMBER, {"b": NUMBER}),
        (
            "!has(self.b) || self.b.exists_one(t, t == self.a)",
            default(SHORT, "x"),
            default(SHORT, "y"),
            {"b": {"type": "array", "maxItems": 3, "items": SHORT}},
        ),
    ],
    ids=["lowered", "added", "removed", "object", "quantities", "durations", "sum", "list", "error", "items"],
)
def test_a_changed_default_meets_an_unchanged_rule(rule: str, old: JSON, new: JSON, others: dict[str, JSON]) -> None:
    result = upgrade(rule, old, new, **others)

    (refusal,) = find_refusals(result)
    assert (refusal.path, refusal.decision) == ("spec.x", rule)
    assert [finding.path for finding in result.findings if finding.kind is Kind.CHANGED] == ["spec.x.a"]


@pytest.mark.parametrize(
    ("rule", "old", "new", "others"),
    [
        ("!has(self.b) || self.b <= self.a", default(NUMBER, 5), default(NUMBER, 10), {"b": NUMBER}),
        ("!has(self.b) || self.a >= self.b", default(NUMBER, 5), default(NUMBER, 10), {"b": NUMBER}),
        ("self.a > 0 || has(self.b)", default(NUMBER, 5), default(NUMBER, 10), {"b": NUMBER}),
        ("self.a != 7 ? true : has(self.b)", default(NUMBER, 5), default(NUMBER, 6), {"b": NUMBER}),
        ("!(self.a == 'x' && has(self.b))", default(TEXT, "y"), default(TEXT, "z"), {"b": TEXT}),
        ("!has(self.b) || self.b <= self.a.size()", default(SHORT, "xx"), default(SHORT, "yy"), {"b": NUMBER}),
        (
            "self.a.all(t, t != 'y') || has(self.b)",
            default({"type": "array", "maxItems": 3, "items": SHORT}, ["x"]),
            default({"type": "array", "maxItems": 3, "items": SHORT}, ["z"]),
            {"b": TEXT},
        ),
    ],
    ids=["raised", "mirrored", "alone", "condition", "other value", "same size", "loop"],
)
def test_a_rule_that_stays_true_is_no_finding_and_not_undecided(
    rule: str, old: JSON, new: JSON, others: dict[str, JSON]
) -> None:
    result = upgrade(rule, old, new, **others)

    assert [finding.kind for finding in result.findings] == [Kind.CHANGED]
    assert result.undecided == ()


@pytest.mark.parametrize(
    "field",
    [
        ruled(NUMBER, "self > 0"),
        default(ruled(obj(a=NUMBER), "self.a > 0"), {"a": 1}),
        ruled(obj(a=default(NUMBER, 1)), "self.a > 0"),
    ],
    ids=["number", "default", "inner default"],
)
def test_the_own_rule_of_an_added_field_is_not_undecided(field: JSON) -> None:
    result = judge(crd(obj(z=TEXT)), crd(obj(z=TEXT, o=field)))

    assert [finding.kind.value for finding in result.findings] == ["widened"]
    assert result.undecided == ()


def test_a_comparison_inside_of_a_loop_over_the_default_is_undecided() -> None:
    numbers = {"type": "array", "maxItems": 3, "items": NUMBER}
    rule = "!has(self.l) || self.l.all(x, [self.a].all(x, x < 9))"

    result = upgrade(rule, default(NUMBER, 5), default(NUMBER, 6), l=numbers)

    assert result.undecided == ("spec.x.a default, the rule at spec.x reads it",)


def test_a_rule_without_a_known_object_is_undecided() -> None:
    rule = "!has(self.b) || self.a == 1 || (self.b * self.b + 7 * self.b) % 100003 != 31337"

    result = upgrade(rule, default(NUMBER, 1), default(NUMBER, 7), b=NUMBER)

    assert find_refusals(result) == []
    assert result.undecided == ("spec.x.a default, the rule at spec.x reads it",)
    assert any(words.endswith(rule) for words in result.unshown)


def test_a_rule_without_a_known_object_stays_undecided_if_other_places_change() -> None:
    rule = "!has(self.b) || self.b <= self.a"
    old, new = (
        crd(ruled(obj(a=default(NUMBER, a), b=b), rule)) for a, b in ((5, NUMBER), (9, {**NUMBER, "nullable": True}))
    )

    assert find_refusals(judge(old, new)) == []


def test_a_transition_rule_about_a_required_field_that_gets_a_default() -> None:
    old, new = (crd(ruled(obj(("a",), a=field), "self == oldSelf")) for field in (NUMBER, default(NUMBER, 5)))

    assert find_refusals(judge(old, new)) == []


@pytest.mark.parametrize(
    "junctor",
    [
        {"not": {"required": ["a", "b"]}},
        {"oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
        {"anyOf": [{"not": {"required": ["b"]}}, {"properties": {"a": {"enum": ["y"]}}, "not": {"required": ["a"]}}]},
    ],
    ids=["not", "oneOf", "anyOf"],
)
def test_a_changed_default_meets_an_unchanged_junctor(junctor: JSON) -> None:
    old, new = ({**obj(a=field, b=TEXT), **junctor} for field in (TEXT, default(TEXT, "x")))

    (refusal,) = find_refusals(judge(crd(old), crd(new)))

    assert refusal.path == "spec.x"
    assert refusal.decision.rpartition("/")[2] == next(iter(junctor))


def test_the_same_manifest_sent_again_meets_a_transition_rule() -> None:
    old, new = (ruled(default(NUMBER, value), "self == oldSelf") for value in (5, 9))

    (refusal,) = find_refusals(judge(crd(old), crd(new)))

    assert refusal.witness is not None
    assert refusal.witness.stored == refusal.witness.resource
    assert refusal.witness.note == (
        "refused when the manifest of an object that is stored is sent again as an update; a server-side apply of it passes"
    )


def test_an_object_of_the_project_is_sent_again_too() -> None:
    rule = "self.b != 'only here' || self.a == oldSelf.a"
    old, new = (crd(ruled(obj(("b",), a=default(NUMBER, value), b=TEXT), rule)) for value in (5, 9))
    head = {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a"}}

    result = judge(old, new, {**head, "spec": {"x": {"b": "only here"}}})

    assert ("spec.x", rule) in [(item.path, item.decision) for item in find_refusals(result)]


def test_the_items_of_a_list_meet_a_rule_of_the_list() -> None:
    def listed(value: int) -> JSON:
        item = obj(w=default(NUMBER, value), v=NUMBER)
        return ruled({"type": "array", "maxItems": 4, "items": item}, "self.map(i, i.w).sum() <= 10")

    (refusal,) = find_refusals(judge(crd(listed(1)), crd(listed(4))))

    assert refusal.path == "spec.x"


@pytest.mark.parametrize(("value", "refused"), [(9, []), (1, ["spec.x"])], ids=["greater", "less"])
def test_a_rule_about_each_item_is_decided(value: int, refused: list[str]) -> None:
    def listed(number: int) -> JSON:
        item = obj(w=default(NUMBER, number), v=NUMBER)
        return ruled({"type": "array", "maxItems": 4, "items": item}, "self.all(i, !has(i.v) || i.v < i.w)")

    result = judge(crd(listed(5)), crd(listed(value)))

    assert [finding.path for finding in find_refusals(result)] == refused
    assert result.undecided == ()


def test_the_values_of_a_map_meet_a_rule_of_the_map() -> None:
    def mapped(value: int) -> JSON:
        inner = obj(w=default(NUMBER, value), v=FLAG)
        rule = "self.all(k, self[k].w <= 5 || has(self[k].v))"
        return ruled({**OBJECT, "maxProperties": 4, "additionalProperties": inner}, rule)

    (refusal,) = find_refusals(judge(crd(mapped(1)), crd(mapped(9))))

    assert refusal.path == "spec.x"


def with_status(field: JSON, rule: str) -> CustomResourceDefinition:
    schema = obj(spec=obj(), status=ruled(obj(p=TEXT, q=field), rule))
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    return crd_with_versions({**version, "subresources": {"status": {}}})


def test_a_changed_default_of_the_status_meets_a_rule() -> None:
    old, new = (with_status(field, "!(has(self.p) && has(self.q))") for field in (TEXT, default(TEXT, "z")))

    assert [finding.path for finding in find_refusals(judge(old, new))] == ["status"]


def test_each_place_of_a_new_rule_is_a_finding() -> None:
    old = crd(obj(("a", "b"), a=NUMBER, b=NUMBER, c=NUMBER))
    new = crd(obj(("a", "b"), a=ruled(NUMBER, "self > 0"), b=ruled(NUMBER, "self > 0"), c=ruled(NUMBER, "self > 0")))

    assert [finding.path for finding in find_refusals(judge(old, new))] == ["spec.x.a", "spec.x.b", "spec.x.c"]


def test_a_rule_that_others_imply_is_told_with_one_of_them() -> None:
    rules = ("has(self.a) != has(self.b)", "has(self.a) == has(oldSelf.a)", "has(self.b) == has(oldSelf.b)")
    old, new = (crd(ruled(obj(a=TEXT, b=TEXT), *some)) for some in (rules[:2], rules))

    result = judge(old, new)

    assert result.findings == ()
    assert result.undecided == ("spec.x x-kubernetes-validations",)
    assert result.unshown[0].startswith("the objects found that it refuses were refused before, too (has(self.a) ")


def named(low: JSON, *rules: str, **others: JSON) -> CustomResourceDefinition:
    schema: JSON = {**OBJECT, "properties": {"low": low, "name": TEXT, **others}}
    return crd(ruled(schema, "has(self.low) || has(self.name)", *rules))


def test_a_default_that_lets_more_objects_pass_still_changes_others() -> None:
    result = judge(named(NUMBER), named(default(NUMBER, 7)))

    assert [(finding.kind, finding.path) for finding in result.findings] == [
        (Kind.CHANGED, "spec.x.low"),
        (Kind.WIDENED, "spec.x"),
    ]


def test_a_new_rule_refuses_objects_although_a_new_default_lets_more_of_them_pass() -> None:
    rule = "!has(self.on) || !has(self.off) || !(self.on && self.off)"
    flags = {"on": default(FLAG, value=True), "off": FLAG}

    result = judge(named(NUMBER, **flags), named(default(NUMBER, 7), rule, **flags))

    assert [(finding.path, finding.decision) for finding in find_refusals(result)] == [("spec.x", rule)]


def test_a_default_of_a_field_that_no_object_may_have_meets_a_rule_and_a_junctor() -> None:
    rule = "self.low + (has(self.high) ? self.high : 0) + (has(self.extra) ? self.extra : 0) <= 30"
    old, new = (
        crd({**ruled(obj(low=default(NUMBER, 3), high=high, extra=NUMBER), rule), "not": {"required": ["low", "high"]}})
        for high in (NUMBER, default(NUMBER, 12))
    )

    decisions = {finding.decision for finding in find_refusals(judge(old, new))}

    assert decisions == {rule, "properties/spec/properties/x/not"}
