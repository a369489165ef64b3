"""Objects that a webhook converts: their stored form is unknown, and no result claims to know it."""

from __future__ import annotations

from typing import Any

import pytest
from support import crds

from pytest_crd.casefiles import observation
from pytest_crd.casefiles.observation import Mode, Observed
from pytest_crd.cases import caserunner, loader
from pytest_crd.cases.caseresult import CaseResult
from pytest_crd.cases.model import CaseFileError, RequestCase
from pytest_crd.cases.subject import CaseSubject
from pytest_crd.engine import CrdVersion, CustomResourceDefinition
from pytest_crd.generation import casefile
from pytest_crd.upgrades import upgrade
from pytest_crd.upgrades.projectobjects import Specimens

TEXT = {"type": "string"}
WEBHOOK = {
    "strategy": "Webhook",
    "webhook": {"conversionReviewVersions": ["v1"], "clientConfig": {"url": "https://example.com/convert"}},
}
UNKNOWN = "a webhook converts v1 to v2 and does not run here: the stored object and its lost fields are unknown"


def spec(*names: str) -> dict[str, Any]:
    return {"type": "object", "properties": {"spec": {"type": "object", "properties": dict.fromkeys(names, TEXT)}}}


def declared(first: dict[str, Any], *, webhook: bool = True) -> CustomResourceDefinition:
    """Return a CRD with a version that is served, and another in which objects are stored that have only `spec.a`."""
    manifest = crds.manifest(first, storage=False)
    stored = {"name": "v2", "served": True, "storage": True, "schema": {"openAPIV3Schema": spec("a")}}
    manifest["spec"]["versions"].append(stored)
    if webhook:
        manifest["spec"]["conversion"] = WEBHOOK
    return CustomResourceDefinition.from_manifest(manifest)


CRD = declared(spec("a", "b"))
V1, V2 = CRD.versions


def load(case: str, *, section: str = "create", fills: bool = False) -> Any:
    text = f"crd: tabs.example.com\n{section}:\n- {{name: a, {case}}}\n"
    (file,) = loader.load(text, source="cases.yaml", fills=fills)
    return file.cases[0]


def run(case: str, version: CrdVersion = V1, *, section: str = "create") -> CaseResult:
    return caserunner.run(load(case, section=section), CaseSubject(version))


def filled(case: str, mode: Mode = Mode.FILL) -> Observed:
    return observation.observe(load(case, fills=True), lambda one: caserunner.run(one, CaseSubject(V1)), mode)


def test_the_stored_object_is_known_only_for_the_storage_version() -> None:
    assert (V1.unknown_when_stored, V2.unknown_when_stored) == (UNKNOWN, "")
    assert declared(spec("a", "b"), webhook=False).versions[0].unknown_when_stored == ""

    answer = V1.create({"spec": {"b": "x"}})

    assert answer.accepted
    assert answer.lost == ()
    assert declared(spec("a", "b"), webhook=False).versions[0].create({"spec": {"b": "x"}}).lost == ("spec.b",)


def test_a_case_says_that_it_was_held_against_the_object_before_it_is_converted() -> None:
    result = run("input: {spec: {b: x}}, contains: {spec: {b: x}}")

    assert result.holds
    assert result.notes == (UNKNOWN,)
    assert result.warnings == (f"tabs.example.com v1: cases state what is stored, but {UNKNOWN}",)
    assert run("input: {spec: {b: x}}, accepted: true").warnings == ()
    assert run("input: {spec: {a: x}}, contains: {spec: {a: x}}", V2).notes == ()
    assert run("input: {spec: {b: 1}}, errors: [{field: spec.b, type: TypeInvalid}]").notes == ()


def test_lost_fields_cannot_be_stated() -> None:
    with pytest.raises(CaseFileError, match=r"cases\.yaml:3: 'lost' cannot be checked: a webhook converts v1"):
        run("input: {spec: {b: x}}, lost: []")


def test_unknown_values_are_not_filled_in() -> None:
    assert filled("input: {spec: {b: x}}").values == {"accepted": True}
    assert filled("input: {spec: {b: 1}}").values.keys() == {"errors"}
    remaining = filled("input: {spec: {b: x}}, expected: TODO")
    assert (remaining.values, remaining.problem) == ({}, UNKNOWN)
    wrong = filled("input: {spec: {b: x}}, expected: {spec: {b: y}}", Mode.UPDATE)
    assert (wrong.values, wrong.problem) == ({}, "to be corrected by hand: expected")
    turned = filled("input: {spec: {b: x}}, errors: [{field: spec.b}]", Mode.UPDATE_VERDICTS)
    assert turned.values == {"accepted": True}


def test_a_generated_file_states_nothing_that_is_stored() -> None:
    first = spec("a", "b")
    first["properties"]["status"] = {"type": "object", "properties": {"ready": TEXT}}
    manifest = declared(first).manifest
    manifest["spec"]["versions"][0]["subresources"] = {"status": {}}
    version = CustomResourceDefinition.from_manifest(manifest).versions[0]

    files = loader.load(casefile.generate([version]).text, source="generated.yaml")

    requests = [case for file in files for case in file.cases if isinstance(case, RequestCase)]
    assert any(case.declared.get("accepted") for case in requests)
    assert not any({"expected", "contains", "absent", "lost"} & case.declared.keys() for case in requests)


def test_an_upgrade_says_what_is_unknown_and_finds_what_is_refused_all_the_same() -> None:
    narrowed = spec("a", "b")
    narrowed["properties"]["spec"]["properties"]["b"] = {**TEXT, "maxLength": 3}

    actual = upgrade.judge(CRD, declared(narrowed), Specimens())

    assert [(str(item.kind), item.path) for item in actual.findings] == [("refused", "spec.b")]
    assert actual.findings[0].witness is not None
    assert actual.findings[0].witness.note == UNKNOWN
    assert actual.warnings == (f"v1: {UNKNOWN}",)


def test_without_its_webhook_a_version_loses_what_is_not_stored() -> None:
    actual = upgrade.judge(CRD, declared(spec("a", "b"), webhook=False), Specimens())

    assert [(str(item.kind), item.path, item.words) for item in actual.findings] == [
        ("data loss", "spec.b", "spec.b is lost when it is stored: no webhook converts it any more")
    ]


TWO_STEPS = "steps: [{manager: a, input: {spec: {b: x}}}, {manager: b, input: {spec: {a: x}}}], accepted: true"


def test_the_object_before_a_second_apply_is_unknown() -> None:
    with pytest.raises(CaseFileError) as raised:
        run(TWO_STEPS, section="apply")
    assert str(raised.value) == f'cases.yaml:3: the second step of apply case "a" cannot be checked: {UNKNOWN}'
    assert run(TWO_STEPS.replace("{b: x}", "{}"), V2, section="apply").holds


def test_expected_owners_of_unknown_stored_objects_get_a_warning() -> None:
    result = run("steps: [{manager: a, input: {spec: {b: x}}}], managers: {a: [spec.b]}", section="apply")

    assert result.holds
    assert result.warnings == (f"tabs.example.com v1: cases state what is stored, but {UNKNOWN}",)
    case = load(
        "steps: [{manager: a, input: {spec: {b: x}}}], accepted: true, managers: TODO", section="apply", fills=True
    )
    observed = observation.observe(case, lambda one: caserunner.run(one, CaseSubject(V1)), Mode.FILL)
    assert (dict(observed.values), observed.problem) == ({}, UNKNOWN)


@pytest.mark.parametrize("webhook", [True, False])
def test_no_case_with_two_managers_is_generated_about_unknown_stored_objects(*, webhook: bool) -> None:
    listed = spec("a")
    tags = {"type": "array", "x-kubernetes-list-type": "set", "items": TEXT}
    listed["properties"]["spec"]["properties"]["tags"] = tags
    named = "spec.tags: two managers apply"
    crd = declared(listed, webhook=webhook)

    assert named not in casefile.generate([crd.versions[0]]).text
    manifest = crd.declared
    manifest["spec"]["versions"][1]["schema"] = {"openAPIV3Schema": listed}
    same = CustomResourceDefinition.from_manifest(manifest)
    assert (named in casefile.generate([same.versions[0]]).text) is not webhook
    assert named in casefile.generate([same.versions[1]]).text
