"""Cases about conversions, and old objects that a webhook converts."""

from __future__ import annotations

from typing import Any

import pytest
from support import crds
from support.webhooks import FixedWebhooks, FunctionAdmission, FunctionConverter

from pytest_crd.casefiles import observation
from pytest_crd.casefiles.observation import Mode
from pytest_crd.cases import caserunner, loader
from pytest_crd.cases.caseresult import CaseResult
from pytest_crd.cases.deviations import Accepted, MessageMismatch, ObjectMismatch, Rejected, Strays
from pytest_crd.cases.model import AnyCase, CaseFileError
from pytest_crd.cases.subject import CaseSubject
from pytest_crd.engine import CrdVersion, CustomResourceDefinition
from pytest_crd.engine.jsonvalue import JSONObject
from pytest_crd.engine.registry.conversion import ConversionFailedError

SPECS = {"v1alpha1": {"minutes": "integer", "note": "string"}, "v1": {"seconds": "integer"}}


def _manifest(*, strategy: str = "Webhook") -> dict[str, Any]:
    manifest = crds.manifest({"type": "object"})
    manifest["spec"]["versions"] = [
        {
            "name": name,
            "served": True,
            "storage": name == "v1",
            "schema": {
                "openAPIV3Schema": {
                    "type": "object",
                    "properties": {
                        "spec": {"type": "object", "properties": {key: {"type": kind} for key, kind in fields.items()}}
                    },
                }
            },
            "subresources": {"status": {}},
        }
        for name, fields in SPECS.items()
    ]
    if strategy == "Webhook":
        client = {"conversionReviewVersions": ["v1"], "clientConfig": {"url": "https://example.com/convert"}}
        manifest["spec"]["conversion"] = {"strategy": "Webhook", "webhook": client}
    return manifest


def _convert(resource: JSONObject, api_version: str) -> JSONObject:
    spec = resource["spec"]
    if spec.get("minutes") == 13:
        raise ConversionFailedError("conversion webhook for tabs failed: 13 is unlucky")
    if api_version.endswith("/v1"):
        return {**resource, "spec": {"seconds": spec["minutes"] * 60}}
    return {**resource, "spec": {"minutes": spec["seconds"] // 60}}


def _version(name: str, *, is_called: bool = True, strategy: str = "Webhook") -> CrdVersion:
    crd = CustomResourceDefinition.from_manifest(_manifest(strategy=strategy))
    return (crd.with_webhooks(FixedWebhooks(FunctionConverter(_convert))) if is_called else crd).version(name)


def _case(text: str, section: str = "convert", *, fills: bool = False) -> AnyCase:
    (file,) = loader.load(
        f"crd: tabs.example.com\nversion: v1alpha1\n{section}:\n- {{name: a, {text}}}\n", source="c.yaml", fills=fills
    )
    return file.cases[0]


def _run(text: str, version: CrdVersion | None = None, section: str = "convert") -> CaseResult:
    return caserunner.run(_case(text, section), CaseSubject(version or _version("v1alpha1")))


@pytest.mark.parametrize(
    "text",
    [
        "to: v1, input: {spec: {minutes: 2}}, expected: {spec: {seconds: 120}}",
        "from: v1, to: v1alpha1, input: {spec: {seconds: 120}}, contains: {spec: {minutes: 2}}",
        "to: v1, input: {spec: {minutes: 2, note: tea}}, absent: [spec.note]",
        "to: v1, input: {spec: {minutes: 13}}, refused: 13 is unlucky",
    ],
)
def test_a_conversion_holds(text: str) -> None:
    assert _run(text).holds


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("to: v1, input: {spec: {minutes: 2}}, expected: {spec: {seconds: 1}}", ObjectMismatch),
        ("to: v1, input: {spec: {minutes: 13}}, expected: {spec: {seconds: 1}}", Rejected),
        ("to: v1, input: {spec: {minutes: 2}}, refused: unlucky", Accepted),
        ("to: v1, input: {spec: {minutes: 13}}, refused: lucky number", MessageMismatch),
        ("to: v1, input: {spec: {minutes: 2, nota: x}}, expected: {spec: {seconds: 120}}", Strays),
    ],
)
def test_a_conversion_does_not_hold(text: str, kind: type) -> None:
    (mismatch,) = _run(text).mismatches

    assert isinstance(mismatch, kind)


def test_versions_without_webhook_have_the_same_fields() -> None:
    version = _version("v1alpha1", strategy="None")

    assert _run("to: v1, input: {spec: {minutes: 2}}, expected: {spec: {}}", version).holds


@pytest.mark.parametrize(
    ("text", "is_called", "message"),
    [
        (
            "to: v2, input: {}, expected: {}",
            True,
            "c.yaml:4: `to` of convert case \"a\": tabs.example.com has no version 'v2'",
        ),
        ("from: v2, to: v1, input: {}, expected: {}", True, "`from` of convert case"),
        (
            "to: v1alpha1, input: {spec: {minutes: 2}}, expected: {spec: {minutes: 2}}",
            True,
            'c.yaml:4: convert case "a" converts nothing: `from` and `to` are v1alpha1',
        ),
        (
            "to: v1, input: {}, expected: {}",
            False,
            'convert case "a" cannot be run: a webhook converts v1alpha1 to v1, and `crd_webhooks` does not say how',
        ),
    ],
)
def test_a_case_that_cannot_be_run_is_an_error(text: str, is_called: bool, message: str) -> None:  # noqa: FBT001 - a parameter
    with pytest.raises(CaseFileError) as raised:
        _run(text, _version("v1alpha1", is_called=is_called))

    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("text", "mode", "values"),
    [
        ("to: v1, input: {spec: {minutes: 2}}", Mode.FILL, {"expected": {"spec": {"seconds": 120}}}),
        (
            "to: v1, input: {spec: {minutes: 13}}",
            Mode.FILL,
            {"refused": "conversion webhook for tabs failed: 13 is unlucky"},
        ),
        (
            "to: v1, input: {spec: {minutes: 2}}, expected: {spec: {seconds: 1}}",
            Mode.UPDATE,
            {"expected": {"spec": {"seconds": 120}}},
        ),
        ("to: v1, input: {spec: {minutes: 13}}, refused: lucky number", Mode.UPDATE, {}),
    ],
)
def test_conversions_are_filled_in_and_updated(text: str, mode: Mode, values: dict[str, Any]) -> None:
    subject = CaseSubject(_version("v1alpha1"))

    observed = observation.observe(_case(text, fills=True), lambda case: caserunner.run(case, subject), mode)

    assert observed.values == values
    assert bool(observed.problem) is not bool(values)


@pytest.mark.parametrize(
    ("minutes", "expectation", "turn", "values"),
    [
        (13, "expected: TODO", "accepted -> refused", {"refused": "conversion webhook for tabs failed: 13 is unlucky"}),
        (2, "refused: unlucky", "refused -> accepted", {"expected": {"spec": {"seconds": 120}}}),
        (
            13,
            "expected: {spec: {seconds: 1}}",
            "accepted -> refused",
            {"refused": "conversion webhook for tabs failed: 13 is unlucky"},
        ),
    ],
)
def test_the_verdict_on_a_conversion_is_turned_only_on_request(
    minutes: int, expectation: str, turn: str, values: dict[str, Any]
) -> None:
    subject = CaseSubject(_version("v1alpha1"))
    case = _case(f"to: v1, input: {{spec: {{minutes: {minutes}}}}}, {expectation}", fills=True)

    left = observation.observe(case, lambda one: caserunner.run(one, subject), Mode.UPDATE)
    turned = observation.observe(case, lambda one: caserunner.run(one, subject), Mode.UPDATE_VERDICTS)

    assert (left.values, left.problem, left.result.holds) == (
        {},
        f"{turn}: only --crd-update-verdicts turns a verdict around",
        False,
    )
    assert (turned.values, turned.turn, turned.result.holds) == (values, turn, True)


@pytest.mark.parametrize("expectation", ["", ", expected: TODO"])
@pytest.mark.parametrize("mode", Mode)
def test_the_message_of_a_failed_call_is_no_expectation(expectation: str, mode: Mode) -> None:
    def fail(_resource: JSONObject, _api_version: str) -> JSONObject:
        words = "dial tcp 127.0.0.1:9443: connect: connection refused"
        raise ConversionFailedError(
            f'conversion webhook for example.com/v1alpha1, Kind=Tab failed: Post "https://example.com/convert": {words}'
        )

    crd = CustomResourceDefinition.from_manifest(_manifest())
    subject = CaseSubject(crd.with_webhooks(FixedWebhooks(FunctionConverter(fail))).version("v1alpha1"))
    case = _case(f"to: v1, input: {{spec: {{minutes: 2}}}}{expectation}", fills=True)

    observed = observation.observe(case, lambda one: caserunner.run(one, subject), mode)

    assert (observed.values, observed.problem) == ({}, "the call of a webhook failed, so that its answer is not known")
    (mismatch,) = observed.result.mismatches
    assert isinstance(mismatch, Rejected)


def test_an_old_object_is_stored_through_the_webhook() -> None:
    text = "old: {spec: {minutes: 2, note: tea}}, patch: {spec: {minutes: 3}}, expected: {spec: {minutes: 3}}"

    assert _run(text, section="patch").holds


def test_an_old_object_of_another_version_is_converted() -> None:
    old = "{apiVersion: example.com/v1, metadata: {name: b, uid: u}, spec: {seconds: 120}}"

    assert _run(
        f"old: {old}, patch: {{metadata: {{labels: {{a: b}}}}}}, contains: {{spec: {{minutes: 2}}}}", section="patch"
    ).holds


def test_an_old_object_that_no_webhook_converts_is_an_error() -> None:
    with pytest.raises(CaseFileError, match="13 is unlucky"):
        _run("old: {spec: {minutes: 13}}, patch: {metadata: {labels: {a: b}}}, accepted: true", section="patch")


def test_an_old_object_is_not_admitted() -> None:
    admission = FunctionAdmission()
    crd = CustomResourceDefinition.from_manifest(_manifest())
    version = crd.with_webhooks(FixedWebhooks(FunctionConverter(_convert), admission)).version("v1alpha1")

    assert _run(
        "old: {spec: {minutes: 2}}, patch: {metadata: {labels: {a: b}}}, accepted: true", version, "patch"
    ).holds
    assert [call.operation for _, call in admission.calls] == ["UPDATE", "UPDATE"]


@pytest.mark.parametrize(("stated", "kept"), [({}, []), ({"uid": "u", "labels": {"a": "b"}}, ["labels", "uid"])])
def test_a_stored_form_has_no_generated_metadata_besides_stated_fields(stated: JSONObject, kept: list[str]) -> None:
    stored = CaseSubject(_version("v1alpha1")).stored_form({"metadata": stated, "spec": {"minutes": 2}})

    assert stored["spec"] == {"seconds": 120}
    assert sorted(stored["metadata"]) == sorted(["name", "namespace", *kept])


def test_an_old_object_that_cannot_be_stored_is_left_as_it_is() -> None:
    subject = CaseSubject(_version("v1alpha1"))

    assert subject.stored_form({"spec": {"minutes": 13}}) == {"spec": {"minutes": 13}}
