"""What an upgrade does to objects: found by running them under both CRDs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from _pytest.mark import ParameterSet  # nothing public

from pytest_crd.engine import CustomResourceDefinition
from pytest_crd.report import upgradewords as report
from pytest_crd.upgrades import effects, upgrade, witnesses
from pytest_crd.upgrades.projectobjects import Specimen, Specimens
from pytest_crd.upgrades.upgrade import Upgrade
from pytest_crd.upgrades.upgradefindings import Finding, Kind
from upgrades.changes import CHANGES, JSON, NUMBER, OBJECT, TEXT, SchemaChange, crd, items, obj, of_versions

CONSTRAINED = {**TEXT, "enum": ["a"]}


def judged(old: CustomResourceDefinition, new: CustomResourceDefinition | None, *resources: JSON) -> Upgrade:
    found = (Specimen(one, "example.com", "v1", "Thing", f"{index}.yaml:1") for index, one in enumerate(resources))
    return upgrade.judge(old, new, Specimens(tuple(found)))


def told(found: Upgrade) -> list[str]:
    return [f"{one.kind} {one.path}" for one in found.findings]


def only(found: Upgrade) -> Finding:
    (finding,) = found.findings
    return finding


def version(name: str, x: JSON, *, storage: bool = False, **more: object) -> JSON:
    schema = obj(spec=obj(x=x), status=obj(y=TEXT))
    return {"name": name, "served": True, "storage": storage, "schema": {"openAPIV3Schema": schema}, **more}


# The changes that take branches which nothing else takes.
COUNTED = {
    *("a default that breaks a rule", "a map", "a pattern inside of allOf", "a value that needs another"),
    *("any of", "no map"),
}


def _param(change: SchemaChange) -> ParameterSet:
    return pytest.param(change, id=change.name, marks=() if change.name in COUNTED else pytest.mark.uncounted)


def test_what_is_counted_is_there() -> None:
    assert {change.name for change in CHANGES} >= COUNTED


@pytest.mark.parametrize("change", [_param(change) for change in CHANGES])
def test_an_object_shows_what_a_change_does(change: SchemaChange) -> None:
    found = judged(crd(change.old), crd(change.new))

    assert told(found) == sorted(told(found), key=lambda words: list(Kind).index(Kind(words.rpartition(" ")[0])))
    assert set(told(found)) == set(change.expected)
    for finding in found.findings:
        witness = finding.witness
        assert witness is not None
        if finding.kind is Kind.REFUSED:
            assert (witness.before.accepted, witness.after.accepted) == (True, False)
        elif finding.kind is not Kind.WIDENED:
            assert witness.before.accepted
            assert witness.before.stored != witness.after.stored


@pytest.mark.parametrize("change", [one for one in CHANGES if not one.expected], ids=lambda change: change.name)
def test_a_difference_that_no_object_shows_is_told_as_such(change: SchemaChange) -> None:
    found = judged(crd(change.old), crd(change.new))

    words = [one.removeprefix("no object found that shows it: ") for one in found.unshown]
    assert all(words)
    assert len(words) == (change.name != "words alone")


def test_equal_crds_cost_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(upgrade, "crdwrites")

    assert judged(crd(TEXT), crd(TEXT), {"spec": {"x": 1}}) == Upgrade()


def test_an_object_is_the_smallest_that_shows_it() -> None:
    old, new = obj(("a",), a=TEXT, b=obj(c=NUMBER)), obj(("a",), a=TEXT, b=obj(c={**NUMBER, "maximum": 3}))

    witness = only(judged(crd(old), crd(new))).witness

    assert witness is not None
    assert report.shorten(witness.resource) == '{"spec": {"x": {"a": "a", "b": {"c": 4}}}}'


@pytest.mark.uncounted
def test_a_long_list_is_shortened_by_halves_and_not_item_by_item(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[object] = []
    find = effects.find

    def counted(*arguments: Any, **more: Any) -> effects.Change:
        tried.append(arguments)
        return find(*arguments, **more)

    monkeypatch.setattr(effects, "find", counted)

    witness = only(judged(crd(items(maxItems=400)), crd(items(maxItems=300)))).witness

    assert witness is not None
    assert len(witness.resource["spec"]["x"]) == 301
    assert witness.resource["spec"]["x"][0] == {"a": "a", "b": "a"}
    assert len(tried) < 150


def test_a_search_ends_where_its_budget_does_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(witnesses, "_BUDGET", 0)

    found = judged(crd(TEXT), crd(CONSTRAINED))

    assert found.findings == ()
    assert found.undecided == ("spec.x enum",)
    (line,) = found.unshown
    assert line.startswith("no object found that shows it, as far as the budget of the search reaches: spec.x enum: ")


def test_what_is_said_of_names_of_objects_counts_though_no_schema_spoke_of_them() -> None:
    limited = obj(metadata=obj(name={**TEXT, "maxLength": 20}))
    old, new = (
        of_versions({"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}})
        for schema in (obj(), limited)
    )

    finding = only(judged(old, new))

    assert (finding.kind, finding.path) == (Kind.REFUSED, "metadata.name")
    assert finding.witness is not None
    assert len(finding.witness.resource["metadata"]["name"]) == 21


def test_a_rule_that_a_served_version_lacks_is_looked_for_in_the_stored_one() -> None:
    def both(rule: str) -> CustomResourceDefinition:
        stored = {**version("v2", NUMBER, storage=True)}
        stored["schema"] = {
            "openAPIV3Schema": obj(spec=obj(x={**NUMBER, "x-kubernetes-validations": [{"rule": rule}]}))
        }
        return of_versions(version("v1", {**NUMBER, "maximum": 9}), stored)

    found = judged(both("self <= 5"), both("self <= 4"))

    assert told(found) == ["refused spec.x"]


def test_what_another_version_shows_of_the_one_that_is_stored_is_shown() -> None:
    def of(most: int) -> CustomResourceDefinition:
        lists = {"type": "array", "items": TEXT, "maxItems": most}
        return of_versions(version("v1", TEXT), version("v2", lists, storage=True))

    found = judged(of(3), of(2))

    assert told(found) == ["refused spec.x"]
    assert found.findings[0].versions == ("v2",)
    assert found.unshown == found.undecided == ()


# Objects that are stored already


@pytest.mark.parametrize(
    ("new", "kubernetes_version", "note"),
    [
        (CONSTRAINED, "1.37", "refused when created; an update that leaves spec.x as it is passes"),
        (CONSTRAINED, "1.21", "refused when created, and in any update of an object that is stored"),
    ],
)
def test_an_update_is_told_apart(new: JSON, kubernetes_version: str, note: str) -> None:
    old, new_crd = (crd(x, kubernetes_version=kubernetes_version) for x in (TEXT, new))

    witness = only(judged(old, new_crd)).witness

    assert witness is not None
    assert witness.note == note


def note_of(found: Upgrade) -> str:
    (witness,) = (one.witness for one in found.findings if one.kind is Kind.REFUSED)
    assert witness is not None
    return witness.note


def test_who_changes_a_field_beside_one_that_is_newly_required_is_refused() -> None:
    old, new = crd(obj(a=NUMBER, b=TEXT)), crd(obj(("b",), a=NUMBER, b=TEXT))

    assert note_of(judged(old, new)) == (
        "refused when created; an update of metadata alone passes, one that changes another field of spec.x is refused"
    )
    answer = new.version("v1").update(
        {"spec": {"x": {"a": 2}}},
        old=old.version("v1").create({"metadata": {"name": "a"}, "spec": {"x": {"a": 1}}}).stored,
    )
    assert "spec.x.b: Required value" in answer.message


def test_a_field_beside_which_there_is_none_is_left_as_it_is() -> None:
    assert note_of(judged(crd(obj(a=NUMBER)), crd(obj(a={**NUMBER, "maximum": 3})))) == (
        "refused when created; an update that leaves spec.x.a as it is passes"
    )


def test_in_a_list_it_is_the_item_in_which_nothing_else_can_be_changed() -> None:
    old, new = (crd({"type": "array", "items": obj(names, a=NUMBER, b=TEXT)}) for names in ((), ("b",)))

    assert note_of(judged(old, new)).endswith("one that changes another field of spec.x[*] is refused")


def test_who_adds_an_item_to_a_list_is_refused_for_another_item() -> None:
    old, new = (crd({"type": "array", "items": obj(a={**NUMBER, **more})}) for more in ({}, {"maximum": 3}))

    assert note_of(judged(old, new)) == (
        "refused when created; an update of metadata alone passes, one that changes another item of spec.x is refused"
    )
    stored = old.version("v1").create({"metadata": {"name": "a"}, "spec": {"x": [{"a": 4}]}}).stored
    assert not new.version("v1").update({"spec": {"x": [{"a": 4}, {"a": 1}]}}, old=stored).accepted


def test_who_adds_a_key_to_a_map_is_not_refused_for_another_one() -> None:
    old, new = (crd({**OBJECT, "additionalProperties": {**NUMBER, **more}}) for more in ({}, {"maximum": 3}))

    assert note_of(judged(old, new)) == "refused when created; an update that leaves spec.x[*] as it is passes"
    stored = old.version("v1").create({"metadata": {"name": "a"}, "spec": {"x": {"a": 4}}}).stored
    assert new.version("v1").update({"spec": {"x": {"a": 4, "b": 1}}}, old=stored).accepted


def test_of_a_field_of_which_no_value_is_known_nothing_is_said() -> None:
    never = {**TEXT, "pattern": "a^"}
    old, new = crd(obj(a=NUMBER, b=never)), crd(obj(a={**NUMBER, "maximum": 3}, b=never))

    assert note_of(judged(old, new)) == "refused when created; an update of metadata alone passes"


def test_of_what_an_object_does_not_have_nothing_beside_it_is_said() -> None:
    rule = {"rule": "!has(self.n) || self.n < 3", "fieldPath": ".a.b"}
    schema = obj(a=obj(b=TEXT, c=TEXT), n=NUMBER)
    old, new = crd(schema), crd({**schema, "x-kubernetes-validations": [rule]})

    assert note_of(judged(old, new)).startswith("refused when created; an update of metadata alone passes")


def test_of_a_list_that_takes_no_other_item_nothing_is_said() -> None:
    old, new = (
        crd({"type": "array", "maxItems": 1, "items": obj(a={**NUMBER, **more})}) for more in ({}, {"maximum": 3})
    )

    assert note_of(judged(old, new)) == "refused when created; an update of metadata alone passes"


@pytest.mark.parametrize(
    ("status", "note"),
    [
        (
            {"y": TEXT},
            "an update of metadata or status alone passes, one that changes another field of spec is refused",
        ),
        ({}, "an update of metadata alone passes, one that changes another field of spec is refused"),
    ],
)
def test_a_status_that_can_be_written_all_the_same_is_told(status: JSON, note: str) -> None:
    def of(*required: str) -> CustomResourceDefinition:
        schema = obj(spec=obj(required, x=TEXT, y=TEXT))
        if status:
            schema["properties"]["status"] = obj(**status)
        one = {**version("v1", TEXT, storage=True, subresources={"status": {}}), "schema": {"openAPIV3Schema": schema}}
        return of_versions(one)

    assert note_of(judged(of(), of("y"))) == f"refused when created; {note}"


def test_an_update_of_a_status_may_pass_where_no_other_does() -> None:
    def of(*rules: JSON) -> CustomResourceDefinition:
        ruled = {"x-kubernetes-validations": list(rules)} if rules else {}
        schema = {**obj(spec=obj(x=TEXT), status=obj(y=TEXT)), **ruled}
        one = {**version("v1", TEXT, storage=True, subresources={"status": {}}), "schema": {"openAPIV3Schema": schema}}
        return of_versions(one)

    rule = {"rule": "!has(self.metadata.name) || size(self.metadata.name) > 20"}
    assert note_of(judged(of(), of(rule))) == "refused when created, and in any update of an object that is stored"


def test_a_rule_on_what_any_update_changes_refuses_it() -> None:
    rule = {"rule": "!has(self.metadata.name) || size(self.metadata.name) > 20"}
    versions = [
        {**version("v1", TEXT, storage=True), "schema": {"openAPIV3Schema": {**obj(spec=obj(x=TEXT)), **more}}}
        for more in ({}, {"x-kubernetes-validations": [rule]})
    ]

    finding = only(judged(of_versions(versions[0]), of_versions(versions[1])))

    assert (finding.kind, finding.path) == (Kind.REFUSED, ".")
    assert finding.witness is not None
    assert finding.witness.note == "refused when created, and in any update of an object that is stored"


def test_what_cannot_change_any_more_is_shown_by_an_update() -> None:
    finding = only(judged(crd(TEXT), crd({**TEXT, "x-kubernetes-validations": [{"rule": "self == oldSelf"}]})))

    assert finding.witness is not None
    assert finding.witness.stored is not None
    assert finding.witness.note == "refused as an update of an object that is stored"


@pytest.mark.parametrize(
    ("old", "new", "note"),
    [
        ({**TEXT, "default": "a"}, {**TEXT, "default": "b"}, "an object that is stored stays as it is"),
        (TEXT, {**TEXT, "default": "b"}, "an object that is stored changes with its next write"),
        (TEXT, None, "an object that is stored changes with its next write"),
    ],
)
def test_what_is_stored_changes_or_stays(old: JSON, new: JSON | None, note: str) -> None:
    finding = only(judged(crd(old), crd(new)))

    assert finding.witness is not None
    assert finding.witness.note == note


def test_what_is_changed_may_be_refused_as_an_update() -> None:
    defaulted = {**TEXT, "default": "b", "enum": ["b"]}
    old, new = (crd(x, kubernetes_version="1.21") for x in ({**TEXT, "default": "a"}, defaulted))

    notes = {one.witness.note for one in judged(old, new).findings if one.witness and one.kind is Kind.CHANGED}

    assert notes == {"an update of an object that is stored is refused"}


# The CRD itself


def test_a_crd_that_is_gone_loses_its_objects() -> None:
    finding = only(judged(crd(TEXT), None))

    assert (finding.kind, finding.path) == (Kind.DATA_LOSS, "metadata.name")
    assert "takes all of its objects with it" in finding.words


def test_a_write_that_the_server_refuses_is_a_finding() -> None:
    found = judged(crd(TEXT), crd(TEXT, scope="Cluster"))

    assert told(found) == ["refused spec.scope"]
    assert found.findings[0].words == 'the CRD: spec.scope: Invalid value: "Cluster": field is immutable'


def test_objects_are_judged_beside_a_write_that_is_refused() -> None:
    assert told(judged(crd(TEXT), crd(CONSTRAINED, scope="Cluster"))) == ["refused spec.scope", "refused spec.x"]


def test_a_version_that_is_stored_and_gone_is_refused_by_the_server() -> None:
    old = of_versions(version("v1alpha1", TEXT, storage=True), version("v1", TEXT))
    new = of_versions(version("v1", TEXT, storage=True))

    found = judged(old, new)

    assert told(found) == ["refused status.storedVersions[0]", "refused v1alpha1"]
    assert 'Invalid value: "v1alpha1": missing from spec.versions' in found.findings[0].words
    assert found.findings[1].words == "v1alpha1 is gone: the server could not find the requested resource"


def test_a_version_that_is_no_longer_served_is_refused() -> None:
    old = of_versions(version("v1alpha1", TEXT), version("v1", TEXT, storage=True))
    new = of_versions({**version("v1alpha1", TEXT), "served": False}, version("v1", TEXT, storage=True))

    finding = only(judged(old, new))

    assert (finding.path, finding.versions) == ("v1alpha1", ("v1alpha1",))
    assert "v1alpha1 is no longer served" in finding.words
    assert [line.text for line in finding.lines[0]] == [
        "name: v1alpha1, served: true",
        "name: v1alpha1, served: false",
    ]


def test_a_crd_that_the_server_refuses_whatever_is_stored_has_no_objects() -> None:
    broken = crd({**TEXT, "type": "text"})

    def guard(_: CustomResourceDefinition) -> None:
        raise AssertionError

    assert {one.kind for one in judged(crd(TEXT), broken.guarded(guard)).findings} == {Kind.REFUSED}


def test_versions_that_show_the_same_are_told_once() -> None:
    old = of_versions(version("v1beta1", TEXT), version("v1", TEXT, storage=True))
    new = of_versions(version("v1beta1", CONSTRAINED), version("v1", CONSTRAINED, storage=True))

    assert only(judged(old, new)).versions == ("v1beta1", "v1")


def test_what_the_storage_version_no_longer_knows_is_lost() -> None:
    old = of_versions(version("v1beta1", TEXT), version("v1", TEXT, storage=True))
    new = of_versions(
        version("v1beta1", TEXT),
        {**version("v1", TEXT, storage=True), "schema": {"openAPIV3Schema": obj(spec=OBJECT)}},
    )

    losses = [one for one in judged(old, new).findings if one.kind is Kind.DATA_LOSS]

    assert [(one.path, one.versions) for one in losses] == [
        ("spec.x", ("v1beta1", "v1")),
        ("status", ("v1beta1", "v1")),
    ]


def test_a_deprecated_version_is_warned_about() -> None:
    old = of_versions(version("v1", TEXT, storage=True))
    new = of_versions(version("v1", TEXT, storage=True, deprecated=True))

    finding = only(judged(old, new))

    assert (finding.kind, finding.path, finding.is_breaking) == (Kind.WARNED, ".", False)
    assert finding.words == "warned about: example.com/v1 Thing is deprecated"


@pytest.mark.uncounted
def test_what_is_warned_about_is_told_once_and_shows_no_difference() -> None:
    old = of_versions(version("v1", {**TEXT, "default": "a"}, storage=True))
    new = of_versions(version("v1", {**TEXT, "default": "b", "format": "hostname"}, storage=True, deprecated=True))

    found = judged(old, new)
    alone = judged(old, of_versions(version("v1", {**TEXT, "default": "b", "format": "hostname"}, storage=True)))

    assert [one for one in told(found) if one.startswith("warned")] == ["warned ."]
    assert [one for one in told(found) if not one.startswith("warned")] == told(alone)
    assert found.unshown == alone.unshown


@pytest.mark.parametrize("name", ["status", "scale"])
def test_a_subresource_that_goes_is_refused(name: str) -> None:
    scale = {"specReplicasPath": ".spec.x", "statusReplicasPath": ".status.y"}
    more = {"subresources": {name: {} if name == "status" else scale}}

    findings = judged(
        of_versions(version("v1", NUMBER, storage=True, **more)), of_versions(version("v1", NUMBER, storage=True))
    ).findings

    assert (findings[0].kind, findings[0].path) == (Kind.REFUSED, f"subresources.{name}")
    assert "the server could not find the requested resource" in findings[0].words


def test_a_status_that_becomes_a_subresource_is_no_longer_written() -> None:
    old, new = version("v1", TEXT, storage=True), version("v1", TEXT, storage=True, subresources={"status": {}})

    finding = only(judged(of_versions(old), of_versions(new)))

    assert (finding.kind, finding.path) == (Kind.DATA_LOSS, "subresources.status")
    assert finding.witness is not None
    assert "status" in finding.witness.before.stored
    assert "status" not in finding.witness.after.stored


@pytest.mark.parametrize("status", [{}, {"status": obj(y=TEXT)}], ids=["none", "a new one"])
def test_a_status_that_nobody_wrote_is_no_loss(status: JSON) -> None:
    def of(schema: JSON, **more: object) -> CustomResourceDefinition:
        return of_versions({**version("v1", TEXT, storage=True, **more), "schema": {"openAPIV3Schema": schema}})

    kinds = told(judged(of(obj(spec=obj())), of(obj(spec=obj(), **status), subresources={"status": {}})))

    assert "data loss subresources.status" not in kinds


def test_a_status_is_set_by_a_request_of_its_own() -> None:
    def of(y: JSON) -> CustomResourceDefinition:
        schema = obj(spec=obj(), status=obj(y=y))
        one = version("v1", TEXT, storage=True, subresources={"status": {}})
        return of_versions({**one, "schema": {"openAPIV3Schema": schema}})

    finding = only(judged(of(TEXT), of(CONSTRAINED)))

    assert (finding.kind, finding.path) == (Kind.REFUSED, "status.y")
    assert finding.witness is not None
    assert finding.witness.note == "refused when set; an update that leaves status.y as it is passes"


def test_unknown_fields_that_a_crd_no_longer_keeps_are_lost() -> None:
    def of(*, keeps: bool) -> CustomResourceDefinition:
        manifest = crd(TEXT).manifest
        (one,) = manifest["spec"]["versions"]
        spec = {**manifest["spec"], "version": "v1", "validation": one["schema"], "preserveUnknownFields": keeps}
        del spec["versions"]
        manifest = {**manifest, "apiVersion": "apiextensions.k8s.io/v1beta1", "spec": spec}
        return CustomResourceDefinition.from_manifest(manifest, kubernetes_version="1.21")

    assert told(judged(of(keeps=True), of(keeps=False))) == ["data loss unknownField"]


def test_without_any_object_it_is_said_that_little_was_looked_at() -> None:
    never = {**TEXT, "x-kubernetes-validations": [{"rule": "self == 'a' && self == 'b'"}]}
    schema = obj(("spec",), spec=obj(("x",), x=never, y=TEXT))
    old = of_versions({**version("v1", TEXT, storage=True), "schema": {"openAPIV3Schema": schema}})
    changed = obj(("spec",), spec=obj(("x",), x=never, y=CONSTRAINED))
    new = of_versions({**version("v1", TEXT, storage=True), "schema": {"openAPIV3Schema": changed}})

    found = judged(old, new)

    assert found.findings == ()
    assert [one.split(":")[0] for one in found.warnings] == [
        "little was looked at, as no object of the old CRD is known",
        "little was looked at, as no object of the new CRD is known",
    ]
    assert len(found.unshown) == 1


def test_an_error_whose_words_alone_say_where_is_about_the_value_itself() -> None:
    assert told(judged(crd(NUMBER), crd({**NUMBER, "format": "int32"}))) == ["refused spec.x"]


def test_of_what_differs_the_nearest_lines_are_shown() -> None:
    old = crd(obj(("y",), y=TEXT))
    new = crd({**obj(("y",), y=CONSTRAINED), "minProperties": 1, "maxProperties": 9})

    (refusal,) = (one for one in judged(old, new).findings if one.kind is Kind.REFUSED)

    assert [line.text for pair in refusal.lines for line in pair] == ["", 'enum: ["a"]']


def test_of_several_keywords_that_differ_the_one_is_shown_that_does_it() -> None:
    rule = {"rule": "self != 7"}
    new = {**NUMBER, "minimum": 1, "default": 3, "x-kubernetes-validations": [rule]}

    found = judged(crd({**NUMBER, "default": 2}), crd(new))

    assert {
        (one.kind, one.words.rpartition(": ")[2]): [line.text for pair in one.lines for line in pair]
        for one in found.findings
    } == {
        (Kind.REFUSED, "spec.x in body should be greater than or equal to 1"): ["", "minimum: 1"],
        (Kind.REFUSED, "self != 7"): ["", "rule: self != 7"],
        (Kind.CHANGED, "2 before, 3 now"): ["default: 2", "default: 3"],
    }


# Objects of the project


def test_a_sample_shows_what_it_meets() -> None:
    found = judged(crd(TEXT), crd(CONSTRAINED), {"spec": {"x": "b"}}, {"spec": {"x": "c"}}, {"spec": {"x": "a"}})

    finding = only(found)
    assert finding.others == ("0.yaml:1", "1.yaml:1")
    assert finding.witness is not None
    assert finding.witness.source == ""


def test_a_sample_may_show_what_no_object_was_found_for() -> None:
    rule = "!(self.startsWith('ab') && self.endsWith('yz') && size(self) == 9 && self.contains('mnm'))"
    old, new = crd(TEXT), crd({**TEXT, "x-kubernetes-validations": [{"rule": rule}]})

    found = judged(old, new, {"spec": {"x": "ab-mnm-yz"}})

    finding = only(found)
    assert finding.witness is not None
    assert (finding.path, finding.witness.source) == ("spec.x", "0.yaml:1")
    assert "  object: 0.yaml:1" in lines(found)


def test_a_sample_of_today_that_yesterdays_crd_does_not_take_is_no_break() -> None:
    found = judged(crd(CONSTRAINED), crd(TEXT), {"spec": {"x": "b"}})

    assert told(found) == ["widened spec.x"]
    assert found.findings[0].words.startswith("before, spec.x: Unsupported value")
    assert not found.findings[0].is_breaking


def test_what_is_stored_of_a_sample_counts_too() -> None:
    old = {**TEXT, "default": "b"}
    new = {**TEXT, "default": "a", "enum": ["a"]}

    found = judged(crd(old), crd(new), {"spec": {}})

    assert [one.others for one in found.findings if one.kind is Kind.REFUSED] == [("0.yaml:1",)]


def lines(found: Upgrade) -> Iterator[str]:
    for finding in found.findings:
        yield from report.describe_finding(finding)


@pytest.mark.parametrize(
    ("resource", "text"),
    [
        ({"spec": {"x": "a" * 5001}}, '{"spec": {"x": "aaaaaaaaaaaaaaaaaaaa…" (5,001 characters)}}'),
        ({"spec": {"x": [{"a": ""}] * 1000}}, '{"spec": {"x": [{"a": ""}, {"a": ""}, {"a": ""}, … (1,000 items)]}}'),
        (
            {"spec": {f"k{index}": 1 for index in range(30)}},
            '{"spec": {"k0": 1, "k1": 1, "k2": 1, … (30 fields)}}',
        ),
        ({"metadata": {"name": "a" * 90}}, '{"metadata": {"name": "aaaaaaaaaaaaaaaaaaaa…" (90 characters)}}'),
        ({"metadata": {"name": "a", "labels": {"b": "c"}}}, '{"metadata": {"labels": {"b": "c"}}}'),
        ({"spec": {f"k{index}": "a" * 70 for index in range(9)}}, None),
    ],
)
def test_an_object_is_shown_so_that_a_person_reads_it(resource: JSON, text: str | None) -> None:
    shown = report.shorten({"apiVersion": "a/v1", "kind": "A", **resource})

    assert shown == text if text else (len(shown) == 401 and shown.endswith("…"))


def test_the_stored_object_is_shown_where_an_update_is_what_is_refused() -> None:
    found = judged(crd(TEXT), crd({**TEXT, "x-kubernetes-validations": [{"rule": "self == oldSelf"}]}))

    shown = [one for one in lines(found) if one.startswith(("  object: ", "  stored: "))]
    assert shown == ['  object: {"spec": {"x": "b"}}', '  stored: {"spec": {"x": "a"}}']


def test_a_finding_is_told_with_what_shows_it() -> None:
    assert list(lines(judged(crd(TEXT), crd(CONSTRAINED), {"spec": {"x": "b"}}))) == [
        "refused: spec.x (v1)",
        '  spec.x: Unsupported value: "ax": supported values: "a"',
        "  refused when created; an update that leaves spec.x as it is passes",
        '  object: {"spec": {"x": "ax"}}',
        "  as well: 0.yaml:1",
        "  -   (nothing)",
        '  +   enum: ["a"]',
    ]
