"""Cases about admission: denials and mutations."""

from __future__ import annotations

from typing import Any

import pytest
from support import crds
from support.webhooks import FixedWebhooks, FunctionAdmission

from pytest_crd.casefiles import observation
from pytest_crd.casefiles.observation import Mode, Observed
from pytest_crd.cases import caserunner, loader
from pytest_crd.cases.caseresult import CaseResult
from pytest_crd.cases.model import AnyCase
from pytest_crd.cases.subject import CaseSubject
from pytest_crd.engine import CrdVersion, CustomResourceDefinition
from pytest_crd.engine.errors.refusal import Denial, Refusal
from pytest_crd.engine.registry.admission import AdmissionRequest, Admitted
from pytest_crd.engine.registry.requestbody import RefusedError
from pytest_crd.report import text as reporttext

TEXT = {"type": "string"}
SCHEMA = {
    "type": "object",
    "properties": {
        "spec": {
            "type": "object",
            "properties": {"a": {**TEXT, "maxLength": 5}, "b": TEXT, "list": {"type": "array", "items": TEXT}},
        }
    },
}


def _mutate(request: AdmissionRequest) -> Admitted:
    assert request.object is not None
    spec = {**request.object["spec"], "b": "new", "list": ["x"]}
    spec.pop("a", None)
    return Admitted({**request.object, "spec": spec})


def _deny(_request: AdmissionRequest) -> Admitted:
    words = 'admission webhook "v.example.com" denied the request: never'
    raise RefusedError(Refusal(403, "Forbidden", words, denials=(Denial("v.example.com", "never", "Forbidden"),)))


def _version(mutate: Any = None, validate: Any = None) -> CrdVersion:
    crd = CustomResourceDefinition.from_manifest(crds.manifest(SCHEMA))
    return crd.with_webhooks(FixedWebhooks(None, FunctionAdmission(mutate, validate))).versions[0]


def _case(text: str, *, fills: bool = False) -> AnyCase:
    (file,) = loader.load(f"crd: tabs.example.com\ncreate:\n- {{name: a, {text}}}\n", source="c.yaml", fills=fills)
    return file.cases[0]


def _run(text: str, version: CrdVersion) -> CaseResult:
    return caserunner.run(_case(text), CaseSubject(version))


def _observe(text: str, version: CrdVersion, mode: Mode) -> Observed:
    return observation.observe(_case(text, fills=True), lambda case: caserunner.run(case, CaseSubject(version)), mode)


INPUT = "input: {spec: {a: x, list: [z]}}"


@pytest.mark.parametrize(
    "expectation",
    [
        "denied: [{by: v.example.com}]",
        "denied: [{by: v.example.com, message: eve, reason: Forbidden}]",
        "denied: [{by: v.example.com}], error: denied the request",
    ],
)
def test_a_denial_meets_an_expectation(expectation: str) -> None:
    assert _run(f"{INPUT}, {expectation}", _version(None, _deny)).holds


@pytest.mark.parametrize(
    ("denied", "words"),
    [
        ("[{by: w.example.com}]", ["{by: w.example.com} not denied, but listed"]),
        ("[{by: v.example.com, message: nay}]", ['{by: v.example.com, message: "nay"} not denied, but listed']),
        ("[{by: v.example.com}, {by: v.example.com, reason: Invalid}]", ['reason: "Invalid"} not denied, but listed']),
    ],
)
def test_another_denial_is_told(denied: str, words: list[str]) -> None:
    result = _run(f"{INPUT}, denied: {denied}", _version(None, _deny))

    text = "\n".join(f"{row.brief}" for row in reporttext.find_differences(result))
    assert all(part in text for part in words)
    assert not result.holds


def test_a_refusal_by_the_schema_is_no_denial() -> None:
    result = _run("input: {spec: {a: toolong}}, denied: [{by: v.example.com}]", _version())

    assert ["v.example.com" in row.brief for row in reporttext.find_differences(result)] == [True]
    assert "denied:" in [*reporttext.lines("a", result)]


def test_an_accepted_object_is_no_denial() -> None:
    result = _run(f"{INPUT}, denied: [{{by: v.example.com, message: nay}}]", _version())

    (row,) = reporttext.find_differences(result)
    assert row.brief == 'accepted, expected the denial {by: v.example.com, message: "nay"}'


def test_mutated_fields_are_listed() -> None:
    assert _run(f"{INPUT}, mutated: [spec.a, spec.b, 'spec.list[0]']", _version(_mutate)).holds
    assert not _run(f"{INPUT}, mutated: [spec.a]", _version(_mutate)).holds
    assert _run(
        "input: {spec: {}}, mutated: [spec.b, spec.list], expected: {spec: {b: new, list: [x]}}", _version(_mutate)
    ).holds
    assert _run(f"{INPUT}, mutated: []", _version()).holds


def test_denials_and_mutations_are_filled_in() -> None:
    denied = _observe(INPUT, _version(None, _deny), Mode.FILL)
    mutated = _observe(INPUT, _version(_mutate), Mode.FILL)

    assert denied.values == {"denied": [{"by": "v.example.com", "message": "never", "reason": "Forbidden"}]}
    assert mutated.values == {
        "expected": {"spec": {"b": "new", "list": ["x"]}},
        "mutated": ["spec.a", "spec.list[0]", "spec.b"],
    }


def test_denials_are_updated() -> None:
    wrong = f"{INPUT}, denied: [{{by: w.example.com}}]"

    assert _observe(wrong, _version(None, _deny), Mode.UPDATE).values["denied"][0]["by"] == "v.example.com"
    assert _observe("input: {spec: {a: toolong}}, denied: [{by: w.example.com}]", _version(), Mode.UPDATE).problem
    assert _observe(f"{INPUT}, denied: TODO", _version(None, _deny), Mode.FILL).values["denied"]


@pytest.mark.parametrize("expectation", ["", ", errors: TODO", ", expected: {spec: {a: y}}"])
def test_the_message_of_a_failed_call_is_no_expectation(expectation: str) -> None:
    def fail(_request: AdmissionRequest) -> Admitted:
        words = 'failed calling webhook "v.example.com": failed to call webhook: the server is currently unable'
        raise RefusedError(Refusal(500, "InternalError", f"Internal error occurred: {words}"))

    observed = _observe(f"{INPUT}{expectation}", _version(None, fail), Mode.UPDATE_VERDICTS)

    assert (observed.values, observed.problem) == ({}, "the call of a webhook failed, so that its answer is not known")
    assert not observed.result.holds
    assert _run(f"{INPUT}, error: failed calling webhook", _version(None, fail)).holds


def test_a_case_about_admission_says_that_no_webhook_is_called() -> None:
    version = CustomResourceDefinition.from_manifest(crds.manifest(SCHEMA)).versions[0]
    hint = "no webhook is called; set crd_webhooks, and call pytest-crd test with --webhooks"

    denied = "\n".join(reporttext.lines("a", _run(f"{INPUT}, denied: [{{by: v.example.com}}]", version)))
    mutated = "\n".join(reporttext.lines("a", _run(f"{INPUT}, mutated: [spec.b]", version)))

    assert f"{{by: v.example.com}} ({hint})" in denied
    assert f"spec.b  listed, but not mutated; there is a cause: {hint}" in mutated
    assert hint not in "\n".join(reporttext.lines("a", _run(f"{INPUT}, mutated: [spec.b]", _version())))


FAILURE = "expression 'object.x > 1' resulted in error: no such key: x"


def _fail(_request: AdmissionRequest) -> Admitted:
    denials = (Denial("p", FAILURE, "Invalid", ("object.x > 1", "at most 1", "Invalid")),)
    raise RefusedError(
        Refusal(422, "Invalid", f"tabs is forbidden: policy 'p' denied request: {FAILURE}", denials=denials)
    )


@pytest.mark.parametrize(
    ("stated", "holds"),
    [
        ("denied: [{by: p}]", False),
        ("denied: [{by: p, message: 'object.x > 1'}]", False),
        ("denied: [{by: p, reason: Invalid}]", False),
        ("denied: [{by: p, message: 'no such key'}]", True),
        ("error: denied request", False),
        ("error: 'object.x'", False),
        ("error: 'error: no such key'", True),
        ("errors: [{type: Request}]", False),
        ("errors: [{matches: denied}]", False),
        ("errors: [{matches: 'no such key: .'}]", True),
        (f"containsErrors: [{{message: \"tabs is forbidden: policy 'p' denied request: {FAILURE}\"}}]", True),
    ],
)
def test_a_failure_of_a_policy_is_no_decision_unless_the_case_states_it(stated: str, *, holds: bool) -> None:
    result = _run(f"{INPUT}, {stated}", _version(validate=_fail))

    assert result.holds == holds
    if not holds:
        assert [mismatch.key for mismatch in result.mismatches] == [stated.partition(":")[0]]  # type: ignore[union-attr]
