"""Effects that the refusal of the same object hides."""

from __future__ import annotations

import copy
from http import HTTPStatus

import pytest

from pytest_crd.engine import CustomResourceDefinition
from pytest_crd.synthesis import objectwords
from pytest_crd.upgrades import effects, mending, witnesses
from pytest_crd.upgrades.mending import Mender
from pytest_crd.upgrades.subject import Subject
from pytest_crd.upgrades.upgradefindings import Finding, Kind
from upgrades.changes import JSON, NUMBER, OBJECT, TEXT, crd, crd_with_versions, keyed, obj
from upgrades.test_upgrades import judge, list_findings, version

PRESERVED: JSON = {**OBJECT, "x-kubernetes-preserve-unknown-fields": True}


def ruled(schema: JSON, rule: str) -> JSON:
    return {**schema, "x-kubernetes-validations": [{"rule": rule}]}


def with_default(value: int) -> JSON:
    return {**NUMBER, "default": value}


def breaking(old: JSON, new: JSON) -> set[str]:
    findings = list_findings(judge(crd(old), crd(new)))
    return {words for words in findings if not words.startswith(("widened", "warned"))}


def find(old: CustomResourceDefinition, new: CustomResourceDefinition, words: str) -> Finding:
    return next(item for item in judge(old, new).findings if f"{item.kind} {item.path}" == words)


def test_a_renamed_required_field_is_refused_and_its_stored_values_are_lost() -> None:
    old = obj(("bucket",), bucket=TEXT, retention=with_default(7))

    assert breaking(old, obj(("bucketName",), bucketName=TEXT)) == {
        "refused spec.x.bucketName",
        "data loss spec.x.bucket",
        "data loss spec.x.retention",
    }


def test_the_loss_of_a_stored_value_is_described() -> None:
    old, new = crd(obj(("a",), a=TEXT)), crd(obj(("b",), b=TEXT))

    finding = find(old, new, "data loss spec.x.a")

    assert finding.words == "spec.x.a is dropped when a stored object is read"
    assert finding.witness is not None
    assert finding.witness.note == "an object that is stored changes with its next write"
    assert objectwords.shorten(finding.witness.resource) == '{"spec": {"x": {"a": "a"}}}'


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param(obj(n=TEXT, z=TEXT), obj(("id",), n=TEXT, id=TEXT), "data loss spec.x[*].z", id="field"),
        pytest.param(
            obj(n=TEXT, z=with_default(1)),
            obj(("id",), n=TEXT, id=TEXT, z=with_default(2)),
            "changed spec.x[*].z",
            id="default",
        ),
    ],
)
def test_a_new_required_field_of_items_hides_no_sibling(old: JSON, new: JSON, expected: str) -> None:
    lists = ({"type": "array", "items": item} for item in (old, new))

    assert breaking(*lists) == {"refused spec.x[*].id", expected}


def test_a_new_required_field_hides_no_dropped_unknown_fields() -> None:
    assert breaking(obj(c=PRESERVED), obj(("b",), b=TEXT, c=obj())) == {
        "refused spec.x.b",
        "data loss spec.x.c.unknownField",
    }


def test_a_new_type_hides_no_lost_field() -> None:
    assert breaking(obj(("a",), a=TEXT, b=TEXT), obj(("a",), a=NUMBER)) == {"refused spec.x.a", "data loss spec.x.b"}


def test_a_stored_object_that_gets_a_default_when_it_is_read_loses_nothing() -> None:
    assert breaking(obj(a=NUMBER), obj(("b",), a=with_default(1), b=TEXT)) == {"refused spec.x.b", "changed spec.x.a"}


def test_a_rule_hides_no_changed_default() -> None:
    old = obj(a=with_default(1))

    assert breaking(old, ruled(obj(a=with_default(2), b=TEXT), "has(self.b)")) == {"refused spec.x", "changed spec.x.a"}


def test_a_default_that_causes_the_refusal_is_no_effect_of_its_own() -> None:
    old, new = (ruled(obj(a=with_default(value)), "self.a <= 3") for value in (1, 5))

    assert breaking(old, new) == {"refused spec.x"}


def test_objects_that_a_webhook_converts_hide_nothing_known() -> None:
    webhook: JSON = {
        "strategy": "Webhook",
        "webhook": {"conversionReviewVersions": ["v1"], "clientConfig": {"url": "https://example.com/convert"}},
    }
    old, new = (
        crd_with_versions(
            version("v1", obj((name,), **{name: TEXT})), version("v2", TEXT, storage=True), conversion=webhook
        )
        for name in ("a", "b")
    )

    assert "data loss spec.x.a" not in list_findings(judge(old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(obj(a=TEXT), obj(("b",), a=TEXT, b=TEXT), id="required field"),
        pytest.param(
            obj(("m",), a=TEXT, m={**TEXT, "enum": ["p"]}),
            obj(("m",), a=TEXT, m={**TEXT, "enum": ["q"]}),
            id="other values",
        ),
        pytest.param(obj(("m",), a=TEXT, m=TEXT), obj(("m",), a=TEXT, m=NUMBER), id="type"),
    ],
)
def test_a_rule_that_the_server_reaches_only_in_a_mended_object_is_shown(old: JSON, new: JSON) -> None:
    rule = "!has(self.a) || self.a != 'x'"

    finding = find(crd(old), crd(ruled(new, rule)), "refused spec.x")

    assert f"failed rule: {rule}" in finding.words
    assert finding.witness is not None
    assert (finding.witness.before.accepted, finding.witness.after.accepted) == (True, False)
    assert finding.witness.resource["spec"]["x"]["a"] == "x"


def test_a_rule_on_a_new_required_field_is_no_effect_of_its_own() -> None:
    new = ruled(obj(("b",), a=TEXT, b=TEXT), "self.b == 'zzz'")

    assert breaking(obj(a=TEXT), new) == {"refused spec.x.b"}


@pytest.mark.parametrize(("most", "told"), [(3, " (not all candidates were tried)"), (4, "")])
def test_values_that_were_not_tried_in_repaired_objects_are_told(
    monkeypatch: pytest.MonkeyPatch, most: int, told: str
) -> None:
    monkeypatch.setattr(witnesses, "_MOST_REPAIRED", most)
    new = ruled(obj(("b",), a=TEXT, b=TEXT), "self.b == 'zzz'")

    assert judge(crd(obj(a=TEXT)), crd(new)).undecided == (f"spec.x x-kubernetes-validations{told}",)


def test_a_rule_that_excludes_an_old_and_a_new_field_is_harmless() -> None:
    assert breaking(obj(a=TEXT), ruled(obj(a=TEXT, b=TEXT), "!(has(self.a) && has(self.b))")) == set()


def test_a_new_required_field_hides_no_lost_applies() -> None:
    atomic: JSON = {**keyed("a"), "x-kubernetes-list-type": "atomic"}
    del atomic["x-kubernetes-list-map-keys"]

    old, new = crd(obj(l=keyed("a"))), crd(obj(("b",), b=TEXT, l=atomic))

    assert find(old, new, "data loss spec.x.l").kind is Kind.DATA_LOSS


def test_an_object_that_cannot_be_mended_leaves_a_rule_undecided() -> None:
    impossible: JSON = {**TEXT, "maxLength": 1, "enum": ["bb"]}
    new = ruled(obj(("b",), a=TEXT, b=impossible), "!has(self.a) || self.a != 'x'")

    assert judge(crd(obj(a=TEXT)), crd(new)).undecided == ("spec.x x-kubernetes-validations",)


def test_objects_that_the_server_cannot_decode_are_not_mended() -> None:
    old, new = (Mender(Subject(crd(x).version("v1"))) for x in (obj(a=TEXT), obj(("b",), a=TEXT, b=TEXT)))

    change = mending.find_mended_change({"metadata": "a", "spec": {"x": {}}}, old, new)

    assert change.effects == ()
    assert change.witness.before.code == HTTPStatus.BAD_REQUEST


def test_an_error_at_the_root_is_not_mended() -> None:
    old = crd(obj(a=TEXT))
    declared = copy.deepcopy(old.declared)
    declared["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["enum"] = ["a"]
    new = old.altered(declared)

    assert "refused ." in {f"{item.kind} {item.path}" for item in judge(old, new).findings}
    assert [*Mender(Subject(new.version("v1"))).find_variants({"spec": {"x": {}}})] == []


def test_a_field_of_a_mended_object_is_not_mended() -> None:
    preserved: JSON = {"x-kubernetes-preserve-unknown-fields": True, "enum": [True], "properties": {"c": NUMBER}}
    new = Mender(Subject(crd(obj(b=preserved)).version("v1")))

    assert next(new.find_variants({"spec": {"x": {"b": {"c": "text"}}}})) == {"spec": {"x": {"b": True}}}


def test_updates_are_not_mended() -> None:
    old, new = obj(a=NUMBER), ruled(obj(("b",), a=NUMBER, b=TEXT), "!has(oldSelf.a) || self.a == oldSelf.a")

    assert judge(crd(old), crd(new)).undecided == ("spec.x x-kubernetes-validations",)


HEAD: JSON = {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a"}}


@pytest.mark.parametrize(
    ("m", "new", "kinds"),
    [
        ("a", obj(n=TEXT, m={**TEXT, "enum": ["a"]}), ["changed"]),
        ("b", obj(n=TEXT, m={**TEXT, "enum": ["a"]}), ["refused", "changed"]),
        ("b", obj(m={**TEXT, "enum": ["a"]}), ["refused", "data loss"]),
    ],
)
def test_a_dropped_null_of_a_known_field_changes_it_also_in_a_refused_object(
    m: str, new: JSON, kinds: list[str]
) -> None:
    old = obj(n={**TEXT, "nullable": True}, m=TEXT)
    subjects = [Subject(crd(schema).version("v1")) for schema in (old, new)]

    change = effects.find_change({**HEAD, "spec": {"x": {"n": None, "m": m}}}, *subjects)

    assert [str(effect.kind) for effect in change.effects] == kinds


def test_a_null_that_a_default_replaced_and_the_type_refuses_is_one_effect() -> None:
    defaulted, bare = ({"type": "array", "items": items} for items in (with_default(1), NUMBER))
    subjects = [Subject(crd(schema).version("v1")) for schema in (obj(l=defaulted), obj(("m",), l=bare, m=TEXT))]

    change = effects.find_change({**HEAD, "spec": {"x": {"l": [None]}}}, *subjects)

    assert {str(effect.kind) for effect in change.effects} == {"refused"}


def test_a_refusal_of_a_mended_object_that_the_old_crd_shares_is_no_effect() -> None:
    full: JSON = {**obj(a=TEXT), "maxProperties": 0}
    subjects = [Subject(crd(obj(n=schema)).version("v1")) for schema in (full, {**full, "required": ["a"]})]
    resource = {**HEAD, "spec": {"x": {"n": {}}}}

    assert mending.find_mended_change(resource, *map(Mender, subjects)).effects == ()
    assert [effect.place for effect in effects.find_change(resource, *subjects).effects] == [("spec", "x", "n", "a")]


def test_a_refusal_around_a_null_is_not_due_to_nulls_further_out() -> None:
    old: JSON = obj(b={**obj(c={**TEXT, "nullable": True}), "minProperties": 1})
    new: JSON = obj(b={**obj(c=TEXT), "minProperties": 1})

    assert breaking(old, {**new, "nullable": True}) == {"refused spec.x.b", "changed spec.x.b.c"}


@pytest.mark.parametrize("default", [{"a": {"b": "c"}}, {"a": {"b": {"c": "d"}}}])
def test_a_null_with_a_default_is_mended_as_a_whole(default: JSON) -> None:
    defaulted: JSON = {**obj(a={"x-kubernetes-preserve-unknown-fields": True}), "default": default}
    narrow = {**obj(o=defaulted), "allOf": [{"properties": {"o": {"properties": {"a": {"enum": ["x"]}}}}}]}

    mended = next(Mender(Subject(crd(narrow).version("v1"))).find_variants({"spec": {"x": {"o": None}}}))

    assert mended == {"spec": {"x": {"o": {}}}}


@pytest.mark.parametrize("value", [{}, {"l": None}])
def test_items_of_a_default_are_mended_with_a_list(value: JSON) -> None:
    defaulted: JSON = {"type": "array", "items": TEXT, "default": ["a"]}
    narrow = {**obj(l=defaulted), "allOf": [{"properties": {"l": {"items": {"enum": ["b"]}}}}]}

    mended = next(Mender(Subject(crd(narrow).version("v1"))).find_variants({"spec": {"x": value}}))

    assert mended == {"spec": {"x": {"l": []}}}


@pytest.mark.long
def test_a_default_that_makes_an_unchanged_rule_refuse_creates_also_changes_stored_objects() -> None:
    rule = "!(has(self.low) && has(self.high))"
    old, new = (ruled(obj(("low",), low=NUMBER, high=high), rule) for high in (NUMBER, with_default(7)))

    assert breaking(old, new) == {"refused spec.x", "changed spec.x.high"}
    changed = find(crd(old), crd(new), "changed spec.x.high")
    assert changed.witness is not None
    assert not changed.witness.after.accepted
    assert changed.witness.note == "an object that is stored changes with its next write"


def test_empty_metadata_that_a_refused_object_would_get_is_no_effect() -> None:
    old = {**PRESERVED, **obj(apiVersion=TEXT, kind=TEXT, metadata=PRESERVED)}

    changed = find(crd(old), crd({**PRESERVED, "x-kubernetes-embedded-resource": True}), "changed spec.x.metadata")

    assert changed.witness is not None
    assert changed.witness.after.accepted
