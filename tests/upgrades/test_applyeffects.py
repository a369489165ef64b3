"""What becomes of what managers apply, where a list or an object is merged otherwise."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.engine import CustomResourceDefinition, Version
from pytest_crd.report import upgradewords as report
from pytest_crd.upgrades import allowances, applyeffects, upgrade
from pytest_crd.upgrades.projectobjects import Specimens
from pytest_crd.upgrades.trials import ApplyTrial
from pytest_crd.upgrades.upgrade import Upgrade
from pytest_crd.upgrades.upgradefindings import Finding, Kind
from upgrades.changes import ATOMIC, ITEM, JSON, OBJECT, TEXT, crd, items, keyed, listed, obj, of_versions

ONE: JSON = {**TEXT, "enum": ["only"]}


def judged(old: JSON, new: JSON, *, kubernetes_version: str = "1.37", **spec: Any) -> Upgrade:
    before, after = (crd(x, kubernetes_version=kubernetes_version, **spec) for x in (old, new))
    return upgrade.judge(before, after, Specimens())


def of_merging(found: Upgrade) -> list[Finding]:
    return [one for one in found.findings if one.witness is not None and one.witness.applied]


def text(finding: Finding) -> list[str]:
    return [line.strip() for line in report.describe_finding(finding)]


def notice(path: str, change: str) -> str:
    return f"{path}: {change}: server-side apply merges it otherwise"


@pytest.mark.parametrize("kubernetes_version", ["1.21", "1.37"])
def test_a_list_that_gets_one_owner_loses_what_others_apply(kubernetes_version: str) -> None:
    found = judged(keyed("a"), items(), kubernetes_version=kubernetes_version)

    (finding,) = of_merging(found)
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
    assert [one.field for one in finding.witness.after.conflicts] == ["spec.x"]
    assert (found.unshown, found.notices) == ((), ())


def test_a_list_whose_items_get_owners_keeps_more_and_does_not_let_go_of_what_it_has() -> None:
    kept, more = of_merging(judged(items(), keyed("a")))

    assert (kept.kind, more.kind) == (Kind.WARNED, Kind.WIDENED)
    assert kept.words == (
        "items of spec.x that were applied before the upgrade stay when their manager applies them no more; before, they were "
        "removed (x-kubernetes-list-type: atomic → map)"
    )
    assert more.words == (
        "two managers each apply items of their own to spec.x: before, the second was refused with a conflict, or replaced "
        "the whole list by force; now both are kept (x-kubernetes-list-type: atomic → map)"
    )
    assert kept.witness is not None
    assert len(kept.witness.before.stored["spec"]["x"]) == 1
    assert len(kept.witness.after.stored["spec"]["x"]) == 2


def test_what_stays_goes_again_after_it_was_applied_once_more() -> None:
    (kept, _) = of_merging(judged(items(), keyed("a")))
    assert kept.witness is not None
    old, new = (crd(x).version("v1") for x in (items(), keyed("a")))
    both, one = (applied.resource for applied in kept.witness.applied)

    again = new.apply(both, manager="first", old=old.apply(both, manager="first"))

    assert new.apply(one, manager="first", old=again).stored["spec"] == one["spec"]


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
def test_who_knew_items_by_other_keys_does_not_let_go_of_them(old: JSON, new: JSON, change: str) -> None:
    (kept,) = (one for one in of_merging(judged(old, new)) if one.kind is Kind.WARNED)

    assert kept.words.endswith(f"({change})")


@pytest.mark.parametrize(
    ("kubernetes_version", "again"),
    [("1.21", "is refused"), ("1.37", "removes what the other applied")],
)
def test_items_that_become_one_are_the_item_of_one_manager(kubernetes_version: str, again: str) -> None:
    found = judged(
        {**keyed("a", "b"), "minItems": 2}, {**keyed("a"), "minItems": 2}, kubernetes_version=kubernetes_version
    )

    (lost,) = (one for one in of_merging(found) if one.kind is Kind.DATA_LOSS)
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


@pytest.mark.uncounted
def test_items_that_become_two_are_kept_of_both() -> None:
    (more,) = (one for one in of_merging(judged(keyed("a"), keyed("a", "b"))) if one.kind is Kind.WIDENED)

    assert more.words.startswith(
        "two managers each apply an item with the same a to spec.x: before, the second was refused"
    )


def test_items_of_which_there_are_too_few_to_tell_are_not_made_one() -> None:
    few = {"items": obj(("a", "b"), a=ONE, b={**TEXT, "enum": ["a", "b"]}), "minItems": 2}

    found = judged({**keyed("a", "b"), **few}, {**keyed("a"), **few})

    assert of_merging(found) == []
    assert found.notices == (notice("spec.x", "x-kubernetes-list-map-keys: a, b → a"),)


def test_a_set_of_objects_can_be_applied_by_nobody() -> None:
    values: JSON = {**listed("set"), "items": {**ITEM, **ATOMIC}}

    lost, *_ = of_merging(judged(keyed("a"), values))
    (more,) = of_merging(judged(values, keyed("a")))

    assert (lost.kind, more.kind) == (Kind.REFUSED, Kind.WIDENED)
    assert lost.words == (
        "two managers each apply items of their own to spec.x: before, both were kept; now any apply of it is refused "
        "(x-kubernetes-list-type: map → set)"
    )
    assert lost.witness is not None
    assert "element 0: associative list without keys has an element that's a map type" in lost.witness.after.message


def test_what_is_owned_alike_stays_when_it_is_applied_again() -> None:
    (lost,) = of_merging(judged(keyed("a"), items()))
    assert lost.witness is not None
    first, second = (one.resource["spec"]["x"] for one in lost.witness.applied)
    trial = ApplyTrial(lost.witness.resource, ("spec", "x"), first, second, [*first, *second], "")
    version = crd(keyed("a")).version("v1")

    assert applyeffects.again(trial, version, version).startswith("an object that is stored stays as it is")


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
    (finding,) = of_merging(judged(schema, {**schema, **ATOMIC}))

    assert finding.kind is Kind.DATA_LOSS
    assert "fields of their own to spec.x: before, both were kept" in finding.words
    assert "replaces the whole object by force (x-kubernetes-map-type: granular → atomic)" in finding.words
    assert finding.witness is not None
    assert [(one.manager, one.resource["spec"]["x"]) for one in finding.witness.applied] == [
        ("first", first),
        ("second", second),
    ]
    assert finding.witness.note.endswith("or takes the other's by force")


def test_each_manager_has_as_many_items_as_there_must_be() -> None:
    (finding,) = of_merging(judged({**keyed("a"), "minItems": 2}, items(minItems=2)))

    assert finding.witness is not None
    assert [one["a"] for one in finding.witness.resource["spec"]["x"]] == ["a", "b"]


def test_a_status_is_applied_by_its_own_subresource() -> None:
    def of(x: JSON) -> CustomResourceDefinition:
        schema = {"openAPIV3Schema": obj(spec=obj(a=TEXT), status=obj(x=x))}
        version = {"name": "v1", "served": True, "storage": True, "schema": schema, "subresources": {"status": {}}}
        return of_versions(version)

    (finding,) = of_merging(upgrade.judge(of(keyed("a")), of(items()), Specimens()))

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
def test_where_it_is_merged_as_before_nothing_is_applied(old: JSON, new: JSON, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(Version, "apply")

    found = judged(old, new)

    assert of_merging(found) == []
    assert found.notices == ()


def test_inside_of_what_has_one_owner_nothing_is_merged_otherwise() -> None:
    old, new = ({**items(), "items": obj(l=listed(kind))} for kind in ("set", "atomic"))

    found = judged(old, new)

    assert of_merging(found) == []
    assert found.notices == ()


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
def test_what_no_two_managers_show_is_told_as_what_it_is(old: JSON, new: JSON, change: str) -> None:
    found = judged(old, new)

    assert of_merging(found) == []
    assert found.notices == (notice("spec.x", change),)


def test_an_apply_that_is_refused_by_force_too_shows_nothing() -> None:
    rule = {"rule": "!has(oldSelf.x) || oldSelf.x.all(one, one in self.x)", "message": "no item goes"}

    def of(kind: str) -> CustomResourceDefinition:
        spec = {**obj(x=listed(kind)), "x-kubernetes-validations": [rule]}
        schema = {"openAPIV3Schema": obj(spec=spec)}
        return of_versions({"name": "v1", "served": True, "storage": True, "schema": schema})

    found = upgrade.judge(of("set"), of("atomic"), Specimens())

    assert of_merging(found) == []
    assert found.notices == (notice("spec.x", "x-kubernetes-list-type: set → atomic"),)


def test_a_whole_object_is_not_tried() -> None:
    def of(**more: Any) -> CustomResourceDefinition:
        schema = {"openAPIV3Schema": {**obj(spec=obj(a=TEXT)), **more}}
        return of_versions({"name": "v1", "served": True, "storage": True, "schema": schema})

    found = upgrade.judge(of(), of(**ATOMIC), Specimens())

    assert found.notices == (notice(".", "x-kubernetes-map-type: granular → atomic"),)


def test_what_a_webhook_converts_is_not_known() -> None:
    webhook = {"conversionReviewVersions": ["v1"], "clientConfig": {"url": "https://example.com/convert"}}

    def of(x: JSON) -> CustomResourceDefinition:
        versions = [
            {"name": name, "served": True, "storage": name == "v2", "schema": {"openAPIV3Schema": obj(spec=obj(x=x))}}
            for name in ("v1", "v2")
        ]
        return of_versions(*versions, conversion={"strategy": "Webhook", "webhook": webhook})

    (notice_of_v1,) = upgrade.judge(of(keyed("a")), of(items()), Specimens()).notices

    assert notice_of_v1 == notice("spec.x", "x-kubernetes-list-type: map → atomic")


def test_a_version_that_is_stored_alone_merges_nothing() -> None:
    def of(x: JSON) -> CustomResourceDefinition:
        return of_versions(
            {"name": "v1", "served": True, "storage": False, "schema": {"openAPIV3Schema": obj(spec=obj(x=items()))}},
            {"name": "v2", "served": False, "storage": True, "schema": {"openAPIV3Schema": obj(spec=obj(x=x))}},
        )

    found = upgrade.judge(of(items()), of(items(**{"x-kubernetes-list-type": "set", "items": TEXT})), Specimens())

    assert of_merging(found) == []
    assert found.notices == ()


def test_it_is_allowed_as_any_finding() -> None:
    (finding,) = of_merging(judged(keyed("a"), items()))

    assert finding.is_breaking
    assert allowances.read("things.example.com spec.x data loss").covers("things.example.com", finding)
