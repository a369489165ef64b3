"""Effects of changed list and map types on server-side apply."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from pytest_crd.engine import CustomResourceDefinition, jsonvalue
from pytest_crd.engine.client.resourceclient import ResourceClient
from pytest_crd.report import upgradewords as report
from pytest_crd.upgrades import allowances, applyeffects, upgrade
from pytest_crd.upgrades.projectobjects import Specimens
from pytest_crd.upgrades.trials import ApplyTrial
from pytest_crd.upgrades.upgrade import Upgrade
from pytest_crd.upgrades.upgradefindings import Finding, Kind
from upgrades.changes import ATOMIC, ITEM, JSON, OBJECT, TEXT, crd, crd_with_versions, items, keyed, listed, obj

ONE: JSON = {**TEXT, "enum": ["only"]}


def judge(old: JSON, new: JSON, *, kubernetes_version: str = "1.37", **spec: Any) -> Upgrade:
    before, after = (crd(x, kubernetes_version=kubernetes_version, **spec) for x in (old, new))
    return upgrade.judge(before, after, Specimens())


def merge_findings(result: Upgrade) -> list[Finding]:
    return [finding for finding in result.findings if finding.witness is not None and finding.witness.applied]


def text(finding: Finding) -> list[str]:
    return [line.strip() for line in report.describe_finding(finding)]


def notice(path: str, change: str) -> str:
    return f"{path}: {change}: server-side apply merges it otherwise"


@pytest.mark.parametrize("kubernetes_version", ["1.21", "1.37"])
def test_a_list_that_gets_one_owner_loses_what_others_apply(kubernetes_version: str) -> None:
    result = judge(keyed("a"), items(), kubernetes_version=kubernetes_version)

    (finding,) = merge_findings(result)
    assert text(finding) == [
        "data loss: spec.x (v1)",
        (
            "two managers each apply items of their own to spec.x: before, both were kept; now the second is refused with a "
            "conflict, or replaces the whole list by force (x-kubernetes-list-type: map → atomic)"
        ),
        (
            "of an object that is stored, one of them that applies the same again is refused with a conflict, or takes the "
            "other's by force"
        ),
        'first applies: {"spec": {"x": [{"a": "a", "b": "a"}]}}',
        'second applies: {"spec": {"x": [{"a": "b", "b": "a"}]}}',
        'before: {"spec": {"x": [{"a": "a", "b": "a"}, {"a": "b", "b": "a"}]}}',
        'now: Apply failed with 1 conflict: conflict with "first": .spec.x',
        "-   x-kubernetes-list-type: map",
        "+   (nothing)",
    ]
    assert finding.witness is not None
    assert finding.witness.before.stored["spec"]["x"] == [{"a": "a", "b": "a"}, {"a": "b", "b": "a"}]
    assert [conflict.field for conflict in finding.witness.after.conflicts] == ["spec.x"]
    assert (result.unshown, result.notices) == ((), ())


def test_a_list_whose_items_get_owners_keeps_items_that_are_applied_no_more() -> None:
    stays, more = merge_findings(judge(items(), keyed("a")))

    assert (stays.kind, more.kind) == (Kind.WARNED, Kind.WIDENED)
    assert stays.words == (
        "items of spec.x that were applied before the upgrade stay when their manager applies them no more; before, they were "
        "removed (x-kubernetes-list-type: atomic → map)"
    )
    assert more.words == (
        "two managers each apply items of their own to spec.x: before, the second was refused with a conflict, or replaced "
        "the whole list by force; now both are kept (x-kubernetes-list-type: atomic → map)"
    )
    assert stays.witness is not None
    assert len(stays.witness.before.stored["spec"]["x"]) == 1
    assert len(stays.witness.after.stored["spec"]["x"]) == 2


def test_items_that_stay_are_removed_after_another_apply() -> None:
    (stays, _) = merge_findings(judge(items(), keyed("a")))
    assert stays.witness is not None
    old, new = (crd(x).version("v1") for x in (items(), keyed("a")))
    both, reduced = (applied.resource for applied in stays.witness.applied)

    again = new.apply(both, manager="first", old=old.apply(both, manager="first"))

    assert new.apply(reduced, manager="first", old=again).stored["spec"] == reduced["spec"]


@pytest.mark.parametrize(
    ("old", "new", "change"),
    [
        (keyed("a"), keyed("a", "b"), "x-kubernetes-list-map-keys: a → a, b"),
        (keyed("a", "b"), keyed("a"), "x-kubernetes-list-map-keys: a, b → a"),
        (keyed("a"), keyed("b"), "x-kubernetes-list-map-keys: a → b"),
        (
            {**keyed("a", "b"), "items": obj(("a", "b"), a=ONE, b=TEXT)},
            {**keyed("b"), "items": obj(("a", "b"), a=ONE, b=TEXT)},
            "x-kubernetes-list-map-keys: a, b → b",
        ),
    ],
)
def test_items_with_changed_keys_stay_when_they_are_applied_no_more(old: JSON, new: JSON, change: str) -> None:
    (stays,) = (finding for finding in merge_findings(judge(old, new)) if finding.kind is Kind.WARNED)

    assert stays.words.endswith(f"({change})")


def test_items_that_are_equal_in_all_keys_are_not_looked_for_in_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    count, equal = itertools.count(), jsonvalue.equal

    def count_and_compare(left: Any, right: Any) -> bool:
        next(count)
        return equal(left, right)

    monkeypatch.setattr(jsonvalue, "equal", count_and_compare)
    letters = {**TEXT, "enum": [*map(chr, range(97, 117))]}
    old, new = ({**keyed(*keys), "items": obj(("a", "b"), a=letters, b=letters)} for keys in (("a", "b"), ("a",)))

    assert merge_findings(judge(old, new))
    assert next(count) < 5000


@pytest.mark.parametrize(
    ("kubernetes_version", "again"),
    [("1.21", "is refused"), ("1.37", "removes what the other applied")],
)
def test_items_that_become_one_are_the_item_of_one_manager(kubernetes_version: str, again: str) -> None:
    result = judge(
        {**keyed("a", "b"), "minItems": 2}, {**keyed("a"), "minItems": 2}, kubernetes_version=kubernetes_version
    )

    (lost,) = (finding for finding in merge_findings(result) if finding.kind is Kind.DATA_LOSS)
    assert text(lost)[1:7] == [
        (
            "two managers each apply an item with the same a to spec.x: before, both were kept; now the second is refused with a "
            "conflict, or replaces that of the other by force (x-kubernetes-list-map-keys: a, b → a)"
        ),
        f"of an object that is stored, one of them that applies the same again {again}",
        'first applies: {"spec": {"x": [{"a": "a", "b": "a"}, {"a": "b", "b": "a"}]}}',
        'second applies: {"spec": {"x": [{"a": "a", "b": "b"}, {"a": "b", "b": "a"}]}}',
        'before: {"spec": {"x": [{"a": "a", "b": "a"}, {"a": "a", "b": "b"}, {"a": "b", "b": "a"}]}}',
        'now: Apply failed with 1 conflict: conflict with "first": .spec.x[a="a"].b',
    ]


def test_items_that_become_two_are_kept_of_both() -> None:
    findings = merge_findings(judge(keyed("a"), keyed("a", "b")))
    (more,) = (finding for finding in findings if finding.kind is Kind.WIDENED)

    assert more.words.startswith(
        "two managers each apply an item with the same a to spec.x: before, the second was refused"
    )


def test_too_few_distinct_items_give_a_notice() -> None:
    few = {"items": obj(("a", "b"), a=ONE, b={**TEXT, "enum": ["a", "b"]}), "minItems": 2}

    result = judge({**keyed("a", "b"), **few}, {**keyed("a"), **few})

    assert merge_findings(result) == []
    assert result.notices == (notice("spec.x", "x-kubernetes-list-map-keys: a, b → a"),)


def test_applies_of_a_set_of_objects_are_refused() -> None:
    values: JSON = {**listed("set"), "items": {**ITEM, **ATOMIC}}

    lost, *_ = merge_findings(judge(keyed("a"), values))
    (more,) = merge_findings(judge(values, keyed("a")))

    assert (lost.kind, more.kind) == (Kind.REFUSED, Kind.WIDENED)
    assert lost.words == (
        "two managers each apply items of their own to spec.x: before, both were kept; now any apply of it is refused "
        "(x-kubernetes-list-type: map → set)"
    )
    assert lost.witness is not None
    assert "element 0: associative list without keys has an element that's a map type" in lost.witness.after.message


def test_equally_owned_items_stay_when_they_are_applied_again() -> None:
    (lost,) = merge_findings(judge(keyed("a"), items()))
    assert lost.witness is not None
    first, second = (apply.resource["spec"]["x"] for apply in lost.witness.applied)
    trial = ApplyTrial(lost.witness.resource, ("spec", "x"), first, second, [*first, *second], "")
    version = crd(keyed("a")).version("v1")

    assert applyeffects.describe_reapply(trial, trial, version, version).startswith(
        "an object that is stored stays as it is"
    )


@pytest.mark.parametrize(
    ("schema", "first", "second"),
    [
        (obj(a=TEXT, b=TEXT), {"a": "a"}, {"b": "a"}),
        (obj(("a",), a=TEXT, b=TEXT), {"a": "a", "b": "a"}, {"a": "a"}),
        ({**OBJECT, "additionalProperties": TEXT}, {"key": "a"}, {"key2": "a"}),
        (
            {**obj(a=TEXT, b=TEXT), "oneOf": [{"required": ["a"]}, {"not": {"required": ["a"]}}], "maxProperties": 1},
            {"a": "a"},
            {},
        ),
    ],
)
def test_an_object_that_gets_one_owner_loses_fields_of_others(schema: JSON, first: JSON, second: JSON) -> None:
    (finding,) = merge_findings(judge(schema, {**schema, **ATOMIC}))

    assert finding.kind is Kind.DATA_LOSS
    assert "fields of their own to spec.x: before, both were kept" in finding.words
    assert "replaces the whole object by force (x-kubernetes-map-type: granular → atomic)" in finding.words
    assert finding.witness is not None
    assert [(apply.manager, apply.resource["spec"]["x"]) for apply in finding.witness.applied] == [
        ("first", first),
        ("second", second),
    ]
    assert finding.witness.note.endswith("or takes the other's by force")


def test_each_manager_has_as_many_items_as_there_must_be() -> None:
    (finding,) = merge_findings(judge({**keyed("a"), "minItems": 2}, items(minItems=2)))

    assert finding.witness is not None
    assert [item["a"] for item in finding.witness.resource["spec"]["x"]] == ["a", "b"]


def test_a_status_is_applied_by_its_own_subresource() -> None:
    def make_crd(x: JSON) -> CustomResourceDefinition:
        schema = {"openAPIV3Schema": obj(spec=obj(a=TEXT), status=obj(x=x))}
        version = {"name": "v1", "served": True, "storage": True, "schema": schema, "subresources": {"status": {}}}
        return crd_with_versions(version)

    (finding,) = merge_findings(upgrade.judge(make_crd(keyed("a")), make_crd(items()), Specimens()))

    assert (finding.kind, finding.path) == (Kind.DATA_LOSS, "status.x")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (items(), items(**{"x-kubernetes-list-type": "atomic"})),
        (obj(a=TEXT), {**obj(a=TEXT), "x-kubernetes-map-type": "granular"}),
        (keyed("a"), {**keyed("a"), "maxItems": 3}),
        (listed("set"), {**listed("set"), "maxItems": 3}),
    ],
)
def test_nothing_is_applied_if_merging_is_unchanged(old: JSON, new: JSON, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(ResourceClient, "apply")

    result = judge(old, new)

    assert merge_findings(result) == []
    assert result.notices == ()


def test_changes_inside_an_atomic_list_have_no_effect() -> None:
    old, new = ({**items(), "items": obj(l=listed(kind))} for kind in ("set", "atomic"))

    result = judge(old, new)

    assert merge_findings(result) == []
    assert result.notices == ()


@pytest.mark.parametrize(
    ("old", "new", "change"),
    [
        ({**keyed("a"), "maxItems": 1}, items(maxItems=1), "x-kubernetes-list-type: map → atomic"),
        (
            {**keyed("a"), "items": obj(("a",), a=ONE)},
            {**items(), "items": obj(("a",), a=ONE)},
            "x-kubernetes-list-type: map → atomic",
        ),
        (
            {**keyed("a"), "items": {**ITEM, "enum": ["a"]}},
            {**items(), "items": {**ITEM, "enum": ["a"]}},
            "x-kubernetes-list-type: map → atomic",
        ),
        (obj(), {**obj(), **ATOMIC}, "x-kubernetes-map-type: granular → atomic"),
        (
            obj(("a", "b"), a=TEXT, b=TEXT),
            {**obj(("a", "b"), a=TEXT, b=TEXT), **ATOMIC},
            "x-kubernetes-map-type: granular → atomic",
        ),
        (
            {**obj(a=TEXT), "enum": [None], "nullable": True},
            {**obj(a=TEXT), "enum": [None], "nullable": True, **ATOMIC},
            "x-kubernetes-map-type: granular → atomic",
        ),
        (
            {**obj(a=TEXT, b=TEXT), "minProperties": 2, "maxProperties": 1},
            {**obj(a=TEXT, b=TEXT), "minProperties": 2, "maxProperties": 1, **ATOMIC},
            "x-kubernetes-map-type: granular → atomic",
        ),
    ],
)
def test_changes_that_two_managers_cannot_show_give_a_notice(old: JSON, new: JSON, change: str) -> None:
    result = judge(old, new)

    assert merge_findings(result) == []
    assert result.notices == (notice("spec.x", change),)


def test_an_apply_that_is_refused_by_force_too_shows_nothing() -> None:
    rule = {"rule": "!has(oldSelf.x) || oldSelf.x.all(one, one in self.x)", "message": "no item goes"}

    def make_crd(kind: str) -> CustomResourceDefinition:
        spec = {**obj(x=listed(kind)), "x-kubernetes-validations": [rule]}
        schema = {"openAPIV3Schema": obj(spec=spec)}
        return crd_with_versions({"name": "v1", "served": True, "storage": True, "schema": schema})

    result = upgrade.judge(make_crd("set"), make_crd("atomic"), Specimens())

    assert merge_findings(result) == []
    assert result.notices == (notice("spec.x", "x-kubernetes-list-type: set → atomic"),)


def test_a_whole_object_is_not_tried() -> None:
    def make_crd(**more: Any) -> CustomResourceDefinition:
        schema = {"openAPIV3Schema": {**obj(spec=obj(a=TEXT)), **more}}
        return crd_with_versions({"name": "v1", "served": True, "storage": True, "schema": schema})

    result = upgrade.judge(make_crd(), make_crd(**ATOMIC), Specimens())

    assert result.notices == (notice(".", "x-kubernetes-map-type: granular → atomic"),)


def test_effects_on_versions_converted_by_a_webhook_are_unknown() -> None:
    webhook = {"conversionReviewVersions": ["v1"], "clientConfig": {"url": "https://example.com/convert"}}

    def make_crd(x: JSON) -> CustomResourceDefinition:
        versions = [
            {"name": name, "served": True, "storage": name == "v2", "schema": {"openAPIV3Schema": obj(spec=obj(x=x))}}
            for name in ("v1", "v2")
        ]
        return crd_with_versions(*versions, conversion={"strategy": "Webhook", "webhook": webhook})

    (notice_of_v1,) = upgrade.judge(make_crd(keyed("a")), make_crd(items()), Specimens()).notices

    assert notice_of_v1 == notice("spec.x", "x-kubernetes-list-type: map → atomic")


def test_changes_of_a_version_that_is_not_served_have_no_effect() -> None:
    def make_crd(x: JSON) -> CustomResourceDefinition:
        return crd_with_versions(
            {"name": "v1", "served": True, "storage": False, "schema": {"openAPIV3Schema": obj(spec=obj(x=items()))}},
            {"name": "v2", "served": False, "storage": True, "schema": {"openAPIV3Schema": obj(spec=obj(x=x))}},
        )

    result = upgrade.judge(
        make_crd(items()), make_crd(items(**{"x-kubernetes-list-type": "set", "items": TEXT})), Specimens()
    )

    assert merge_findings(result) == []
    assert result.notices == ()


def test_merge_findings_can_be_allowed() -> None:
    (finding,) = merge_findings(judge(keyed("a"), items()))

    assert finding.is_breaking
    assert allowances.parse("things.example.com spec.x data loss").covers("things.example.com", finding)
