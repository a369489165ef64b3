"""Effects of an upgrade on objects, found by running them under both CRDs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from pytest_crd.engine import CustomResourceDefinition
from pytest_crd.engine.registry import handlers
from pytest_crd.report import upgradewords as report
from pytest_crd.synthesis import objectwords
from pytest_crd.upgrades import allowances, effects, upgrade, witnesses
from pytest_crd.upgrades.projectobjects import Specimen, Specimens
from pytest_crd.upgrades.upgrade import Upgrade
from pytest_crd.upgrades.upgradefindings import Finding, Kind
from upgrades.changes import CHANGES, JSON, NUMBER, OBJECT, TEXT, SchemaChange, crd, crd_with_versions, items, obj

CONSTRAINED = {**TEXT, "enum": ["a"]}


def judge(old: CustomResourceDefinition, new: CustomResourceDefinition | None, *resources: JSON) -> Upgrade:
    specimens = (
        Specimen(resource, "example.com", "v1", "Thing", f"{index}.yaml:1") for index, resource in enumerate(resources)
    )
    return upgrade.judge(old, new, Specimens(tuple(specimens)))


def list_findings(result: Upgrade) -> list[str]:
    return [f"{finding.kind} {finding.path}" for finding in result.findings]


def only(result: Upgrade) -> Finding:
    (finding,) = result.findings
    return finding


def version(name: str, x: JSON, *, storage: bool = False, **more: object) -> JSON:
    schema = obj(spec=obj(x=x), status=obj(y=TEXT))
    return {"name": name, "served": True, "storage": storage, "schema": {"openAPIV3Schema": schema}, **more}


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.name)
def test_witnesses_show_the_expected_findings(change: SchemaChange) -> None:
    result = judge(crd(change.old), crd(change.new))

    assert list_findings(result) == sorted(
        list_findings(result), key=lambda words: list(Kind).index(Kind(words.rpartition(" ")[0]))
    )
    assert set(list_findings(result)) == set(change.expected)
    for finding in result.findings:
        witness = finding.witness
        assert witness is not None
        if finding.kind is Kind.REFUSED:
            assert (witness.before.accepted, witness.after.accepted) == (True, False)
        elif finding.kind is not Kind.WIDENED:
            assert witness.before.accepted
            assert witness.before.stored_if_accepted != witness.after.stored_if_accepted


@pytest.mark.parametrize(
    "change", [change for change in CHANGES if not change.expected], ids=lambda change: change.name
)
def test_differences_without_a_witness_are_reported_as_unshown(change: SchemaChange) -> None:
    result = judge(crd(change.old), crd(change.new))

    words = [line.removeprefix("no object found that shows it: ") for line in result.unshown]
    assert all(words)
    assert len(words) == (change.name != "words alone")


def test_equal_crds_are_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(upgrade, "crdwrites")

    assert judge(crd(TEXT), crd(TEXT), {"spec": {"x": 1}}) == Upgrade()


def test_a_witness_is_the_smallest_object() -> None:
    old, new = obj(("a",), a=TEXT, b=obj(c=NUMBER)), obj(("a",), a=TEXT, b=obj(c={**NUMBER, "maximum": 3}))

    witness = only(judge(crd(old), crd(new))).witness

    assert witness is not None
    assert objectwords.shorten(witness.resource) == '{"spec": {"x": {"a": "a", "b": {"c": 4}}}}'


def test_a_long_list_is_shortened_by_halves_and_not_item_by_item(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[object] = []
    find_change = effects.find_change

    def counted(*arguments: Any, **more: Any) -> effects.Change:
        tried.append(arguments)
        return find_change(*arguments, **more)

    monkeypatch.setattr(effects, "find_change", counted)

    witness = only(judge(crd(items(maxItems=400)), crd(items(maxItems=300)))).witness

    assert witness is not None
    assert len(witness.resource["spec"]["x"]) == 301
    assert witness.resource["spec"]["x"][0] == {"a": "a", "b": "a"}
    assert len(tried) < 150


def test_a_search_stops_when_its_budget_is_spent_and_reports_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(witnesses, "_BUDGET", 0)

    result = judge(crd(TEXT), crd(CONSTRAINED))

    assert result.findings == ()
    assert result.undecided == ("spec.x enum (not all candidates were tried)",)
    (line,) = result.unshown
    assert line.startswith("no object found that shows it, although not all candidates were tried: spec.x enum: ")


def test_an_object_is_compared_once_for_a_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    find_change, specs = effects.find_change, []

    def find_and_note(resource: JSON, *arguments: Any, **more: Any) -> effects.Change:
        specs.append(json.dumps(resource.get("spec")))
        return find_change(resource, *arguments, **more)

    monkeypatch.setattr(effects, "find_change", find_and_note)

    judge(crd({**TEXT, "enum": ["a", "b", "c"]}), crd({**TEXT, "enum": ["a"]}))

    assert specs.count('{"x": "b"}') == specs.count('{"x": "c"}') == 1


def test_a_new_schema_of_object_names_refuses() -> None:
    limited = obj(metadata=obj(name={**TEXT, "maxLength": 20}))
    old, new = (
        crd_with_versions({"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}})
        for schema in (obj(), limited)
    )

    finding = only(judge(old, new))

    assert (finding.kind, finding.path) == (Kind.REFUSED, "metadata.name")
    assert finding.witness is not None
    assert len(finding.witness.resource["metadata"]["name"]) == 21


def test_a_rule_that_a_served_version_lacks_is_looked_for_in_the_stored_one() -> None:
    def both(rule: str) -> CustomResourceDefinition:
        stored = {**version("v2", NUMBER, storage=True)}
        stored["schema"] = {
            "openAPIV3Schema": obj(spec=obj(x={**NUMBER, "x-kubernetes-validations": [{"rule": rule}]}))
        }
        return crd_with_versions(version("v1", {**NUMBER, "maximum": 9}), stored)

    result = judge(both("self <= 5"), both("self <= 4"))

    assert list_findings(result) == ["refused spec.x"]


def test_a_difference_of_the_storage_version_is_shown_by_any_version() -> None:
    def make_crd(most: int) -> CustomResourceDefinition:
        lists = {"type": "array", "items": TEXT, "maxItems": most}
        return crd_with_versions(version("v1", TEXT), version("v2", lists, storage=True))

    result = judge(make_crd(3), make_crd(2))

    assert list_findings(result) == ["refused spec.x"]
    assert result.findings[0].versions == ("v2",)
    assert result.unshown == result.undecided == ()


# Objects that are stored already


@pytest.mark.parametrize(
    ("new", "kubernetes_version", "note"),
    [
        (CONSTRAINED, "1.37", "refused when created; an update that leaves spec.x as it is passes"),
        (CONSTRAINED, "1.21", "refused when created, and in any update of an object that is stored"),
    ],
)
def test_the_note_tells_which_updates_pass(new: JSON, kubernetes_version: str, note: str) -> None:
    old, new_crd = (crd(x, kubernetes_version=kubernetes_version) for x in (TEXT, new))

    witness = only(judge(old, new_crd)).witness

    assert witness is not None
    assert witness.note == note


def note_of(result: Upgrade) -> str:
    (witness,) = (finding.witness for finding in result.findings if finding.kind is Kind.REFUSED)
    assert witness is not None
    return witness.note


def test_changes_of_siblings_of_a_newly_required_field_are_refused() -> None:
    old, new = crd(obj(a=NUMBER, b=TEXT)), crd(obj(("b",), a=NUMBER, b=TEXT))

    assert note_of(judge(old, new)) == (
        "refused when created; an update of metadata alone passes, one that changes another field of spec.x is refused"
    )
    answer = new.version("v1").update(
        {"spec": {"x": {"a": 2}}},
        old=old.version("v1").create({"metadata": {"name": "a"}, "spec": {"x": {"a": 1}}}).stored,
    )
    assert "spec.x.b: Required value" in answer.message


def test_a_field_without_siblings_has_no_note_about_them() -> None:
    assert note_of(judge(crd(obj(a=NUMBER)), crd(obj(a={**NUMBER, "maximum": 3})))) == (
        "refused when created; an update that leaves spec.x.a as it is passes"
    )


def test_changes_of_sibling_fields_in_an_item_are_refused() -> None:
    old, new = (crd({"type": "array", "items": obj(names, a=NUMBER, b=TEXT)}) for names in ((), ("b",)))

    assert note_of(judge(old, new)).endswith("one that changes anything else in spec.x is refused")


def test_adding_an_item_is_refused_for_an_invalid_sibling_item() -> None:
    old, new = (crd({"type": "array", "items": obj(a={**NUMBER, **more})}) for more in ({}, {"maximum": 3}))

    assert note_of(judge(old, new)) == (
        "refused when created; an update of metadata alone passes, one that changes another item of spec.x is refused"
    )
    stored = old.version("v1").create({"metadata": {"name": "a"}, "spec": {"x": [{"a": 4}]}}).stored
    assert not new.version("v1").update({"spec": {"x": [{"a": 4}, {"a": 1}]}}, old=stored).accepted


def test_refused_changes_at_several_depths_are_one_clause() -> None:
    def make_crd(**more: int) -> CustomResourceDefinition:
        rule = obj(note=TEXT, enforce=obj(mode=TEXT, most={**NUMBER, **more}))
        return crd({"type": "array", "items": rule})

    old, new = make_crd(), make_crd(maximum=3)

    assert note_of(judge(old, new)) == (
        "refused when created; an update of metadata alone passes, one that changes anything else in spec.x is refused"
    )
    stored = old.version("v1").create({"metadata": {"name": "a"}, "spec": {"x": [{"enforce": {"most": 4}}]}}).stored
    rules = (
        [{"enforce": {"most": 4}}, {}],
        [{"note": "a", "enforce": {"most": 4}}],
        [{"enforce": {"mode": "a", "most": 4}}],
    )
    for changed in rules:
        assert "most in body should be" in new.version("v1").update({"spec": {"x": changed}}, old=stored).message


def test_adding_a_key_to_a_map_passes_beside_an_invalid_value() -> None:
    old, new = (crd({**OBJECT, "additionalProperties": {**NUMBER, **more}}) for more in ({}, {"maximum": 3}))

    assert note_of(judge(old, new)) == "refused when created; an update that leaves spec.x[*] as it is passes"
    stored = old.version("v1").create({"metadata": {"name": "a"}, "spec": {"x": {"a": 4}}}).stored
    assert new.version("v1").update({"spec": {"x": {"a": 4, "b": 1}}}, old=stored).accepted


def test_siblings_without_a_known_value_are_not_mentioned() -> None:
    never = {**TEXT, "pattern": "a^"}
    old, new = crd(obj(a=NUMBER, b=never)), crd(obj(a={**NUMBER, "maximum": 3}, b=never))

    assert note_of(judge(old, new)) == "refused when created; an update of metadata alone passes"


def test_siblings_of_an_absent_field_are_not_mentioned() -> None:
    rule = {"rule": "!has(self.n) || self.n < 3", "fieldPath": ".a.b"}
    schema = obj(a=obj(b=TEXT, c=TEXT), n=NUMBER)
    old, new = crd(schema), crd({**schema, "x-kubernetes-validations": [rule]})

    assert note_of(judge(old, new)).startswith("refused when created; an update of metadata alone passes")


def test_siblings_of_items_in_a_full_list_are_not_mentioned() -> None:
    old, new = (
        crd({"type": "array", "maxItems": 1, "items": obj(a={**NUMBER, **more})}) for more in ({}, {"maximum": 3})
    )

    assert note_of(judge(old, new)) == "refused when created; an update of metadata alone passes"


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
def test_updates_of_the_status_that_pass_are_mentioned(status: JSON, note: str) -> None:
    def make_crd(*required: str) -> CustomResourceDefinition:
        schema = obj(spec=obj(required, x=TEXT, y=TEXT))
        if status:
            schema["properties"]["status"] = obj(**status)
        declared = {
            **version("v1", TEXT, storage=True, subresources={"status": {}}),
            "schema": {"openAPIV3Schema": schema},
        }
        return crd_with_versions(declared)

    assert note_of(judge(make_crd(), make_crd("y"))) == f"refused when created; {note}"


def test_an_update_of_a_status_may_pass_where_no_other_does() -> None:
    def make_crd(*rules: JSON) -> CustomResourceDefinition:
        ruled = {"x-kubernetes-validations": list(rules)} if rules else {}
        schema = {**obj(spec=obj(x=TEXT), status=obj(y=TEXT)), **ruled}
        declared = {
            **version("v1", TEXT, storage=True, subresources={"status": {}}),
            "schema": {"openAPIV3Schema": schema},
        }
        return crd_with_versions(declared)

    rule = {"rule": "!has(self.metadata.name) || size(self.metadata.name) > 20"}
    assert (
        note_of(judge(make_crd(), make_crd(rule)))
        == "refused when created, and in any update of an object that is stored"
    )


def test_a_failing_rule_on_the_root_refuses_any_update() -> None:
    rule = {"rule": "!has(self.metadata.name) || size(self.metadata.name) > 20"}
    versions = [
        {**version("v1", TEXT, storage=True), "schema": {"openAPIV3Schema": {**obj(spec=obj(x=TEXT)), **more}}}
        for more in ({}, {"x-kubernetes-validations": [rule]})
    ]

    finding = only(judge(crd_with_versions(versions[0]), crd_with_versions(versions[1])))

    assert (finding.kind, finding.path) == (Kind.REFUSED, ".")
    assert finding.witness is not None
    assert finding.witness.note == "refused when created, and in any update of an object that is stored"


def test_a_transition_rule_is_shown_by_an_update() -> None:
    finding = only(judge(crd(TEXT), crd({**TEXT, "x-kubernetes-validations": [{"rule": "self == oldSelf"}]})))

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
def test_the_note_tells_whether_stored_objects_change(old: JSON, new: JSON | None, note: str) -> None:
    finding = only(judge(crd(old), crd(new)))

    assert finding.witness is not None
    assert finding.witness.note == note


def test_an_update_of_a_changed_object_may_be_refused() -> None:
    defaulted = {**TEXT, "default": "b", "enum": ["b"]}
    old, new = (crd(x, kubernetes_version="1.21") for x in ({**TEXT, "default": "a"}, defaulted))

    notes = {item.witness.note for item in judge(old, new).findings if item.witness and item.kind is Kind.CHANGED}

    assert notes == {"an update of an object that is stored is refused"}


# The CRD itself


def test_a_crd_that_is_gone_loses_its_objects() -> None:
    finding = only(judge(crd(TEXT), None))

    assert (finding.kind, finding.path) == (Kind.DATA_LOSS, "metadata.name")
    assert "takes all of its objects with it" in finding.words


def test_a_write_that_the_server_refuses_is_a_finding() -> None:
    result = judge(crd(TEXT), crd(TEXT, scope="Cluster"))

    assert list_findings(result) == ["refused spec.scope"]
    assert result.findings[0].words == 'the CRD: spec.scope: Invalid value: "Cluster": field is immutable'


def test_objects_are_judged_beside_a_write_that_is_refused() -> None:
    assert list_findings(judge(crd(TEXT), crd(CONSTRAINED, scope="Cluster"))) == [
        "refused spec.scope",
        "refused spec.x",
    ]


def test_a_version_that_is_stored_and_gone_is_refused_by_the_server() -> None:
    old = crd_with_versions(version("v1alpha1", TEXT, storage=True), version("v1", TEXT))
    new = crd_with_versions(version("v1", TEXT, storage=True))

    result = judge(old, new)

    assert list_findings(result) == ["refused status.storedVersions[0]", "refused v1alpha1"]
    assert 'Invalid value: "v1alpha1": missing from spec.versions' in result.findings[0].words
    assert result.findings[1].words == "v1alpha1 is gone: the server could not find the requested resource"


def test_a_version_that_is_no_longer_served_is_refused() -> None:
    old = crd_with_versions(version("v1alpha1", TEXT), version("v1", TEXT, storage=True))
    new = crd_with_versions({**version("v1alpha1", TEXT), "served": False}, version("v1", TEXT, storage=True))

    finding = only(judge(old, new))

    assert (finding.path, finding.versions) == ("v1alpha1", ("v1alpha1",))
    assert "v1alpha1 is no longer served" in finding.words
    assert [line.text for line in finding.lines[0]] == [
        "name: v1alpha1, served: true",
        "name: v1alpha1, served: false",
    ]


def test_a_crd_that_no_server_takes_is_one_finding_that_no_allowance_covers() -> None:
    broken = crd({**TEXT, "type": "text", "items": TEXT, "maxLength": -1})

    def guard(_: CustomResourceDefinition) -> None:
        raise AssertionError

    finding = only(judge(crd(TEXT), broken.guarded(guard)))

    assert (finding.kind, finding.path) == (Kind.REFUSED, ".")
    assert finding.words.startswith("no server takes the CRD: ")
    assert finding.words.count(": Unsupported value") + finding.words.count(": Forbidden") >= 1
    assert not allowances.parse("* **").covers("things.example.com", finding)


def approved(annotation: str | None, **more: str) -> CustomResourceDefinition:
    annotations = {**more, **({"api-approved.kubernetes.io": annotation} if annotation else {})}
    manifest = crd(TEXT, group="example.k8s.io").manifest
    metadata = {"name": "things.example.k8s.io", "annotations": annotations}
    return CustomResourceDefinition.from_manifest({**manifest, "metadata": metadata})


def test_a_lost_approval_is_refused() -> None:
    old = approved("https://github.com/kubernetes/kubernetes/pull/1")

    finding = only(judge(old, approved(None)))

    assert (finding.kind, finding.path) == (Kind.REFUSED, "metadata.annotations[api-approved.kubernetes.io]")
    assert finding.words.endswith("see https://github.com/kubernetes/enhancements/pull/1111")


def test_other_annotations_are_no_change() -> None:
    text = "https://github.com/kubernetes/kubernetes/pull/1"

    assert judge(approved(text, version="1"), approved(text, version="2")) == Upgrade()


def test_a_null_that_is_kept_may_be_one_field_too_many() -> None:
    old, new = ({**obj(a=TEXT, b={**TEXT, **more}), "maxProperties": 1} for more in ({}, {"nullable": True}))

    result = judge(crd(old), crd(new))

    assert [finding.words for finding in result.findings if finding.kind is Kind.REFUSED] == [
        "spec.x: Too many: 2: must have at most 1 item"
    ]


def test_a_root_that_says_it_is_not_nullable_is_no_change() -> None:
    old, new = (
        crd_with_versions({"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}})
        for schema in (obj(spec=obj(x=TEXT)), {**obj(spec=obj(x=TEXT)), "nullable": False})
    )

    assert list_findings(judge(old, new)) == []


def test_equal_findings_of_versions_are_merged() -> None:
    old = crd_with_versions(version("v1beta1", TEXT), version("v1", TEXT, storage=True))
    new = crd_with_versions(version("v1beta1", CONSTRAINED), version("v1", CONSTRAINED, storage=True))

    assert only(judge(old, new)).versions == ("v1beta1", "v1")


def test_fields_unknown_to_the_storage_version_are_lost() -> None:
    old = crd_with_versions(version("v1beta1", TEXT), version("v1", TEXT, storage=True))
    new = crd_with_versions(
        version("v1beta1", TEXT),
        {**version("v1", TEXT, storage=True), "schema": {"openAPIV3Schema": obj(spec=OBJECT)}},
    )

    losses = [finding for finding in judge(old, new).findings if finding.kind is Kind.DATA_LOSS]

    assert [(loss.path, loss.versions) for loss in losses] == [
        ("spec.x", ("v1beta1", "v1")),
        ("status", ("v1beta1", "v1")),
    ]


def test_a_deprecated_version_is_warned_about() -> None:
    old = crd_with_versions(version("v1", TEXT, storage=True))
    new = crd_with_versions(version("v1", TEXT, storage=True, deprecated=True))

    finding = only(judge(old, new))

    assert (finding.kind, finding.path, finding.is_breaking) == (Kind.WARNED, ".", False)
    assert finding.words == "warned about: example.com/v1 Thing is deprecated"


def test_a_warning_is_reported_once_and_shows_no_difference() -> None:
    old = crd_with_versions(version("v1", {**TEXT, "default": "a"}, storage=True))
    new = crd_with_versions(
        version("v1", {**TEXT, "default": "b", "format": "hostname"}, storage=True, deprecated=True)
    )

    result = judge(old, new)
    alone = judge(old, crd_with_versions(version("v1", {**TEXT, "default": "b", "format": "hostname"}, storage=True)))

    assert [line for line in list_findings(result) if line.startswith("warned")] == ["warned ."]
    assert [line for line in list_findings(result) if not line.startswith("warned")] == list_findings(alone)
    assert result.unshown == alone.unshown


@pytest.mark.parametrize("name", ["status", "scale"])
def test_a_subresource_that_goes_is_refused(name: str) -> None:
    scale = {"specReplicasPath": ".spec.x", "statusReplicasPath": ".status.y"}
    more = {"subresources": {name: {} if name == "status" else scale}}

    findings = judge(
        crd_with_versions(version("v1", NUMBER, storage=True, **more)),
        crd_with_versions(version("v1", NUMBER, storage=True)),
    ).findings

    assert (findings[0].kind, findings[0].path) == (Kind.REFUSED, f"subresources.{name}")
    assert "the server could not find the requested resource" in findings[0].words


def test_a_status_that_becomes_a_subresource_is_no_longer_written() -> None:
    old, new = version("v1", TEXT, storage=True), version("v1", TEXT, storage=True, subresources={"status": {}})

    finding = only(judge(crd_with_versions(old), crd_with_versions(new)))

    assert (finding.kind, finding.path) == (Kind.DATA_LOSS, "subresources.status")
    assert finding.witness is not None
    assert "status" in finding.witness.before.stored
    assert "status" not in finding.witness.after.stored


@pytest.mark.parametrize("status", [{}, {"status": obj(y=TEXT)}], ids=["none", "a new one"])
def test_a_status_that_was_never_written_is_no_loss(status: JSON) -> None:
    def make_crd(schema: JSON, **more: object) -> CustomResourceDefinition:
        return crd_with_versions({**version("v1", TEXT, storage=True, **more), "schema": {"openAPIV3Schema": schema}})

    kinds = list_findings(
        judge(make_crd(obj(spec=obj())), make_crd(obj(spec=obj(), **status), subresources={"status": {}}))
    )

    assert "data loss subresources.status" not in kinds


def test_a_status_is_set_by_a_request_of_its_own() -> None:
    def make_crd(y: JSON) -> CustomResourceDefinition:
        schema = obj(spec=obj(), status=obj(y=y))
        declared = version("v1", TEXT, storage=True, subresources={"status": {}})
        return crd_with_versions({**declared, "schema": {"openAPIV3Schema": schema}})

    finding = only(judge(make_crd(TEXT), make_crd(CONSTRAINED)))

    assert (finding.kind, finding.path) == (Kind.REFUSED, "status.y")
    assert finding.witness is not None
    assert finding.witness.note == "refused when set; an update that leaves status.y as it is passes"


def test_unknown_fields_that_a_crd_no_longer_keeps_are_lost() -> None:
    def make_crd(*, keeps: bool) -> CustomResourceDefinition:
        manifest = crd(TEXT).manifest
        (declared,) = manifest["spec"]["versions"]
        spec = {**manifest["spec"], "version": "v1", "validation": declared["schema"], "preserveUnknownFields": keeps}
        del spec["versions"]
        manifest = {**manifest, "apiVersion": "apiextensions.k8s.io/v1beta1", "spec": spec}
        return CustomResourceDefinition.from_manifest(manifest, kubernetes_version="1.21")

    assert list_findings(judge(make_crd(keeps=True), make_crd(keeps=False))) == ["data loss unknownField"]


def test_without_an_accepted_object_a_warning_is_given() -> None:
    never = {**TEXT, "x-kubernetes-validations": [{"rule": "self == 'a' && self == 'b'"}]}
    schema = obj(("spec",), spec=obj(("x",), x=never, y=TEXT))
    old = crd_with_versions({**version("v1", TEXT, storage=True), "schema": {"openAPIV3Schema": schema}})
    changed = obj(("spec",), spec=obj(("x",), x=never, y=CONSTRAINED))
    new = crd_with_versions({**version("v1", TEXT, storage=True), "schema": {"openAPIV3Schema": changed}})

    result = judge(old, new)

    assert result.findings == ()
    assert [warning.split(":")[0] for warning in result.warnings] == [
        "little was looked at, as no object of the old CRD is known",
        "little was looked at, as no object of the new CRD is known",
    ]
    assert len(result.unshown) == 1


def test_an_error_without_a_field_is_about_the_changed_value() -> None:
    assert list_findings(judge(crd(NUMBER), crd({**NUMBER, "format": "int32"}))) == ["refused spec.x"]


def test_a_finding_shows_the_nearest_differing_lines() -> None:
    old = crd(obj(("y",), y=TEXT))
    new = crd({**obj(("y",), y=CONSTRAINED), "minProperties": 1, "maxProperties": 9})

    (refusal,) = (finding for finding in judge(old, new).findings if finding.kind is Kind.REFUSED)

    assert [line.text for pair in refusal.lines for line in pair] == ["", 'enum: ["a"]']


def test_a_finding_shows_the_keyword_that_causes_it() -> None:
    rule = {"rule": "self != 7"}
    new = {**NUMBER, "minimum": 1, "default": 3, "x-kubernetes-validations": [rule]}

    result = judge(crd({**NUMBER, "default": 2}), crd(new))

    assert {
        (finding.kind, finding.words.rpartition(": ")[2]): [line.text for pair in finding.lines for line in pair]
        for finding in result.findings
    } == {
        (Kind.REFUSED, "spec.x in body should be greater than or equal to 1"): ["", "minimum: 1"],
        (Kind.REFUSED, "self != 7"): ["", "rule: self != 7"],
        (Kind.CHANGED, "2 before, 3 now"): ["default: 2", "default: 3"],
    }


# Objects of the project


def test_samples_are_listed_with_the_finding_they_show() -> None:
    result = judge(crd(TEXT), crd(CONSTRAINED), {"spec": {"x": "b"}}, {"spec": {"x": "c"}}, {"spec": {"x": "a"}})

    finding = only(result)
    assert finding.others == ("0.yaml:1", "1.yaml:1")
    assert finding.witness is not None
    assert finding.witness.source == ""


def test_each_object_is_created_once_under_each_crd(monkeypatch: pytest.MonkeyPatch) -> None:
    created = []
    handle = handlers.handle

    def record(stored: Any, request: Any, strategy: Any, *arguments: Any, **options: Any) -> Any:
        if request.verb == "create":
            created.append((id(strategy), json.dumps(request.body.value), request.field_validation))
        return handle(stored, request, strategy, *arguments, **options)

    monkeypatch.setattr(handlers, "handle", record)
    required = {**OBJECT, "required": ["a"], "properties": {"a": {**NUMBER, "maximum": 5}, "b": TEXT}}

    result = judge(crd(required), crd({**required, "required": ["a", "b"]}))

    assert only(result).kind is Kind.REFUSED
    assert [item for item, count in Counter(created).items() if count > 1] == []


def test_a_sample_may_be_the_only_witness() -> None:
    rule = "!(self.startsWith('ab') && self.endsWith('yz') && size(self) == 9 && self.contains('mnm'))"
    old, new = crd(TEXT), crd({**TEXT, "x-kubernetes-validations": [{"rule": rule}]})

    result = judge(old, new, {"spec": {"x": "ab-mnm-yz"}})

    finding = only(result)
    assert finding.witness is not None
    assert (finding.path, finding.witness.source) == ("spec.x", "0.yaml:1")
    assert "  object: 0.yaml:1" in lines(result)


def test_a_sample_that_only_the_new_crd_accepts_is_not_breaking() -> None:
    result = judge(crd(CONSTRAINED), crd(TEXT), {"spec": {"x": "b"}})

    assert list_findings(result) == ["widened spec.x"]
    assert result.findings[0].words.startswith("before, spec.x: Unsupported value")
    assert not result.findings[0].is_breaking


def test_the_stored_form_of_a_sample_is_judged_too() -> None:
    old = {**TEXT, "default": "b"}
    new = {**TEXT, "default": "a", "enum": ["a"]}

    result = judge(crd(old), crd(new), {"spec": {}})

    assert [finding.others for finding in result.findings if finding.kind is Kind.REFUSED] == [("0.yaml:1",)]


def lines(result: Upgrade) -> Iterator[str]:
    for finding in result.findings:
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
def test_objects_are_shortened_in_reports(resource: JSON, text: str | None) -> None:
    shortened = objectwords.shorten({"apiVersion": "a/v1", "kind": "A", **resource})

    assert shortened == text if text else (len(shortened) == 401 and shortened.endswith("…"))


def test_the_stored_object_is_shown_for_a_refused_update() -> None:
    result = judge(crd(TEXT), crd({**TEXT, "x-kubernetes-validations": [{"rule": "self == oldSelf"}]}))

    object_lines = [line for line in lines(result) if line.startswith(("  object: ", "  stored: "))]
    assert object_lines == ['  object: {"spec": {"x": "b"}}', '  stored: {"spec": {"x": "a"}}']


def test_a_finding_is_described_with_its_witness() -> None:
    assert list(lines(judge(crd(TEXT), crd(CONSTRAINED), {"spec": {"x": "b"}}))) == [
        "refused: spec.x (v1)",
        '  spec.x: Unsupported value: "ax": supported values: "a"',
        "  refused when created; an update that leaves spec.x as it is passes",
        '  object: {"spec": {"x": "ax"}}',
        "  as well: 0.yaml:1",
        "  -   (nothing)",
        '  +   enum: ["a"]',
    ]
