"""Effects of an upgrade that clients notice besides changed objects."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.engine import CustomResourceDefinition
from pytest_crd.report import upgradewords as report
from pytest_crd.upgrades import clients, upgrade
from pytest_crd.upgrades.projectobjects import Specimens
from pytest_crd.upgrades.upgrade import Upgrade
from pytest_crd.upgrades.upgradefindings import Kind
from upgrades.changes import JSON, NUMBER, TEXT, crd_with_versions, obj

SCHEMA = obj(spec=obj(a=NUMBER, b=NUMBER, c=TEXT), status=obj(r=NUMBER, s=TEXT))
WEBHOOK: JSON = {
    "strategy": "Webhook",
    "webhook": {"conversionReviewVersions": ["v1"], "clientConfig": {"url": "https://example.com/convert"}},
}


def crd(schema: JSON = SCHEMA, *, spec: JSON | None = None, **version: Any) -> CustomResourceDefinition:
    declared = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}, **version}
    return crd_with_versions(declared, **(spec or {}))


def judge(old: CustomResourceDefinition, new: CustomResourceDefinition) -> Upgrade:
    return upgrade.judge(old, new, Specimens())


def scale(path: str, selector: str = "") -> JSON:
    paths = {"specReplicasPath": path, "statusReplicasPath": ".status.r"}
    return {"subresources": {"scale": {**paths, **({"labelSelectorPath": selector} if selector else {})}}}


def test_a_scale_that_reads_another_field_is_shown_by_an_object() -> None:
    (finding,) = judge(crd(**scale(".spec.a")), crd(**scale(".spec.b"))).findings

    assert (finding.kind, finding.path) == (Kind.CHANGED, "subresources.scale")
    assert finding.words == (
        "/scale of this object was 0 of 3 replicas, and is a 500: Internal error occurred: the spec replicas field "
        '".spec.b" does not exist now'
    )
    assert finding.witness is not None
    assert finding.witness.resource["spec"] == {"a": 3}


def test_a_selector_of_a_scale_that_goes_is_shown() -> None:
    (finding,) = judge(crd(**scale(".spec.a", ".status.s")), crd(**scale(".spec.a"))).findings

    assert finding.words == "/scale of this object was 4 of 3 replicas for 'app=5', and is 4 of 3 replicas now"


def test_a_scale_is_shown_by_a_number_that_both_crds_accept() -> None:
    few = obj(spec=obj(a={**NUMBER, "maximum": 2, "minimum": 1}, b=NUMBER), status=obj(r=NUMBER))

    (finding,) = judge(crd(few, **scale(".spec.a")), crd(few, **scale(".spec.b"))).findings

    assert finding.witness is not None
    assert finding.witness.before.accepted
    assert finding.witness.resource["spec"] == {"a": 1}


def test_a_scale_that_no_object_shows_is_counted() -> None:
    nothing = obj(spec=obj(a={**NUMBER, "enum": []}), status=obj(r=NUMBER))
    never = [{"rule": "!has(self.spec)"}]
    schema = {**nothing, "x-kubernetes-validations": never}

    result = judge(crd(schema, **scale(".spec.a")), crd(schema, **scale(".spec.b")))

    assert result.findings == ()
    assert result.undecided == ("subresources.scale",)
    (line,) = result.unshown
    assert line.startswith("no object found that shows it: subresources.scale: ")


@pytest.mark.parametrize(
    ("old", "new", "is_changed"),
    [
        (scale(".spec.a"), scale(".spec.a"), False),
        (scale(".spec.a"), scale(".spec.b"), True),
        (scale(".spec.a", ".status.s"), scale(".spec.a"), True),
        ({}, scale(".spec.a"), False),
        (scale(".spec.a"), {}, False),
        ({}, {}, False),
    ],
)
def test_a_scale_on_both_sides_can_read_other_fields(old: JSON, new: JSON, *, is_changed: bool) -> None:
    assert clients.reads_scale_otherwise(crd(**old).versions[0], crd(**new).versions[0]) is is_changed


def test_a_scale_that_stays_is_no_finding() -> None:
    assert judge(crd(**scale(".spec.a")), crd(**scale(".spec.a"), deprecated=False)).findings == ()


def test_a_list_can_no_longer_be_selected_by_a_field_that_goes() -> None:
    fields: JSON = {"selectableFields": [{"jsonPath": ".spec.c"}]}

    (finding,) = judge(crd(**fields), crd()).findings

    assert (finding.kind, finding.path) == (Kind.REFUSED, "selectableFields[.spec.c]")
    assert finding.words == ("a list with the field selector spec.c=… is refused: field label not supported: spec.c")
    assert judge(crd(), crd(**fields)).findings == ()
    both: JSON = {"selectableFields": [*fields["selectableFields"], {"jsonPath": ".spec.a"}]}
    assert [finding.path for finding in judge(crd(**both), crd(**fields)).findings] == ["selectableFields[.spec.a]"]


@pytest.mark.parametrize(
    ("old", "new", "notices"),
    [
        (
            {"names": {"plural": "things", "singular": "thing", "kind": "Thing", "listKind": "ThingList",
                       "shortNames": ["th", "t"], "categories": ["all"]}},
            {"names": {"plural": "things", "singular": "thing", "kind": "Thing", "listKind": "ThingList",
                       "shortNames": ["t"]}},
            ("the short name th is gone: kubectl no longer knows it", "the category all is gone: kubectl no longer knows it"),
        ),
        ({}, {"conversion": WEBHOOK}, ("spec.conversion.strategy: None before, Webhook now",)),
        (
            {"conversion": WEBHOOK},
            {"conversion": {**WEBHOOK, "webhook": {**WEBHOOK["webhook"], "conversionReviewVersions": ["v1", "v1beta1"]}}},
            ("the conversion webhook has another conversionReviewVersions",),
        ),
    ],
)  # fmt: skip
def test_changed_names_and_conversions_give_notices(old: JSON, new: JSON, notices: tuple[str, ...]) -> None:
    result = judge(crd(spec=old), crd(spec=new))

    assert result.findings == ()
    assert result.notices == notices


def test_removed_and_changed_columns_give_notices() -> None:
    column = {"name": "A", "type": "integer", "jsonPath": ".spec.a"}
    old = crd(additionalPrinterColumns=[column, {**column, "name": "B"}, {**column, "name": "C"}])
    new = crd(additionalPrinterColumns=[{**column, "jsonPath": ".spec.b"}, {**column, "name": "C", "priority": 1}])

    assert judge(old, new).notices == (
        "v1: the column A shows .spec.b, before .spec.a",
        "v1: the column B is gone from what kubectl prints",
    )


def test_undecided_changes_that_may_refuse_objects_are_counted() -> None:
    never = [{"rule": f"self != '{letter * 40}'"} for letter in "abcd"]
    new = crd(obj(spec=obj(x={**TEXT, "x-kubernetes-validations": never, "maxLength": 9})))
    result = judge(crd(obj(spec=obj(x={**TEXT, "maxLength": 9}))), new)

    assert result.undecided == ("spec.x x-kubernetes-validations",)
    assert list(report.count_others(result)) == [
        "no object was found that shows 1 change that may refuse objects: spec.x x-kubernetes-validations"
    ]
    assert list(report.count_others(Upgrade(notices=("a", "b")))) == [
        "2 other changes that clients may notice; -v tells which"
    ]
    many = Upgrade(undecided=("a", "b", "c", "d"))
    (line,) = report.count_others(many)
    assert line.endswith("shows 4 changes that may refuse objects: a, b, c and 1 more")
